"""a.combine_latest(b)

a:   1     2   3 |
b:     x     y     z |
out: (1 x) (2 x) (2 y) (3 y) (3 z) |

Emits a tuple for each new element of any input, with the latest elements of the others. The first
tuple has the first elements of all inputs; until then no input gives a second one. Rx drops earlier
elements, so its first tuple has the latest elements of the quicker inputs; here none is dropped.

Back-pressure: asks every input for its window once downstream asks; each new element is one tuple.
Completes: when all inputs have completed, or one has without an element.
Fails: when an input has failed, after what that input gave; the others are cancelled.
Cancels: all inputs, when downstream cancels.
"""

from __future__ import annotations

from itertools import repeat
from typing import Any

from actors_rs.stages.junctions.merge import Merge
from actors_rs.stages.stage import Budget


class CombineLatest(Merge):
    """Inlets in turn, frame by frame; a frame gives a tuple for each of its elements."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self._latest: list[Any] | None = None  # of each inlet, once all have given one

    def advance(self, budget: Budget) -> None:
        if self.look_downstream() > 0:
            if self._latest is None:
                self._begin()
            if self._latest is not None:
                self._go_on(self._latest)
        self.end_if_due()

    def release_held(self) -> None:
        super().release_held()
        if self._latest is not None:
            self._latest = [None] * len(self._latest)

    def end_if_due(self) -> None:
        """End when nothing more can come of the inlets."""
        if self._latest is None:
            self.end_with_the_first()
        else:
            self.end_with_the_last()

    def _begin(self) -> None:
        if all(inlet.buffered for inlet in self.inlets):
            self._latest = [inlet.take(1)[0] for inlet in self.inlets]
            self.outlet.emit([tuple(self._latest)])

    def _go_on(self, latest: list[Any]) -> None:
        while (demand := self.outlet.demand) > 0 and (ready := self.next_ready()) is not None:
            frame, place = ready.take(demand), self.inlets.index(ready)
            columns: list[Any] = [repeat(element) for element in latest]
            columns[place] = frame
            self.outlet.emit(list(zip(*columns, strict=False)))
            latest[place] = frame[-1]
