"""Rooms: what bounds the requests of an inlet besides its window."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Counting", "Room", "Wanted"]


class Room(Protocol):
    """What bounds the requests of an inlet, as an outlet of the same stage does."""

    @property
    def demand(self) -> int:
        """How many elements may be requested."""
        ...

    @property
    def foreseen(self) -> int:
        """How many more may be."""
        ...


class Counting(Protocol):
    """An inlet, as a room sees it."""

    count: int
    """How many elements were taken from it."""


class Wanted:
    """The room of an inlet of which so many elements are wanted in all, from now on."""

    __slots__ = ("_inlet", "_last")
    foreseen = 0

    def __init__(self, inlet: Counting, elements: int) -> None:
        self._inlet = inlet
        self._last = inlet.count + elements

    @property
    def demand(self) -> int:
        """How many have not been taken yet."""
        return self._last - self._inlet.count
