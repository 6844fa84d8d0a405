"""The import law as data, and pure checks of one module's text against it.

Each check takes a module's name and text and returns sentences, one for each violation.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass

PACKAGE = "actors_rs"
FACE = ""  # the package's own __init__.py
ERRORS = frozenset({"error_codes", "errors", "raised", "texts"})
GRAPH = ERRORS | {"unknown_names", "protocol", "runtime", "stages", "graph"}
CORE = GRAPH | {"engine", "language"}
AROUND_CORE = frozenset({"delivery", "spark", "interop", "observability"})

MAY_IMPORT: dict[str, frozenset[str]] = {
    "texts": frozenset(),
    "unknown_names": frozenset({"texts"}),
    "error_codes": frozenset(),
    "errors": frozenset({"error_codes", "texts"}),
    "raised": frozenset({"errors", "texts"}),
    "protocol": ERRORS,
    "runtime": ERRORS | {"protocol"},
    "stages": ERRORS | {"protocol"},
    "graph": GRAPH,
    "engine": GRAPH | {"engine"},
    "language": CORE,
    "delivery": CORE,
    "spark": CORE | {"delivery"},
    "interop": CORE,
    "observability": CORE,
    "testing": CORE | AROUND_CORE | {FACE},
    "targets": ERRORS | {FACE},
    "exit_codes": ERRORS,
    "printed": GRAPH | {FACE, "targets"},
    "cli": CORE | AROUND_CORE | {FACE, "testing", "targets", "exit_codes", "printed"},
    "__main__": frozenset({"cli"}),
    FACE: CORE | {"delivery", "interop", "observability"},
}

SEAM = f"{PACKAGE}.runtime._primitives"
IN_WORKERS = f"{PACKAGE}.runtime.processes.worker"
"""Runs in another process, where nobody replaces threads and clocks, and without this package."""
BEHIND_THE_SEAM = frozenset({"threading", "queue", "time", "random", "_thread", "_queue"})
SPARK_ONLY = frozenset({"pyspark", "py4j"})
WITHOUT_PYKKA = frozenset({"protocol", "stages"})


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name: dotted in full, and whether merely importing the module runs it."""

    name: str
    line: int
    on_import: bool
    for_types: bool = False
    """Whether only type checkers see it."""

    @property
    def top(self) -> str:
        """The top-level package it comes from."""
        return self.name.split(".")[0]


def imports_of(module: str, text: str, is_package: bool = False) -> list[Import]:
    """Every import in the text; relative ones resolved against the module's name."""
    package = module if is_package else module.rpartition(".")[0]
    return list(_walk(ast.parse(text), package, on_import=True))


def _walk(
    node: ast.AST, package: str, on_import: bool, for_types: bool = False
) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            for name in _names(child, package):
                yield Import(name, child.lineno, on_import, for_types)
        elif isinstance(child, ast.If) and _is_type_checking(child.test):
            yield from _walk(ast.Module(child.body, []), package, False, for_types=True)
            yield from _walk(ast.Module(child.orelse, []), package, on_import, for_types)
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _walk(child, package, on_import and not inside, for_types)


def _is_type_checking(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _names(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
    base = ".".join([*above, *([node.module] if node.module else [])])
    yield from (f"{base}.{alias.name}" for alias in node.names)


def unit_of(name: str) -> str:
    """The part of the package a dotted name belongs to; the face for names of the face itself."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in MAY_IMPORT else FACE


def without_a_place(module: str) -> list[str]:
    """A module that the law does not know."""
    if module == PACKAGE or unit_of(module) != FACE:
        return []
    return [f"{module} is in no layer: give '{module.split('.')[1]}' its place in the import law"]


def across_layers(module: str, imports: list[Import]) -> list[str]:
    """Imports of a layer that the module's own layer must not know; type-only ones count too."""
    here = unit_of(module)
    allowed = MAY_IMPORT[here] | {here}
    ours = [found for found in imports if found.top == PACKAGE]
    return [
        f"{module}:{found.line}: '{here}' must not import {found.name}"
        for found in ours
        if unit_of(found.name) not in allowed
    ]


def around_the_seam(module: str, imports: list[Import]) -> list[str]:
    """Imports of threads, queues, time or randomness anywhere but in the one seam."""
    if module in (SEAM, IN_WORKERS):
        return []
    taken = [found for found in imports if found.top in BEHIND_THE_SEAM]
    return [f"{module}:{found.line}: only {SEAM} may import {found.top}" for found in taken]


def spark_outside_its_room(module: str, imports: list[Import]) -> list[str]:
    """Imports of Spark, also inside functions and for types alone, outside `actors_rs.spark`."""
    if unit_of(module) == "spark":
        return []
    taken = [found for found in imports if found.top in SPARK_ONLY]
    return [
        f"{module}:{found.line}: only {PACKAGE}.spark may import {found.top}" for found in taken
    ]


def needed_from_outside(module: str, imports: list[Import]) -> list[str]:
    """Libraries that importing the module needs, beyond the standard library and pykka."""
    here = unit_of(module)
    if here == "spark":
        return []
    known = sys.stdlib_module_names | {PACKAGE} | (set() if here in WITHOUT_PYKKA else {"pykka"})
    taken = [found for found in imports if found.on_import and found.top not in known]
    return [
        f"{module}:{found.line}: {found.top} must be imported inside the function that needs it"
        for found in taken
    ]
