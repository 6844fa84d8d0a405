"""partition(2, f)

    in:    1 2 3 4 |
    out 0: 2 4 |        (f gives the number of the outlet, here n % 2)
    out 1: 1 3 |

An element whose outlet has no demand waits, and those behind it wait too. Elements for an outlet
that was cancelled are dropped: their receiver has had enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import length_hint
from typing import Any

from actors_rs.errors import InvalidArgumentError
from actors_rs.stages.pace import Pace
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic


class Partition(StageLogic):
    """Each element to the outlet that ``f`` names."""

    def __init__(self, count: int, f: Callable[[Any], int]) -> None:
        self.inlet = Inlet()
        self.inlets = (self.inlet,)
        self.outlets = tuple(Outlet(f"out {i}") for i in range(count))
        self._f = f
        self._pace = Pace()
        self._waiting: tuple[Any, int] | None = None

    def advance(self, budget: Budget) -> None:
        inlet = self.inlet
        if (cause := self.downstream_failure()) is not None:
            self.end(cause)
        if all(outlet.closed for outlet in self.outlets):
            inlet.cancel()
            return
        if any(outlet.demand for outlet in self.outlets):
            inlet.open()
        while self._place_waiting() and inlet.buffered:
            if not self._route(budget) or budget.spent():
                return
        if inlet.exhausted and self._waiting is None:
            self.end(inlet.error)

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
        """Send one piece, up to the first element that has to wait; False if the stage failed."""
        piece = self.inlet.take(self._pace.size)
        elements = iter(piece)
        frames: list[list[Any]] = [[] for _ in self.outlets]
        room = [outlet.demand for outlet in self.outlets]
        failure: Exception | None = None
        try:
            self._sort(elements, frames, room)
        except Exception as error:
            failure = error
        left = length_hint(elements)
        self._emit(frames)
        if failure is not None:
            position = self.inlet.count - left - 1
            if not self.survives(failure, piece[-left - 1], position):
                return False
        self.inlet.untake(piece[len(piece) - left :] if left else ())
        self._pace.record(len(piece) - left, budget.lap())
        return True

    def _sort(self, elements: Iterator[Any], frames: list[list[Any]], room: list[int]) -> None:
        f, outlets = self._f, self.outlets
        for element in elements:
            index = f(element)
            if not (isinstance(index, int) and 0 <= index < len(frames)):
                raise InvalidArgumentError(
                    f"partition({len(frames)}, f): f must return 0 to {len(frames) - 1}, "
                    f"got {index!r}"
                )
            frame = frames[index]
            if len(frame) < room[index] or outlets[index].closed:
                frame.append(element)
            else:
                self._waiting = (element, index)
                return

    def _emit(self, frames: list[list[Any]]) -> None:
        for outlet, frame in zip(self.outlets, frames, strict=True):
            outlet.emit(frame)
