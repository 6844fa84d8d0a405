"""Whom the failures of one round concern: found once for each child, however many fail."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from actors_rs.runtime.supervision.strategies import Strategy

__all__ = ["Affected"]

C = TypeVar("C")


class Affected(Generic[C]):
    """The children that are restarted together; only in turns of their supervisor.

    They are those from one place in the order of start on, and that place only moves forward.
    """

    def __init__(self, order: Iterable[C], strategy: Strategy) -> None:
        self._strategy = strategy
        self._children = list(order)
        self._places = {child: place for place, child in enumerate(self._children)}
        self._first = self._end = len(self._children)

    def add(self, child: C) -> None:
        """``child`` came last; from the next failure on it is one of those affected."""
        self._places[child] = len(self._children)
        self._children.append(child)

    def by(self, failed: C) -> tuple[Sequence[C], Sequence[C]]:
        """Children that the failure of ``failed`` hits first, in the order of their start.

        Children started before all those hit so far come first, then the ones started after them.
        """
        place = self._strategy.first_affected(self._places[failed])
        before, behind = self._children[place : self._first], self._children[self._end :]
        self._first, self._end = min(self._first, place), len(self._children)
        return before, behind
