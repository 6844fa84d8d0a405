"""skip_while(predicate)

in:  1 2 9 3 |
out: 9 3 |          (below 5)

Leaves out elements until the predicate is false, then gives all.

Back-pressure: asks for its window, as far as downstream asks; for what was left out it asks anew.
Completes: with upstream, after what came of its elements.
Fails: with upstream, or when ``predicate`` raises and the policy is to stop; after what came
  before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from actors_rs.stages.linear import Operator
from actors_rs.stages.ports import Frame


class SkipWhile(Operator):
    """Elements from the first one for which ``predicate`` is false."""

    runs_user = True

    def __init__(self, predicate: Callable[[Any], Any]) -> None:
        super().__init__()
        self._predicate = predicate
        self._skipping = True

    def _pass_on(self, frame: Frame) -> int:
        if self._skipping:
            return super()._pass_on(frame)
        self.outlet.emit(frame)  # as it is: a frame is never changed
        return len(frame)

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return self._behind_first(elements) if self._skipping else elements

    def _behind_first(self, elements: Iterator[Any]) -> Iterator[Any]:
        predicate = self._predicate
        for element in elements:
            if not predicate(element):
                self._skipping, self.one_for_one = False, True
                yield element
                yield from elements
