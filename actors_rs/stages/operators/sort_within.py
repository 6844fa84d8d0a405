"""sort_within(2)

in:  2 1 4 3 |
out: 1 2 3 4 |

Sorts elements that come up to so many places too late; equal ones stay in their order.

Back-pressure: asks for its window, as far as downstream asks.
Completes: with upstream, after what was held back.
Fails: with upstream, after what was held back; or when elements cannot be compared.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import Any

from actors_rs.stages.prologue_epilogue import PrologueEpilogue
from actors_rs.texts import repr_of, text_of

FEW = 64
"""Places that are not worth being freed."""


class SortWithin(PrologueEpilogue):
    """Holds ``count`` elements back and gives the smallest for each one more."""

    def __init__(self, count: int, key: Callable[[Any], Any] | None) -> None:
        self.runs_user = key is not None
        super().__init__()
        self._count = count
        self._key = key
        self._number = 0  # of elements so far: keeps equal ones in order, and from being compared
        self._sorted: list[Any] = []  # of (mark, number, element)
        self._given = 0  # of those: they come first, and are None

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        count, key, in_hand = self._count, self._key, self._sorted
        most = max(count, FEW)
        for element in elements:
            self._number += 1
            mark = element if key is None else key(element)
            given = self._given
            try:  # a heap would be spoilt if this raises
                insort(in_hand, (mark, self._number, element), given)
            except TypeError as error:
                raise TypeError(
                    "sort_within: expected what can be compared, "
                    f"got {repr_of(mark)}: {text_of(error)}"
                ) from error
            if len(in_hand) - given > count:
                smallest, in_hand[given] = in_hand[given], None
                self._given = given = given + 1
                if given > most:  # seldom, for the others move up
                    del in_hand[:given]
                    self._given = 0
                yield smallest[-1]

    def _in_hand(self) -> list[Any]:
        return [entry[-1] for entry in self._sorted[self._given :]]

    def epilogue(self, error: BaseException | None) -> Iterable[Any]:
        rest = self._in_hand()
        self._sorted, self._given = [], 0
        return rest

    def held(self) -> Iterable[Any]:
        rest = () if self._results is None or self._frame else copy(self._elements)
        return [*self._in_hand(), *rest, *super().held()]

    def release_held(self) -> None:
        super().release_held()
        self._sorted, self._given = [(None,) for _ in self._in_hand()], 0

    def details(self) -> dict[str, Any]:
        return {"held": max(0, len(self._sorted) - self._given)}  # both change, in a turn
