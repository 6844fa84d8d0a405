"""hub(replay=2)

in:      1 2 3 4 5 |
early:   1 2 3 4 5 |
late:        2 3 4 5 |      (joined behind 3)

All elements to all subscribers, which come and go, from the oldest that is held when they come.

Back-pressure: asks upstream for what subscribers have asked for, but lets none fall more than
  ``replay`` elements behind; with ``on_slow`` one that does loses elements, or its stream.
Completes: each subscriber, when upstream has completed and it has got all that it missed.
Fails: each subscriber, when upstream has failed, behind what came before.
Cancels: upstream, when the last subscriber has left, unless the hub is to stay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.errors import IllegalStateError, SlowSubscriberError
from actors_rs.stages.junctions.hub_buffer import HubBuffer, OnSlow, Reader
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic

__all__ = ["HubLogic", "deserted"]


class _Seat:
    """One subscriber: who it is, the outlet it is served by, its place in the stream."""

    __slots__ = ("outlet", "reader", "whom")

    def __init__(self, whom: object, outlet: Outlet, reader: Reader) -> None:
        self.whom = whom
        self.outlet = outlet
        self.reader = reader


class HubLogic(StageLogic):
    """The same elements to all that are attached, from the oldest held when they came.

    Ends when upstream has ended and all were told; when the last one has left, unless
    ``keep_alive``; and when it is drained and nobody is left. ``ending`` then is what late ones
    are to be told behind ``held``: an error, or ``None`` for a completion.
    """

    def __init__(self, replay: int, on_slow: OnSlow = "backpressure", keep_alive: bool = False):
        self.inlet = Inlet()
        self.inlets = (self.inlet,)
        self.ending: BaseException | None = None
        self.when_stopped: Callable[[], None] = lambda: None
        self._buffer = HubBuffer(replay, on_slow)
        self._keep_alive = keep_alive
        self._visited = False  # by anybody yet
        self._seats: list[_Seat] = []
        self._left = Outlet("left")  # stands for all that left: keeps count of what they got
        self._left.closed = True
        self._ended = False
        self.outlets = (self._left,)

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

    def outlet_of(self, whom: object) -> Outlet | None:
        """The outlet that serves ``whom``, if it is attached now; by identity."""
        seats = (seat for seat in self._seats if seat.whom is whom and not seat.outlet.closed)
        return next((seat.outlet for seat in seats), None)

    def attach(self, whom: object) -> Outlet:
        """An outlet for ``whom``; in the stage's turn. It leaves by cancelling it."""
        self._visited = True
        outlet = Outlet(f"out {len(self._seats)}")
        self._seats.append(_Seat(whom, outlet, self._buffer.join()))
        self.outlets = (*self.outlets, outlet)
        return outlet

    def advance(self, budget: Budget) -> None:
        self._look_around()
        if not self._ended:
            self._flow(budget)
            if self.inlet.exhausted:
                self._end_whoever_has_all()
            self._look_around()
            if self._isdeserted() and not self.inlet.exhausted:
                self._shut_down(deserted(self.context.name))
        elif self.ending is not None:
            for seat in self._seats:  # attached in the turn in which all the others were told
                seat.outlet.fail(self.ending)

    def drain(self) -> None:
        self._keep_alive, self._visited = False, True  # nobody need come any more

    def stop(self, error: BaseException | None) -> None:
        self._seats.clear()
        self.when_stopped()

    def end(self, error: BaseException | None) -> None:
        super().end(error)  # first: upstream is to hear the cause
        self._shut_down(error if error is not None else deserted(self.context.name))

    def details(self) -> dict[str, Any]:
        buffer = self._buffer
        return {
            "subscribers": len(self._seats),
            "held": buffer.end - buffer.start,
            "dropped": buffer.dropped,
        }

    def _isdeserted(self) -> bool:
        return self._visited and not self._keep_alive and not self._seats

    def _look_around(self) -> None:
        """Forget those that have left, and see what the others ask for."""
        for seat in self._seats:
            if seat.outlet.closed:
                self._buffer.leave(seat.reader)
                self._left.count += seat.outlet.count
            else:
                seat.reader.asks(seat.outlet.demand, seat.outlet.foreseen)
        if any(seat.outlet.closed for seat in self._seats):
            self._seats = [seat for seat in self._seats if not seat.outlet.closed]
            self.outlets = (self._left, *(seat.outlet for seat in self._seats))

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
            self.context.post(_go_on)  # behind the requests that are on their way

    def _serve(self) -> None:
        for seat in self._seats:
            seat.outlet.emit(self._buffer.read(seat.reader))

    def _trim(self) -> None:
        missed = self._buffer.trim()
        if not missed:
            return
        seats = {id(seat.reader): seat for seat in self._seats}
        for reader, elements in missed:
            if self._buffer.on_slow == "fail":
                behind = f"{len(elements) + self._buffer.replay} elements behind"
                seats[id(reader)].outlet.fail(SlowSubscriberError(self.context.name, behind))
            else:
                for element in elements:
                    self.context.report(element, "missed by a subscriber of a hub, on_slow='drop'")

    def _end_whoever_has_all(self) -> None:
        error = self.ending = self.inlet.error
        for seat in self._seats:
            if seat.reader.position < self._buffer.end:
                continue
            if error is not None:
                seat.outlet.fail(error)
            else:
                seat.outlet.complete()

    def _shut_down(self, ending: BaseException) -> None:
        """End before upstream does; whoever comes late is told why."""
        if not self._ended:
            self._ended = True
            self.ending = ending
            self._buffer.clear()
            self.inlet.cancel()


def _go_on() -> None:
    """Nothing to do but to advance once more."""


def deserted(name: str) -> IllegalStateError:
    """What those are told that come when the last subscriber has left."""
    return IllegalStateError(f"hub '{name}' has shut down: its last subscriber has left")
