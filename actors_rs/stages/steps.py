"""Steps: how a stage draws from an iterator that may turn slow at any element.

The iterator is asked by C, a few elements at a time; between them it costs little to see whether
the brake was pulled, and the clock is asked once a piece. Where nobody pulls it, pieces are small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from actors_rs.stages.brake import Brake
from actors_rs.stages.pace import LARGEST, PIECE_SECONDS, Pace

__all__ = ["Steps", "fill"]


def fill(
    out: list[Any], end: int, elements: Iterator[Any], brake: Brake, stride: int, first: int = 0
) -> bool:
    """Fill ``out`` up to ``end``, unless the brake is pulled; whether there are no more.

    C is asked for ``stride`` elements at a time, at the first time for ``first`` if that is more.
    """
    want = max(first, stride)
    while (missing := end - len(out)) > 0 and not brake.pulled:
        want, before = min(want, missing), len(out)
        out += islice(elements, want)
        if len(out) - before < want:
            return True
        want = stride
    return False


class Steps:
    """One stage's. ``stride`` is how many elements C is asked for at a time.

    ``unwatched`` is the largest piece where nobody pulls the brake. As long as pieces are smaller
    than ``slow``, each one is drawn for itself.
    """

    __slots__ = ("_brake", "_pace", "_slow", "_stride", "_unwatched")

    def __init__(self, brake: Brake, stride: int, unwatched: int, slow: int = 0) -> None:
        self._brake = brake
        self._pace = Pace()
        self._stride = stride
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

        False if there are no more. ``lap`` gives the seconds since it was called last, ``at_hand``
        how many elements of the next ones exist already; those may be drawn in one go.
        """
        brake, pace, spent = self._brake, self._pace, 0.0
        brake.release()
        largest = LARGEST if watched else self._unwatched
        while (room := most - len(out)) > 0:
            ready = at_hand()
            want, before = min(room, max(ready, min(pace.size, largest))), len(out)
            ended = fill(out, before + want, elements, brake, self._stride, first=ready)
            taken, seconds = len(out) - before, lap()
            if ended:
                return False
            spent += seconds
            if want > ready:
                pace.record(taken, seconds)
            if spent >= PIECE_SECONDS or pace.size < self._slow or brake.pulled:
                break
        return True
