"""partition(2, f)

in:    1 2 3 4 |
out 0: 2 4 |            (f gives the number of the outlet, here n % 2)
out 1: 1 3 |

Back-pressure: asks upstream while any outlet asks; an element whose outlet does not ask waits, and
  later ones wait too.
Completes: all outlets, when the input has completed and all of it was given.
Fails: all outlets, when ``f`` raises or gives no number of an outlet; when the input has failed,
  after what it gave; or when a stage after one of them has failed.
Cancels: upstream, when all outlets have been cancelled. Elements for one that was are dropped: its
  receiver has had enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import index as index_of
from operator import length_hint
from typing import Any

from actors_rs.errors import InvalidArgumentError
from actors_rs.stages.chunks.chunk import ELEMENTS, ChunkSize
from actors_rs.stages.junction import FanOut
from actors_rs.stages.stage import Budget
from actors_rs.texts import repr_of


class Partition(FanOut):
    """Each element to the outlet that ``f`` names; ``f`` is called once for each."""

    def __init__(self, count: int, f: Callable[[Any], int]) -> None:
        super().__init__(count)
        self._f = f
        self._chunk = ChunkSize(ELEMENTS)
        self._waiting: tuple[Any, int] | None = None

    def advance(self, budget: Budget) -> None:
        inlet = self.inlet
        if not self.look_downstream():
            return
        if any(outlet.demand for outlet in self.outlets):
            inlet.open()
        while self._place_waiting() and inlet.buffered:
            if not self._route(budget) or budget.spent():
                return
        if inlet.exhausted and self._waiting is None:
            self.end(inlet.error)

    def held(self) -> list[Any]:
        return [] if self._waiting is None else [self._waiting[0]]

    def _place_waiting(self) -> bool:
        """Emit the element that waits for its outlet, if it can be; True if none waits now."""
        if self._waiting is None:
            return True
        element, index = self._waiting
        outlet = self.outlets[index]
        if not outlet.demand and not outlet.closed:
            return False
        outlet.emit([element])
        self._waiting = None
        return True

    def _route(self, budget: Budget) -> bool:
        """Send one chunk, up to the first element that has to wait; False if the stage failed."""
        taken = self.inlet.take(self._chunk.size)
        elements = iter(taken)
        frames: list[list[Any]] = [[] for _ in self.outlets]
        room = [len(taken) if outlet.closed else outlet.demand for outlet in self.outlets]
        failure: Exception | None = None
        budget.lap()  # what each outlet costs is not for a smaller chunk to mend, on the contrary
        try:
            self._sort(elements, frames, room)
        except Exception as error:
            failure = error
        left = length_hint(elements)
        self._chunk.record(len(taken) - left, budget.lap())
        self._emit(frames)
        self.inlet.untake(taken[len(taken) - left :] if left else ())
        if failure is not None:
            element = taken[len(taken) - left - 1]
            if not self.survives(failure, element, self.inlet.count - 1):
                return False
        budget.lap()
        return True

    def _sort(self, elements: Iterator[Any], frames: list[list[Any]], room: list[int]) -> None:
        """Put ``elements`` into ``frames``, none of which grows beyond its ``room``."""
        f, count = self._f, len(frames)
        put = [frame.append for frame in frames]
        if min(room) >= length_hint(elements):  # the usual case, and worth a loop of its own
            for element in elements:
                index = f(element)
                if index.__class__ is not int or not 0 <= index < count:
                    index = number_of(index, count)
                put[index](element)
            return
        for element in elements:
            index = number_of(f(element), count)
            if len(frames[index]) >= room[index]:
                self._waiting = (element, index)
                return
            put[index](element)

    def _emit(self, frames: list[list[Any]]) -> None:
        for outlet, frame in zip(self.outlets, frames, strict=True):
            if frame:
                outlet.emit(frame)


def number_of(index: Any, count: int, where: str = "") -> int:
    """``index`` if it is the number of an outlet, ``False`` and ``True`` being 0 and 1.

    Integers of others, NumPy's for instance, are as good.
    """
    number = index_of(index) if hasattr(index, "__index__") else -1
    if 0 <= number < count:
        return number
    where = where or f"partition({count}, f)"
    raise InvalidArgumentError(f"{where}: f must return 0 to {count - 1}, got {repr_of(index)}")
