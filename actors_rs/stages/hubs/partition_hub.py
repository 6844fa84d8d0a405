"""partition_hub(f)

in:      1 2 3 4 5 |
early:   1 2 4 |
late:        3 5 |      (joined after 2; f chooses one, here by n % 2)

Each element to one of the subscribers, which come and go. ``f`` is called with the element and the
number of subscribers there are, and returns which of them, in the order in which they came, gets
it. While there is none, elements wait.

Back-pressure: asks upstream while a subscriber asks; an element whose subscriber does not ask
  waits, and later elements wait too. If that subscriber leaves, ``f`` is called again.
Completes: all subscribers, when upstream has completed and all of it was given.
Fails: all subscribers, when ``f`` raises or gives no number of one; when upstream has failed,
  after what it gave.
Cancels: upstream, when the last subscriber has left, unless the hub is to stay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.stages.chunks.chunk import ELEMENTS, ChunkSize
from actors_rs.stages.hubs.hot import HotJunction, Seat
from actors_rs.stages.junctions.partition import number_of
from actors_rs.stages.ports import Frame, Outlet
from actors_rs.stages.stage import Budget

__all__ = ["PartitionHubLogic"]


class PartitionHubLogic(HotJunction[Seat]):
    """Each element to one of the attached subscribers."""

    def __init__(self, f: Callable[[Any, int], int], keep_alive: bool = False) -> None:
        super().__init__(keep_alive)
        self._f = f
        self._dropped = 0
        self._taken: Frame = ()  # taken from upstream, and not given yet
        self._chosen: Outlet | None = None  # for its first element, if that had to wait
        self._chunk = ChunkSize(ELEMENTS)

    def held(self) -> list[Any]:
        """The elements for a late subscriber: none."""
        return []

    def _seat(self, whom: object, outlet: Outlet) -> Seat:
        return Seat(whom, outlet)

    def advance(self, budget: Budget) -> None:
        self._forget_left()
        if not self._ended:
            self._flow(budget)
        self._forget_left()
        if self._ended:
            self._tell()  # also subscribers attached in this turn
        elif self._is_deserted():
            self.inlet.cancel()
            self._over(self._deserted())

    def details(self) -> dict[str, Any]:
        return {
            "subscribers": len(self._seats),
            "waiting": len(self._taken),
            "dropped": self._dropped,
        }

    def _flow(self, budget: Budget) -> None:
        inlet = self.inlet
        while any(seat.outlet.demand for seat in self._seats):
            inlet.open()
            if not self._taken:
                if not inlet.buffered:
                    break
                self._taken = inlet.take(self._chunk.size)
            given = self._give(budget)
            budget.lap()
            if not given or budget.spent():
                break
        if inlet.exhausted and not self._taken and not self._ended:
            self._over(inlet.error)

    def _give(self, budget: Budget) -> int:
        """Give of the chunk what its subscribers ask for; returns how much of it was settled."""
        taken, failure, done = self._taken, None, 0
        frames: list[list[Any]] = [[] for _ in self._seats]
        room = [seat.outlet.demand for seat in self._seats]
        budget.lap()  # what each subscriber costs is not for a smaller chunk to mend
        for element in taken:
            try:
                index = self._choose(element)
            except Exception as error:
                failure = error
                break
            if len(frames[index]) >= room[index]:
                self._chosen = self._seats[index].outlet
                break
            frames[index].append(element)
            done += 1
        self._chunk.record(done, budget.lap())
        self._taken = taken[done:]
        for seat, frame in zip(self._seats, frames, strict=True):
            if frame:
                seat.outlet.emit(frame)
        if failure is None:
            return done
        position = self.inlet.count - len(self._taken)
        first, self._taken = self._taken[0], self._taken[1:]
        return done + 1 if self.survives(failure, first, position) else 0

    def _choose(self, element: Any) -> int:
        """The number of the subscriber that gets ``element``; asked for once, unless it left."""
        chosen, self._chosen = self._chosen, None
        count = len(self._seats)
        for index in range(count if chosen is not None else 0):
            if self._seats[index].outlet is chosen:
                return index
        return number_of(self._f(element, count), count, "partition_hub(f)")

    def _over(self, ending: BaseException | None) -> None:
        if not self._ended:
            self._ended = True
            self.ending = ending
            self._dropped += len(self._taken)
            self._taken = ()

    def _tell(self) -> None:
        for seat in self._seats:
            if self.ending is not None:
                seat.outlet.fail(self.ending)
            else:
                seat.outlet.complete()
