"""Spark's physical plan as this process reads it: nodes of the JVM, by class and never by text.

Nothing is computed, and no job runs. Names that are private to Spark: `rules.judge_plan` says what
happens where one is missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from typing import Any

__all__ = ["Expression", "Node", "elements"]

_INSIDE = {
    "AdaptiveSparkPlanExec": "initialPlan",
    "BroadcastQueryStageExec": "plan",
    "ResultQueryStageExec": "plan",
    "ReusedExchangeExec": "child",
    "ReusedSubqueryExec": "child",
    "ShuffleQueryStageExec": "plan",
    "TableCacheQueryStageExec": "plan",
}
"""Leaves to Spark that have a plan inside, and the method that gives it."""


def elements(sequence: Any) -> list[Any]:
    """A Scala ``Seq`` as a list."""
    return [sequence.apply(number) for number in range(sequence.size())]


class Expression:
    """An expression: what classes it is made of, and what columns it reads."""

    def __init__(self, java: Any) -> None:
        self.java = java
        self._tree = json.loads(java.toJSON())
        self._parts = list(_parts(self._tree))

    def __str__(self) -> str:
        return str(self.java.toString())

    @cached_property
    def classes(self) -> frozenset[str]:
        """The simple names of all classes and Scala objects in it."""
        return frozenset(map(_simple, _names(self._tree)))

    @cached_property
    def reads(self) -> frozenset[int]:
        """The ids of the columns that it reads; its own, if it is nothing but a column."""
        return frozenset(
            part["exprId"]["id"]
            for part in self._parts
            if _simple(part["class"]) == "AttributeReference"
        )

    @property
    def id(self) -> int:
        """The id of the column that it makes; -1 for one without a name."""
        return int(self._parts[0].get("exprId", {}).get("id", -1))

    @property
    def is_float(self) -> bool:
        """Whether its value is a floating point number, or holds one."""
        kind = str(self.java.dataType().catalogString())
        return "double" in kind or "float" in kind

    @property
    def is_deterministic(self) -> bool:
        """Whether Spark takes it for a function of what it reads."""
        return bool(self.java.deterministic())

    @property
    def declares_no_determinism(self) -> bool:
        """Whether a user's function in it was declared to be none (``asNondeterministic``)."""
        return any(part.get("udfDeterministic") is False for part in self._parts)


class Node:
    """A node of a physical plan. A node of adaptive execution stands for its input plan."""

    def __init__(self, java: Any) -> None:
        self.java = java

    @cached_property
    def path(self) -> str:
        """The whole name of its class."""
        return str(self.java.getClass().getName())

    @property
    def name(self) -> str:
        """The simple name of its class."""
        return _simple(self.path)

    @cached_property
    def children(self) -> list[Node]:
        """Its inputs, those included that Spark keeps out of the tree."""
        if inside := _INSIDE.get(self.name):
            return [Node(getattr(self.java, inside)())]
        if self.name == "InMemoryTableScanExec":
            return [Node(self.java.relation().cachedPlan())]
        return [Node(child) for child in elements(self.java.children())]

    @cached_property
    def expressions(self) -> list[Expression]:
        """All expressions that it evaluates."""
        return [Expression(one) for one in elements(self.java.expressions())]

    def of(self, name: str) -> list[Expression]:
        """The expressions that its method ``name`` gives."""
        return [Expression(one) for one in elements(getattr(self.java, name)())]

    @cached_property
    def output(self) -> list[int]:
        """The ids of its columns."""
        return [int(one.exprId().id()) for one in elements(self.java.output())]

    @cached_property
    def subqueries(self) -> list[Node]:
        """The plans whose one value its expressions use."""
        return [Node(one) for one in elements(self.java.subqueries())]


def _parts(tree: Any) -> Iterator[dict[str, Any]]:
    """The objects with a class in a piece of Spark's JSON, outermost first."""
    if isinstance(tree, list):
        for one in tree:
            yield from _parts(one)
    elif isinstance(tree, dict):
        if "class" in tree:
            yield tree
        for one in tree.values():
            yield from _parts(one)


def _names(tree: Any) -> Iterator[str]:
    """The classes and objects that a piece of Spark's JSON names."""
    for one in tree if isinstance(tree, list) else tree.values():
        if isinstance(one, (dict, list)):
            yield from _names(one)
    if isinstance(tree, dict):
        yield from (tree[key] for key in ("class", "object") if isinstance(tree.get(key), str))


def _simple(path: str) -> str:
    """The name of a class without its package; a Scala object's ends with a dollar."""
    return path.rstrip("$").rpartition(".")[2].rpartition("$")[2]
