"""The rule for each physical operator of Spark 4: are its rows the same in the next process?

`judge_plan` goes through a plan from its leaves up, with what `State` says of each node's output.
It raises `UnstablePlanError` for an output that may differ, and for an unknown operator. The table
for users is in docs/delivery.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from actors_rs.spark.repeat.exchanges import broadcast, shuffle
from actors_rs.spark.repeat.functions import aggregate, derive, select, window, window_limit
from actors_rs.spark.repeat.lineage import judge_rdd
from actors_rs.spark.repeat.nodes import Node
from actors_rs.spark.repeat.verdict import LITERALS, State, UnstablePlanError, merged

__all__ = ["RULES", "judge_plan"]

Rule = Callable[[Node, State], State]

_FILES = "org.apache.spark.sql.execution.datasources.v2."
_FORMATS = ("avro.", "csv.", "json.", "orc.", "parquet.", "text.", "xml.")


def judge_plan(java: Any) -> None:
    """Raise `UnstablePlanError` unless the physical plan ``java`` is dealt the same each time."""
    state = _judge(Node(java))
    if state.loose is not None:
        raise UnstablePlanError(*state.loose)


def _judge(node: Node) -> State:
    rule = RULES.get(node.name)
    if rule is None:
        raise UnstablePlanError(f"nothing is known of the operator {node.name} ({node.path})")
    for subquery in node.subqueries:
        _judge_value(subquery)
    return rule(node, merged([_judge(child) for child in node.children]))


def _judge_value(subquery: Node) -> None:
    """Judge a subquery, whose value all partitions use."""
    state = _judge(subquery)
    if state.chosen:
        raise UnstablePlanError(f"all partitions use the value of a subquery, and {state.chosen}")
    if state.floats:
        raise UnstablePlanError(
            "all partitions use the value of a subquery, which adds floating point numbers in no "
            "fixed order: its last digit may differ",
            LITERALS,
        )


# Leaves


def _same(node: Node, state: State) -> State:
    return state


def _unordered(node: Node, state: State) -> State:
    return replace(state, unordered=True)


def _scan(node: Node, state: State) -> State:
    """A source of the second version, which decides itself how it is cut into partitions."""
    scan = str(node.java.scan().getClass().getName())
    inside = scan.removeprefix(_FILES)
    if inside.startswith("jdbc."):
        return replace(state, unordered=True)
    if inside == scan or not inside.startswith(_FORMATS):
        raise UnstablePlanError(f"the data source {scan} may cut its input otherwise each time")
    return state


def _rdd(node: Node, state: State) -> State:
    unordered = judge_rdd(node.java.rdd())
    return replace(state, unordered=unordered)


def _cached(node: Node, state: State) -> State:
    """Evicted parts of a cache are computed again: so the plan that was cached counts."""
    relation = node.java.relation()
    return _renamed(node, state, _ids(relation.cachedPlan()), _ids(relation))


def _reused(node: Node, state: State) -> State:
    return _renamed(node, state, node.children[0].output, node.output)


def _ids(java: Any) -> list[int]:
    return Node(java).output


def _renamed(node: Node, state: State, before: list[int], after: list[int]) -> State:
    """The columns of an input under the ids they have from here on."""
    floats = {new for old, new in zip(before, after, strict=False) if old in state.floats}
    return replace(state, floats=frozenset(floats))


# Rows by their place


def _partition_wise(node: Node, state: State) -> State:
    """A function of a whole partition: other rows in it, other results."""
    state = derive(node, state)
    if state.loose is not None:
        return state.choosing(f"a function gets whole partitions, and {state.loose[0]}")
    return state


def _first_rows(node: Node, state: State) -> State:
    if state.wavers:
        return state.choosing("a limit takes the rows that come first, in no fixed order")
    return state


def _one_partition(node: Node, state: State) -> State:
    """A limit over everything. Its one partition is done as a whole or not at all."""
    chosen = state.choosing("a limit takes the rows that come first, in no fixed order")
    return replace(chosen, loose=None, unordered=True)


def _top(node: Node, state: State) -> State:
    order = {one for key in node.of("sortOrder") for one in key.reads}
    if not order.issuperset(node.children[0].output):
        state = state.choosing("orderBy().limit() takes one of several rows that tie")
    return replace(derive(node, state), loose=None, unordered=True)


def _sample(node: Node, state: State) -> State:
    if state.wavers:
        return state.choosing("sample() draws by the rows' places, which a shuffle does not fix")
    return state


def _numbered(node: Node, state: State) -> State:
    """Numbers that count through all partitions."""
    if state.chosen or state.loose is not None:
        why = state.chosen or (state.loose or ("",))[0]
        raise UnstablePlanError(f"rows are numbered through all partitions, and {why}")
    return state.choosing("rows are numbered in no fixed order") if state.unordered else state


def _nearest(node: Node, state: State) -> State:
    return select(node, state).choosing("an as-of join takes one of several rows that tie")


def _union(node: Node, state: State) -> State:
    """Columns by their places, under the ids of the first input."""
    floats = {
        new
        for child in node.children
        for old, new in zip(child.output, node.output, strict=True)
        if old in state.floats
    }
    return replace(state, floats=frozenset(floats))


def _named(rule: Rule, *names: str) -> dict[str, Rule]:
    return {f"{name}Exec": rule for name in names}


RULES: dict[str, Rule] = {
    "InputAdapter": _same,
    **_named(
        _same, "AQEShuffleRead", "AdaptiveSparkPlan", "Coalesce", "CollectMetrics",
        "ColumnarToRow", "CommandResult", "EmptyRelation", "FileSourceScan", "HiveTableScan",
        "LocalTableScan", "OneRowRelation", "Range", "ResultQueryStage", "ReusedSubquery",
        "RowToColumnar", "ShuffleQueryStage", "BroadcastQueryStage", "TableCacheQueryStage",
        "Sort", "Subquery", "SubqueryAdaptiveBroadcast", "SubqueryBroadcast", "WholeStageCodegen",
    ),
    **_named(_unordered, "RowDataSourceScan"),
    **_named(_union, "Union"),
    **_named(_scan, "BatchScan"),
    **_named(_rdd, "ExternalRDDScan", "RDDScan"),
    **_named(_cached, "InMemoryTableScan"),
    **_named(_reused, "ReusedExchange"),
    **_named(shuffle, "ShuffleExchange"),
    **_named(broadcast, "BroadcastExchange"),
    **_named(
        derive, "AppendColumns", "AppendColumnsWithObject", "ArrowEvalPython",
        "ArrowEvalPythonUDTF", "BatchEvalPython", "BatchEvalPythonUDTF", "CoGroup",
        "DeserializeToObject", "Expand", "FlatMapCoGroupsInArrow", "FlatMapCoGroupsInPandas",
        "FlatMapGroupsInArrow", "FlatMapGroupsInPandas", "Generate", "MapElements", "MapGroups",
        "Project", "SerializeFromObject",
    ),
    **_named(
        select, "BroadcastHashJoin", "BroadcastNestedLoopJoin", "CartesianProduct", "Filter",
        "ShuffledHashJoin", "SortMergeJoin",
    ),
    **_named(_nearest, "SortMergeAsOfJoin"),
    **_named(
        _partition_wise, "HiveScriptTransformation", "MapInArrow", "MapInPandas", "MapPartitions",
        "SparkScriptTransformation",
    ),
    **_named(aggregate, "ArrowAggregatePython", "HashAggregate", "ObjectHashAggregate",
             "SortAggregate"),
    **_named(window, "ArrowWindowPython", "Window"),
    **_named(window_limit, "WindowGroupLimit"),
    **_named(_first_rows, "GlobalLimit", "LocalLimit"),
    **_named(_one_partition, "CollectLimit", "CollectTail"),
    **_named(_top, "TakeOrderedAndProject"),
    **_named(_sample, "Sample"),
    **_named(_numbered, "AttachDistributedSequence"),
}  # fmt: skip
"""By the simple name of the operator's class. No plan here has operators of streams or commands."""
