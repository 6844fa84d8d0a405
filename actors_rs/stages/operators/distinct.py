"""distinct()

in:  1 2 1 3 2 |
out: 1 2 3 |

Gives the elements whose key has not been seen before, among all or the most recent keys.

Back-pressure: asks for its window, as far as downstream asks.
Completes: with upstream.
Fails: with upstream, or when the key raises or has no hash, after what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from actors_rs.stages.iterators import check_key
from actors_rs.stages.linear import Operator


class Distinct(Operator):
    """Elements whose ``key`` is not among the ``window`` different keys that came last.

    Without a window every key is remembered.
    """

    runs_user = True
    leaves_out = True

    def __init__(self, key: Callable[[Any], Any] | None, window: int | None) -> None:
        super().__init__()
        self._key = key
        self._window = window
        self._all: set[Any] = set()
        self._recent: OrderedDict[Any, None] = OrderedDict()  # the latest one last
        self._in_the_end: int | None = None  # how many keys there were

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return self._never_seen(elements) if self._window is None else self._not_recent(elements)

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        if self._key is not None or self._window is not None:
            super().collect(elements, out)
            return
        seen, element = self._all, None
        try:
            for element in elements:
                if element not in seen:
                    seen.add(element)
                    out.append(element)
        except TypeError:
            check_key(element, "distinct")
            raise

    def details(self) -> dict[str, Any]:
        keys = len(self._all) + len(self._recent)
        return {"keys": keys if self._in_the_end is None else self._in_the_end}

    def release_held(self) -> None:
        super().release_held()
        self._in_the_end = len(self._all) + len(self._recent)
        self._all, self._recent = set(), OrderedDict()

    def _never_seen(self, elements: Iterator[Any]) -> Iterator[Any]:
        key, seen, mark = self._key, self._all, None
        try:
            for element in elements:
                mark = element if key is None else key(element)
                if mark not in seen:
                    seen.add(mark)
                    yield element
        except TypeError:
            check_key(mark, "distinct: key")
            raise

    def _not_recent(self, elements: Iterator[Any]) -> Iterator[Any]:
        key, recent, most, mark = self._key, self._recent, self._window or 0, None
        try:
            for element in elements:
                mark = element if key is None else key(element)
                if mark in recent:
                    recent.move_to_end(mark)
                    continue
                recent[mark] = None
                if len(recent) > most:
                    recent.popitem(last=False)
                yield element
        except TypeError:
            check_key(mark, "distinct: key")
            raise
