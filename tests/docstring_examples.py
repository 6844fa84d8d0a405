"""The examples in the package's docstrings, as doctests. A test module parametrizes over them."""

import doctest
from importlib import import_module
from typing import Any

import pytest

import actors_rs
from tests.conventions.project import package_modules

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples(*, spark: bool) -> list[Any]:
    """A parameter for each docstring with examples that use Spark, or that do not."""
    modules = [name for name, text in sorted(package_modules().items()) if ">>> " in text]
    finder = doctest.DocTestFinder()
    found = [test for name in modules for test in finder.find(import_module(name), name)]
    used = [test for test in found if test.examples and _uses_spark(test) == spark]
    return [pytest.param(test, id=test.name) for test in used]


def _uses_spark(test: doctest.DocTest) -> bool:
    return any("spark" in example.source for example in test.examples)


def run_example(test: doctest.DocTest, **names: object) -> None:
    """Run one docstring. It may use the names of ``actors_rs``, of its module, and ``names``."""
    public = {name: getattr(actors_rs, name) for name in actors_rs.__all__}
    test.globs = {**public, **test.globs, **names}
    said: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
    assert not failed, "".join(said)
