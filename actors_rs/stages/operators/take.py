"""take(2)

in:  1 2 3 4 |
out: 1 2 |          (upstream is cancelled after the second)

Gives so many elements, then completes.

Back-pressure: asks for its window as downstream asks, and for no more elements than it gives, so a
  group that is cut short loses none.
Completes: after the last of them, or with upstream.
Fails: with upstream, after what came before.
Cancels: upstream, after the last of them or when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from actors_rs.stages.inner.inline import InlineStream
from actors_rs.stages.linear import Operator
from actors_rs.stages.ports import Frame


class Take(Operator):
    """The first ``count`` elements."""

    one_for_one = True

    def __init__(self, count: int) -> None:
        super().__init__()
        self._to_take = count
        self.satisfied = count == 0

    never_waits = True

    def start(self) -> None:
        self.want(self._to_take)

    @staticmethod
    def inline(
        elements: Iterator[Any], stream: InlineStream, step: int, count: int
    ) -> Iterator[Any]:
        counts, taken = stream.counts, step - 1
        for counts[taken], element in enumerate(islice(elements, count), 1):
            yield element

    def _advance_frame(self) -> int:
        most = min(self.chunk.gathered, self.outlet.demand, self._to_take)
        return self._pass_on(self.inlet.take(most))

    def _pass_on(self, frame: Frame) -> int:
        self._to_take -= len(frame)
        self.satisfied = self._to_take == 0
        self.outlet.emit(frame)  # as it is: a frame is never changed
        return len(frame)

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        taken = list(islice(elements, self._to_take))
        self._to_take -= len(taken)
        self.satisfied = self._to_take == 0
        return taken
