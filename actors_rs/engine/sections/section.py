"""flow.restart(Backoff(0.1, 10), max_restarts=3, within=60)

    in:  1 2 3     4 5 |
    out: 1 2   ... 4 5 |        (3 makes a stage of the section fail; after a wait it goes on)

A part of a graph that is made anew when it fails. To the graph it is one stage, which runs the
section as an inner stream. Input that the section had not begun with is given to it again.

Back-pressure: takes what the section asks for and gives what is demanded; while there is no
  section, upstream and downstream wait.
Completes: when the section completes.
Fails: when the section fails once too often, or its input failed; elements that it had not begun
  with then are dead letters.
Cancels: the section, and upstream; that waits, where the section takes no more, until it has ended.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.engine.sections.scope import LOST, SectionScope
from actors_rs.errors import RunCancelled, StageError
from actors_rs.graph.blueprint import graft
from actors_rs.graph.spec import OutletRef
from actors_rs.raised import comes_of, note_once
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.runtime.supervision.intensity import Intensity
from actors_rs.stages.ports import Frame, Inlet, Outlet
from actors_rs.stages.stage import Budget, Cancellable, StageLogic
from actors_rs.texts import counted

if TYPE_CHECKING:
    pass

__all__ = ["Section"]


class Section(StageLogic):
    """Runs what ends in ``out``, and runs it anew when it fails.

    With ``is_open`` that has an open input, which is fed from an inlet of this stage.
    """

    def __init__(
        self, out: OutletRef, is_open: bool, backoff: Backoff, max_restarts: int, within: float
    ) -> None:
        self.outlet = Outlet()
        self.inlet = Inlet() if is_open else None
        self.inlets = () if self.inlet is None else (self.inlet,)
        self.outlets = (self.outlet,)
        self.last_inlet, self.last_outlet = self.inlet, self.outlet  # not what is within it
        self._out = out
        self._backoff = backoff
        self._intensity = Intensity(max_restarts, within)
        self._scope: SectionScope | None = None
        self._result: Inlet | None = None  # the output of the section; None while it rests
        self._feed: Outlet | None = None  # the input of the section
        self._fed: deque[Frame] = deque()  # the end of what it was given
        self._fed_size = 0
        self._again: deque[Frame] = deque()  # to be given before what is new
        self._timer: Cancellable | None = None
        self._draining = False
        self._restarts = 0

    def advance(self, budget: Budget) -> None:
        if self.outlet.cancelled:
            self.end(self.outlet.cause)
        if self.outlet.closed:
            return
        if self._result is None:
            if self._timer is not None:
                return
            self._begin()
        self._hand_in()
        self._hand_out(budget)

    def drain(self) -> None:
        self._draining = self.inlet is None  # else upstream will end, and the section after it
        if self._draining and self._result is None and self._restarts:
            self.end(None)

    def stop(self, error: BaseException | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._scope is not None:
            self._take_back(self._scope)
            if self._is_unneeded:
                self._scope.write_off("failed when downstream needed it no more")
            else:
                self._scope.release()

    @property
    def _is_unneeded(self) -> bool:
        """Downstream needs no more, so a section that fails now is not restarted.

        The same holds when it receives the cancellation of the run, as some stages do.
        """
        cause = self.outlet.cause
        enough = self.outlet.cancelled and (cause is None or isinstance(cause, RunCancelled))
        return enough and not self._draining

    @property
    def finished(self) -> bool:
        """Not before the stages of the section, since it accounts for what they held."""
        return super().finished and (self._scope is None or self._scope.over)

    def held(self) -> list[Any]:
        return [element for frame in self._again for element in frame]

    def details(self) -> dict[str, Any]:
        return {"restarts": self._restarts, "resting": self._timer is not None}

    # An attempt of the section

    def _begin(self) -> None:
        host: Any = self.context
        self._result = Inlet("section", host.system.window)
        entry, out = None, self._out
        if self.inlet is not None:
            self._result.window = self.inlet.capacity
            self._feed = Outlet("section")
            feed = host.scope.inner_streams.handoff(host, self._feed, self)
            entry = feed.spec.handoff
            out = OutletRef(graft(out.spec, feed), out.index)
        self._scope = SectionScope(host, lambda: self.context.post(_look_again), entry)
        self._set_ports()
        host.scope.inner_streams.attach(host, self._scope, out, self._result)

    # Its input is handed to the section, and that runs it: that is all there is to know

    def name_of(self, _: Outlet, /) -> str:
        return f"the input of {self.context}"

    def claimed(self, _: Outlet, /) -> None:
        pass

    def lost(self, _: Outlet, /) -> None:
        pass

    def _set_ports(self) -> None:
        inlets, outlets = (self.inlet, self._result), (self.outlet, self._feed)
        self.inlets = tuple(inlet for inlet in inlets if inlet is not None)
        self.outlets = tuple(outlet for outlet in outlets if outlet is not None)

    # The elements

    def _hand_in(self) -> None:
        inlet, feed = self.inlet, self._feed
        if inlet is None or feed is None:
            return
        if feed.cancelled and feed.cause is None and not self._intensity.max_restarts:
            inlet.cancel()  # the section has had enough; else a further attempt may need more
        while feed.demand:
            inlet.open()
            if not self._again and not inlet.buffered:
                break
            self._give(feed, self._next_frame(inlet, feed.demand))
        if inlet.exhausted and not self._again:
            self._end_feed(inlet.error, feed)

    def _end_feed(self, error: BaseException | None, feed: Outlet) -> None:
        if error is None:
            feed.complete()
            return
        if self._scope is not None:
            self._scope.given_error = error  # before: its stages may meet it from here on
        feed.fail(error)

    def _next_frame(self, inlet: Inlet, most: int) -> Frame:
        if not self._again:
            return inlet.take(most)
        frame = self._again.popleft()
        if len(frame) > most:
            self._again.appendleft(frame[most:])
        return frame[:most]

    def _give(self, feed: Outlet, frame: Frame) -> None:
        """Give ``frame`` to the section, and keep what it may hand back untaken."""
        feed.emit(frame)
        self._fed.append(frame)
        self._fed_size += len(frame)
        entry = self._scope.entry if self._scope is not None else None
        most = 2 * entry.capacity if entry is not None else 0  # held, and given back by its stage
        while self._fed_size - len(self._fed[0]) > most:
            self._fed_size -= len(self._fed.popleft())

    def _hand_out(self, budget: Budget) -> None:
        result, outlet = self._result, self.outlet
        if result is None:
            return
        while outlet.demand:
            result.open()
            if not result.buffered:
                break
            outlet.emit(result.take(outlet.demand))
            budget.lap()
            if budget.spent():
                return
        if result.exhausted:
            if result.error is None:
                self.end(None)
            elif self._scope is not None and self._scope.over:  # else it is not known what is lost
                self._failed(self._scope, result.error)
            elif self._scope is not None:
                self._scope.end_soon(result.error)

    # The ends

    def _failed(self, scope: SectionScope, error: BaseException) -> None:
        self._take_back(scope)
        may_restart = self._may_restart(error)
        if not may_restart or not self._intensity.allows(self.context.now()):
            if may_restart:
                note_once(error, _no_more(self.context.name, self._intensity))
            scope.release()  # first: elements that the end drops count only with a failure
            self._give_up(error)
            return
        self._restarts += 1
        wait = self._backoff.drawn(self._intensity.lately, self.context.chance)
        self._intensity.waits(wait)
        scope.write_off("failed, and is restarted")
        figures = {"restarts": self._restarts, "wait_seconds": wait}
        self.context.event("stage_restarted", error=error, **figures)
        self._leave_scope()
        self._timer = self.context.after(wait, self._rested)

    def _give_up(self, error: BaseException) -> None:
        """Fail with ``error``; no further attempt gets the rest of the input.

        Within another section, that one accounts for the rest, or gives it again.
        """
        if self.inlet is not None and self.on_lost is None:
            lost = partial(self._lost, error)
            lost(self.held())
            self._again.clear()
            self.inlet.on_drop = lost
        self._leave_scope()  # an error that reached it and went no further counts for nothing
        self.end(error)

    def _leave_scope(self) -> None:
        self._result = self._feed = None
        self._set_ports()

    def _lost(self, error: BaseException, elements: Iterable[Any]) -> None:
        for element in elements:
            self.context.report(element, LOST, error)

    def _take_back(self, scope: SectionScope) -> None:
        """Get ready to give again what the section had not begun with; its stages have ended."""
        entry, feed = scope.entry, self._feed
        fed, self._fed, self._fed_size = self._fed, deque(), 0
        untaken = feed.count - entry.count if entry is not None and feed is not None else 0
        while untaken > 0 and fed:  # there is none when stop asks again, after the last failure
            frame = fed.pop()[-untaken:]
            untaken -= len(frame)
            self._again.appendleft(frame)

    def _may_restart(self, error: BaseException) -> bool:
        # Whether upstream's error has arrived or still follows elements does not matter: it is
        # chance. So only what it caused is not the section's own.
        is_own = self.inlet is None or not comes_of(self.inlet.error, error)
        return _is_exception(error) and is_own and not self._draining

    def _rested(self) -> None:
        self._timer = None


def _is_exception(error: BaseException) -> bool:
    """Whether another attempt may succeed: only an ``Exception`` is the failure of an element."""
    raised = error.__cause__ if isinstance(error, StageError) else error
    return isinstance(error, Exception) and (raised is None or isinstance(raised, Exception))


def _no_more(stage: str, intensity: Intensity) -> str:
    """The note on a failure after which there is no further attempt."""
    most, within = intensity.max_restarts, intensity.within
    return f"stage '{stage}' gave up after {counted(most, 'restart')} within {within:g} s " + (
        f"(max_restarts={most}; waits do not count): allow more by restart(max_restarts=, within=)"
    )


def _look_again() -> None:
    """Nothing but the reason for a turn."""
