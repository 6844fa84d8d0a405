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
from functools import partial
from operator import length_hint
from typing import Any

from actors_rs.stages.failure import STOP
from actors_rs.stages.inner.drawn import Drawn
from actors_rs.stages.linear import Operator
from actors_rs.stages.pieces.brake import Halted
from actors_rs.stages.ports import Frame


class TakeWhile(Operator):
    """Elements until ``predicate`` is false for the first time."""

    def __init__(self, predicate: Callable[[Any], Any]) -> None:
        super().__init__()
        self._predicate = predicate

    runs_user = True

    @staticmethod
    def drawn(
        elements: Iterator[Any], stream: Drawn, step: int, predicate: Callable[[Any], Any]
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
        self.brake.function = lambda: predicate
        for element in elements:
            if predicate(element):
                out.append(element)
            else:
                self.satisfied = True
                return

    def _pass_on(self, piece: Frame) -> int:
        """Emit the piece or its beginning.

        It becomes a list only where results must be visible before the piece is done, or where a
        policy may pass elements over.
        """
        if self.on_failure is not STOP or self.context.filling(self.outlet, []):
            return super()._pass_on(piece)
        elements, size = iter(piece), len(piece)
        refused = 1
        try:
            refused = self._look_through(elements)
            self.inlet.untake(piece[size - length_hint(elements) :])  # nothing, if it goes on
        except Halted:  # the element it was called with is not taken
            self.inlet.untake(piece[size - length_hint(elements) - 1 :])
        except Exception as error:
            fitting = piece[: max(0, size - length_hint(elements) - 1)]  # 0 if none was drawn
            self.survives_in(piece, size, elements, error, partial(self.outlet.emit, fitting))
            return size
        passed = size - length_hint(elements) - refused
        self.outlet.emit(piece if passed == size else piece[:passed])
        return max(passed, 1)

    def _look_through(self, elements: Iterator[Any]) -> int:
        """Draw ``elements`` up to one that does not fit; returns how many of them do not."""
        predicate = self._predicate
        self.brake.function = lambda: predicate
        for element in elements:
            if not predicate(element):
                self.satisfied = True
                return 1
        return 0
