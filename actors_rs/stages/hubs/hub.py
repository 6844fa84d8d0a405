"""hub(replay=2)

in:      1 2 3 4 5 |
early:   1 2 3 4 5 |
late:        2 3 4 5 |      (joined after 3)

All elements to all subscribers, which come and go, from the oldest that is held when they come.

Back-pressure: requests from upstream as subscribers request, but lets none lag more than ``replay``
elements; with ``on_slow`` a subscriber that lags more loses elements, or its stream.
Completes: each subscriber, when upstream has completed and it has got all that it missed.
Fails: each subscriber, when upstream has failed, after what came before.
Cancels: upstream, when the last subscriber has left, unless the hub is kept alive.
"""

from __future__ import annotations

from typing import Any

from actors_rs.errors import SlowSubscriberError
from actors_rs.stages.hubs.hot import HotJunction, Seat
from actors_rs.stages.hubs.hub_buffer import HubBuffer, OnSlow, Reader
from actors_rs.stages.ports import Outlet
from actors_rs.stages.stage import Budget
from actors_rs.texts import repr_of

__all__ = ["HubLogic"]

_MISSED = (
    "{} requests too slowly and misses elements (on_slow='drop'). Raise 'replay', or give each "
    "client a buffer: Source.from_publisher(hub).buffer(100, overflow='drop_oldest'). Further "
    "misses, of all subscribers, are counted as 'dropped' in the snapshot and not logged"
)


class _Seat(Seat):
    """A subscriber with its place in the stream."""

    __slots__ = ("reader",)

    def __init__(self, whom: object, outlet: Outlet, reader: Reader) -> None:
        super().__init__(whom, outlet)
        self.reader = reader


class HubLogic(HotJunction[_Seat]):
    """The same elements to all that are attached, from the oldest held when they came.

    Ends when upstream has ended and all subscribers have the signal; when the last one has left,
    unless ``keep_alive``; and when it is drained without subscribers. Late subscribers get
    ``held``, then ``ending``.
    """

    def __init__(self, replay: int, on_slow: OnSlow = "backpressure", keep_alive: bool = False):
        super().__init__(keep_alive)
        self._buffer = HubBuffer(replay, on_slow)

    @classmethod
    def replaying(cls, held: list[Any], ending: BaseException | None) -> HubLogic:
        """One for a stream that is over: ``held``, then ``ending``."""
        logic = cls(len(held))
        logic._buffer.add(held)
        logic.inlet.complete(ending)
        return logic

    def held(self) -> list[Any]:
        """The elements that a newcomer would get, oldest first."""
        return self._buffer.held()

    def _seat(self, whom: object, outlet: Outlet) -> _Seat:
        return _Seat(whom, outlet, self._buffer.join())

    def advance(self, budget: Budget) -> None:
        self._look_around()
        if not self._ended:
            self._flow(budget)
            if self.inlet.exhausted:
                self._end_whoever_has_all()
            self._look_around()
            if self._is_deserted() and not self.inlet.exhausted:
                self._over(self._deserted())
        elif self.ending is not None:
            for seat in self._seats:  # attached in the turn in which the others got the signal
                seat.outlet.fail(self.ending)

    def details(self) -> dict[str, Any]:
        buffer = self._buffer
        return {
            "subscribers": len(self._seats),
            "held": buffer.end - buffer.start,
            "dropped": buffer.dropped,
        }

    def _look_around(self) -> None:
        """Forget the subscribers that have left, and read the demand of the others."""
        for seat in self._forget_left():
            self._buffer.leave(seat.reader)
        for seat in self._seats:
            seat.reader.asks(seat.outlet.demand, seat.outlet.foreseen)

    def _flow(self, budget: Budget) -> None:
        inlet, buffer = self.inlet, self._buffer
        self._serve()
        while most := buffer.wanted():
            inlet.open()
            if not inlet.buffered:
                return
            buffer.add(inlet.take(most))
            self._serve()
            self._trim()
            budget.lap()
            if budget.spent():
                return
        if inlet.buffered and buffer.mark_late():
            self.context.post(_go_on)  # after the requests that are on their way

    def _serve(self) -> None:
        for seat in self._seats:
            seat.outlet.emit(self._buffer.read(seat.reader))

    def _trim(self) -> None:
        buffer = self._buffer
        is_first = not buffer.dropped
        missed = buffer.trim()
        if not missed:
            return
        seats = {id(seat.reader): seat for seat in self._seats}
        if buffer.on_slow == "drop":
            if is_first:
                whom = seats[id(missed[0][0])].whom
                self.context.warn(_MISSED.format(repr_of(whom)))
            return
        for reader, count in missed:
            behind = f"{count + buffer.replay} elements behind"
            seats[id(reader)].outlet.fail(SlowSubscriberError(self.context.name, behind))

    def _end_whoever_has_all(self) -> None:
        error = self.ending = self.inlet.error
        for seat in self._seats:
            if seat.reader.position < self._buffer.end:
                continue
            if error is not None:
                seat.outlet.fail(error)
            else:
                seat.outlet.complete()

    def _over(self, ending: BaseException | None) -> None:
        if not self._ended:
            self._ended = True
            self.ending = ending
            self._buffer.clear()
            self.inlet.cancel()


def _go_on() -> None:
    """Nothing to do but to advance once more."""
