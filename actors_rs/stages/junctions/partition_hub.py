"""partition_hub(f)

in:      1 2 3 4 5 |
early:   1 2 4 |
late:        3 5 |      (joined behind 2; f gives one of those there, here by n % 2)

Each element to one of the subscribers, which come and go. ``f`` is called with the element and the
number of subscribers there are, and returns which of them, in the order in which they came, gets
it. While there is none, elements wait.

Back-pressure: asks upstream while a subscriber asks; an element whose subscriber does not ask
  waits, and those behind it wait too. If that subscriber leaves, ``f`` is asked again.
Completes: all subscribers, when upstream has completed and all of it was given.
Fails: all subscribers, when ``f`` raises or gives no number of one; when upstream has failed,
  behind what it gave.
Cancels: upstream, when the last subscriber has left, unless the hub is to stay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.stages.junctions.hub import deserted
from actors_rs.stages.junctions.partition import number_of
from actors_rs.stages.pace import Pace
from actors_rs.stages.ports import Frame, Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic

__all__ = ["PartitionHubLogic"]


class PartitionHubLogic(StageLogic):
    """Each element to one of those that are attached.

    Its ends are those of a hub that holds nothing: ``ending`` is what late ones are to be told,
    an error, or ``None`` for a completion.
    """

    def __init__(self, f: Callable[[Any, int], int], keep_alive: bool = False) -> None:
        self.inlet = Inlet()
        self.inlets = (self.inlet,)
        self.ending: BaseException | None = None
        self.when_stopped: Callable[[], None] = lambda: None
        self._f = f
        self._keep_alive = keep_alive
        self._visited = False  # by anybody yet
        self._came = self._dropped = 0
        self._seats: list[tuple[object, Outlet]] = []
        self._left = Outlet("left")  # stands for all that left: keeps count of what they got
        self._left.closed = True
        self._piece: Frame = ()  # taken from upstream, and not given yet
        self._chosen: Outlet | None = None  # for its first element, if that had to wait
        self._pace = Pace()
        self._ended = False
        self.outlets = (self._left,)

    def held(self) -> list[Any]:
        """What a late subscriber would get: nothing."""
        return []

    def outlet_of(self, whom: object) -> Outlet | None:
        """The outlet that serves ``whom``, if it is attached now; by identity."""
        seats = (outlet for who, outlet in self._seats if who is whom and not outlet.closed)
        return next(seats, None)

    def attach(self, whom: object) -> Outlet:
        """An outlet for ``whom``; in the stage's turn. It leaves by cancelling it."""
        self._visited = True
        outlet = Outlet(f"out {self._came}")
        self._came += 1
        self._seats.append((whom, outlet))
        self.outlets = (*self.outlets, outlet)
        return outlet

    def advance(self, budget: Budget) -> None:
        self._look_around()
        if not self._ended:
            self._flow(budget)
        self._look_around()
        if self._ended:
            self._tell()  # also those attached in the turn in which all the others were told
        elif self._visited and not self._keep_alive and not self._seats:
            self.inlet.cancel()
            self._over(deserted(self.context.name))

    def drain(self) -> None:
        self._keep_alive, self._visited = False, True  # nobody need come any more

    def stop(self, error: BaseException | None) -> None:
        self._seats.clear()
        self.when_stopped()

    def end(self, error: BaseException | None) -> None:
        super().end(error)  # first: upstream is to hear the cause
        self._over(error if error is not None else deserted(self.context.name))

    def details(self) -> dict[str, Any]:
        return {
            "subscribers": len(self._seats),
            "waiting": len(self._piece),
            "dropped": self._dropped,
        }

    def _look_around(self) -> None:
        """Forget those that have left."""
        if any(outlet.closed for _, outlet in self._seats):
            self._left.count += sum(outlet.count for _, outlet in self._seats if outlet.closed)
            self._seats = [seat for seat in self._seats if not seat[1].closed]
            self.outlets = (self._left, *(outlet for _, outlet in self._seats))

    def _flow(self, budget: Budget) -> None:
        inlet = self.inlet
        while any(outlet.demand for _, outlet in self._seats):
            inlet.open()
            if not self._piece:
                if not inlet.buffered:
                    break
                self._piece = inlet.take(self._pace.size)
            given = self._give()
            if not given:
                break
            self._pace.record(given, budget.lap())
            if budget.spent():
                break
        if inlet.exhausted and not self._piece and not self._ended:
            self._over(inlet.error)

    def _give(self) -> int:
        """Give of the piece what its subscribers ask for; returns how much of it was settled."""
        piece, failure, done = self._piece, None, 0
        frames: list[list[Any]] = [[] for _ in self._seats]
        room = [outlet.demand for _, outlet in self._seats]
        for element in piece:
            try:
                index = self._choose(element)
            except Exception as error:
                failure = error
                break
            if len(frames[index]) >= room[index]:
                self._chosen = self._seats[index][1]
                break
            frames[index].append(element)
            done += 1
        self._piece = piece[done:]
        for (_, outlet), frame in zip(self._seats, frames, strict=True):
            outlet.emit(frame)
        if failure is None:
            return done
        position = self.inlet.count - len(self._piece)
        first, self._piece = self._piece[0], self._piece[1:]
        return done + 1 if self.survives(failure, first, position) else 0

    def _choose(self, element: Any) -> int:
        """The number of the subscriber that gets ``element``; asked for once, unless it left."""
        chosen, self._chosen = self._chosen, None
        count = len(self._seats)
        for index in range(count if chosen is not None else 0):
            if self._seats[index][1] is chosen:
                return index
        return number_of(self._f(element, count), count, "partition_hub(f)")

    def _over(self, ending: BaseException | None) -> None:
        """The stream has ended, in whatever way; whoever comes late is told so too."""
        if not self._ended:
            self._ended = True
            self.ending = ending
            self._dropped += len(self._piece)
            self._piece = ()

    def _tell(self) -> None:
        for _, outlet in self._seats:
            if self.ending is not None:
                outlet.fail(self.ending)
            else:
                outlet.complete()
