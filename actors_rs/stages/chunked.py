"""``Chunked``: what linear operators and sinks share, an inlet and chunks of a fitting size."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from operator import length_hint
from typing import Any

from actors_rs.stages.chunks.chunk import CALLS, ELEMENTS, ChunkSize
from actors_rs.stages.ports import Frame, Inlet
from actors_rs.stages.stage import Budget, StageLogic

__all__ = ["Chunked"]


class _Untimed:
    """The budget of a stage that has not begun: no time passes."""

    def lap(self) -> float:
        return 0.0

    def spent(self) -> bool:
        return False


UNTIMED = _Untimed()


class Chunked(StageLogic):
    """Shared by operators and sinks: an inlet, and chunks of a fitting size."""

    survive_renewal: frozenset[str] = frozenset(
        ("_budget", "chunk", "given_up", "inlet", *vars(StageLogic), *StageLogic.__annotations__)
    )
    """Attributes that a restart leaves alone; a restart takes all others from a fresh logic.

    The attributes of every logic belong to it and its surroundings, which set them once.
    """
    given_up = 0
    """How many elements the stage held when it was restarted: they are dead letters."""
    runs_user = False
    """Whether it calls a function of the user's for each element, one that may turn slow."""
    takes_views = False
    """Whether ``collect`` or ``consume`` does nothing with the elements but to draw them."""

    def __init__(self) -> None:
        self.inlet = Inlet()
        self.inlet.takes_views = self.takes_views
        self.inlets = (self.inlet,)
        self.chunk = ChunkSize(CALLS if self.runs_user else ELEMENTS)
        self._budget: Budget = UNTIMED  # of the turn; a bound method takes 80 bytes

    def want(self, elements: int) -> None:
        """Request ``elements`` more in all, so that upstream keeps the elements after them."""
        self.inlet.total = self.inlet.count + elements

    def survives_in(
        self,
        frame: Frame,
        left: int,
        rest: Iterator[Any],
        error: Exception,
        first: Callable[[], None] | None = None,
    ) -> bool:
        """``survives`` for the element of ``frame`` that was taken last; ``rest`` follows it.

        ``left`` were left of the frame before. If none of them was taken, no element is at fault.
        """

        def before_the_end() -> None:
            if first is not None:
                first()
            if frame:  # else what is left are functions that are not due yet
                self.inlet.untake(frame[len(frame) - now_left :])
                deque(rest, maxlen=0)  # returned elements are no longer held: see ``held``

        now_left = length_hint(rest)
        if now_left < left:
            element, position = frame[-now_left - 1], self.inlet.count - now_left - 1
            error = self.explained(error, element)
            return self.survives(error, element, position, first=before_the_end)
        before_the_end()
        self.fail(error)
        return False

    def explained(self, error: Exception, element: Any) -> Exception:
        """The error to report instead of ``error``, which was raised for ``element``."""
        return error

    def renew(self, error: BaseException, position: int | None) -> None:
        self.stop(error)
        self._give_up(self.held(), error)
        fresh, mine = vars(self.remake()), vars(self)
        for name in mine.keys() - fresh.keys() - self.survive_renewal:
            del mine[name]
        mine.update({key: fresh[key] for key in fresh.keys() - self.survive_renewal})
        self.start()

    def _give_up(self, elements: Iterable[Any], error: BaseException | None = None) -> None:
        for element in elements:
            self.given_up += 1
            self.context.report(element, "in progress when its stage was restarted", error)
