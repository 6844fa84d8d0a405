"""``Grace``: how long the end of a run waits for functions of the user's that do not return.

It begins when the run is to end: it was cancelled or aborted, it has failed, or each of its sinks
has all it needs. Once it is over, stages that are still in a call are given up, see ``island``,
and the run ends without them.
"""

from __future__ import annotations

from contextlib import suppress
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Protocol

from actors_rs.engine.calls import hand_over
from actors_rs.runtime._primitives import RLock
from actors_rs.stages.stage import StreamEnd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from actors_rs.engine.contract import RunningStage
    from actors_rs.runtime.dispatch.timers import Timer
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["Ending", "Grace", "is_end"]

MOMENT = 0.05
"""Seconds within which stages end that are in no call, once stages in a call were given up."""
LONGEST_WAIT = 1.0
"""Seconds between two looks at stages that the run has ended without."""


class Ending(Enum):
    """What to do with the stages that have not ended."""

    NOW = auto()
    """All of them end: nobody waits for what they may still do."""
    IN_ORDER = auto()
    """What came before the failure is delivered before it; no call is waited for too long."""
    UNNEEDED = auto()
    """All that was needed has come: who has not noticed yet, in a call, is not waited for."""


class EndingScope(Protocol):
    """A scope that ends: a run, or one attempt of a section."""

    @property
    def system(self) -> ActorSystem:
        """Where it runs."""
        ...

    @property
    def grace(self) -> float:
        """Seconds."""
        ...

    def living(self) -> Sequence[RunningStage]:
        """The stages that have not ended."""
        ...

    def ending(self) -> tuple[Ending, BaseException] | None:
        """How it is to end, and what stages are ended with; ``None`` while it is not."""
        ...

    def end_without(self) -> None:
        """End now for everybody who waits; stages may be left."""


class Grace:
    """The grace of one scope. All methods may be called from any thread."""

    def __init__(self, scope: EndingScope) -> None:
        self._scope = scope
        self._lock = RLock()
        self._timer: Timer | None = None
        self._due = 0.0
        self._looked = False  # who was in a call is given up, and all others hear of the end
        self._wait = MOMENT / 2

    def begin(self, seconds: float) -> None:
        """The scope is to end: give it up after ``seconds``, if not before."""
        system = self._scope.system
        due = system.now() + seconds
        with self._lock:
            if self._timer is not None:
                if self._due <= due:
                    return
                self._timer.cancel()
            self._due = due
            with suppress(RuntimeError):  # no thread for it: who waits may cancel once more
                self._timer = system.timers.after(seconds, partial(hand_over, system, self.look))
        if not self._scope.living():  # it has ended, perhaps just now: then nobody calls ``end``
            self.end()

    def end(self) -> None:
        """The scope has ended."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()

    def look(self) -> None:
        """The grace is over, or was when this was called before: give up who does not return."""
        with self._lock:
            self._timer = None
        scope, living = self._scope, self._scope.living()
        if not living or (found := scope.ending()) is None:
            return
        how, error = found
        if how is not Ending.NOW:
            self._begin_again(self._give_up_late(living, how, error))
            return
        for stage in living:
            if not stage.island.give_up(error):  # in no call, and nobody has told it to end
                stage.post(partial(stage.logic.end, error))
        if self._looked:
            scope.end_without()
        self._looked, self._wait = True, min(2 * self._wait, LONGEST_WAIT)
        self._begin_again(self._wait)

    def _begin_again(self, seconds: float) -> None:
        if self._scope.living():
            self.begin(seconds)

    def _give_up_late(
        self, living: Sequence[RunningStage], how: Ending, error: BaseException
    ) -> float:
        """Give up stages that are in a long call; seconds until the next call is too long."""
        grace = wait = self._scope.grace
        for stage in living:
            inside = stage.in_turn_for()
            releases = stage.logic.outlets and _ends_by_itself(stage)
            if inside is None and how is Ending.IN_ORDER and releases:
                stage.post(partial(stage.logic.end, error))  # it waits for a coroutine
            if inside is None or (how is Ending.UNNEEDED and _ends_by_itself(stage)):
                continue
            if inside >= grace:
                stage.island.give_up(error)
            else:
                wait = min(wait, grace - inside)
        return max(wait, MOMENT)


def _ends_by_itself(stage: RunningStage) -> bool:
    """Whether it is releasing what it holds, which takes as long as it takes."""
    return all(outlet.closed for outlet in stage.logic.outlets)


def is_end(stage: RunningStage) -> bool:
    """Whether the stream ends there: in a sink, or with a foreign subscriber."""
    return stage.at_boundary or isinstance(stage.logic, StreamEnd)
