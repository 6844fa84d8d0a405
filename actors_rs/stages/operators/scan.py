"""scan(0, add)

in:  1 2 3 |
out: 1 3 6 |        (the initial value itself is not emitted)

Gives each value of a running fold.

Back-pressure: asks for its window, as far as downstream asks.
Completes: with upstream, after what came of its elements.
Fails: with upstream, or when ``f`` raises and the policy is to stop; after what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from actors_rs.stages.linear import Operator


class Scan(Operator):
    """The running fold: each ``f(accumulated, element)`` is emitted."""

    runs_user = True
    one_for_one = True
    released_attributes = ("_accumulated",)

    def __init__(self, init: Any, f: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self._accumulated = init
        self._f = f

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        f, accumulated = self._f, self._accumulated
        for element in elements:
            self._accumulated = accumulated = f(accumulated, element)
            yield accumulated

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        f, accumulated = self._f, self._accumulated
        try:
            for element in elements:
                accumulated = f(accumulated, element)
                out.append(accumulated)
        finally:
            self._accumulated = accumulated
