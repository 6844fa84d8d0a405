"""``TimedPairs``: elements of two sides that may still meet one of the other side."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any

from actors_rs.errors import JoinOverflowError

__all__ = ["TimedPairs"]


class TimedPairs:
    """Pairs of a left and a right element of one key, at most ``within`` seconds apart."""

    def __init__(self, within: float, max_held: int) -> None:
        self.held: int = 0
        """How many elements wait for others, of both sides."""
        self._within = within
        self._max_held = max_held
        self._sides: tuple[dict[Any, dict[int, tuple[float, Any]]], ...] = ({}, {})
        self._order: tuple[list[tuple[float, int, Any]], ...] = ([], [])  # heaps
        self._marks = [-inf, -inf]
        self._numbers = count()

    def is_late(self, side: int, moment: float) -> bool:
        """Whether elements that one of ``moment`` might have met may be gone."""
        return moment < self._marks[side]

    def add(self, side: int, key: Any, moment: float, element: Any) -> list[tuple[Any, Any]]:
        """The pairs that ``element`` makes with what came before; it waits for what comes later.

        Raises ``JoinOverflowError``, and has changed nothing, if too many elements wait.
        """
        within = self._within
        met = [
            other
            for at, other in self._sides[1 - side].get(key, _NONE).values()
            if -within <= at - moment <= within
        ]
        if moment + within >= self._marks[1 - side]:
            if self.held >= self._max_held:
                raise JoinOverflowError(self._max_held, within)
            number = next(self._numbers)
            self._sides[side].setdefault(key, {})[number] = moment, element
            heappush(self._order[side], (moment, number, key))
            self.held += 1
        if side:
            return [(other, element) for other in met]
        return [(element, other) for other in met]

    def came_to(self, side: int, mark: float) -> None:
        """No element of ``side`` before ``mark`` comes any more: forget what waited for those."""
        if mark <= self._marks[side]:
            return
        self._marks[side] = mark
        waiting, of = self._order[1 - side], self._sides[1 - side]
        while waiting and waiting[0][0] + self._within < mark:
            _, number, key = heappop(waiting)
            del of[key][number]
            if not of[key]:
                del of[key]
            self.held -= 1

    def ahead(self) -> int | None:
        """The side whose time has come further; ``None`` if neither's has."""
        left, right = self._marks
        return None if left == right else int(right > left)


_NONE: dict[int, tuple[float, Any]] = {}
