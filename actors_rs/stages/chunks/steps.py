"""Steps: how a stage draws from an iterator that may wait at any element.

The clock is read once a chunk. While a chunk is drawn, the stage looks after each element whether
its frame is overdue: that costs no more than to draw a few elements in C. So an iterator that waits
ends the chunk with the element that it returns next, which is emitted without another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Protocol

from actors_rs.stages.chunks.chunk import CALLS, CHUNK_SECONDS, FRAME, ChunkSize

__all__ = ["Filled", "Steps", "fill"]


class Filled(Protocol):
    """An outlet of which a frame is being filled."""

    overdue: bool


def fill(out: list[Any], end: int, elements: Iterator[Any], outlet: Filled) -> bool:
    """Fill ``out`` up to ``end``, unless it is overdue; whether there are no more ``elements``."""
    append = out.append
    for element in islice(elements, end - len(out)):
        append(element)
        if outlet.overdue:
            return False
    return len(out) < end


class Steps:
    """One stage's, whose frames are for ``outlet``."""

    __slots__ = ("_chunk", "_outlet")

    def __init__(self, outlet: Filled) -> None:
        self._chunk = ChunkSize()
        self._outlet = outlet

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
        how many of the next elements exist already; they are drawn at once, in C. Chunks are
        larger where ``out`` is ``watched``, as it is overdue if one lasts.
        """
        outlet, chunk, spent = self._outlet, self._chunk, 0.0
        chunk.most = FRAME if watched else CALLS
        while (room := most - len(out)) > 0:
            before = len(out)
            want = min(room, chunk.size, chunk.most)
            if ready := min(at_hand(), room):
                out += islice(elements, ready)
                want = max(ready, want)
            if len(out) < before + want and fill(out, before + want, elements, outlet):
                lap()
                return False
            seconds = lap()
            spent += seconds
            if want > ready:
                chunk.record(len(out) - before, seconds)
            if spent >= CHUNK_SECONDS or outlet.overdue:
                break
        return True
