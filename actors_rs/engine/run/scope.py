"""``RunScope``: the stages of a run, their failures, and the moment the last stage has ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.engine.inner.totals import InnerTotals
from actors_rs.engine.loops.sink_queue import disown_sink_queues
from actors_rs.engine.run.end import RunEnd
from actors_rs.engine.run.grace import Ending, Grace, is_end
from actors_rs.engine.run.observing import snapshot_of
from actors_rs.engine.run.pending import PendingRuns
from actors_rs.engine.run.recoveries import Recoveries
from actors_rs.engine.run.result import errors_of, first_of, results_of
from actors_rs.engine.run.run import Run
from actors_rs.engine.run.snapshot import RunSnapshot
from actors_rs.engine.run.source_queue import disown_queues
from actors_rs.engine.run.waiting import wait_for_end
from actors_rs.engine.run_events import run_began, run_drains, run_ended
from actors_rs.engine.watching.drain_watch import DrainWatch, stages_waited_for
from actors_rs.engine.watching.stall_watch import StallWatch
from actors_rs.engine.written import Written
from actors_rs.errors import BlockingError, RunCancelled
from actors_rs.graph.results import ONE, Results
from actors_rs.runtime._primitives import RLock
from actors_rs.stages.stage import Release, StreamEnd
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.engine.contract import InnerStreams, RunningStage
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["RunScope"]


class RunScope:
    """A run as its stages and its system see it: their ``Scope`` and its ``Activity``. Any thread.

    What each method does is said there.
    """

    _drain_watch: DrainWatch | None = None
    _grace: Grace | None = None  # since it is to end
    _recoveries: Recoveries | None = None  # made for the first
    _pending_runs: PendingRuns | None = None  # where the system knows it from until it begins
    _when_over_early: Callable[[], None] | None = None
    _ends: set[RunningStage] | None = None  # living stages in which the stream ends, if not all
    _ends_failed = False  # a sink has ended without its result
    _recovering = 0  # living stages that may deal with a failure

    def __init__(
        self,
        system: ActorSystem,
        inner_streams: InnerStreams,
        name: str,
        *,
        monitor: bool = False,
        stall_after: float | None = None,
    ) -> None:
        self.system = system
        self.inner_streams = inner_streams
        self.name, self.number = name, system.events.next_run()
        self.stall_after = stall_after or system.stall_after
        self.metered = system.metrics
        self.monitored = monitor or system.monitor
        self.timing_clock = system.timing_clock
        self.draining = False
        self.written = Written()
        self.failures: list[BaseException] = []  # the failures that count, in the order of arrival
        self.end: RunEnd[Any] = RunEnd(name)
        self.run: Run[Any] = Run(self)
        # The collector may run a ``__del__`` of the user's in here, which cancels this very run.
        self._lock = RLock()
        self._stages: Sequence[RunningStage] = ()
        self._inner: dict[RunningStage, None] = {}  # living stages of inner streams
        self._ended_inner = InnerTotals()
        self._inline: dict[InnerTotals, None] = {}  # of hosts that have not ended
        self._attached = 0  # inner streams so far; no name but a number is kept of each
        self._living: set[RunningStage] = set()
        self._lingering: dict[RunningStage, Release] = {}
        self._sinks: Sequence[StreamEnd] = ()
        self._results = ONE
        self.stop_reason: BaseException | None = None
        self.grace = system.cancel_grace
        self._started_at = system.now()
        self._ended_at: float | None = None

    def __repr__(self) -> str:
        return repr_of(self.run)

    @property
    def activity(self) -> RunScope:
        """This one."""
        return self

    # How it begins

    def await_begin(self, when_over_early: Callable[[], None] | None = None) -> None:
        """The run begins later, or ends with the system: then ``when_over_early`` is called."""
        self._when_over_early = when_over_early
        self._pending_runs = PendingRuns.of(self.system)
        self._pending_runs.enter(self)

    def begin(
        self, stages: Sequence[RunningStage], sinks: Sequence[StreamEnd], results: Results
    ) -> None:
        """Take charge of ``stages``, before any of them starts."""
        self._sinks, self._results = sinks, results
        with self._lock:
            self._stages, self._living = tuple(stages), set(stages)
            if len(stages) > 1:
                self._ends = {one for one in stages if is_end(one)} or None
            self._recovering = sum(stage.logic.recovers for stage in stages)
        self.system.register(self)
        if self._pending_runs is not None:
            self._pending_runs.leave(self)
        if self.system._draining:  # asked after the entry: one of both sees the other
            self.draining = True
        run_began(self)
        self._welcome(self._stages)
        StallWatch.of(self.system).enter(self)

    def join(self, stages: Sequence[RunningStage]) -> None:
        with self._lock:
            self._living.update(stages)
            self._recovering += sum(stage.logic.recovers for stage in stages)
            self._inner.update(dict.fromkeys(stages))
        self._welcome(stages)

    def _welcome(self, stages: Sequence[RunningStage]) -> None:
        """Tell ``stages``, which are known since just now, of what was asked for before."""
        if self.stop_reason is not None:
            self._tell_to_stop(stages, self.stop_reason)
        if self.draining:
            for stage in stages:
                stage.post_drain()

    # How it is ended

    def drain(self) -> None:
        with self._lock:
            drained, self.draining = self.draining, True
        if not drained and self._living:
            run_drains(self)
        for stage in self.stages():
            stage.post_drain()
        if self._drain_watch is None and self._living:
            self._drain_watch = DrainWatch(self)

    @property
    def drains_for_long(self) -> bool:
        """Whether it is being drained, and has been for longer than that takes as a rule."""
        return self._drain_watch is not None and self._drain_watch.is_long

    def cancel(self, grace: float | None = None) -> None:
        if grace is not None:
            self.grace = min(self.grace, grace) if self.stop_reason is not None else grace
        self._stop(self.cancelled_error())

    def abort(self, error: BaseException) -> None:
        self.note_failure(error)
        self._stop(error)

    def fatal(self, error: BaseException) -> None:
        self.system.fatal(error)

    def cancelled_error(self) -> RunCancelled:
        return RunCancelled(f"run '{self.name}' was cancelled")

    def wait(self, timeout: float | None) -> bool:
        """See ``Run.wait``."""
        # The run's own error is not raised here, but a KeyboardInterrupt during the wait is.
        if not self.end.is_over:
            with suppress(BlockingError):
                wait_for_end(self.end, timeout)
        return self.end.is_over

    def _stop(self, reason: BaseException) -> None:
        """Cancel from the sinks on, and tell foreign subscribers why nothing more comes."""
        with self._lock:
            if self.stop_reason is None:
                self.stop_reason = reason
        if not self._stages:
            self._over_early()
        elif self._living:
            self._begin_to_end()
        self._tell_to_stop(self.stages(), reason)

    def _over_early(self) -> None:
        """It has not begun, so no stage will settle it."""
        self._settle()
        if self._pending_runs is not None:
            self._pending_runs.leave(self)
        if (when_over_early := self._when_over_early) is not None:
            self._when_over_early = None
            when_over_early()

    def _tell_to_stop(self, stages: Iterable[RunningStage], reason: BaseException) -> None:
        for stage in stages:
            if isinstance(stage.logic, StreamEnd):
                stage.post(stage.logic.inlet.cancel)
            elif stage.at_boundary or stage.logic.ends_with_run:
                stage.post(partial(stage.logic.end, reason))
            stage.interrupt()

    # Its stages

    def stages(self) -> tuple[RunningStage, ...]:
        """The stages of the graph and of inner streams that have not ended."""
        return tuple(self.each_stage())

    def each_stage(self) -> Iterator[RunningStage]:
        """As ``stages``; who needs the first few only is not made to wait for a million."""
        return (stage for part in (self._stages, self._inner) for stage in tuple(part))

    def living(self) -> tuple[RunningStage, ...]:
        """The stages that have not ended, inner streams included."""
        with self._lock:
            return tuple(self._living)

    def snapshot(self) -> RunSnapshot:
        """See ``Run.snapshot``."""
        now = self._ended_at if self._ended_at is not None else self.system.now()
        what = self.name, self.end.state, self._started_at, now, self.stages(), self.draining
        return self._all_ended_inner().added_to(snapshot_of(*what, self.system.memory))

    def next_inner(self) -> int:
        with self._lock:
            self._attached += 1
            return self._attached

    def totals_of_inline(self) -> InnerTotals:
        """Sums for a host whose inner streams run inline; it alone adds to them."""
        totals = InnerTotals()
        with self._lock:
            self._inline[totals] = None
        return totals

    def inline_ended(self, totals: InnerTotals) -> None:
        """The host of ``totals`` has ended."""
        with self._lock:
            del self._inline[totals]
            self._ended_inner.add_all(totals)

    def _all_ended_inner(self) -> InnerTotals:
        with self._lock:
            if not self._inline:
                return self._ended_inner
            totals = InnerTotals()
            for part in (self._ended_inner, *self._inline):
                totals.add_all(part)
        return totals

    # How it ends

    def note_failure(self, error: BaseException, *, late: bool = False) -> None:
        with self._lock:
            if self._recoveries is not None and error in self._recoveries:
                if late:
                    return
                self._recoveries.discard(error)
            if all(error is not known for known in self.failures):  # its __eq__ has no say
                self.failures.append(error)
        if self._living and not self._may_recover():
            self._begin_to_end()

    def recovered(self, error: BaseException) -> Sequence[BaseException]:
        with self._lock:
            beside = self._books().add(error)
            self._forget([error, *beside])
        return beside

    def unheard(self, error: BaseException, why: BaseException) -> bool:
        with self._lock:
            if gone := self._books().beside(error, why):
                self._forget([error])
        return gone

    def _books(self) -> Recoveries:
        if self._recoveries is None:
            self._recoveries = Recoveries()
        return self._recoveries

    def _forget(self, errors: Sequence[BaseException]) -> None:
        self.failures = [one for one in self.failures if all(one is not gone for gone in errors)]

    def stage_ended(self, stage: RunningStage) -> None:
        with self._lock:
            self._living.discard(stage)
            self._recovering -= stage.logic.recovers
            if stage in self._inner:
                del self._inner[stage]
                self._ended_inner.add(stage)
            last = not self._living
            alone = self._only_lingering() if self._lingering else []
            ends = self._note_end(stage) if self._ends is not None else False
        if alone:
            self._release_lingering(alone)
        if last:
            self._over()
        elif ends:
            self._begin_to_end()

    def waits_for(self) -> str:
        """The stages that have not ended, those in a call of the user's if there are such."""
        return stages_waited_for([one for one in self.stages() if one in self._living])

    def _over(self) -> None:
        if self._drain_watch is not None:
            self._drain_watch.end()
        self._ended_at = self.system.now()
        self.system.unregister(self)
        if self._grace is not None:
            self._grace.end()
        self._settle()

    def _note_end(self, stage: RunningStage) -> bool:
        """Whether the run is to end now that ``stage`` has; under the lock."""
        assert self._ends is not None
        if stage not in self._ends:
            return False
        self._ends.discard(stage)
        if isinstance(stage.logic, StreamEnd) and not stage.logic.completed:
            self._ends_failed = True
        return self._ends_failed or not self._ends

    # What becomes of calls that do not return

    def _begin_to_end(self) -> None:
        with self._lock:
            grace = self._grace = self._grace or Grace(self)
        grace.begin(self.grace)

    def ending(self) -> tuple[Ending, BaseException] | None:
        """See ``grace``."""
        if self.stop_reason is not None:
            return Ending.NOW, self.stop_reason
        ended = self._ends is not None and not self._ends
        if self._ends_failed or (self.failures and not self._may_recover()):
            error = self._first_failure() or self.cancelled_error()
            return (Ending.NOW if ended else Ending.IN_ORDER), error
        return (Ending.UNNEEDED, self.cancelled_error()) if ended else None

    def end_without(self) -> None:
        """Stop waiting for the stages that have not ended."""
        if not self.end.is_over:
            self._over()

    def _may_recover(self) -> bool:
        """Whether a failure may yet be dealt with."""
        return self._recovering > 0

    def linger(self, stage: RunningStage, release: Release) -> None:
        with self._lock:
            self._lingering[stage] = release
            alone = self._only_lingering()
        self._release_lingering(alone)

    def _release_lingering(self, alone: list[Release]) -> None:
        if alone:
            error = self._first_failure()
            for release in alone:
                release(error)

    def _only_lingering(self) -> list[Release]:
        """What releases the stages that are left, if all of them linger; under the lock."""
        if not self._lingering or not self._living <= self._lingering.keys():
            return []
        alone = [self._lingering.pop(stage) for stage in self._living]
        self._lingering.clear()
        return alone

    def disown(self) -> None:
        self._lock = RLock()
        stages = self.stages()  # those without a queue are nothing to anybody here
        self._stages = (*disown_queues(stages), *disown_sink_queues(stages))
        self._inner, self._living = {}, set()
        where = "goes on in the parent of this process, not here"
        self.end.disown(RunCancelled(f"run '{self.name}' {where}"))

    def _settle(self) -> None:
        error = self._first_failure()
        result = None
        if error is None:
            result, error = results_of(self._sinks, self._results)
        StallWatch.of(self.system).leave(self)  # also if it was over before it began
        if self.end.settle(result, error):
            run_ended(self, (self._ended_at or self.system.now()) - self._started_at)

    def _first_failure(self) -> BaseException | None:
        """Why it has failed, or was cancelled; once no stage is left that could fail."""
        unfinished = [sink for sink in self._sinks if not sink.completed]
        # Without one, errors count that reached a sink: another branch recovered from them.
        if failures := self.failures or errors_of(unfinished):
            return first_of(failures)
        stopped = unfinished or (not self._sinks and self.stop_reason is not None)
        return self.cancelled_error() if stopped else None
