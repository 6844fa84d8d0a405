"""Finds what the command line names: a graph in a module or in a file, or a function there."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from pathlib import Path
from types import ModuleType
from typing import Any

from actors_rs import Graph
from actors_rs.errors import InvalidArgumentError
from actors_rs.texts import did_you_mean, few, named, repr_of

__all__ = ["came", "load_graph", "module_and_name"]


def module_and_name(target: str, what: str) -> tuple[ModuleType, str]:
    """The module and the rest of ``target``; ``InvalidArgumentError`` if there is none."""
    where, colon, name = target.partition(":")
    if not (where and colon and name):
        raise InvalidArgumentError(
            f"expected package.module:{what} or path/to/file.py:{what}, got {repr_of(target)}"
        )
    return _module_of_file(Path(where)) if where.endswith(".py") else _module_named(where), name


def load_graph(target: str) -> Graph[Any]:
    """The graph that ``target`` names; ``InvalidArgumentError`` if it names none."""
    module, name = module_and_name(target, "graph")
    where = target.partition(":")[0]
    try:
        found: object = reduce(getattr, name.split("."), module)
    except AttributeError:
        graphs = tuple(_graphs_in(module))
        raise InvalidArgumentError(
            f"expected a graph named {repr_of(name)} in {where}, which has no such name "
            f"(graphs in it: {few(graphs)}){did_you_mean(graphs, name)}"
        ) from None
    graph = found if isinstance(found, Graph) else _made_by(found, target)
    if not isinstance(graph, Graph):
        called = "" if graph is found else "a function that gave "
        raise InvalidArgumentError(
            f"expected {target} to be a Graph or a function without arguments that gives one, "
            f"got {called}{repr_of(graph)}"
        )
    return graph


def _graphs_in(module: ModuleType) -> Iterator[str]:
    """The names that ``actors-rs run`` takes: graphs, and functions of the module's own without
    arguments that are not annotated with something else than a graph."""
    for name, value in vars(module).items():
        if isinstance(value, Graph):
            yield name
        elif inspect.isfunction(value) and value.__module__ == module.__name__ and name[:1] != "_":
            result = inspect.signature(value).return_annotation
            if result is inspect.Signature.empty or "Graph" in str(result):
                with suppress(TypeError):
                    inspect.signature(value).bind()
                    yield name


def _made_by(found: object, target: str) -> object:
    """What calling ``found`` gives; itself if it cannot be called without arguments."""
    if not callable(found):
        return found
    try:
        inspect.signature(found).bind()
    except (TypeError, ValueError):
        return found
    try:
        return found()
    except (Exception, SystemExit) as error:
        raise InvalidArgumentError(f"expected {target}() to give a graph, {came(error)}") from error


def _module_named(name: str) -> ModuleType:
    if (here := os.getcwd()) not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise InvalidArgumentError(f"expected {name} to be a module, {came(error)}") from error


def _module_of_file(path: Path) -> ModuleType:
    """The module in ``path``, whose own neighbours it can import."""
    if not path.is_file():
        raise InvalidArgumentError(f"expected a Python file, but there is no file {path}")
    sys.path.insert(0, str(path.resolve().parent))
    name = path.stem if path.stem not in sys.modules else f"_graph_in_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InvalidArgumentError(f"expected a Python file, got {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where pickle and dataclasses look for it
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InvalidArgumentError(f"expected {path} to be a module, {came(error)}") from error
    return module


def came(error: BaseException) -> str:
    """The sentence about an exception that came instead of a result."""
    return f"got {named(error)}"
