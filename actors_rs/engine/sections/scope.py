"""One attempt of a section: the scope of stages that run and fail together.

Failures in it are not the run's before the section has given up. What its stages lose because one
of them failed is reported, since the rest of the graph goes on and would not miss it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.engine.run.grace import Ending, Grace
from actors_rs.engine.written import Written
from actors_rs.runtime._primitives import RLock
from actors_rs.stages.ports import Inlet

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage
    from actors_rs.engine.inner.handoff import Handoff

__all__ = ["LOST", "SectionScope"]

LOST = "dropped when its section failed"
"""Why elements are dead letters."""


class SectionScope:
    """The ``Scope`` of its stages, within the scope of ``host``, which handles the rest.

    ``when_over`` is called when all of its stages have ended. Where the section has an input, this
    is ``entry``: elements that were not taken from it are not lost, for the host gives them again.
    Any thread.
    """

    def __init__(
        self, host: RunningStage, when_over: Callable[[], None], entry: Handoff | None = None
    ) -> None:
        outer = self._outer = host.scope
        self.name, self.system, self.end = outer.name, outer.system, outer.end
        self.activity, self.stall_after = outer.activity, outer.stall_after
        self.metered, self.monitored = outer.metered, outer.monitored
        self.inner_streams = outer.inner_streams
        self.timing_clock, self.next_inner = outer.timing_clock, outer.next_inner
        self.written = Written(outer.written)
        self.cancel, self.abort, self.fatal = outer.cancel, outer.abort, outer.fatal
        self.cancelled_error, self.linger = outer.cancelled_error, outer.linger
        self._host = host
        self._when_over = when_over
        self._entry = entry
        # The collector may run a ``__del__`` in here, and in that a turn of the calling thread's.
        self._lock = RLock()
        self._living: set[RunningStage] = set()
        self._failures: dict[int, BaseException] = {}  # by id: a user's __eq__ has no say
        self._verdict: Callable[[BaseException], None] | None = None
        self._recovering = 0  # living stages that may deal with a failure
        self._ends_with: BaseException | None = None
        self._grace = Grace(self)
        self.given_error: BaseException | None = None
        """The failure of the input, once the stages received it; a later attempt receives it too.
        """
        self.over = True
        """Whether no stage of this attempt runs; once they have ended, it stays so."""

    @property
    def grace(self) -> float:
        """The grace of the run."""
        return self._outer.grace

    @property
    def draining(self) -> bool:
        """Whether the run is."""
        return self._outer.draining

    @property
    def entry(self) -> Inlet | None:
        """The inlet of the section's first stage, if the section has an input."""
        return None if self._entry is None else self._entry.fed

    def join(self, stages: Sequence[RunningStage]) -> None:
        """``stages`` belong to this attempt, and to the run."""
        with self._lock:
            self._living.update(stages)
            self._recovering += sum(stage.logic.recovers for stage in stages)
            self.over = False
        self._account_for(stages)
        self._outer.join(stages)

    def _account_for(self, stages: Iterable[RunningStage]) -> None:
        for stage in stages:
            if stage.logic.on_lost is None:  # else a section within this one accounts for it
                stage.logic.on_lost = self.lost
                for inlet in stage.logic.inlets:
                    inlet.on_drop = None if inlet is self.entry else self.lost

    def stage_ended(self, stage: RunningStage) -> None:
        """``stage`` has stopped; the elements that it holds are lost if there was a failure."""
        if stage.logic.on_lost == self.lost:
            self.lost(stage.logic.held())
        self._outer.stage_ended(stage)
        self._may_be_over(stage)

    # How it is ended though a call does not return, see ``grace``

    def living(self) -> tuple[RunningStage, ...]:
        """The stages that have not ended."""
        with self._lock:
            return tuple(self._living)

    def end_soon(self, error: BaseException) -> None:
        """Its output has failed: it is over, but for stages that have not noticed yet."""
        if self._ends_with is None:
            self._ends_with = error
            self._grace.begin(self.grace)

    def ending(self) -> tuple[Ending, BaseException] | None:
        """End all stages at once, after the last element."""
        if self._ends_with is not None:
            return Ending.NOW, self._ends_with
        first = next(iter(tuple(self._failures.values())), None)
        return None if first is None or self._recovering else (Ending.IN_ORDER, first)

    def end_without(self) -> None:
        """No caller waits: the next attempt needs the elements that this one gives back."""

    def note_failure(self, error: BaseException, *, late: bool = False) -> None:
        """A stage failed; whose failure that is depends on what becomes of the section."""
        with self._lock:
            self._failures[id(error)] = error
            verdict, ends = self._verdict, bool(self._living) and not self._recovering
        if ends:
            self._grace.begin(self.grace)
        if verdict is not None:
            verdict(error)

    def recovered(self, error: BaseException) -> Sequence[BaseException]:
        """``error`` was dealt with inside."""
        beside = self._outer.recovered(error)
        self._forget([error, *beside])
        return beside

    def unheard(self, error: BaseException, why: BaseException) -> bool:
        """``error`` got no further than a stage of this attempt that has ended with ``why``."""
        if error is self.given_error:
            return False  # the host minds it, if no later attempt does
        if not self._outer.unheard(error, why):
            return False
        self._forget([error])
        return True

    def _forget(self, errors: Sequence[BaseException]) -> None:
        with self._lock:
            for error in errors:
                self._failures.pop(id(error), None)

    def release(self) -> None:
        """The section has ended for good: its failures are the run's."""
        self._settle(partial(self._outer.note_failure, late=True))

    def write_off(self, why: str) -> None:
        """The section is restarted: its failures are dead letters."""

        def write_off(error: BaseException) -> None:
            self._outer.recovered(error)  # and so from what came beside it
            self._host.report(None, why, error)

        if self._entry is None:
            self.written.redo()
        self._settle(write_off)

    def lost(self, elements: Iterable[Any]) -> None:
        """``elements`` are dropped; if no stage has failed, because they are not wanted."""
        failure = next(iter(tuple(self._failures.values())), None)
        if failure is not None:
            for element in elements:
                self._host.report(element, LOST, failure)
        elif isinstance(self._outer, SectionScope):
            self._outer.lost(elements)

    def _settle(self, verdict: Callable[[BaseException], None]) -> None:
        with self._lock:
            if self._verdict is not None:
                return
            self._verdict = verdict
            failures = tuple(self._failures.values())
        for error in failures:
            verdict(error)

    def _may_be_over(self, ended: RunningStage) -> None:
        with self._lock:
            self._recovering -= ended.logic.recovers
            self._living.discard(ended)
            self.over = not self._living
        if self.over:
            self._grace.end()
            self._when_over()
