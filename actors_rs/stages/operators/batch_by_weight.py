"""batch(weight=len, max_weight=5)

in:  "ab" "cd" "efg" "h" |
out: ["ab" "cd"] ["efg" "h"] |

Gives lists whose elements weigh no more than so much together. One that is heavier comes alone.

Back-pressure: takes elements when a list is asked for, and gives one at a time.
Completes: with upstream, after the last list.
Fails: with upstream, after the last list; or when the weight raises or is below 0.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from sys import maxsize
from typing import Any

from actors_rs.errors import InvalidArgumentError
from actors_rs.stages.chunks.chunk import ELEMENTS, ChunkSize
from actors_rs.stages.operators.batch import Batch
from actors_rs.stages.ports import Frame
from actors_rs.stages.stage import Budget
from actors_rs.texts import repr_of


class BatchByWeight(Batch):
    """Lists that a further element would make heavier than ``most``, or longer than ``count``."""

    cuts = False

    def __init__(
        self,
        count: int | None,
        within: float | None,
        weight: Callable[[Any], Any],
        most: float,
    ) -> None:
        super().__init__(count or maxsize, within)
        self._weight = weight
        self._most = most
        self._heft: Any = 0  # of what is in the list
        self._full = False
        self._weighed: Any = None  # the weight of the next element, if it did not fit
        self._chunk = ChunkSize(ELEMENTS)

    def _gather(self, budget: Budget) -> None:
        inlet, chunk = self.inlet, self._chunk
        while self.outlet.demand and inlet.buffered and not self._full:
            before = inlet.count
            self._gather_from(inlet.take(min(self._count - len(self._batch), chunk.size)))
            chunk.record(inlet.count - before, budget.lap())
            if budget.spent():
                return

    def _gather_from(self, frame: Frame) -> None:
        for index, element in enumerate(frame):
            try:
                heavier = self._heft_with(element)
            except Exception as error:
                position = self.inlet.count - len(frame) + index
                before_the_end = partial(self._give_rest, frame[index + 1 :])
                if not self.survives(error, element, position, first=before_the_end):
                    return
                continue
            if self._batch and not heavier <= self._most:
                self._close_before(frame[index:])
                return
            self._put_in(element)
            self._heft, self._weighed = heavier, None
            if heavier >= self._most or len(self._batch) == self._count:
                self._close_before(frame[index + 1 :])
                return

    def _heft_with(self, element: Any) -> Any:
        """The weight of the list with ``element`` in it."""
        weight = self._weight(element) if self._weighed is None else self._weighed
        self._weighed = None
        try:
            heavier = self._heft + weight
            if heavier >= self._heft:
                self._weighed = weight
                return heavier
        except TypeError:
            pass  # no number; else it is below 0, or NaN: such a list could grow on
        raise InvalidArgumentError(
            f"batch: weight must return a number of at least 0, got {repr_of(weight)}"
        )

    def _close_before(self, rest: Frame) -> None:
        self._full = True
        self.inlet.untake(rest)

    def _put_in(self, element: Any) -> None:
        if not self._batch and self._within is not None:
            self._timer = self.context.after(self._within, partial(self._time_is_up, self._batch))
        self._batch.append(element)

    def _ready(self) -> bool:
        return self._full or super()._ready()

    def _give(self) -> None:
        super()._give()
        self._heft, self._full = 0, False

    def _give_rest(self, rest: Frame) -> None:
        """The stage ends: give the list as it is; ``rest`` was not looked at."""
        self.inlet.untake(rest)
        if self._batch:
            self._give()
