"""Rules for shuffles and broadcasts, where rows of all partitions meet."""

from __future__ import annotations

from dataclasses import replace

from actors_rs.spark.repeat.functions import reads_floats
from actors_rs.spark.repeat.nodes import Node, elements
from actors_rs.spark.repeat.verdict import SORTED, State, UnstablePlanError

__all__ = ["broadcast", "shuffle"]

_BY_VALUE = ("HashPartitioning", "ShufflePartitionIdPassThrough")


def shuffle(node: Node, state: State) -> State:
    """By the values of its rows a row always goes to one partition; by a sample it does not."""
    partitioning = node.java.outputPartitioning()
    kind = str(partitioning.getClass().getSimpleName()).rstrip("$")
    after = replace(state, unordered=True)
    if int(partitioning.numPartitions()) == 1:
        return replace(after, loose=None)
    if state.chosen:
        raise UnstablePlanError(f"rows are shuffled, and {state.chosen}")
    if kind == "RangePartitioning":
        return replace(after, loose=_sampled(partitioning))
    if kind == "RoundRobinPartitioning":
        if state.floats & frozenset(node.output):
            raise UnstablePlanError(
                "repartition(n) deals rows by all their columns, and one of them adds floating "
                "point numbers in no fixed order",
                "use repartition(n, column) with a column that is exact",
            )
        return after  # rows are sorted before they are dealt, see `fixing.FIXED`
    if kind not in _BY_VALUE:
        raise UnstablePlanError(f"nothing is known of the partitioning {kind}")
    if reads_floats(node.expressions, state):
        raise UnstablePlanError(
            "rows are shuffled by a column that adds floating point numbers in no fixed order",
            "use decimals or integers, or round(column, digits)",
        )
    return replace(after, loose=None)


def _sampled(partitioning: object) -> tuple[str, str]:
    order = ", ".join(str(one.toString()) for one in elements(partitioning.ordering()))  # type: ignore[attr-defined]
    why = (
        f"it sorts over all partitions (orderBy or repartitionByRange, {order}), whose bounds "
        "Spark draws by a sample that is another one in each process"
    )
    return why, SORTED


def broadcast(node: Node, state: State) -> State:
    """All partitions get the same rows, in any order."""
    if state.chosen:
        raise UnstablePlanError(f"all partitions get the rows of a broadcast, and {state.chosen}")
    return replace(state, loose=None)
