"""``StallWatch``: ends what stands still for good, with an error that says why.

A run stands still when no stage has anything to do and nothing outside can give it something:

- no timer, job or coroutine of a stage is pending;
- no source and no foreign Publisher owes elements;
- no foreign Subscriber has yet to request elements;
- no user holds a way in, such as a ``SourceQueue``.

Then nothing can happen any more, except that a peer ends the run. So a verdict is never false.

The watch of a system looks at its runs four times a second, on the thread of the timers. Of most
runs it looks at one stage, the witness: a stage that was at work, or waited for something outside,
at the last look. When the witness is still, the watch looks for another one. When all stages are
still, the next look has to find each of them unmoved: then all of them were still at one moment. In
a deterministic world, which knows when nothing can run, the first look is enough.

The stage that closes a loop looks at the loop as long as the loop lives. These turns count as no
move, unless the stage ends the loop.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Iterator
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from actors_rs.engine.watching.stall import describe
from actors_rs.errors import Stalled
from actors_rs.stages.junctions.feedback import Feedback
from actors_rs.stages.stage import StageLogic

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage, WholeRun
    from actors_rs.runtime.dispatch.resources import TimerService
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["StallWatch", "feeds_another"]

LOOK_EVERY = 0.25
"""Seconds between two looks, at most."""
LOOKS = 4
"""How often to look within the time after which a run counts as stalled, if that is short."""


class _Watched:
    """The observations of one run."""

    __slots__ = ("due", "seen", "since", "witness")

    def __init__(self) -> None:
        self.witness: RunningStage | None = None
        """A stage that was at work or waited for something outside, when it was looked at."""
        self.seen: object = None
        """All stages, as they were when the run was found to stand still."""
        self.since = 0.0
        self.due = 0.0


class StallWatch:
    """Looks at the runs of one system. ``enter`` and ``leave`` may be called from any thread.

    There is no lock: single dict operations are atomic.
    """

    def __init__(self) -> None:
        self._runs: dict[WholeRun, _Watched] = {}
        self._numbers = count(1)
        self._number = 0  # of the look to come; 0: there is none
        self._seconds = LOOK_EVERY

    @staticmethod
    def of(system: ActorSystem) -> StallWatch:
        """That of ``system``."""
        return _of.get(system) or _of.setdefault(system, StallWatch())

    def enter(self, scope: WholeRun) -> None:
        """Watch ``scope``, which begins."""
        self._runs[scope] = _Watched()
        system, seconds = scope.system, LOOK_EVERY
        if system.knows_rest:
            return
        if scope.stall_after is not None:
            seconds = min(seconds, scope.stall_after / LOOKS)
        if not self._number or seconds < self._seconds:
            self._set_timer(system.timers, seconds)

    def leave(self, scope: WholeRun) -> None:
        """``scope`` has ended."""
        self._runs.pop(scope, None)

    def at_rest(self, system: ActorSystem) -> None:
        """Judge the runs of ``system``, in which nothing can run before time moves."""
        now = system.now()
        for scope, known in self._runs.copy().items():
            if self._last_moves(scope, known) is None:
                known.seen = None
                continue
            if known.seen is None:
                known.seen, known.since, known.due = scope, now, now
            if not self._judge(scope, now - known.since) and known.due <= now:
                waits = [one - (now - known.since) for one in _thresholds(scope)]
                if later := [one for one in waits if one > 0]:
                    known.due = now + min(later)
                    system.timers.after(min(later), _nothing)

    def _set_timer(self, timers: TimerService, seconds: float) -> None:
        self._seconds, self._number = seconds, (number := next(self._numbers))
        try:
            timers.after(seconds, partial(self._look, timers, number))
        except RuntimeError:  # no thread for it: the next run tries again
            self._number = 0

    def _look(self, timers: TimerService, number: int) -> None:
        if number != self._number:
            return  # one that comes more often has taken over
        try:
            for scope, known in self._runs.copy().items():
                self._look_at(scope, known)
        finally:
            if self._runs:
                self._set_timer(timers, self._seconds)
            else:
                self._number, self._seconds = 0, LOOK_EVERY
                if self._runs:  # a run that came before the line above set no timer
                    self._set_timer(timers, LOOK_EVERY)

    def _look_at(self, scope: WholeRun, known: _Watched) -> None:
        moves = self._last_moves(scope, known)
        if moves is None:
            if known.witness is not None and not isinstance(known.witness.logic, Feedback):
                known.seen = None  # else the loop may just be looked at, which moves nothing
        elif moves != known.seen:
            known.seen, known.since = moves, scope.system.now()
        else:
            self._judge(scope, scope.system.now() - known.since)

    def _last_moves(self, scope: WholeRun, known: _Watched) -> Hashable | None:
        """When each stage moved last, or ``None`` if one of them is not still."""
        if (witness := known.witness) is not None:
            if not witness.has_left and not _is_still(witness):
                return None
            known.witness = None
        moves = []
        for stage in _all_stages(scope):
            if not _is_still(stage):
                known.witness = stage
                return None
            moves.append((stage, _last_move(stage)))
        return tuple(moves)

    def _judge(self, scope: WholeRun, seconds: float) -> bool:
        """Act on ``scope``, which has stood still for ``seconds``; whether there was a way to."""
        acted, patient = False, False
        for stage, logic in _logics(scope):
            if logic.stall_after is not None and (action := logic.unblock()) is not None:
                patient = patient or seconds < logic.stall_after
                if seconds >= logic.stall_after:
                    stage.post(action)
                    acted = True
        after = scope.stall_after
        if acted or patient or after is None or seconds < after:
            return acted
        self.leave(scope)
        why = describe(scope.snapshot())
        happened = f"run '{scope.name}' has stood still for {after:g} s"
        scope.abort(Stalled(f"{happened} and nothing can wake it: {why}"))
        return True


def feeds_another(giver: WholeRun, taker: WholeRun) -> None:
    """A stage of ``taker`` takes elements of a stage of ``giver``: they stand still together."""
    if giver is not taker:
        for one, other in ((giver, taker), (taker, giver)):
            _peers.setdefault(one, weakref.WeakSet()).add(other)


def _all_stages(scope: WholeRun) -> Iterator[RunningStage]:
    """The living stages of ``scope`` and of the runs that it feeds or is fed by.

    Stages of inner streams come last: one of the few others most often shows that a run moves.
    """
    scopes = [scope]
    for one in scopes:
        yield from (stage for stage in one.each_stage() if not stage.has_left)
        for peer in tuple(_peers.get(one, ())):
            if peer not in scopes and not peer.end.is_over:
                scopes.append(peer)


def _logics(scope: WholeRun) -> list[tuple[RunningStage, StageLogic]]:
    """The living logics of ``scope``, each with its stage."""
    return [(stage, stage.logic) for stage in scope.living()]


def _thresholds(scope: WholeRun) -> list[float]:
    """The seconds of standstill after which a step is due for ``scope``."""
    own = [logic.stall_after for _, logic in _logics(scope) if logic.unblock() is not None]
    return [after for after in (scope.stall_after, *own) if after is not None]


def _last_move(stage: RunningStage) -> Hashable:
    """A value that changes with each turn of ``stage``, except turns that look at its loop."""
    logic = stage.logic
    return logic.figures() if isinstance(logic, Feedback) else stage.island.last_turn


def _is_still(stage: RunningStage) -> bool:
    """Whether ``stage`` has nothing to do, and only another stage can change that."""
    return (
        stage.mailbox.idle
        and not stage.start_due
        and not any(may_wake() for may_wake in stage.peers)
        and not _waits_outside(stage.logic)
        and not _wakes_itself(stage)
    )


def _wakes_itself(stage: RunningStage) -> bool:
    """Whether a timer, job or future of ``stage`` will wake it and may move something."""
    logic = stage.logic
    return logic.ends_the_loop if isinstance(logic, Feedback) else bool(stage.outside)


def _waits_outside(logic: StageLogic) -> bool:
    if logic.waits_outside:
        return True
    return not logic.inlets and any(outlet.demand for outlet in tuple(logic.outlets))


def _nothing() -> None:
    """Time has passed."""


_of: weakref.WeakKeyDictionary[ActorSystem, StallWatch] = weakref.WeakKeyDictionary()
_peers: weakref.WeakKeyDictionary[WholeRun, weakref.WeakSet[WholeRun]] = weakref.WeakKeyDictionary()
