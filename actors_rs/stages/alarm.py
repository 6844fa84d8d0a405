"""An alarm: the one timer that a stage sets, sets anew and gives up.

A timer that has fired lies in the stage's mailbox until the next turn. By then the stage may have
set another one. So every setting has a number, and the stage ignores a ring with an old number.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from actors_rs.stages.stage import Cancellable, StageLogic

__all__ = ["Alarm"]

SHORTEST = 1e-6
"""Seconds: the rest of a wait that rounding leaves must not be waited for again and again."""


class Alarm:
    """Rings once after it was set, in a turn of ``logic``; to be cancelled in its ``stop``.

    ``ring`` is called first, then the logic advances, which often is all that is wanted.
    """

    __slots__ = ("_logic", "_number", "_ring", "_timer")

    def __init__(self, logic: StageLogic, ring: Callable[[], None] = lambda: None) -> None:
        self._logic = logic
        self._ring = ring
        self._number = 0
        self._timer: Cancellable | None = None

    @property
    def pending(self) -> bool:
        """Whether it is set and has not rung yet."""
        return self._timer is not None

    def set(self, seconds: float) -> None:
        """Ring ``seconds`` from now, and not when it was to ring before."""
        self.cancel()
        rings = partial(self._fired, self._number)
        self._timer = self._logic.context.after(max(seconds, SHORTEST), rings)

    def cancel(self) -> None:
        """Do not ring, even if the timer has fired already."""
        self._number += 1
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()

    def _fired(self, number: int) -> None:
        if number == self._number:
            self._timer = None
            self._ring()
