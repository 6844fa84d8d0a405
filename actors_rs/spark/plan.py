"""The requests of the stages to Spark: a plan, its partitions by jobs, cancellation.

`PartitionPlan` is the contract; `PlannedPartitions` has what all kinds of a classic session share.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

from actors_rs.errors import DefectError, LedgerError
from actors_rs.spark.failures import (
    SparkSessionLost,
    describe_failure,
    ensure_session_alive,
    session_frozen,
)
from actors_rs.spark.fetching.driver_room import Share
from actors_rs.spark.fetching.jobs import are_queued, cancel_jobs, tagged
from actors_rs.spark.liveness import Watch, watch
from actors_rs.spark.repeat.checksum import Checksum
from actors_rs.spark.sharing import hint_at_fair_scheduling

if TYPE_CHECKING:
    from pyspark import SparkContext

__all__ = ["Apart", "Checksums", "Each", "PartitionPlan", "PlannedPartitions", "Runs"]

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

Runs: TypeAlias = Callable[[int, Checksum | None], Generator[T, None, None]]
Checksums: TypeAlias = Sequence[Checksum | None]
Each: TypeAlias = Generator[Generator[T, None, None], None, None]
Apart: TypeAlias = Callable[[Sequence[int], Checksums], Each[T]]


class PartitionPlan(Protocol[T_co]):
    """The requests of a source of partitions to Spark.

    ``plan`` and ``fetch`` block and raise `SparkPartitionError` or `SparkSessionLost`. ``fetch``
    may run on several threads at a time, ``cancel`` on any thread at any time. A tag names one
    run: make it unique, and use a fresh one after ``cancel``, since a cancelled tag stays so.
    """

    def make_repeatable(self, tag: str) -> None:
        """Before ``plan``, for a run that may be gone on with in another process.

        Raises `LedgerError` where a partition may hold other rows there, and fixes what Spark
        would decide anew in each run. Blocks; no partition is computed.
        """

    def stream_above(self, size: int) -> None:
        """Before ``plan``: a partition of more than ``size`` bytes does not come as a whole, where
        it can be streamed and the user has set no other size."""

    def plan(self, tag: str) -> int:
        """The number of partitions.

        With adaptive execution this runs the shuffles; call it once, before the first ``fetch`` and
        not before an element is wanted.
        """

    def fetch(
        self, index: int, tag: str, checksum: Checksum | None = None
    ) -> Generator[T_co, None, None]:
        """The elements of one partition, in order; the job starts at the first ``next``.

        ``checksum``: sums up what has been read, where it comes as Arrow.
        Close the generator if it is not used up: that drops the connection to the JVM.
        """

    @property
    def joins(self) -> bool:
        """Whether ``fetch_together`` can be called; after ``plan``."""
        ...

    @property
    def share(self) -> Share | None:
        """The partitions' share of the memory of Spark's driver; ``None`` if sizes are unknown.

        Ask after ``plan``.
        """
        ...

    def fetch_together(
        self, indices: Sequence[int], tag: str, checksums: Sequence[Checksum | None]
    ) -> Generator[Generator[T_co, None, None], None, None]:
        """The same for a few partitions by one job: the elements of each one, in order.

        Read each one to its end before the next is asked for. What fails may be the fault of any.
        """
        ...

    def check(self, index: int) -> None:
        """Raise `SparkSessionLost` if the session is gone; for a reader of ``index`` that pauses,
        since only a call tells it that the JVM died."""

    def cancel(self, tag: str) -> None:
        """Cancel the jobs that run under ``tag`` and jobs that would start; never raises."""

    def is_queued(self, tag: str) -> bool:
        """Whether the jobs under ``tag`` wait for a core, all of them; False if nobody can tell.

        Never raises. Blocks."""
        ...

    def watch(self, on_lost: Callable[[SparkSessionLost], None]) -> Watch:
        """Have ``on_lost`` called, on any thread, when the session does not answer any more.

        Until the watch is closed. Only then is it sure that a blocked call comes back at all.
        Does not block.
        """
        ...

    def describe(self) -> tuple[str, str]:
        """The schema of the rows and the plan, as texts; after ``plan``. Blocks."""
        ...

    def caches(self) -> str:
        """The caches that are read, a line each; after ``plan``.

        They are no part of the plan: a cache that was added or removed explains why two plans
        differ. Blocks.
        """
        ...

    def files(self) -> dict[str, int]:
        """The files whose sizes decide which rows lie in which partition, with their bytes; empty
        if nobody can tell. After ``plan``. Blocks."""
        ...


class PlannedPartitions(Generic[T]):
    """The common part of all kinds: tags around jobs, failures described, cancellation."""

    def __init__(self, context: SparkContext, pool: str | None = None) -> None:
        self._context = context
        self._pool = pool
        self._run: Runs[T] | None = None
        self._apart: Apart[T] | None = None
        self.share: Share | None = None

    def make_repeatable(self, tag: str) -> None:
        try:
            with tagged(self._context, tag, self._pool):
                self._make_repeatable()
        except LedgerError:
            raise
        except Exception as error:
            raise describe_failure(error, None, self._context, tag) from error

    def stream_above(self, size: int) -> None:
        pass

    def plan(self, tag: str) -> int:
        try:
            with tagged(self._context, tag, self._pool):
                count, self._run = self._open()
        except Exception as error:
            raise describe_failure(error, None, self._context, tag) from error
        hint_at_fair_scheduling(self._context)
        return count

    def fetch(
        self, index: int, tag: str, checksum: Checksum | None = None
    ) -> Generator[T, None, None]:
        if self._run is None:
            raise DefectError(f"fetch({index}) was called before plan()")
        try:
            with tagged(self._context, tag, self._pool):
                elements = self._run(index, checksum)
        except Exception as error:
            raise describe_failure(error, index, self._context, tag) from error
        yield from self._described(elements, index, tag)

    @property
    def joins(self) -> bool:
        return self._apart is not None

    def fetch_together(self, indices: Sequence[int], tag: str, checksums: Checksums) -> Each[T]:
        if self._apart is None:
            raise DefectError("fetch_together was called, which this plan has not")
        try:
            with tagged(self._context, tag, self._pool):
                several = self._apart(indices, checksums)
            with closing(several):
                for index, elements in zip(indices, several, strict=True):
                    yield self._described(elements, index, tag)
        except Exception as error:
            what = f"a job of partitions {', '.join(map(str, indices))}"
            raise describe_failure(error, None, self._context, tag, what) from error

    def _described(
        self, elements: Generator[T, None, None], index: int, tag: str
    ) -> Generator[T, None, None]:
        try:
            yield from elements
        except Exception as error:
            raise describe_failure(error, index, self._context, tag) from error

    def check(self, index: int) -> None:
        ensure_session_alive(self._context, f"partition {index}")

    def cancel(self, tag: str) -> None:
        cancel_jobs(self._context, tag)

    def is_queued(self, tag: str) -> bool:
        return are_queued(self._context, tag)

    def watch(self, on_lost: Callable[[SparkSessionLost], None]) -> Watch:
        gateway = self._context._gateway
        return watch(gateway, lambda: on_lost(session_frozen(gateway)))

    def describe(self) -> tuple[str, str]:
        raise NotImplementedError

    def caches(self) -> str:
        return ""

    def files(self) -> dict[str, int]:
        return {}

    def _make_repeatable(self) -> None:
        raise NotImplementedError

    def _open(self) -> tuple[int, Runs[T]]:
        raise NotImplementedError
