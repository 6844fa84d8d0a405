"""Free peers: a Publisher and a Subscriber that use every freedom the standard grants them.

What they do next is drawn from the world's decisions: demand of 1, of many or without bound, asked
for from inside ``on_next`` or later; a cancellation at any point, twice, after the end; elements
one by one or as many as were asked for; completion with the last element or on its own. They keep
the rules themselves, so whatever goes wrong is the other side's doing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.protocol.interfaces import Subscriber, Subscription
from actors_rs.testing.world import World

__all__ = ["FreePublisher", "FreeSubscriber"]

T = TypeVar("T")
DEMANDS = (UNBOUNDED, 1, 2, 5)
GIVES_UP = (False, False, False, False, False, False, False, True)


class FreeSubscriber(Generic[T]):
    """A Subscriber for one subscription. What came is in ``elements`` and ``end``.

    ``end`` is ``None``, ``"complete"``, the exception, or ``"cancelled"`` once it has cancelled.
    With ``cancels`` false it goes on to the end of the stream.
    """

    def __init__(self, world: World, *, cancels: bool = True) -> None:
        self._world = world
        self._cancels = cancels
        self._subscription: Subscription | None = None
        self._outstanding = 0
        self.elements: list[T] = []
        self.end: object = None

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Ask now, or in a step of its own."""
        self._subscription = subscription
        self._soon_or_now("ask", self._ask)

    def on_next(self, element: T, /) -> None:
        """Keep it; ask for more or cancel, from in here or later."""
        self.elements.append(element)
        self._outstanding -= 1
        if self.end is None and self._cancels and self._world.pick("cancel", GIVES_UP):
            self._soon_or_now("cancel", self.cancel)
        elif self._outstanding < 1 or self._world.pick("ask again", (False, False, False, True)):
            self._soon_or_now("ask", self._ask)

    def on_error(self, error: BaseException, /) -> None:
        """The stream has failed."""
        self._ended(error)

    def on_complete(self) -> None:
        """The stream has completed."""
        self._ended("complete")

    def cancel(self) -> None:
        """Cancel, perhaps twice."""
        if self._subscription is not None:
            self.end = self.end or "cancelled"
            for _ in range(self._world.pick("how often", (1, 2))):
                self._subscription.cancel()

    def _ask(self) -> None:
        if self._subscription is not None and self.end is None and self._outstanding < UNBOUNDED:
            n = self._world.pick("demand", DEMANDS)
            self._outstanding += n
            self._subscription.request(n)

    def _ended(self, end: object) -> None:
        if self.end is None:
            self.end = end
        if self._world.pick("cancel after the end", (False, True)):
            self._world.soon("cancel", self.cancel)

    def _soon_or_now(self, what: str, call: Callable[[], None]) -> None:
        if self._world.pick(f"{what} now", (True, False)):
            call()
        else:
            self._world.soon(what, call)


class FreePublisher(Generic[T]):
    """A Publisher of ``elements`` for one subscriber, in steps of the world.

    It ends by completing, or with ``error`` if there is one; ``cancelled`` tells whether the
    subscriber has cancelled before.
    """

    def __init__(
        self, world: World, elements: Sequence[T], error: BaseException | None = None
    ) -> None:
        self._world = world
        self._left = list(elements)
        self._error = error
        self._subscriber: Any = None
        self._demand = 0
        self._sending = False
        self._over = False
        self.cancelled = False

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        """Give it the subscription; an empty stream may end before anything is asked for."""
        self._subscriber = subscriber
        subscriber.on_subscribe(self)
        if not self._left and self._world.pick("end unasked", (True, False)):
            self._world.soon("send", self._send)

    def request(self, n: int, /) -> None:
        """Send that many more, from in here or later."""
        if self.cancelled or self._over:
            return
        self._demand = min(self._demand + n, UNBOUNDED)
        if not self._sending:
            self._sending = True
            self._world.soon("send", self._send)

    def cancel(self) -> None:
        """Send no more, but perhaps what is under way (2.8)."""
        self.cancelled = True

    def _send(self) -> None:
        """Send a part of what was asked for; the rest in a step of its own."""
        most = self._world.pick("send", (UNBOUNDED, 1, 2))
        while self._left and self._demand and most and not self.cancelled:
            most -= 1
            self._demand -= 1
            self._subscriber.on_next(self._left.pop(0))
        if self.cancelled or self._over:
            return
        if not self._left and self._world.pick("end with the last element", (True, False)):
            self._end()
        elif self._demand or not self._left:
            self._world.soon("send", self._send)
        else:
            self._sending = False

    def _end(self) -> None:
        self._over = True
        if self._error is not None:
            self._subscriber.on_error(self._error)
        else:
            self._subscriber.on_complete()
