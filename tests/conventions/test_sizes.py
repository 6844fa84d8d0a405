"""No file, no function and no folder outgrows what a reader takes in at once."""

import pytest

from tests.conventions.project import code_files
from tests.conventions.sizes import full_folders, long_file, long_functions


@pytest.mark.parametrize("check", [long_file, long_functions], ids=lambda check: check.__name__)
def test_every_file_and_function_keeps_its_limit(check):
    said = [one for path, text in code_files().items() for one in check(path, text)]
    assert not said, "\n".join(said)


def test_the_package_and_its_tests_are_among_the_files_read():
    assert {"actors_rs/__init__.py", "tests/conventions/test_sizes.py"} <= code_files().keys()


@pytest.mark.parametrize(("lines", "caught"), [(400, 0), (401, 1)])
def test_a_planted_long_file_is_caught(lines, caught):
    assert len(long_file("a.py", "x = 1\n" * lines)) == caught


def test_the_message_for_a_long_file_says_what_to_do():
    (said,) = long_file("a.py", "x = 1\n" * 401)
    assert said == (
        "a.py: a file has at most 400 lines, this one 401: "
        "move a table or a group of tests into a file of its own"
    )


@pytest.mark.parametrize(("lines", "caught"), [(45, 0), (46, 1)])
@pytest.mark.parametrize("head", ["def f():", "async def f():", "@cache\n@more\ndef f():"])
def test_a_planted_long_function_is_caught(head, lines, caught):
    assert len(long_functions("a.py", head + "\n    x = 1" * (lines - 1))) == caught


def test_the_docstring_of_a_function_does_not_count():
    docstring = '\n    """Rule.\n' + "\n    More.\n" * 60 + '    """'
    assert long_functions("a.py", "def f():" + docstring + "\n    x = 1" * 44) == []
    assert len(long_functions("a.py", "def f():" + docstring + "\n    x = 1" * 45)) == 1


def test_a_planted_long_method_is_named_with_its_place():
    text = "class C:\n    def f(self):" + "\n        x = 1" * 60
    says = "a.py:2: a function has at most 45 lines, f 61: move a part of it into a function of"
    assert long_functions("a.py", text) == [f"{says} its own"]


def test_no_folder_of_the_package_or_of_stress_holds_more_than_20_modules_but_the_operators():
    paths = [path for path in code_files() if path.startswith(("actors_rs/", "stress/"))]
    said = full_folders(paths, unbounded={"actors_rs/stages/operators"})
    assert not said, "\n".join(said)


@pytest.mark.parametrize(("modules", "caught"), [(20, 0), (21, 1)])
def test_a_planted_full_folder_is_caught(modules, caught):
    paths = [f"p/q/m{number}.py" for number in range(modules)]
    others = ["p/__init__.py", "p/q/__init__.py", "p/q/test_m.py", "p/q/r/m.py", "p/m.py"]
    assert len(full_folders([*paths, *others])) == caught
    assert full_folders(paths, unbounded={"p/q"}) == []
