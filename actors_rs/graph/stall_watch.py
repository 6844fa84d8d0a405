"""``StallWatch``: ends a run in which nothing can move any more, with an error that says why.

A run stands still when no stage has anything to do and nothing outside can give it something: no
timer, job or coroutine of a stage is pending, no source has demand it has not met, no foreign peer
takes part. Then nothing can ever happen, so an alarm is never false; seconds pass only to be sure
that what was read of many stages one after the other was true of all of them at once.

The stage that closes a loop looks at it every now and then, for as long as the loop lives. These
turns move nothing, unless what it sees makes it end the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from actors_rs.errors import Stalled
from actors_rs.graph.stall import describe
from actors_rs.stages.junctions.feedback import Feedback
from actors_rs.stages.stage import Cancellable, StageLogic

if TYPE_CHECKING:
    from actors_rs.graph.run_life import RunLife
    from actors_rs.graph.shell import StageActor
    from actors_rs.runtime.machinery import TimerService

__all__ = ["Outside", "StallWatch"]

LOOKS = 4
"""How often to look within the time after which a run counts as stalled."""


class Outside:
    """What a stage has set going and will be woken by. Any thread: single steps of a dict."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: dict[object, None] = {}

    def __bool__(self) -> bool:
        return bool(self._open)

    def timer(self, timers: TimerService, seconds: float, ring: Callable[[], None]) -> Cancellable:
        """``timers.after(seconds, ring)``, noted until it has rung or was cancelled."""
        noted = _NotedTimer(self)
        self._open[noted] = None
        noted.timer = timers.after(seconds, self._noting(noted, ring))
        return noted

    def job(self, job: Callable[[], None]) -> Callable[[], None]:
        """``job``, noted until it has run."""
        return self._noting_now(job)

    def follow(self, future: Future[Any]) -> None:
        """Note ``future`` until it is done and those were told that had asked before."""
        token = object()
        self._open[token] = None
        future.add_done_callback(lambda _: self.over(token))

    def over(self, token: object) -> None:
        """It has happened, or will not."""
        self._open.pop(token, None)

    def _noting_now(self, action: Callable[[], None]) -> Callable[[], None]:
        token = object()
        self._open[token] = None
        return self._noting(token, action)

    def _noting(self, token: object, action: Callable[[], None]) -> Callable[[], None]:
        def act() -> None:
            try:
                action()
            finally:
                self.over(token)

        return act


class _NotedTimer:
    __slots__ = ("_outside", "timer")

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self.timer: Cancellable

    def cancel(self) -> None:
        """Stop it; later calls do nothing."""
        self.timer.cancel()
        self._outside.over(self)


class StallWatch:
    """Looks at a run every now and then, on the thread of the timers."""

    def __init__(self, life: RunLife, timers: TimerService, seconds: float) -> None:
        self._life = life
        self._timers = timers
        self._seconds = seconds
        self._seen: object = None
        self._still = 0  # looks that found all of it still, since anything moved
        self._timer: Cancellable | None = None

    def begin(self) -> None:
        """Look again in a while; to be called once."""
        self._timer = self._timers.after(self._seconds / LOOKS, self._look)
        if self._life.end.is_over:  # asked behind the assignment: one of both sees the other
            self._timer.cancel()

    def end(self) -> None:
        """The run is over: look no more, and keep it no longer. Any thread."""
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        if self._life.end.is_over:
            return
        stages = self._life.living()
        seen = tuple((stage, _last_move(stage)) for stage in stages)
        if seen != self._seen:
            self._seen, self._still = seen, 0
        elif all(map(_is_still, stages)):  # else a loop may just be looked at: that moves nothing
            self._still += 1
        if self._still >= LOOKS and stages:
            why = describe(self._life.snapshot())
            happened = f"run '{self._life.name}' has stood still for {self._seconds:g} s"
            self._life.abort(Stalled(f"{happened} and nothing can wake it: {why}"))
            return
        self.begin()


def _last_move(stage: StageActor) -> Hashable:
    """What is another one behind each turn in which ``stage`` did anything but look at its loop."""
    logic = stage.logic
    return logic.figures() if isinstance(logic, Feedback) else stage.last_turn


def _is_still(stage: StageActor) -> bool:
    """Whether ``stage`` has nothing to do, and only another stage can change that."""
    logics = [stage.logic, *(nested.logic for nested in _nested(stage))]
    return (
        stage.actor_inbox.idle
        and not _wakes_itself(stage)
        and not stage.at_boundary
        and stage.drain_boundary is None
        and not any(map(_waits_outside, logics))
    )


def _wakes_itself(stage: StageActor) -> bool:
    """Whether it has set something going that will come back to it and may move something."""
    logic = stage.logic
    return logic.ends_the_loop if isinstance(logic, Feedback) else bool(stage.outside)


def _nested(stage: StageActor) -> list[Any]:
    return list(stage.nest.living) if stage.nest is not None else []


def _waits_outside(logic: StageLogic) -> bool:
    if logic.waits_outside:
        return True
    return not logic.inlets and any(outlet.demand for outlet in tuple(logic.outlets))
