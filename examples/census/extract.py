"""What one Python file says about itself: pure measuring with `ast`, no Spark and no actors.

`rows_of_file` runs on Spark's executors, which receive it by value, so this module leans on the
standard library alone. It promises to return for any path: a file that cannot be read or parsed
becomes one row of kind "failure" with the reason.

Cyclomatic complexity (column `branches`) is 1 plus the decision points in a function's own
body. A nested function's body is counted for the nested function; its decorators, defaults
and annotations, which its surroundings evaluate, are counted there.
"""

import ast
import os
import stat
import warnings
from collections.abc import Iterator
from typing import Any

Row = dict[str, Any]
Function = ast.FunctionDef | ast.AsyncFunctionDef

# A syntax tree takes some sixty times its source in memory: beyond this one generated file
# could take an executor down, and with it the rows of every other file.
MAX_BYTES = 16 * 2**20

# Node types below which there is never anything to count; skipping them halves the walk.
_LEAVES = frozenset(
    {ast.Name, ast.Constant, ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal}
    | {ast.Import, ast.ImportFrom, ast.alias}
    | {ast.Load, ast.Store, ast.Del, ast.And, ast.Or}
    | set(ast.operator.__subclasses__())
    | set(ast.unaryop.__subclasses__())
    | set(ast.cmpop.__subclasses__())
)

_DECISIONS = frozenset(
    {ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case}
)


def rows_of_file(path: str, package: str) -> list[Row]:
    """The file's function rows and its one file row, or its one failure row."""
    origin = {"file": _storable(path), "package": _storable(package)}
    try:
        path.encode()
        functions = [{"kind": "function"} | origin | row for row in functions_in(read(path), path)]
    # Broad on purpose: SyntaxError, ValueError, RecursionError, MemoryError, OSError and what
    # later parsers may raise all mean the same here, and one file must never stop the job.
    except Exception as error:
        return [{"kind": "failure", **origin, "reason": reason_of(error)}]
    return [*functions, {"kind": "file", **origin, "functions": len(functions)}]


def read(path: str) -> bytes:
    """The file's bytes. Raises OSError when it is no regular file, or is beyond MAX_BYTES."""
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        os.listdir(path)  # a directory that is locked says so by itself
        raise IsADirectoryError("it is a directory")
    if not stat.S_ISREG(status.st_mode):
        # Opening a named pipe would wait for ever.
        raise OSError("it is not a regular file")
    if status.st_size > MAX_BYTES:
        raise OSError(f"its {status.st_size} bytes are more than the {MAX_BYTES} a census parses")
    with open(path, "rb") as file:
        return file.read()


def functions_in(source: bytes, path: str = "<source>") -> list[Row]:
    """One row per `def` in the source, nested ones and methods included, in order of line.

    Raises what `ast.parse` raises. Parsing bytes leaves byte order mark and coding cookie
    to the parser.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source, path)
    return sorted(_measure(tree), key=lambda row: (row["line"], row["end_line"]))


def _measure(tree: ast.Module) -> list[Row]:
    # Explicit stacks: a tree the parser accepts can be deeper than Python's recursion limit.
    rows: list[Row] = []
    scopes: list[tuple[list[ast.stmt], str, Row]] = [(tree.body, "", {"branches": 0})]
    while scopes:
        body, prefix, owner = scopes.pop()
        todo: list[ast.AST] = list(body)
        while todo:
            node = todo.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                row = _row(node, prefix)
                rows.append(row)
                scopes.append((node.body, f"{row['qualified_name']}.<locals>.", row))
                todo += [node.args, *node.decorator_list, *([node.returns] if node.returns else ())]
            elif isinstance(node, ast.ClassDef):
                scopes.append((node.body, f"{prefix}{node.name}.", owner))
                todo += [*node.bases, *node.keywords, *node.decorator_list]
            else:
                owner["branches"] += _decisions(node)
                todo += _children(node)
    return rows


def _row(node: Function, prefix: str) -> Row:
    arguments = node.args
    named = len(arguments.posonlyargs) + len(arguments.args) + len(arguments.kwonlyargs)
    return {
        "qualified_name": prefix + node.name,
        "line": node.lineno,
        "end_line": node.end_lineno,
        "arguments": named + (arguments.vararg is not None) + (arguments.kwarg is not None),
        "branches": 1,
        "has_docstring": ast.get_docstring(node, clean=False) is not None,
        "is_async": isinstance(node, ast.AsyncFunctionDef),
    }


def _decisions(node: ast.AST) -> int:
    """How many decision points the node itself is, its children not counted."""
    if type(node) in _DECISIONS:
        return 1
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    return 0


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for field in node._fields:
        value = getattr(node, field, None)
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST) and type(child) not in _LEAVES:
                yield child


def reason_of(error: Exception) -> str:
    """One line: the kind of error and what it says."""
    if isinstance(error, SyntaxError):
        where = f" (line {error.lineno})" if error.lineno else ""
        return _storable(f"{type(error).__name__}: {error.msg}{where}")
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    if isinstance(error, UnicodeEncodeError):
        text = "the file's name is not valid Unicode"
    # Parser and tree builder run out of stack as MemoryError and RecursionError.
    return _storable(f"{type(error).__name__}: {text or 'nested too deeply to parse'}")


def _storable(text: str) -> str:
    """The text as storage can hold it: file names may carry bytes that are no Unicode."""
    return text.encode("utf-8", "backslashreplace").decode()
