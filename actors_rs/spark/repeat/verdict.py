"""The facts known of a plan's rows, and the error that refuses a plan."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["LITERALS", "SORTED", "WRITE_FIRST", "State", "UnstablePlanError", "merged"]

WRITE_FIRST = (
    "write the DataFrame to Parquet once, in a program of its own, and resume over "
    "spark.read.parquet(path). checkpoint() does not help: each process computes it anew"
)
SORTED = (
    "leave out the order over all partitions (sortWithinPartitions keeps one in each of them, "
    "repartition(n, column) brings equal values together), or " + WRITE_FIRST
)
LITERALS = "compute the value first and pass it as a literal, F.lit(value)"


class UnstablePlanError(Exception):
    """A plan whose partitions may hold other rows in another process."""

    def __init__(self, why: str, instead: str = WRITE_FIRST) -> None:
        super().__init__(why, instead)
        self.why = why
        self.instead = instead

    def __str__(self) -> str:
        return (
            "resume: a partition of this plan may hold other rows in the next process, and rows "
            f"would be lost or doubled: {self.why}. Instead, {self.instead}"
        )


@dataclass(frozen=True, slots=True)
class State:
    """What one process and the next have in common in the output of a node.

    ``loose``: the rows are the same, but may lie in other partitions; why, and what to do instead.
    A shuffle by their values brings each to its place again.
    ``chosen``: a partition may hold other rows or values, where Spark chose among several that are
    right: the first row of a group, one of two that tie; why. Harmless as long as a partition is
    the result of one choice; fatal once rows of several are mixed, as in a shuffle or a broadcast.
    ``floats``: the columns whose last digit depends on the order of additions.
    ``unordered``: the rows of a partition may come in another order, as they do from a shuffle.
    """

    loose: tuple[str, str] | None = None
    chosen: str = ""
    floats: frozenset[int] = frozenset()
    unordered: bool = False

    @property
    def wavers(self) -> bool:
        """Whether a value that depends on its row's place in the partition may be another one."""
        return self.unordered or self.loose is not None

    def choosing(self, why: str) -> State:
        """With a choice made here; the first one counts."""
        return replace(self, chosen=self.chosen or why)


def merged(states: list[State]) -> State:
    """The state of a node that adds nothing of its own to its inputs."""
    return State(
        loose=next((one.loose for one in states if one.loose), None),
        chosen=next((one.chosen for one in states if one.chosen), ""),
        floats=frozenset().union(*(one.floats for one in states)),
        unordered=any(one.unordered for one in states),
    )
