"""The package's import graph, imports for types included: and its circles.

The methods of a class may be spread over bases in several modules. The annotation of a method that
returns the class names the class, and the class imports its bases. So the graph leaves out one kind
of import: of a class, for types alone, in a module of a base of that class.
"""

import ast
from collections.abc import Mapping
from os.path import commonpath

from tests.conventions.imports import imports_of

Graph = Mapping[str, set[str]]
"""Module -> the modules that it imports."""


def import_graph(modules: Mapping[str, str], packages: set[str]) -> Graph:
    """The graph of ``modules`` (name -> text); ``packages`` are those that are an ``__init__``."""
    imports = {
        module: imports_of(module, text, is_package=module in packages)
        for module, text in modules.items()
    }
    above = _classes_above(modules, {m: [one.name for one in imports[m]] for m in modules})
    graph: dict[str, set[str]] = {}
    for module, found in imports.items():
        names = [
            one.name
            for one in found
            if not (one.for_types and module in _modules_of_bases(one.name, above))
        ]
        named = {name if name in modules else name.rpartition(".")[0] for name in names}
        graph[module] = {name for name in named if name in modules and name != module}
    return graph


def _classes_above(
    modules: Mapping[str, str], imported: Mapping[str, list[str]]
) -> dict[str, set[str]]:
    """Full name of each class -> the full names of its bases."""
    above: dict[str, set[str]] = {}
    for module, text in modules.items():
        known = {name.rpartition(".")[2]: name for name in imported[module]}
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                bases = [b.value if isinstance(b, ast.Subscript) else b for b in node.bases]
                names = [base.id for base in bases if isinstance(base, ast.Name)]
                full = {known.get(name, f"{module}.{name}") for name in names}
                above.setdefault(f"{module}.{node.name}", set()).update(full)
    return above


def _modules_of_bases(name: str, above: Mapping[str, set[str]]) -> set[str]:
    """The modules of all bases of the class ``name``, and of their bases."""
    bases = reachable(above, name) if name in above else set()
    return {base.rpartition(".")[0] for base in bases}


def reachable(graph: Graph, start: str) -> set[str]:
    """The modules that ``start`` imports, directly or through others."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        new = graph.get(todo.pop(), set()) - seen
        seen |= new
        todo.extend(new)
    return seen


def circles(graph: Graph) -> list[list[str]]:
    """The sets of modules that import each other, directly or through others; each once."""
    reach = {module: reachable(graph, module) for module in graph}
    found = {
        frozenset(other for other in reach[module] if module in reach[other])
        for module in graph
        if module in reach[module]
    }
    return sorted(map(sorted, found))


def circle_folder(circle: list[str]) -> str:
    """The innermost package that holds all modules of a circle."""
    folders = [module.rpartition(".")[0].replace(".", "/") for module in circle]
    return commonpath(folders).replace("/", ".")


def named_circles(graph: Graph) -> list[str]:
    """A sentence for each circle."""
    return [
        f"{circle_folder(circle)}: {len(circle)} modules import each other: {circle}; "
        "let one of them import a Protocol, or move what both need into a third"
        for circle in circles(graph)
    ]
