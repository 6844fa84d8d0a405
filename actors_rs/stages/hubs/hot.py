"""A hot junction: one inlet, and outlets that come and go while it runs.

What hubs have in common: who is attached, how one comes and leaves, and how late ones hear that the
stream is over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from actors_rs.errors import IllegalStateError
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import StageLogic

__all__ = ["HotJunction", "Seat"]


class Seat:
    """One subscriber: who it is, and the outlet it is served by."""

    __slots__ = ("outlet", "whom")

    def __init__(self, whom: object, outlet: Outlet) -> None:
        self.whom = whom
        self.outlet = outlet


S = TypeVar("S", bound=Seat)


class HotJunction(StageLogic, Generic[S]):
    """Subclasses give ``advance``, ``_seat`` and ``_over``.

    ``ending`` is the signal for late subscribers once the stream is over: an error, or ``None`` for
    a completion. The stage shuts down when its last subscriber has left, unless ``keep_alive``.
    """

    def __init__(self, keep_alive: bool) -> None:
        self.inlet = Inlet()
        self.inlets = (self.inlet,)
        self.ending: BaseException | None = None
        self.when_stopped: Callable[[], None] = lambda: None
        self._keep_alive = keep_alive
        self._visited = False  # by anybody yet
        self._came = 0
        self._seats: list[S] = []
        self._left = Outlet("left")  # stands for all that left: keeps count of what they got
        self._left.closed = True
        self._ended = False
        self.outlets = (self._left,)

    def _seat(self, whom: object, outlet: Outlet) -> S:
        """A seat for a newcomer."""
        raise NotImplementedError

    def _over(self, ending: BaseException | None) -> None:
        """The stream has ended, in any way; late subscribers get the same signal."""
        raise NotImplementedError

    def outlet_of(self, whom: object) -> Outlet | None:
        """The outlet that serves ``whom``, if it is attached now; by identity."""
        seats = (seat for seat in self._seats if seat.whom is whom and not seat.outlet.closed)
        return next((seat.outlet for seat in seats), None)

    def attach(self, whom: object) -> Outlet:
        """An outlet for ``whom``; in the stage's turn. It leaves by cancelling it."""
        self._visited = True
        outlet = Outlet(f"out {self._came}")
        self._came += 1
        self._seats.append(self._seat(whom, outlet))
        self.outlets = (*self.outlets, outlet)
        return outlet

    def drain(self) -> None:
        self._keep_alive, self._visited = False, True  # nobody need come any more

    def stop(self, error: BaseException | None) -> None:
        self._seats.clear()
        self.when_stopped()

    def end(self, error: BaseException | None) -> None:
        super().end(error)  # first: upstream is to hear the cause
        self._over(error if error is not None else self._deserted())

    def _is_deserted(self) -> bool:
        return self._visited and not self._keep_alive and not self._seats

    def _deserted(self) -> IllegalStateError:
        """The error for subscribers that come after the last one has left."""
        name = self.context.name
        return IllegalStateError(
            f"hub '{name}' has shut down: its last subscriber has left, and keep_alive is False"
        )

    def _forget_left(self) -> list[S]:
        """Forget the subscribers that have left. Returns them."""
        gone = [seat for seat in self._seats if seat.outlet.closed]
        if gone:
            self._left.count += sum(seat.outlet.count for seat in gone)
            self._seats = [seat for seat in self._seats if not seat.outlet.closed]
            self.outlets = (self._left, *(seat.outlet for seat in self._seats))
        return gone
