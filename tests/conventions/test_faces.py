"""Every public name has one face and a docstring. Later tests plant violations of each check."""

import ast
import builtins
import inspect
from dataclasses import dataclass
from importlib import import_module

import pytest

from tests.conventions.faces import (
    documented_values,
    exported_twice,
    exports_of,
    half_exported,
    home_of,
    logic_in,
    undocumented,
)
from tests.conventions.project import PACKAGE, package_faces, package_modules

ALL = "\n__all__ = "


def test_every_public_name_is_exported_by_one_face():
    said = exported_twice({face: exports_of(text) for face, text in package_faces().items()})
    assert not said, "\n".join(said)


def test_every_import_of_ours_in_a_face_says_that_it_is_exported():
    said = [one for face, text in package_faces().items() for one in half_exported(face, text)]
    assert not said, "\n".join(said)


def test_the_face_of_the_package_holds_no_logic():
    assert logic_in(PACKAGE, package_faces()[PACKAGE]) == []


@pytest.mark.parametrize("face", [face for face, text in package_faces().items() if ALL in text])
def test_a_face_lists_all_that_it_exports_for_help_and_star_imports(face):
    exported = exports_of(package_faces()[face])
    assert set(import_module(face).__all__) == {n for n in exported if not hasattr(builtins, n)}


def test_the_face_of_the_package_is_one_that_lists_its_names():
    assert ALL in package_faces()[PACKAGE]


@pytest.mark.parametrize("face", package_faces())
def test_every_exported_name_is_documented(face):
    modules, module = package_modules(), import_module(face)
    missing = []
    for name in sorted(exports_of(modules[face])):
        thing = getattr(module, name)
        if inspect.isclass(thing) or inspect.isroutine(thing) or inspect.ismodule(thing):
            missing += undocumented(name, thing)
        elif name not in documented_values(modules[home_of(face, name, modules)]):
            missing.append(name)
    assert not missing, "without a docstring:\n" + "\n".join(missing)


def test_every_module_opens_with_a_docstring():
    modules = package_modules().items()
    assert [name for name, text in modules if not ast.get_docstring(ast.parse(text))] == []


def test_exports_are_explicit_aliases_listed_names_and_definitions():
    text = (
        "from a import X as X, Y, Z as W\n__all__ = ['Y']\n__version__ = '1'\n"
        "def f(): ...\nclass C: ...\nLIMIT: int = 3\n_hidden = 1\nimport os\n"
    )
    assert exports_of(text) == {"X", "Y", "f", "C", "LIMIT"}


def test_a_planted_second_face_is_caught():
    faces = {
        "actors_rs": {"Source", "Flow"},
        "actors_rs.graph": {"Source"},
        "actors_rs.spark": set(),
    }
    assert exported_twice(faces) == [
        "Source is exported by actors_rs and actors_rs.graph: choose one"
    ]


@pytest.mark.parametrize(
    ("text", "caught"),
    [
        ("from actors_rs.a import X", 1),
        ("from .a import X, Y", 2),
        ("from .a import X as X", 0),
        ("from .a import X\n__all__ = ['X']", 0),
        ("from .a import X as _x", 0),
        ("from typing import Any", 0),
    ],
)
def test_a_planted_import_that_is_no_export_is_caught(text, caught):
    assert len(half_exported("actors_rs", text)) == caught


@pytest.mark.parametrize(
    ("statement", "caught"),
    [
        ("def f(): ...", 1),
        ("for x in (): ...", 1),
        ("LIMIT = 3", 1),
        ("print('hello')", 1),
        ("__version__ = '1'", 0),
        ("from .a import X as X", 0),
    ],
)
def test_planted_logic_in_a_face_is_caught(statement, caught):
    assert len(logic_in("actors_rs", f'"""Face."""\n{statement}')) == caught


class Documented:
    """A class whose methods are documented here or where they come from."""

    def method(self):
        """Do it."""

    @property
    def size(self):
        """How many."""

    def _private(self): ...


class Inheriting(Documented):
    """Overrides a documented method."""

    def method(self): ...


class Bare(Documented):
    limit = 3

    def new(self): ...

    @property
    def width(self): ...

    @classmethod
    def make(cls): ...


@dataclass
class Generated:
    x: int


def bare_function(): ...


@pytest.mark.parametrize(
    ("thing", "missing"),
    [
        (Documented, []),
        (Inheriting, []),
        (Bare, ["it", "it.make", "it.new", "it.width"]),
        (Generated, ["it"]),
        (bare_function, ["it"]),
    ],
)
def test_a_planted_missing_docstring_is_caught(thing, missing):
    assert undocumented("it", thing) == missing


def test_a_value_is_documented_by_a_string_below_or_a_marked_comment_above():
    text = 'A = 1\n"""Says A."""\n#: Says B.\nB: int = 2\n# says nothing\nC = 3\nD = 4\n'
    assert documented_values(text) == {"A", "B"}


def test_the_home_of_a_name_is_found_through_faces():
    modules = {
        "p": "from p.q import X as X",
        "p.q": "from p.q.r import Y as X",
        "p.q.r": "Y = 1",
    }
    assert home_of("p", "X", modules) == "p.q.r"
