import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from census import BadInputError
from census.extract import MAX_BYTES, functions_in, rows_of_file
from census.paths import list_files, package_of

from .conftest import BAD, EXAMPLES, GOOD


def branches(body: str) -> int:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    (row,) = functions_in(f"def f():\n{lines}".encode())
    return row["branches"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("pass", 1),
        ("if a: pass", 2),
        ("if a: pass\nelif b: pass\nelse: pass", 3),
        ("for x in y: pass\nelse: pass", 2),
        ("while a: pass", 2),
        ("try: pass\nexcept A: pass\nexcept B: pass\nfinally: pass", 3),
        ("try: pass\nexcept* A: pass", 2),
        ("a and b and c or d", 4),
        ("return a if b else c", 2),
        ("[x for x in y if x if y for z in x]", 5),
        ("match a:\n    case 1: pass\n    case [2, *_] if b: pass\n    case _: pass", 4),
        ("with a: pass\nassert b", 1),
        ("lambda: a or b", 2),
        ("class C:\n    if a: pass", 2),
    ],
)
def test_branches_are_one_plus_the_decision_points(body, expected):
    assert branches(body) == expected


def test_a_nested_function_keeps_its_branches_to_itself():
    source = b"def f(a):\n  if a: pass\n  def g(b=1 or 2):\n    while b: pass\n  return g\n"
    assert {row["qualified_name"]: row["branches"] for row in functions_in(source)} == {
        "f": 3,
        "f.<locals>.g": 2,
    }


def test_names_are_qualified_as_python_itself_qualifies_them():
    source = b"""
def f():
    class A:
        def m(self):
            def g(): pass
class B:
    class C:
        async def n(self): pass
if True:
    def conditional(): pass
"""
    assert [row["qualified_name"] for row in functions_in(source)] == [
        "f",
        "f.<locals>.A.m",
        "f.<locals>.A.m.<locals>.g",
        "B.C.n",
        "conditional",
    ]


def test_a_row_holds_lines_arguments_docstring_and_async():
    source = b'\nasync def f(a, /, b, *c, d, **e):\n    """Doc."""\n    return a\n'
    (row,) = functions_in(source)
    assert row == {
        "qualified_name": "f",
        "line": 2,
        "end_line": 4,
        "arguments": 5,
        "branches": 1,
        "has_docstring": True,
        "is_async": True,
    }


@pytest.mark.parametrize("name", GOOD)
def test_unusual_but_valid_files_are_measured(source_tree, name):
    *functions, file = rows_of_file(str(source_tree / "odd" / name), "odd")
    assert file["kind"] == "file"
    assert file["functions"] == len(functions) == (name not in {"empty.py", "only_data.py"})


def test_a_coding_cookie_is_obeyed(source_tree):
    function, _ = rows_of_file(str(source_tree / "odd" / "cookie.py"), "odd")
    assert function["qualified_name"] == "café"


@pytest.mark.parametrize("name", [*BAD, "directory.py", "dangling.py", "missing.py"])
def test_a_file_that_cannot_be_used_is_one_failure_row_with_a_reason(source_tree, name):
    path = str(source_tree / "bad" / name)
    (row,) = rows_of_file(path, "bad")
    assert row["kind"] == "failure"
    assert (row["file"], row["package"]) == (path, "bad")
    kind, reason = row["reason"].split(": ", 1)
    assert kind.endswith("Error")
    assert reason
    assert "\n" not in row["reason"]


def test_a_named_pipe_is_a_failure_and_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    (row,) = rows_of_file(str(tmp_path / "pipe.py"), "p")
    assert row["reason"] == "OSError: it is not a regular file"


def test_a_file_too_large_to_parse_is_a_failure_and_is_not_read(tmp_path):
    with (tmp_path / "huge.py").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    (row,) = rows_of_file(str(tmp_path / "huge.py"), "p")
    assert row["reason"].startswith(f"OSError: its {MAX_BYTES + 1} bytes are more than")


def test_a_file_name_that_is_no_unicode_is_a_failure_that_can_be_stored(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff.py"
    Path(os.fsdecode(name)).write_text("def f(): pass\n")
    ((path, package),) = list_files([str(tmp_path)])
    (row,) = rows_of_file(path, package)
    assert row["file"].encode().endswith(rb"/\udcff.py")
    assert "not valid Unicode" in row["reason"]


def test_warnings_of_the_parser_are_not_shown(source_tree):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        rows_of_file(str(source_tree / "odd" / "warns.py"), "odd")
    assert not seen


def test_extracting_needs_nothing_but_the_standard_library(source_tree):
    program = (
        f"import sys; sys.path.insert(0, {str(EXAMPLES)!r}); from census.extract import *;"
        f"print(len(rows_of_file({str(source_tree / 'single.py')!r}, 'single')))"
    )
    run = [sys.executable, "-I", "-S", "-c", program]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "2\n"


def test_the_listing_holds_each_file_once_and_no_installed_packages(source_tree):
    files = list_files([str(source_tree), str(source_tree / "alpha")])
    names = [path for path, _ in files]
    assert len(names) == len(set(names)) == 54 + len(GOOD) + len(BAD) + 4
    assert not [name for name in names if "site-packages" in name]
    assert str(source_tree / "bad" / "directory.py") in names


@pytest.mark.parametrize(
    ("file", "package"),
    [("/r/a/b/c.py", "a"), ("/r/a.py", "a"), ("/r/a/__init__.py", "a"), ("/r/x.py/y.py", "x.py")],
)
def test_the_package_is_the_first_component_below_the_root(file, package):
    assert package_of(file, "/r") == package


def test_a_single_file_is_its_own_package(source_tree):
    path = str(source_tree / "single.py")
    assert list_files([path]) == [(path, "single")]


def test_a_path_without_python_is_refused_by_name(source_tree, tmp_path):
    for path, problem in (
        (tmp_path / "missing", "does not exist"),
        (tmp_path, "holds no .py file"),
        (source_tree / "notes.txt", "holds no .py file"),
    ):
        with pytest.raises(BadInputError, match=problem) as caught:
            list_files([str(source_tree), str(path)])
        assert str(path) in str(caught.value)
