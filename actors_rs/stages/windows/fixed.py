"""``FixedWindows``: the contents of open windows with known bounds: fixed and sliding ones."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from math import inf
from typing import Any

from actors_rs.stages.windows.spans import Closed, LeftOut, OnTooMany, Sliding, evicts_oldest

__all__ = ["FixedWindows"]

_NEW = object()
_EMPTY: dict[Any, Any] = {}


class FixedWindows:
    """A value for each open window and key; ``max_keys`` of them in all."""

    def __init__(
        self,
        span: Sliding,
        make_init: Callable[[], Any],
        fold: Callable[[Any, Any], Any],
        max_keys: int,
        on_overflow: OnTooMany,
    ) -> None:
        self.next_end: float = inf
        """When the next window closes."""
        self.early: list[Closed] = []
        """Windows that were closed to make room; to be taken by the caller."""
        self.open: int = 0
        """How many values there are."""
        self._span = span
        self._make_init = make_init
        self._fold = fold
        self._max_keys = max_keys
        self._on_overflow = on_overflow
        self._windows: dict[int, dict[Any, Any]] = {}
        self._order: list[int] = []  # a heap of the same numbers
        self._latest: tuple[float, float, dict[Any, Any]] = (inf, -inf, {})

    def add(self, key: Any, moment: float, element: Any, watermark: float) -> LeftOut | None:
        """Fold ``element`` into the windows it is in, unless they are closed by ``watermark``."""
        start, end, window = self._latest
        if start <= moment < end and key in window:  # most elements, where windows are fixed
            window[key] = self._fold(window[key], element)
            return None
        span = self._span
        all_numbers = span.numbers(moment)
        numbers = [one for one in all_numbers if span.end(one) > watermark]
        if not numbers:
            return "late" if all_numbers else "dropped"  # between windows: a step above the size
        values = []
        for number in numbers:
            value = self._windows.get(number, _EMPTY).get(key, _NEW)
            is_new = value is _NEW
            value = self._fold(self._make_init() if is_new else value, element)
            values.append((number, is_new, value))
        left_out: LeftOut | None = "dropped"
        for number, is_new, value in values:
            if not is_new or self._has_room(key):
                self._window(number)[key] = value
                self.open += is_new
                left_out = None
        return left_out

    def close(self, watermark: float) -> list[Closed]:
        """The windows that end at ``watermark`` or before, the earliest first."""
        closed: list[Closed] = []
        while self._order and self._span.end(self._order[0]) <= watermark:
            number = heappop(self._order)
            window = self._windows.pop(number)
            self.open -= len(window)
            start, end = self._span.start(number), self._span.end(number)
            closed += [Closed(key, start, end, value) for key, value in window.items()]
        self._look_ahead()
        return closed

    def _window(self, number: int) -> dict[Any, Any]:
        if (window := self._windows.get(number)) is None:
            window = self._windows[number] = {}
            heappush(self._order, number)
            self._look_ahead()
        if self._span.size == self._span.step:
            self._latest = self._span.start(number), self._span.end(number), window
        return window

    def _has_room(self, key: Any) -> bool:
        """Whether there is room for one value more, perhaps in place of the oldest."""
        if self.open < self._max_keys:
            return True
        if not evicts_oldest(self._on_overflow, self._max_keys, key):
            return False
        oldest = self._order[0]
        window = self._windows[oldest]
        first = next(iter(window))
        start, end = self._span.start(oldest), self._span.end(oldest)
        self.early.append(Closed(first, start, end, window.pop(first)))
        self.open -= 1
        if not window:
            heappop(self._order)
            del self._windows[oldest]
            self._look_ahead()
        return True

    def _look_ahead(self) -> None:
        """Windows came or went: when does the next one close?"""
        self.next_end = self._span.end(self._order[0]) if self._order else inf
        self._latest = inf, -inf, {}
