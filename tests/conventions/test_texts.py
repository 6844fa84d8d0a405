"""No text of a user's object is made but by `actors_rs.texts`."""

import pytest

from tests.conventions.project import code_files, in_package
from tests.conventions.texts import ALLOWED, raw_texts


def test_the_text_of_an_object_is_made_in_one_place():
    files = {path: text for path, text in code_files().items() if in_package(path)}
    said = [one for path, text in files.items() for one in raw_texts(path, text)]
    assert not said, "\n".join(said)


def test_what_is_allowed_is_there():
    assert ALLOWED.keys() <= code_files().keys()


@pytest.mark.parametrize(
    "code",
    [
        'f"got {n!r}"',
        'f"got {n!a}"',
        'f"{error}"',
        'f"{one.error}"',
        'f"{keys[0]}"',
        "repr(n)",
        "map(repr, names)",
        "', '.join(map(str, elements))",
        "str(self.key)",
        "str(error)",
        "format(item)",
        "'%s' % n",
        "type(error).__name__",
    ],
)
def test_a_planted_raw_text_is_caught_with_its_line(code):
    (said,) = raw_texts("actors_rs/a.py", f"\nwhat = {code}\n")
    assert said.startswith("actors_rs/a.py:2: ")


@pytest.mark.parametrize(
    "code",
    [
        'f"{name} {n:g}"',
        "str(path)",
        "type(self).__name__",
        "repr_of(error)",
        'f"{text_of(error)}"',
        "n % 2",
    ],
)
def test_what_is_safe_passes(code):
    assert raw_texts("actors_rs/a.py", f"what = {code}\n") == []
