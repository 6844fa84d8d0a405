"""with_index()

in:  a b c |
out: (0, a) (1, b) (2, c) |

Gives each element after its number, which counts from 0: a pair ``(n, element)``.

Back-pressure: asks for its window, as far as downstream asks.
Completes: with upstream.
Fails: with upstream, after what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import length_hint
from typing import Any

from actors_rs.stages.chunks.views import Numbered
from actors_rs.stages.inner.inline import InlineStream
from actors_rs.stages.linear import Operator
from actors_rs.stages.ports import Frame


class WithIndex(Operator):
    """Pairs of a number, counting from ``first``, and an element."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self._next = first

    never_waits = True
    one_for_one = True

    @staticmethod
    def inline(
        elements: Iterator[Any], stream: InlineStream, step: int, first: int
    ) -> Iterator[Any]:
        counts, taken = stream.counts, step - 1
        for counts[taken], element in enumerate(elements, 1):
            yield first + counts[taken] - 1, element

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        for element in elements:
            number, self._next = self._next, self._next + 1
            yield number, element

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        number, self._next = self._next, self._next + length_hint(elements)
        out.extend(enumerate(elements, number))

    def _pass_on(self, frame: Frame) -> int:
        number, self._next = self._next, self._next + len(frame)
        self.outlet.emit(Numbered(frame, number))
        return len(frame)
