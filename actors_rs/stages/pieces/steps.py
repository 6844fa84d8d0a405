"""Steps: how a stage draws from an iterator that may block at any element.

The clock is read once a piece, and the brake is looked at after each element: that costs no more
than to draw a few elements in C. So an iterator that blocks ends its piece with the element that it
returns next, and nothing that it has given waits for another element. Where nobody pulls the brake,
pieces are small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from actors_rs.stages.pieces.brake import Brake
from actors_rs.stages.pieces.pace import LARGEST, PIECE_SECONDS, Pace

__all__ = ["Steps", "fill"]


def fill(out: list[Any], end: int, elements: Iterator[Any], brake: Brake, ready: int = 0) -> bool:
    """Fill ``out`` up to ``end``, unless the brake is pulled; whether there are no more.

    The first ``ready`` elements exist already: they are drawn at once, in C.
    """
    if ready:
        out += islice(elements, min(ready, end - len(out)))
    if brake.pulled:
        return False
    append = out.append
    for element in islice(elements, end - len(out)):
        append(element)
        if brake.pulled:
            return False
    return len(out) < end


class Steps:
    """One stage's.

    ``unwatched`` is the largest piece where nobody pulls the brake. As long as pieces are smaller
    than ``slow``, each one is drawn for itself.
    """

    __slots__ = ("_brake", "_pace", "_slow", "_unwatched")

    def __init__(self, brake: Brake, unwatched: int, slow: int = 0) -> None:
        self._brake = brake
        self._pace = Pace()
        self._unwatched = unwatched
        self._slow = slow

    def draw(
        self,
        elements: Iterator[Any],
        out: list[Any],
        most: int,
        lap: Callable[[], float],
        watched: bool,
        at_hand: Callable[[], int] = int,
    ) -> bool:
        """Append to ``out`` until it has ``most``, a millisecond is over or there are no more.

        The caller releases the brake before it lets anybody watch ``out``: a pull that comes from
        then on must not be forgotten.

        False if there are no more. ``lap`` gives the seconds since it was called last, ``at_hand``
        how many elements of the next ones exist already; those may be drawn in one go.
        """
        brake, pace, spent = self._brake, self._pace, 0.0
        largest = LARGEST if watched else self._unwatched
        while (room := most - len(out)) > 0:
            ready = at_hand()
            want, before = min(room, max(ready, min(pace.size, largest))), len(out)
            ended = fill(out, before + want, elements, brake, ready)
            taken, seconds = len(out) - before, lap()
            if ended:
                return False
            spent += seconds
            if want > ready:
                pace.record(taken, seconds)
            if spent >= PIECE_SECONDS or pace.size < self._slow or brake.pulled:
                break
        return True
