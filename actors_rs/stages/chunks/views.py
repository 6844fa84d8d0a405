"""Views: frames of tuples that are made one by one, when they are looked at.

``enumerate`` and ``zip`` reuse one tuple as long as it is not kept; a list has to make each tuple
anew and keep them all. A view holds the inputs of the frame, and the function. It makes equal
tuples each time, so it is a frame like any other: of a known length, and never changed. Making the
tuples calls no user code.

Only inlets that say so get views, for their elements do not know how many are left of them; to any
other inlet a view is a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from actors_rs.stages.chunks.counted import behind

__all__ = ["OF_VIEWS", "VIEWS", "Numbered", "View", "Windows", "begun", "seen_at_once"]


class View(Sequence[Any]):
    """``size`` elements. Subclasses give ``begin`` and ``part``, and are among ``VIEWS``."""

    __slots__ = ("_size",)

    def __init__(self, size: int) -> None:
        self._size = size

    def begin(self) -> tuple[Iterator[Any], Iterator[Any]]:
        """Its elements, and an iterator they draw one element each of, which knows how many are
        left."""
        raise NotImplementedError

    def part(self, begin: int, end: int) -> View:
        """Its elements from ``begin`` to ``end``; there are some."""
        raise NotImplementedError

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return self.begin()[0]

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        places = range(self._size)[index]
        if isinstance(places, int):
            return next(iter(self.part(places, places + 1)))
        if places.step != 1:
            return [self[place] for place in places]
        return self.part(places.start, places.stop) if places else ()


class Numbered(View):
    """Pairs of a number, counting from ``first``, and an element of ``frame``."""

    __slots__ = ("_first", "_frame")

    def __init__(self, frame: Sequence[Any], first: int) -> None:
        super().__init__(len(frame))
        self._frame = frame
        self._first = first

    def begin(self) -> tuple[Iterator[Any], Iterator[Any]]:
        elements = iter(self._frame)
        return enumerate(elements, self._first), elements

    def part(self, begin: int, end: int) -> View:
        return Numbered(self._frame[begin:end], self._first + begin)


class Windows(View):
    """Tuples of ``width`` neighbours in ``frame``, one for each element that begins a whole one."""

    __slots__ = ("_frame", "_width")

    def __init__(self, frame: Sequence[Any], width: int) -> None:
        super().__init__(len(frame) - width + 1)
        self._frame = frame
        self._width = width

    def tail(self) -> list[Any]:
        """The elements that begin none."""
        return list(self._frame[self._size :])

    def begin(self) -> tuple[Iterator[Any], Iterator[Any]]:
        shifted = [behind(self._frame, index) for index in range(self._width)]
        return zip(*shifted, strict=False), shifted[-1]

    def part(self, begin: int, end: int) -> View:
        return Windows(self._frame[begin : end + self._width - 1], self._width)


VIEWS: frozenset[type] = frozenset((Numbered, Windows))
"""All kinds of views. To look here costs less for each frame than to ask a sequence its base."""
OF_VIEWS = (enumerate, zip)
"""Their iterators, which make elements as they are drawn; no other frame has such."""


def seen_at_once(frame: Sequence[Any]) -> Sequence[Any]:
    """``frame``, whose elements are there: a list of them if it is a view."""
    return list(frame) if type(frame) in VIEWS else frame


def begun(frame: Sequence[Any]) -> tuple[Iterator[Any], Iterator[Any]]:
    """The elements of ``frame``, and an iterator that knows how many are left of them."""
    if type(frame) in VIEWS:
        return frame.begin()  # type: ignore[attr-defined, no-any-return]
    elements = iter(frame)
    return elements, elements
