"""The package's import graph, imports for types included: its circles, and modules in a folder."""

from collections import Counter
from collections.abc import Mapping
from os.path import commonpath

from tests.conventions.imports import imports_of

Graph = Mapping[str, set[str]]
"""Module -> the modules that it imports."""


def import_graph(modules: Mapping[str, str], packages: set[str]) -> Graph:
    """The graph of ``modules`` (name -> text); ``packages`` are those that are an ``__init__``."""
    graph: dict[str, set[str]] = {}
    for module, text in modules.items():
        names = [one.name for one in imports_of(module, text, is_package=module in packages)]
        found = {name if name in modules else name.rpartition(".")[0] for name in names}
        graph[module] = {name for name in found if name in modules and name != module}
    return graph


def reachable(graph: Graph, start: str) -> set[str]:
    """The modules that ``start`` imports, directly or through others."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        new = graph[todo.pop()] - seen
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


def too_large_circles(graph: Graph, allowed: Mapping[str, int]) -> list[str]:
    """Circles with more modules than ``allowed`` says for their folder; by default none may be."""
    return [
        f"{folder}: {len(circle)} modules import each other, at most {limit} may: {circle}"
        for circle in circles(graph)
        for folder in [circle_folder(circle)]
        for limit in [allowed.get(folder, 0)]
        if len(circle) > limit
    ]


def too_full_folders(
    modules: Mapping[str, str], packages: set[str], most: int, allowed: Mapping[str, int]
) -> list[str]:
    """Folders with more than ``most`` modules, or than ``allowed`` says; ``__init__`` is none."""
    counted = Counter(module.rpartition(".")[0] for module in modules if module not in packages)
    return [
        f"{folder}: {count} modules, a folder holds at most {allowed.get(folder, most)}"
        for folder, count in sorted(counted.items())
        if count > allowed.get(folder, most)
    ]
