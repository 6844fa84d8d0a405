"""``Run``: a graph that is running, and what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from actors_rs.errors import BlockingError, RunCancelled
from actors_rs.graph.dsl.checks import plain_function
from actors_rs.graph.inner_totals import InnerTotals
from actors_rs.graph.outcome import errors_of, first_of, results_of
from actors_rs.graph.snapshot import RunSnapshot, snapshot_of
from actors_rs.graph.source_queue import SourceQueue, disown_queues, queue_among
from actors_rs.graph.stall_watch import StallWatch
from actors_rs.graph.waiting import awaitable, call_at_end, until_ended, wait_for_end, wake_all
from actors_rs.runtime._primitives import RLock
from actors_rs.runtime.settings import check_error, check_timeout
from actors_rs.stages.stage import LetGo, StreamEnd

if TYPE_CHECKING:
    from actors_rs.graph.nest import Nested
    from actors_rs.graph.shell import StageActor
    from actors_rs.runtime.system import ActorSystem

__all__ = ["Run"]

R = TypeVar("R")


class Run(Generic[R]):
    """A running graph. All methods may be called from any thread; ``await run`` works too."""

    # What came of it: written once, under the lock, and final when ``_is_over``.
    _result: Any = None
    _error: BaseException | None = None
    _traceback: TracebackType | None = None  # of the error, as it was when the run ended
    _is_over = False
    _future: Future[R] | None = None  # made for the first who waits for it on a thread
    _watch: StallWatch | None = None

    def __init__(
        self,
        system: ActorSystem,
        name: str = "run",
        *,
        monitor: bool = False,
        stall_after: float | None = None,
    ) -> None:
        self.name = name
        self.stall_after = stall_after
        """Seconds without any movement after which it is ended, if nothing can wake it."""
        self.metered = system.metrics
        """Whether stages account for their time."""
        self.monitored = monitor or system.monitor
        """Whether the rules of the standard are watched on its links."""
        self.stopwatch = system.stopwatch
        """What its stages are timed by."""
        self._system = system
        # The collector may run a ``__del__`` of the user's in here, which cancels this very run.
        self._lock = RLock()
        self._stages: Sequence[StageActor] = ()
        self._inner: dict[StageActor, None] = {}  # living stages of inner streams
        self._ended_inner = InnerTotals()
        self._drawn: dict[InnerTotals, None] = {}  # of hosts that have not ended
        self._attached = 0  # inner streams so far; no name but a number is kept of each
        self._living: set[StageActor] = set()
        self._sinks: Sequence[StreamEnd] = ()
        self._awaiting: dict[asyncio.Future[None], None] = {}  # one for each who awaits the end
        self._single = True
        self._failures: list[BaseException] = []
        self._draining = False
        self._stop_reason: BaseException | None = None
        self._started_at = system.now()
        self._ended_at: float | None = None

    def __repr__(self) -> str:
        return f"<Run {self.name!r} {self.state}>"

    def __await__(self) -> Generator[Any, None, R]:
        if not self._is_over:
            yield from until_ended(self)
        if self._error is not None:
            raise awaitable(self._error.with_traceback(self._traceback))  # as it is in ``result``
        return self._result  # type: ignore[no-any-return]

    @property
    def state(self) -> str:
        """``"running"``, ``"completed"``, ``"failed"`` or ``"cancelled"``."""
        if not self._is_over:
            return "running"
        if self._error is None:
            return "completed"
        return "cancelled" if isinstance(self._error, RunCancelled) else "failed"

    def done(self) -> bool:
        """Whether every stage has ended."""
        return self._is_over

    def result(self, timeout: float | None = None) -> R:
        """Wait for the end; the sink's result, or a tuple of them in the order of the graph.

        Raises the first failure, with all others in its ``others`` and told of in its notes;
        ``RunCancelled``; ``TimeoutError`` after ``timeout`` seconds; ``BlockingError`` on a pool
        thread or its own; ``InvalidArgumentError`` for a ``timeout`` that is no number.
        """
        check_timeout(timeout)
        if not self._is_over:
            wait_for_end(self, timeout)
            if not self._is_over:
                raise TimeoutError(f"{self!r} had not ended after {timeout} seconds")
        if self._error is not None:
            raise self._error.with_traceback(self._traceback)  # not longer with every call
        return self._result  # type: ignore[no-any-return]

    def wait(self, timeout: float | None = None) -> bool:
        """Whether the run ended, in whatever way, within ``timeout`` seconds."""
        check_timeout(timeout)
        # What the run ended with is not raised here, but a KeyboardInterrupt while waiting is.
        if not self._is_over:
            with suppress(BlockingError):
                wait_for_end(self, timeout)
        return self._is_over

    def cancel(self) -> None:
        """Stop now: sinks take no more and leave complete files only. Does not wait."""
        self._stop(self.cancelled_error())

    def drain(self, timeout: float | None = None) -> bool:
        """Let the sources take no more; what is in hand is delivered, then the run ends.

        Waits for that up to ``timeout`` seconds, by default not at all; whether it has ended. A
        run that has not goes on draining.
        """
        check_timeout(timeout)
        with self._lock:
            self._draining = True
        for stage in self._all_stages():
            stage.post_drain()
        return self._is_over if timeout is None else self.wait(timeout)

    def abort(self, error: BaseException) -> None:
        """End the run with ``error``, now. Does not wait.

        Raises ``ArgumentTypeError`` for what is no exception.
        """
        check_error("Run.abort", error)
        self.note_failure(error)
        self._stop(error)

    def queue(self, name: str | None = None) -> SourceQueue[Any]:
        """The way into this run's ``Source.queue``, the one of that name if there are several.

        Behind the end of the run it is closed: a producer that comes late is told so by the queue,
        as one is that has had it from the start. Raises ``GraphError`` if there is none, or more
        than one without a name.
        """
        return queue_among(self._all_stages(), name)

    def when_ended(self, action: Callable[[], object], /) -> None:
        """Call ``action`` when the run has ended, at once if it has; on whatever thread.

        What it raises changes nothing for others that wait for the end: it is a dead letter, and a
        ``SystemExit`` or the like ends the system, as it does in an actor. Raises
        ``ArgumentTypeError`` for what cannot be called, or is a coroutine or generator function.
        """
        plain_function(action, "Run.when_ended: action")
        self._outcome.add_done_callback(lambda _: call_at_end(self, self._system, action))

    def snapshot(self) -> RunSnapshot:
        """The run at this moment as plain data; cheap, also after the end."""
        now = self._ended_at if self._ended_at is not None else self._system.now()
        snapshot = snapshot_of(self.name, self.state, self._started_at, now, self._all_stages())
        return self._all_ended_inner().added_to(snapshot)

    def draw(self, format: str = "mermaid") -> str:
        """A picture of the run at this moment, with its figures; see ``Graph.draw``."""
        return self.snapshot().draw(format)

    def _stop(self, reason: BaseException) -> None:
        """Cancel from the sinks on, and tell foreign subscribers why nothing more comes."""
        with self._lock:
            if self._stop_reason is None:
                self._stop_reason = reason
        if not self._stages:
            self._settle()  # it has not begun, so no stage will do that
        self._tell_to_stop(self._all_stages(), reason)

    def _tell_to_stop(self, stages: Iterable[StageActor], reason: BaseException) -> None:
        for stage in stages:
            if isinstance(stage.logic, StreamEnd):
                stage.post(stage.logic.inlet.cancel)
            elif stage.at_boundary or stage.logic.ends_with_run:
                stage.post(partial(stage.logic.end, reason))

    def _all_stages(self) -> tuple[StageActor, ...]:
        """Those of the graph and those of inner streams that have not ended."""
        with self._lock:
            return (*self._stages, *self._inner)

    @property
    def _outcome(self) -> Future[R]:
        """What came of it, for those who wait; it cannot be cancelled, for the run goes on."""
        with self._lock:
            if (future := self._future) is None:
                future = self._future = Future()
                future.set_running_or_notify_cancel()
                if self._is_over:
                    self._tell(future)
        return future

    def _tell(self, future: Future[R]) -> None:
        if self._error is not None:
            future.set_exception(awaitable(self._error))
        else:
            future.set_result(self._result)

    # What follows is for the stages of this run.

    def begin(
        self, stages: Sequence[StageActor], sinks: Sequence[StreamEnd], *, single: bool
    ) -> None:
        """Take charge of ``stages``, before any of them starts."""
        self._lingering: dict[StageActor, LetGo] = {}
        self._sinks, self._single = sinks, single
        with self._lock:
            self._stages, self._living = tuple(stages), set(stages)
        self._system.register(self)
        if self._system._draining:  # asked behind the entry: one of both sees the other
            self._draining = True
        self._welcome(self._stages)
        if self.stall_after is not None:
            self._watch = StallWatch(self, self._system.timers, self.stall_after)
            self._watch.begin()

    def join(self, stages: Sequence[StageActor]) -> None:
        """Take charge of an inner stream's ``stages`` too, before any of them starts.

        Called in a turn of a stage of this run, so the run cannot have ended.
        """
        with self._lock:
            self._living.update(stages)
            self._inner.update(dict.fromkeys(stages))
        self._welcome(stages)

    def _welcome(self, stages: Sequence[StageActor]) -> None:
        """Tell ``stages``, which the run knows since just now, of what was asked for before."""
        if self._stop_reason is not None:
            self._tell_to_stop(stages, self._stop_reason)
        if self._draining:
            for stage in stages:
                stage.post_drain()

    def living(self) -> tuple[StageActor, ...]:
        """The stages that have not ended, those of inner streams among them."""
        with self._lock:
            return tuple(self._living)

    def next_inner(self) -> int:
        """The number of the next inner stream, which makes the names of its stages unique."""
        with self._lock:
            self._attached += 1
            return self._attached

    def nested_begins(self, nested: Sequence[Nested]) -> None:
        """Inner stages begin within the actor of another; they end with it, at the latest."""

    def nested_ended(self, nested: Nested) -> None:
        """An inner stage has ended that ran within the actor of another."""
        with self._lock:
            self._ended_inner.add(nested)

    def totals_of_drawn(self) -> InnerTotals:
        """Sums for a host that draws inner streams itself; it alone adds to them."""
        totals = InnerTotals()
        with self._lock:
            self._drawn[totals] = None
        return totals

    def drawn_ended(self, totals: InnerTotals) -> None:
        """The host of ``totals`` has ended."""
        with self._lock:
            del self._drawn[totals]
            self._ended_inner.add_all(totals)

    def _all_ended_inner(self) -> InnerTotals:
        with self._lock:
            if not self._drawn:
                return self._ended_inner
            totals = InnerTotals()
            for part in (self._ended_inner, *self._drawn):
                totals.add_all(part)
        return totals

    @property
    def draining(self) -> bool:
        """Whether sources that start now are to give nothing from outside."""
        return self._draining

    def recovered(self, error: BaseException) -> None:
        """``error`` has been dealt with and is not this run's failure any more."""
        with self._lock:
            self._failures = [failure for failure in self._failures if failure is not error]

    def note_failure(self, error: BaseException) -> None:
        """A stage failed; the first such error is the run's."""
        with self._lock:
            if all(error is not known for known in self._failures):  # its __eq__ has no say
                self._failures.append(error)

    def fatal(self, error: BaseException) -> None:
        """``error`` in a stage is the end of the whole system, in order."""
        self._system.fatal(error)

    def cancelled_error(self) -> RunCancelled:
        """What a stage is told that ended without completing or failing."""
        return RunCancelled(f"run '{self.name}' was cancelled")

    def stage_ended(self, stage: StageActor) -> None:
        """``stage`` has stopped; with the last one the run ends."""
        with self._lock:
            self._living.discard(stage)
            if stage in self._inner:
                del self._inner[stage]
                self._ended_inner.add(stage)
            last = not self._living
            alone = self._only_lingering() if self._lingering else []
        self._let_go(alone)
        if last:
            self._ended_at = self._system.now()
            self._system.unregister(self)
            self._settle()

    def linger(self, stage: StageActor, let_go: LetGo) -> None:
        """``stage`` lives on only for what others do; ``let_go`` once there are no others."""
        with self._lock:
            self._lingering[stage] = let_go
            alone = self._only_lingering()
        self._let_go(alone)

    def _let_go(self, alone: list[LetGo]) -> None:
        if alone:
            error = self._first_failure()
            for let_go in alone:
                let_go(error)

    def _only_lingering(self) -> list[LetGo]:
        """What lets the stages go that are left, if all of them linger; under the lock."""
        if not self._lingering or not self._living <= self._lingering.keys():
            return []
        alone = [self._lingering.pop(stage) for stage in self._living]
        self._lingering.clear()
        return alone

    def disown(self) -> None:
        """In a forked child: the run goes on in the parent, and has ended here. Takes no lock."""
        self._lock = RLock()
        disown_queues(self._all_stages())
        self._stages, self._inner, self._living = (), {}, set()
        where = "goes on in the parent of this process, not here"
        self._error = RunCancelled(f"run '{self.name}' {where}")
        self._is_over, self._future, self._awaiting = True, None, {}

    def _settle(self) -> None:
        error = self._first_failure()
        with self._lock:
            if self._is_over:
                return
            if error is None:
                self._result = results_of(self._sinks, single=self._single)
            else:
                self._error, self._traceback = error, error.__traceback__
            self._is_over = True
            future, awaiting = self._future, tuple(self._awaiting)
        if self._watch is not None:
            self._watch.end()
            self._watch = None
        if future is not None:
            self._tell(future)
        wake_all(awaiting)

    def _first_failure(self) -> BaseException | None:
        """Why it has failed, or was cancelled; once no stage is left that could fail."""
        unfinished = [sink for sink in self._sinks if not sink.completed]
        # Else those that reached a sink although another branch has recovered from them.
        if failures := self._failures or errors_of(unfinished):
            return first_of(failures)
        stopped = unfinished or (not self._sinks and self._stop_reason is not None)
        return self.cancelled_error() if stopped else None
