"""``Sessions``: the contents of open sessions, which merge when an element joins them."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any

from actors_rs.stages.windows.spans import Closed, LeftOut, OnTooMany, Session, evicts_oldest

__all__ = ["Sessions"]


class _Open:
    """One session of a key; without ``merge`` it keeps its elements, in the order they came in."""

    __slots__ = ("came", "end", "is_open", "key", "number", "start", "value")

    def __init__(self, key: Any, number: int, start: float, end: float) -> None:
        self.key = key
        self.number = number
        self.start = start
        self.end = end
        self.value: Any = None
        self.came: list[tuple[int, Any]] = []
        self.is_open = True

    def __lt__(self, other: _Open) -> bool:
        return self.number < other.number


class Sessions:
    """The open sessions of all keys; ``max_keys`` of them in all.

    ``merge(value, value)`` makes one value of two sessions that become one. Without it, open
    sessions keep their elements, and the elements of both are folded anew.
    """

    def __init__(
        self,
        span: Session,
        make_init: Callable[[], Any],
        fold: Callable[[Any, Any], Any],
        max_keys: int,
        on_overflow: OnTooMany,
        merge: Callable[[Any, Any], Any] | None,
    ) -> None:
        self.next_end: float = inf
        """When the next session may close; it may have grown since."""
        self.early: list[Closed] = []
        """Sessions that were closed to make room; to be taken by the caller."""
        self.open: int = 0
        """How many sessions there are."""
        self._gap = span.gap
        self._make_init = make_init
        self._fold = fold
        self._max_keys = max_keys
        self._on_overflow = on_overflow
        self._merge = merge
        self._of: dict[Any, list[_Open]] = {}
        self._order: list[tuple[float, _Open]] = []  # a heap; an end may be an old one
        self._numbers = count()

    def add(self, key: Any, moment: float, element: Any, watermark: float) -> LeftOut | None:
        """Fold ``element`` into the session it is in, or joins; late if that is closed."""
        start, end = moment, moment + self._gap
        met = [one for one in self._of.get(key, ()) if one.start < end and start < one.end]
        if not met:
            return "late" if end <= watermark else self._begin(key, start, end, element)
        met.sort(key=lambda one: one.start)
        number = next(self._numbers)
        value, came = self._joined(met, number, element)
        kept = met[0]
        kept.start, kept.end = min(start, kept.start), max(end, *(one.end for one in met))
        kept.value, kept.came = value, came
        for other in met[1:]:
            self._drop(other)
        return None

    def close(self, watermark: float) -> list[Closed]:
        """The sessions that end at ``watermark`` or before, the earliest first."""
        closed = list[Closed]()
        while self._order and self._order[0][0] <= watermark:
            if (session := self._first()) is not None and session.end <= watermark:
                closed.append(self._closed(session))
        self._look_ahead()
        return closed

    def _joined(
        self, met: list[_Open], number: int, element: Any
    ) -> tuple[Any, list[tuple[int, Any]]]:
        """The merged value of the sessions and the element; nothing has changed if that raises."""
        keeps = self._merge is None
        came = sorted(pair for one in met for pair in one.came) if len(met) > 1 else met[0].came
        value = met[0].value
        if len(met) > 1 and keeps:
            value = self._make_init()
            for _, earlier in came:
                value = self._fold(value, earlier)
        elif self._merge is not None:
            for other in met[1:]:
                value = self._merge(value, other.value)
        value = self._fold(value, element)
        if keeps:
            came.append((number, element))
        return value, came

    def _begin(self, key: Any, start: float, end: float, element: Any) -> LeftOut | None:
        value = self._fold(self._make_init(), element)
        if not self._has_room(key):
            return "dropped"
        session = _Open(key, next(self._numbers), start, end)
        session.value = value
        if self._merge is None:
            session.came.append((session.number, element))
        self._of.setdefault(key, []).append(session)
        heappush(self._order, (end, session))
        self.open += 1
        self._look_ahead()
        return None

    def _has_room(self, key: Any) -> bool:
        """Whether there is room for one session more, perhaps in place of the oldest."""
        if self.open < self._max_keys:
            return True
        if not evicts_oldest(self._on_overflow, self._max_keys, key):
            return False
        while (oldest := self._first()) is None:
            pass
        self.early.append(self._closed(oldest))
        return True

    def _first(self) -> _Open | None:
        """Take the session that was to end first; ``None`` if it has grown, or is no more."""
        end, session = heappop(self._order)
        if not session.is_open:
            return None
        if session.end > end:
            heappush(self._order, (session.end, session))
            return None
        return session

    def _closed(self, session: _Open) -> Closed:
        self._drop(session)
        return Closed(session.key, session.start, session.end, session.value)

    def _drop(self, session: _Open) -> None:
        session.is_open = False
        self.open -= 1
        of_key = self._of[session.key]
        of_key.remove(session)
        if not of_key:
            del self._of[session.key]

    def _look_ahead(self) -> None:
        self.next_end = self._order[0][0] if self._order else inf
