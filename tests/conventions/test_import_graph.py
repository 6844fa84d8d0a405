"""No module imports itself through others, imports for types included."""

import pytest

from tests.conventions.import_graph import (
    circles,
    import_graph,
    named_circles,
)
from tests.conventions.project import package_faces, package_modules


def test_no_module_imports_itself_through_others():
    graph = import_graph(package_modules(), set(package_faces()))
    said = named_circles(graph)
    assert not said, "\n".join(said)


A_FOR_TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.b import B"


@pytest.mark.parametrize(
    "texts",
    [
        {"p.a": "import p.b", "p.b": "import p.a"},
        {"p.a": "from p.b import B", "p.b": "from p import a"},
        {"p.a": A_FOR_TYPES, "p.b": "def f():\n    from .a import A"},
        {"p.a": "import p.b", "p.b": "import p.c", "p.c": "import p.a"},
    ],
)
def test_a_planted_circle_is_caught(texts):
    graph = import_graph({"p": "", **texts}, {"p"})
    assert circles(graph) == [sorted(texts)]
    (said,) = named_circles(graph)
    assert said.startswith(f"p: {len(texts)} modules import each other: ")


A_FOR_RETURN = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.w import Whole\n"
IN_A_FUNCTION = "from p.w import Whole"
PART = "class Part(Generic[T]):\n    def f(self) -> Whole: ..."


def test_a_base_may_name_the_class_that_derives_from_it_for_types():
    whole = "from p.mid import Middle\nclass Whole(Middle[T], Generic[T]): ..."
    middle = "from p.a import Part\nclass Middle(Part[T]): ..."
    graph = import_graph({"p.a": A_FOR_RETURN + PART, "p.mid": middle, "p.w": whole}, set())
    assert circles(graph) == []


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        ("from p.w import Whole\n" + PART, "from p.a import Part\nclass Whole(Part): ..."),
        (PART.replace("...", IN_A_FUNCTION), "from p.a import Part\nclass Whole(Part): ..."),
        (A_FOR_RETURN + PART, "from p.a import Part\nclass Whole: ..."),
        (A_FOR_RETURN + PART, "from p.a import Part\nclass Other(Part): ...\nclass Whole: ..."),
    ],
    ids=["at run time", "in a function", "no base", "a base of another class"],
)
def test_every_other_import_of_a_class_by_its_part_is_a_circle(part, whole):
    graph = import_graph({"p.a": part, "p.w": whole}, set())
    assert circles(graph) == [["p.a", "p.w"]]


def test_a_circle_over_folders_and_one_through_a_face_are_named_by_what_holds_them():
    over = import_graph({"p.q.a": "import p.r.b", "p.r.b": "import p.q.a"}, set())
    assert named_circles(over)[0].startswith("p: ")
    face = import_graph({"p.q": "from p.q import a", "p.q.a": "import p.q"}, {"p.q"})
    assert circles(face) == [["p.q", "p.q.a"]]


def test_two_circles_are_two_and_what_only_leads_to_one_is_in_none():
    texts = {"p.a": "import p.b", "p.b": "import p.a", "p.c": "import p.d", "p.d": "import p.c"}
    graph = import_graph({**texts, "p.e": "import p.a, p.c"}, set())
    assert circles(graph) == [["p.a", "p.b"], ["p.c", "p.d"]]
