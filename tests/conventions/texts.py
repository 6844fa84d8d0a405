"""A text of a user's object is made by `actors_rs.texts`, for its methods may raise or never end.

Three rules, for the package: nothing but `texts` calls `repr`, nothing but `texts` turns a variable
into a text whose name says that it may hold a user's object, and nothing else reads the name of its
class, which a metaclass may define.
"""

import ast
from collections.abc import Iterator

USERS = frozenset(("actor", "element", "error", "exception", "failure", "item", "key"))
"""Names of variables and attributes that may hold a user's object, as may parts of `keys`."""

ALLOWED = {
    "actors_rs/texts.py": "the one place",
    "actors_rs/testing/world/describe.py": "tells values of a world apart by all of their text",
    "actors_rs/spark/repeat/checksum.py": "digests values of Spark's types by all of their text",
    "actors_rs/spark/mapping/map_worker.py": "travels to workers without us; guards by itself",
    "actors_rs/spark/fetching/sender.py": "travels to workers without actors_rs; names an OSError",
    "actors_rs/spark/failures.py": "asks the JVM for the text, and says so when it is gone",
    "actors_rs/spark/connecting/failures.py": "reads the whole text of an error of gRPC",
    "actors_rs/spark/connecting/server.py": "a setting as the server sends it, a text",
    "actors_rs/spark/session.py": "settings of Spark, which are texts and numbers",
    "actors_rs/delivery/carrying/parquet.py": "the key as the ledger keeps it, never cut",
    "actors_rs/delivery/carrying/sqlite.py": "the key as the ledger keeps it, never cut",
}
"""Files in which the rules do not hold, and why not."""


def raw_texts(path: str, text: str) -> list[str]:
    """A sentence for each text that is made of an object without `actors_rs.texts`."""
    if path in ALLOWED:
        return []
    return [
        f"{path}:{getattr(node, 'lineno', 0)}: {what} may raise: use actors_rs.texts"
        for node in ast.walk(ast.parse(text))
        for what in _made_raw(node)
    ]


def _made_raw(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FormattedValue):
        if node.conversion in (ord("r"), ord("a")) or (
            node.format_spec is None and _is_of_user(node.value)
        ):
            yield f"{{{ast.unparse(node.value)}}} in a text"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        maker, arguments, part = node.func.id, node.args, False
        if maker == "map" and arguments and isinstance(arguments[0], ast.Name):
            maker, arguments, part = arguments[0].id, arguments[1:], True
        if maker in ("repr", "ascii") or (
            maker in ("str", "format") and arguments and _is_of_user(arguments[0], part)
        ):
            yield ast.unparse(node)
    elif isinstance(node, ast.Attribute) and node.attr in ("__name__", "__qualname__"):
        asked = node.value
        if isinstance(asked, ast.Call) and getattr(asked.func, "id", "") == "type":
            yield from [ast.unparse(node)] * any(map(_is_of_user, asked.args))
    elif isinstance(node, ast.ImportFrom) and node.module == "reprlib":
        yield ast.unparse(node)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        yield from [ast.unparse(node)] * isinstance(getattr(node.left, "value", None), str)


def _is_of_user(value: ast.expr, part: bool = False) -> bool:
    if isinstance(value, ast.Subscript):
        return _is_of_user(value.value, part=True)
    name = value.id if isinstance(value, ast.Name) else getattr(value, "attr", "")
    return (name.removesuffix("s") if part else name) in USERS
