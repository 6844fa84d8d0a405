"""The examples in the package's docstrings, as doctests. A test module parametrizes over them."""

import doctest
from importlib import import_module
from typing import Any

import pytest

import actors_rs
from tests.conventions.project import package_modules

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_SPARK = "actors_rs.spark"


def examples(*, spark: bool) -> list[Any]:
    """A parameter for each docstring with an example: of ``actors_rs.spark``, or of all others."""
    modules = [
        name
        for name, text in sorted(package_modules().items())
        if ">>> " in text and name.startswith(_SPARK) == spark
    ]
    found = [
        test for name in modules for test in doctest.DocTestFinder().find(import_module(name), name)
    ]
    return [pytest.param(test, id=test.name) for test in found if test.examples]


def run_example(test: doctest.DocTest, **names: object) -> None:
    """Run one docstring. It may use the names of ``actors_rs``, of its module, and ``names``."""
    public = {name: getattr(actors_rs, name) for name in actors_rs.__all__}
    test.globs = {**public, **test.globs, **names}
    said: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
    assert not failed, "".join(said)
