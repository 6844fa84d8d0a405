"""The stage behind ``SparkSource``: partitions begun by demand, delivered by demand."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Any

from actors_rs.errors import StreamError
from actors_rs.runtime._primitives import Semaphore
from actors_rs.spark.failures import SparkSessionLost
from actors_rs.spark.partitions import PartitionPlan
from actors_rs.stages.ports import Outlet
from actors_rs.stages.stage import Budget, StageLogic

__all__ = ["PartitionsSource"]

PIECES_AHEAD = 8
"""Pieces of one partition that wait to be delivered; its thread holds at most one more."""
PROBE_SECONDS = 2.0
"""How often a thread that waits for credit looks whether the session still lives."""


class _Fetch:
    """One partition that was begun. Each ``credit`` lets its thread hand over one piece."""

    __slots__ = ("credit", "ended", "error", "index", "pieces", "whole")

    def __init__(self, index: int) -> None:
        self.index = index
        self.pieces: deque[list[Any]] = deque()
        self.ended = False
        self.whole = False  # read to its end, not cut short
        self.error: BaseException | None = None
        self.credit = Semaphore(PIECES_AHEAD)


class PartitionsSource(StageLogic):
    """Plans at the first demand, then begins partitions as demand goes beyond those begun."""

    def __init__(
        self,
        plan: PartitionPlan[Any],
        tag: str,
        *,
        in_flight: int,
        ordered: bool,
        piece: int,
        size: Callable[[Any], int] = lambda element: 1,
    ) -> None:
        """``piece``: elements read at a time; ``size``: how many rows an element is."""
        self.outlet = Outlet()
        self.outlets = (self.outlet,)
        self._plan = plan
        self._tag = tag
        self._in_flight = in_flight
        self._ordered = ordered
        self._piece = piece
        self._size = size
        self._rows = 0
        self._planning = False
        self._total: int | None = None  # unknown until it is planned
        self._next = 0
        self._done = 0
        self._fetches: deque[_Fetch] = deque()  # begun and not yet delivered, in order
        self._jobs = 0
        self._broken = False  # a partition failed: none behind it will be delivered
        self._draining = False
        self._stopped = False

    def advance(self, budget: Budget) -> None:
        outlet = self.outlet
        if self._total is None:
            if outlet.demand and not self._planning and not self._draining:
                self._begin_planning()
        else:
            self._deliver()
            self._begin_fetches(self._total)
        if not self._fetches and (self._draining or self._next == self._total):
            outlet.complete()

    def drain(self) -> None:
        """Cancel the jobs, deliver what has arrived."""
        if not self._draining:
            self._draining = True
            self._release_threads()

    def stop(self, error: BaseException | None) -> None:
        self._stopped = True
        self._release_threads()
        self._fetches.clear()
        self._jobs = 0

    def details(self) -> dict[str, Any]:
        running, total = self._jobs, self._total
        return {
            "partitions": total,
            "done": self._done,
            "running": running,
            "waiting": None if total is None else max(0, total - self._done - running),
            "in_flight": self._in_flight,
            "rows": self._rows,
        }

    # Planning, on a thread that may block

    def _begin_planning(self) -> None:
        self._planning = True
        self._run_blocking(self._plan_job)

    def _plan_job(self) -> None:
        try:
            total = self._plan.plan(self._tag)
        except BaseException as error:
            self.context.post(partial(self._plan_failed, error))
        else:
            self.context.post(partial(self._planned, total))

    def _planned(self, total: int) -> None:
        self._total = total

    def _plan_failed(self, error: BaseException) -> None:
        if self._draining:
            self._total = 0
        else:
            self.fail(error)

    # Delivering and beginning, in the stage's turn

    def _deliver(self) -> None:
        """Elements as far as there is demand; ends need none (rules 1.4, 1.5)."""
        while (fetch := self._deliverable()) is not None:
            if fetch.pieces:
                if not self.outlet.demand:
                    return
                self._emit_from(fetch)
            elif fetch.error is not None:
                self.fail(fetch.error)
                return
            else:
                self._fetches.remove(fetch)
                self._done += fetch.whole

    def _deliverable(self) -> _Fetch | None:
        """The partition whose turn it is, if it has elements or has ended."""
        candidates = islice(self._fetches, 1) if self._ordered else self._fetches
        return next((fetch for fetch in candidates if fetch.pieces or fetch.ended), None)

    def _emit_from(self, fetch: _Fetch) -> None:
        piece, demand = fetch.pieces.popleft(), self.outlet.demand
        if len(piece) > demand:
            fetch.pieces.appendleft(piece[demand:])
            piece = piece[:demand]
        else:
            fetch.credit.release()
        self._rows += sum(map(self._size, piece))
        self.outlet.emit(piece)

    def _begin_fetches(self, total: int) -> None:
        """Begin partitions while demand exceeds what those begun will surely give, one each."""
        while (
            not (self._draining or self._broken or self.outlet.closed)
            and self._next < total
            and len(self._fetches) < min(self._in_flight, self.outlet.demand + self.outlet.foreseen)
        ):
            fetch = _Fetch(self._next)
            self._next += 1
            self._jobs += 1
            self._fetches.append(fetch)
            self._run_blocking(partial(self._fetch_job, fetch))

    # Fetching, on a thread that may block

    def _fetch_job(self, fetch: _Fetch) -> None:
        error: BaseException | None = None
        try:
            self._read(fetch)
        except BaseException as failure:
            error = failure
        self.context.post(partial(self._fetch_ended, fetch, error))

    def _read(self, fetch: _Fetch) -> None:
        with closing(self._plan.fetch(fetch.index, self._tag)) as elements:
            while not (self._stopped or self._draining):
                piece = list(islice(elements, self._piece))
                if not piece:
                    fetch.whole = True
                    return
                while not fetch.credit.acquire(timeout=PROBE_SECONDS):
                    self._plan.check(fetch.index)
                self.context.post(partial(fetch.pieces.append, piece))

    def _fetch_ended(self, fetch: _Fetch, error: BaseException | None) -> None:
        self._jobs -= 1
        fetch.ended = True
        if isinstance(error, SparkSessionLost):
            self.fail(error)  # nothing else will come: do not wait for its turn
        elif error is not None and not self._draining:
            fetch.error = error
            self._broken = True

    def _release_threads(self) -> None:
        """Let the threads that read see that it is over, and cancel their jobs."""
        for fetch in self._fetches:
            fetch.credit.release()
        if self._jobs or (self._planning and self._total is None):
            self.context.run_blocking(partial(self._plan.cancel, self._tag))

    def _run_blocking(self, job: Any) -> None:
        if not self.context.run_blocking(job):
            raise StreamError("the actor system was shut down")
