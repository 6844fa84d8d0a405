"""Limits of size, and pure checks of files and folders against them."""

import ast
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

MOST_LINES_OF_A_FILE = 400
MOST_LINES_OF_A_FUNCTION = 45
MOST_MODULES_OF_A_FOLDER = 20


def long_file(path: str, text: str) -> list[str]:
    """The file itself when it has more lines than a file may have."""
    lines = len(text.splitlines())
    if lines <= MOST_LINES_OF_A_FILE:
        return []
    return [
        f"{path}: a file has at most {MOST_LINES_OF_A_FILE} lines, this one {lines}: move a table"
        " or a group of tests into a file of its own"
    ]


def long_functions(path: str, text: str) -> list[str]:
    """Functions and methods with more lines than one may have, without decorators and docstring."""
    functions = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return [
        f"{path}:{node.lineno}: a function has at most {MOST_LINES_OF_A_FUNCTION} lines,"
        f" {node.name} {lines_of(node)}: move a part of it into a function of its own"
        for node in functions
        if lines_of(node) > MOST_LINES_OF_A_FUNCTION
    ]


def lines_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of code from `def` to the last one, nested functions included.

    The docstring does not count: a reference that explains each argument may be long.
    """
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    if ast.get_docstring(node) is None:
        return lines
    docstring = node.body[0]
    return lines - ((docstring.end_lineno or docstring.lineno) - docstring.lineno + 1)


def full_folders(paths: Iterable[str], unbounded: Collection[str] = ()) -> list[str]:
    """Folders with more modules than a folder may hold, apart from the ``unbounded`` ones.

    ``__init__`` and files of tests do not count.
    """
    modules = [PurePosixPath(path) for path in paths]
    counted = Counter(
        path.parent.as_posix()
        for path in modules
        if path.name != "__init__.py" and not path.name.startswith("test_")
    )
    return [
        f"{folder}: a folder has at most {MOST_MODULES_OF_A_FOLDER} modules, this one {count}:"
        " move modules of one topic into a folder of their own"
        for folder, count in sorted(counted.items())
        if count > MOST_MODULES_OF_A_FOLDER and folder not in unbounded
    ]
