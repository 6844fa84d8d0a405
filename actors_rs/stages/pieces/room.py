"""Rooms: what bounds the requests of an inlet besides its window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from actors_rs.stages.ports import Inlet

__all__ = ["Room", "Wanted", "widen"]


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


class Wanted:
    """The room of an inlet of which so many elements are wanted in all, from now on."""

    __slots__ = ("_inlet", "_last")
    foreseen = 0

    def __init__(self, inlet: Inlet, elements: int) -> None:
        self._inlet = inlet
        self._last = inlet.count + elements

    @property
    def demand(self) -> int:
        """How many have not been taken yet."""
        return self._last - self._inlet.count


def widen(inlet: Inlet, window: int) -> None:
    """Let ``inlet``, which has no room, keep ``window`` elements requested if that is more."""
    more = window - inlet.window
    if more > 0 and inlet.room is None:
        inlet.window = window
        if inlet.opened and not inlet.closed:
            inlet._request(more)
