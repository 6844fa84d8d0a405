"""``Frames``: frames that wait in a line and are taken in chunks.

Cutting the rest off a frame for every chunk would copy it again and again, quadratic in its length.
Counting without cutting would keep the taken elements alive, and groups are freed only when no
reference is left. So the rest is a list of its own, reversed: taken elements leave its end. A range
or a view, which makes elements as it is drawn, stays as it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from actors_rs.stages.chunks.views import View

__all__ = ["FEW", "Frames"]

Frame: TypeAlias = Sequence[Any]
Rest: TypeAlias = list[Any] | range | View
"""The rest of a frame: a list is reversed."""

FEW = 256
"""A frame of fewer elements is short, unless it is a view, which makes them when they are drawn."""
SMALL = 4
"""A chunk is small if so many are less than what is left."""


class Frames:
    """A line of frames.

    ``whole`` are those nobody has taken of, to be looked into and, while nothing is ``begun``,
    taken from: that spares a call for each frame. It is ``None`` while there are none, and a list
    while there is one, as in most of the many inlets of inner streams: a deque has 0.75 KiB.
    """

    __slots__ = ("begun", "whole")

    def __init__(self) -> None:
        self.whole: deque[Frame] | list[Frame] | None = None
        self.begun: list[Rest] | None = None  # the last one comes first

    def begins_short(self, most: int) -> bool:
        """Whether the first frame, there is one, is short and has at most ``most`` elements."""
        first = self.begun[-1] if self.begun else self.whole[0]  # type: ignore[index]
        return len(first) < FEW and len(first) <= most and not isinstance(first, View)

    def append(self, frame: Frame) -> None:
        """``frame``, at least one element, comes last."""
        whole = self.whole
        if whole is None:
            self.whole = [frame]
        elif len(whole) == 1:
            self.whole = deque((whole[0], frame))
        else:
            whole.append(frame)

    def begin(self, frame: Frame, most: int) -> Frame:
        """The first ``most`` of ``frame``, which has more; the others are first in line."""
        self.put_back(frame[most:])
        return frame[:most]

    def go_on(self, most: int) -> Frame:
        """Up to ``most`` elements of the frame begun last, at least one."""
        begun = self.begun
        assert begun
        rest = begun[-1]
        if len(rest) <= most:
            begun.pop()
            return _forwards(rest)
        if isinstance(rest, list):
            chunk = rest[: -most - 1 : -1]
            del rest[-most:]
            return chunk
        if isinstance(rest, View) and most * SMALL < len(rest):
            begun[-1] = list(rest)[::-1]  # else the rest is copied with each chunk
            return self.go_on(most)
        begun.pop()
        return self.begin(rest, most)

    def put_back(self, frame: Frame) -> None:
        """``frame``, at least one element, comes first."""
        made = isinstance(frame, range | View)
        if self.begun is None:
            self.begun = []
        self.begun.append(frame if made else list(reversed(frame)))  # type: ignore[arg-type]

    def clear(self) -> None:
        """Forget all."""
        self.whole = self.begun = None

    def left(self) -> Iterator[Frame]:
        """The elements that were not taken, frame by frame, in order."""
        yield from map(_forwards, reversed(self.begun or ()))
        yield from self.whole or ()


def _forwards(rest: Rest) -> Frame:
    return rest[::-1] if isinstance(rest, list) else rest
