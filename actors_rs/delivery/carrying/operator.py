"""Operators that take their elements one by one: the results of an element share its token.

A transform draws an element after it has emitted all results of the elements before. So each result
belongs to the element drawn last, and an element without a result before the next one is drawn
was filtered out. An operator that leaves elements out gives one result at most of each, and may not
be asked for another after it: so its result takes the element's own token along.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from operator import length_hint
from typing import Any

from actors_rs.delivery.ack import Bundle, Disposition, Token, Tracked
from actors_rs.delivery.carrying.surviving import Surviving
from actors_rs.errors import DefectError
from actors_rs.stages.linear import Operator

__all__ = ["CarryingOperator"]


class CarryingOperator(Surviving, Operator):
    """To be mixed in before an operator's own class."""

    _token: Token | Bundle | None = None
    _given = False

    def transform(self, elements: Iterator[Tracked], /) -> Iterable[Tracked]:
        for value in super().transform(self._values(elements)):
            if self._token is None:
                raise DefectError(f"{type(self).__name__} gave an element before it drew one")
            self._given = True
            if self.leaves_out:
                token, self._token = self._token, None
                yield Tracked(value, token)
            else:
                yield Tracked(value, self._token.sibling())
        self._settle_last()

    def collect(self, elements: Iterator[Tracked], out: list[Any], /) -> None:
        out.extend(self.transform(elements))

    collect_until = Operator.collect_until
    """Overrides the class it is mixed with, which knows nothing of tokens."""
    _pass_on = Operator._pass_on
    """Overrides the class it is mixed with, which may emit a view of elements it has not drawn."""

    def _pull(self, results: Iterator[Any], out: list[Any], most: int) -> bool:
        more = super()._pull(results, out, most)
        if not more and not length_hint(self._elements):
            deque(results, maxlen=0)  # empty, but drawing it settles the last element
        return more

    def survives(
        self,
        error: BaseException,
        element: Tracked,
        position: int | None,
        *,
        first: Callable[[], None] | None = None,
    ) -> bool:
        self.forget_last()
        return super().survives(error, element, position, first=first)

    def explained(self, error: Exception, element: Tracked) -> Exception:
        return super().explained(error, element.value)

    def forget_last(self) -> None:
        """Forget the element drawn last: the failure policy settles its share."""
        self._token = None

    def _values(self, elements: Iterator[Tracked]) -> Iterator[Any]:
        for tracked in elements:
            self._settle_last()
            self._token, self._given = tracked.token, False
            yield tracked.value

    def _settle_last(self) -> None:
        token, self._token = self._token, None
        if token is not None:
            token.settle(None if self._given else Disposition.FILTERED)
