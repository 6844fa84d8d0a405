"""Rooms: what bounds the requests of an inlet besides its window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

__all__ = ["Room", "Slowest"]


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


class Open(Room, Protocol):
    """An outlet, as a room sees it."""

    closed: bool


class Slowest:
    """The room of an inlet whose elements all go to each of ``outlets``."""

    __slots__ = ("_outlets",)
    foreseen = 0

    def __init__(self, outlets: Sequence[Open]) -> None:
        self._outlets = outlets

    @property
    def demand(self) -> int:
        """The requests that each open outlet has, or will be granted."""
        return min((o.demand + o.foreseen for o in self._outlets if not o.closed), default=0)
