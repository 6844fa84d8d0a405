"""The stage of ``SparkSource``: partitions begun by demand, delivered by demand."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Any

from actors_rs.errors import StreamError
from actors_rs.spark.failures import SparkSessionLost
from actors_rs.spark.fetching.driver_room import Share
from actors_rs.spark.fetching.fetch import Fetch, next_chunk, running
from actors_rs.spark.fetching.job_size import JobSize
from actors_rs.spark.fetching.operations import PartitionOperations
from actors_rs.spark.liveness import Watch
from actors_rs.spark.plan import PartitionPlan
from actors_rs.spark.repeat.checksum import Checksum
from actors_rs.stages.chunks.weights import weight_of
from actors_rs.stages.load import Load
from actors_rs.stages.ports import Outlet
from actors_rs.stages.stage import Budget, StageLogic

__all__ = ["PartitionsSource"]

WAIT_SECONDS = 0.05
"""How long partitions wait for others that could begin with them in one job."""
PROBE_SECONDS = 2.0
"""How often a thread that waits for demand looks whether the session still lives."""


def _look_again() -> None:
    """Posted for the turn that follows."""


class PartitionsSource(StageLogic):
    """Plans at the first demand, then begins partitions as demand goes beyond those begun."""

    def __init__(
        self,
        plan: PartitionPlan[Any],
        tag: str,
        *,
        in_flight: int,
        ordered: bool,
        chunk: int,
        size: Callable[[Any], int] = lambda element: 1,
    ) -> None:
        """``chunk``: elements read at a time; ``size``: how many rows an element is."""
        self.outlet = Outlet()
        self.outlets = (self.outlet,)
        self._plan = plan
        self._tag = tag
        self._in_flight = in_flight
        self.load: Load = Load(in_flight)
        self._ordered = ordered
        self._chunk = chunk
        self._size = size
        self._rows = 0
        self._planning = False
        self._watch: Watch | None = None
        self._total: int | None = None  # unknown until it is planned
        self._todo: deque[int] = deque()  # partitions that are still to be begun
        self._done = 0
        self._fetches: deque[Fetch] = deque()  # begun and not yet delivered, in order
        self._jobs = 0  # partitions that are being fetched
        self._threads = 0  # each with a job
        self._job_size = JobSize(1)  # until it is planned
        self._share: Share | None = None  # of the driver's memory
        self._waits = self._waited = False  # for room to begin several partitions in one job
        self._broken = False  # a partition failed: no later one will be delivered
        self._draining = False
        self._stopped = False
        self._operations = PartitionOperations()

    def advance(self, budget: Budget) -> None:
        outlet, began = self.outlet, self.context.now()  # a fetch may end before the turn does
        if self._total is None:
            if outlet.demand and not self._planning and not self._draining:
                self._begin_planning()
        else:
            self._deliver()
            self._begin_fetches()
        self.load.now_under_way(self._reading, began)
        self.held_bytes = sum(fetch.held_bytes for fetch in self._fetches)
        if not self._fetches and (self._draining or (self._total is not None and not self._todo)):
            outlet.complete()

    def drain(self) -> None:
        """Cancel the jobs, deliver what has arrived."""
        if not self._draining:
            self._draining = True
            self._release_threads()

    def stop(self, error: BaseException | None) -> None:
        self._stopped = True
        self.load.now_under_way(0, self.context.now())
        if self._watch is not None:
            self._watch.close()
        self._release_threads()
        for fetch in self._fetches:
            fetch.over()
        if self._share is not None:
            self._share.close()
        self._fetches.clear()
        self._jobs = 0
        for index in self._operations.open():
            self._partition_ended(index, None, whole=False)

    @property
    def _reading(self) -> int:
        """Partitions that are being read, without partitions that wait for demand."""
        if self._planning and self._total is None:
            return self._in_flight
        return sum(not (one.ended or one.is_full) for one in self._fetches)

    def details(self) -> dict[str, Any]:
        # a second attempt, or one that was dropped and still runs, is no further partition
        under_way = min(self._jobs, sum(not one.ended for one in self._fetches.copy()))
        total = self._total
        return {
            "partitions": total,
            "done": self._done,
            "running": under_way,
            "waiting": None if total is None else max(0, total - self._done - under_way),
            "in_flight": self._in_flight,
            "rows": self._rows,
        }

    def partition_states(self) -> str:
        """A letter for each partition: waiting, running, tried again, done, poison. Any thread."""
        states = ["d"] * (self._total or 0)
        for index in self._todo.copy():
            states[index] = "w"
        for fetch in self._fetches.copy():
            states[fetch.index] = "r"
        return "".join(states)

    # Planning, on a thread that may block

    def _begin_planning(self) -> None:
        self._planning = True
        self._watch = self._plan.watch(
            lambda lost: self.context.post(partial(self._session_lost, lost))
        )
        self._run_blocking(self._plan_job)

    def _session_lost(self, lost: SparkSessionLost) -> None:
        """Nothing more will come, and threads that wait may never come back. The first counts."""
        if not self.outlet.closed:
            self.fail(lost)

    def _plan_job(self) -> None:
        try:
            total = self._plan_total()
        except BaseException as error:
            self.context.post(partial(self._plan_failed, error))
        else:
            self.context.post(partial(self._planned, total))

    def _plan_total(self) -> int:
        """Plan; returns the number of partitions. On a thread that may block."""
        if (memory := self.context.memory_share()) is not None:
            self._plan.stream_above(max(1, memory.limit // (4 * self._in_flight)))
        return self._plan.plan(self._tag)

    def _planned(self, total: int) -> None:
        self._total = total
        self._todo = deque(range(total))
        if self._plan.joins:  # so two jobs go on side by side
            self._job_size = JobSize(self._in_flight // 2)
        self._share = self._plan.share
        if self._share is not None:
            self._share.wake = lambda: self.context.post(_look_again)

    def _plan_failed(self, error: BaseException) -> None:
        if self._draining:
            self._total = 0
        else:
            self.fail(error)

    # Delivering and beginning, in the stage's turn

    def _deliver(self) -> None:
        """Elements as far as there is demand; ends need none (rules 1.4, 1.5)."""
        while (fetch := self._deliverable()) is not None:
            if fetch.chunks:
                if not self.outlet.demand:
                    return
                self._emit_from(fetch)
            elif fetch.error is not None:
                self.fail(fetch.error)
                return
            else:
                self._fetches.remove(fetch)
                fetch.over()
                self._done += fetch.whole
                self._finished_with(fetch)

    def _deliverable(self) -> Fetch | None:
        """The partition whose turn it is, if it has elements or has ended."""
        candidates = islice(self._fetches, 1) if self._ordered else self._fetches
        return next((fetch for fetch in candidates if fetch.chunks or fetch.ended), None)

    def _emit_from(self, fetch: Fetch) -> None:
        chunk, demand = fetch.chunks.popleft(), self.outlet.demand
        if len(chunk) > demand:
            fetch.chunks.appendleft(chunk[demand:])
            chunk = chunk[:demand]
        else:
            fetch.taken()
        self._rows += sum(map(self._size, chunk))
        self.outlet.emit(self._given(fetch, chunk))

    def _given(self, fetch: Fetch, chunk: list[Any]) -> list[Any]:
        """The elements to emit for ``chunk`` of ``fetch``."""
        return chunk

    def _finished_with(self, fetch: Fetch) -> None:
        """``fetch`` has ended and all of it was emitted."""

    def _begin_fetches(self) -> None:
        """Begin partitions while demand exceeds what those begun will surely give, one each.

        Several of them in one job where the last ones were small: it is worth a moment's wait.
        """
        while not (self._draining or self._broken or self.outlet.closed) and self._todo:
            most = min(self._in_flight, self.outlet.demand + self.outlet.foreseen)
            wanted, room = self._job_size.now, most - len(self._fetches)
            if room <= 0 or (room < min(wanted, len(self._todo)) and self._has_to_wait()):
                return
            count = min(wanted, room, len(self._todo))
            if self._share is not None and not self._share.enter(count, first=not self._fetches):
                return  # it wakes us
            fetches = [self._new_fetch(self._todo.popleft()) for _ in range(count)]
            self._fetches.extend(fetches)
            self._waited = False
            self._begin(fetches)

    def _new_fetch(self, index: int) -> Fetch:
        return Fetch(index, self._tag, self.context.memory_share())

    def _enter(self) -> None:
        """Make room for a partition that is begun again: others may wait for it."""
        if self._share is not None:
            self._share.enter(1, first=True)

    def _has_to_wait(self) -> bool:
        """Whether there may be more room in a moment, since jobs run."""
        if self._jobs and not (self._waits or self._waited):
            self._waits = True
            self.context.after(WAIT_SECONDS, self._wait_over)
        return self._waits and bool(self._jobs)

    def _wait_over(self) -> None:
        self._waits, self._waited = False, True

    def _begin(self, fetches: Sequence[Fetch]) -> None:
        """Start the thread of ``fetches``, which are one job."""
        self._operations.begin(fetches, self.context)
        for fetch in fetches:
            fetch.began = self.context.now()
        self._jobs += len(fetches)
        self._threads += 1
        self._run_blocking(partial(self._job, fetches, self._threads))

    # Fetching, on a thread that may block

    def _job(self, fetches: Sequence[Fetch], beside: int) -> None:
        self._operations.enter(fetches)
        begun, done, error = self.context.now(), 0, None
        sizes = (0, 0)
        try:
            with closing(self._opened(fetches)) as opened:
                for fetch, elements in zip(fetches, opened, strict=False):
                    sizes = self._read(fetch, elements, *sizes)
                    if not fetch.whole or fetch is fetches[-1]:
                        break
                    done += 1
                    self.context.post(partial(self._fetch_ended, fetch, None))
        except BaseException as failure:
            error = failure
        seconds = (self.context.now() - begun) / beside
        self.context.post(partial(self._job_ended, fetches, fetches[done:], error, seconds, *sizes))

    def _opened(
        self, fetches: Sequence[Fetch]
    ) -> Generator[Generator[Any, None, None], None, None]:
        """The elements of each of ``fetches``, in order."""
        if len(fetches) > 1:
            indices, sums = [one.index for one in fetches], [one.checksum for one in fetches]
            return self._plan.fetch_together(indices, fetches[0].tag, sums)
        (fetch,) = fetches
        return (self._plan.fetch(one.index, one.tag, one.checksum) for one in [fetch])

    def _read(
        self, fetch: Fetch, elements: Generator[Any, None, None], chunks: int, size: int
    ) -> tuple[int, int]:
        """Hand over what is read; the ``chunks`` of the job so far, and their bytes."""
        with closing(elements):
            while not (self._stopped or self._draining or fetch.dropped):
                chunk = next_chunk(elements, self._chunk)
                if not chunk:
                    fetch.whole = True
                    break
                while not fetch.demand.acquire(timeout=PROBE_SECONDS):
                    self._plan.check(fetch.index)
                chunks, size = chunks + 1, size + getattr(chunk[0], "nbytes", 0)
                fetch.touched = True
                self.context.post(partial(self._arrived, fetch, chunk, weight_of(chunk)))
        return chunks, size

    # What became of it, in the stage's turn

    def _job_ended(
        self,
        fetches: Sequence[Fetch],
        rest: Sequence[Fetch],
        error: BaseException | None,
        seconds: float,
        chunks: int,
        size: int,
    ) -> None:
        """The job of ``fetches`` has ended; ``rest``: the fetches that have not ended before.

        If one of several partitions failed, it is not known which: each is tried alone, and further
        failures are that partition's.
        """
        self._threads -= 1
        if self._share is not None:
            self._share.leave(len(fetches))
        if error is None:
            self._job_size.ended(len(fetches), seconds, chunks, size)
        else:
            self._job_size.failed()
        ended = self._draining or self._stopped or self.outlet.closed
        alone = len(fetches) == 1 or error is None or ended
        if isinstance(error, SparkSessionLost):
            rest, alone = rest[:1], True  # nothing more will come
        alone = alone or getattr(error, "cancelled", False)
        for fetch in rest:
            if alone or fetch.touched:
                self._fetch_ended(fetch, error)
            else:
                self._jobs -= 1
                fetch.checksum = None if fetch.checksum is None else Checksum()
                self._enter()
                PartitionsSource._begin(self, [fetch])

    def _fetch_ended(self, fetch: Fetch, error: BaseException | None) -> None:
        self._jobs -= 1
        if isinstance(error, SparkSessionLost):
            error.while_running(running(self._fetches))
        fetch.ended = True
        self.load.call_ended(self.context.now() - fetch.began)
        if isinstance(error, SparkSessionLost):
            self._partition_ended(fetch.index, error)
            self._session_lost(error)
        elif error is not None and not self._draining:
            self._fetch_failed(fetch, error)
        else:
            self._partition_ended(fetch.index, None, whole=fetch.whole)

    def _fetch_failed(self, fetch: Fetch, error: BaseException) -> None:
        """An attempt failed, though the session lives."""
        fetch.error = error
        self._broken = True
        self._partition_ended(fetch.index, error)

    def _partition_ended(
        self, index: int, error: BaseException | None, *, whole: bool = True
    ) -> None:
        """No further attempt at the partition will be made."""
        self._operations.end(index, error, self._attempts_at(index), whole=whole)

    def _attempts_at(self, index: int) -> int:
        """How many attempts at the partition there were."""
        return 1

    def _arrived(self, fetch: Fetch, chunk: list[Any], weight: float) -> None:
        """``chunk`` of ``weight`` bytes was read."""
        fetch.arrived(chunk, weight)

    def _release_threads(self) -> None:
        """Let the threads that read see that it is over, and cancel their jobs."""
        for fetch in self._fetches:
            fetch.demand.release()
        if self._jobs or (self._planning and self._total is None):
            self._cancel(self._tag)

    def _cancel(self, tag: str) -> None:
        """Cancel the jobs under ``tag``; does not wait."""
        self.context.run_blocking(partial(self._plan.cancel, tag))

    def _run_blocking(self, job: Any) -> None:
        if not self.context.run_blocking(job):
            raise StreamError("the actor system was shut down")
