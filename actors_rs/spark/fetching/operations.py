"""The partitions of a source as operations that a trace may follow."""

from __future__ import annotations

from collections.abc import Sequence

from actors_rs.spark.fetching.fetch import Fetch
from actors_rs.stages.context import Followed, StageContext

__all__ = ["PartitionOperations"]


class PartitionOperations:
    """The partitions that have begun and not ended. Call it in turns, except ``enter``."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: dict[int, Followed] = {}

    def begin(self, fetches: Sequence[Fetch], stage: StageContext) -> None:
        """An attempt at each of the partitions begins, the first one or a later one."""
        for fetch in fetches:
            if fetch.index not in self._open:
                operation = stage.operation("partition", fetch.index)
                if operation is not None:
                    self._open[fetch.index] = operation

    def enter(self, fetches: Sequence[Fetch]) -> None:
        """This thread runs the job of ``fetches``; of several, the run is what a trace shows."""
        operation = self._open.get(fetches[0].index)
        if operation is not None and len(fetches) == 1:
            operation.enter()

    def end(
        self, index: int, error: BaseException | None, attempts: int, *, whole: bool = True
    ) -> None:
        """There will be no further attempt at it. Later calls do nothing."""
        operation = self._open.pop(index, None)
        if operation is not None:
            unfinished = {} if whole else {"unfinished": True}
            operation.end(error, attempts=attempts, **unfinished)

    def open(self) -> list[int]:
        """The partitions that have not ended."""
        return list(self._open)
