"""take_while(predicate)

in:  1 2 9 3 |
out: 1 2 |          (below 5; upstream is cancelled at the 9)

Gives elements until the predicate is false, then completes.

Back-pressure: asks for its window, as far as downstream asks.
Completes: at the first element that does not fit, or with upstream.
Fails: with upstream, or when ``predicate`` raises and the policy is to stop; after what came
  before.
Cancels: upstream, at the first element that does not fit or when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from actors_rs.stages.inner.inline import InlineStream
from actors_rs.stages.linear import Operator


class TakeWhile(Operator):
    """Elements until ``predicate`` is false for the first time."""

    one_for_one = True

    def __init__(self, predicate: Callable[[Any], Any]) -> None:
        super().__init__()
        self._predicate = predicate

    runs_user = True

    @staticmethod
    def inline(
        elements: Iterator[Any], stream: InlineStream, step: int, predicate: Callable[[Any], Any]
    ) -> Iterator[Any]:
        counts, taken = stream.counts, step - 1
        counts[step] = 0
        for counts[taken], element in enumerate(elements, 1):
            try:
                if not predicate(element):
                    return
            except BaseException as error:
                stream.stumbled(step, error)
                raise
            counts[step] += 1
            yield element

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        predicate = self._predicate
        for element in elements:
            if not predicate(element):
                self.satisfied = True
                return
            yield element

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        predicate = self._predicate
        for element in elements:
            if predicate(element):
                out.append(element)
            else:
                self.satisfied = True
                return
