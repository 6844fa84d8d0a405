"""Free peers: a Publisher and a Subscriber that use every freedom the standard grants them.

Their next step is drawn from the world's decisions:

- A subscription comes at once or later.
- Demand is 1, many or unbounded. It is requested from inside ``on_subscribe`` and ``on_next`` or
  later, also after an end.
- A cancellation comes at any point: before the first element, twice, or after the end.
- Elements come one by one or as many as were asked for, from inside ``request`` or later. Elements
  and an end may be under way at a cancellation.
- Completion comes with the last element or on its own.

They keep the rules themselves, and check that the other side does. A broken rule fails the scenario
when its world comes to its end, as ``ProtocolViolation``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from actors_rs.errors import ArgumentTypeError, ProtocolViolation
from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.protocol.interfaces import Subscriber, Subscription
from actors_rs.runtime.settings import check_error
from actors_rs.testing.world import World
from actors_rs.testing.world.peers import Peer
from actors_rs.texts import class_name_of, repr_of

__all__ = ["FreePublisher", "FreeSubscriber"]

T = TypeVar("T")
DEMANDS = (UNBOUNDED, 1, 2, 5)
RARELY = (False, False, False, False, False, False, False, True)
_WITH_MAILBOXES = ("actors_rs.engine.", "actors_rs.protocol.")
"""Where the peers are made that lead to an actor."""


class _Peer:
    """What both do: things at once or in a step of their own, and a word on rules that broke.

    The world notes what they get. Of what they send it notes what a peer of the user's gets: one of
    ours has a mailbox, or notes it, too.
    """

    def __init__(self, world: World) -> None:
        if not isinstance(world, World):
            raise ArgumentTypeError(f"{type(self).__name__} needs a World, got {repr_of(world)}")
        self._world = world
        self._me = world.peer(type(self).__name__)
        self._other: Peer | None = None

    def _meet(self, other: object) -> None:
        module = type(other).__module__
        if not isinstance(other, _Peer) and not module.startswith(_WITH_MAILBOXES):
            self._other = self._world.peer(class_name_of(other))

    def _got(self, kind: str, *args: Any) -> None:
        self._me.got(kind, args, self._other)

    def _send(self, kind: str, call: Callable[..., object], *args: Any) -> None:
        if (other := self._other) is None:
            self._me.acts(call, *args)
        else:
            noted = () if kind == "on_subscribe" else args  # or it would be kept (3.13)
            self._me.acts(other.got, kind, noted, None)
            other.acts(call, *args)

    def _perhaps(self, what: str) -> bool:
        return self._world.pick(what, RARELY)

    def _soon(self, what: str, call: Callable[[], None]) -> None:
        self._me.soon(what, call)

    def _soon_or_now(self, what: str, call: Callable[[], None]) -> None:
        if self._world.pick(f"{what} now", (True, False)):
            call()
        else:
            self._soon(what, call)

    def _broke(self, rule: str, how: str) -> None:
        self._world.violations.append(ProtocolViolation(rule, how))


def _checked(elements: Sequence[T]) -> list[T]:
    if not isinstance(elements, Iterable):
        raise ArgumentTypeError(
            f"FreePublisher needs elements such as [1, 2], got {repr_of(elements)}"
        )
    given = list(elements)
    for place, element in enumerate(given):
        if element is None:
            said = f"FreePublisher: rule 2.13: no element may be None, as that at {place} is"
            raise ArgumentTypeError(said)
    return given


class FreeSubscriber(_Peer, Generic[T]):
    """A Subscriber for one subscription. It keeps the signals in ``elements`` and ``end``.

    ``end`` is ``None``, ``"complete"``, the exception, or ``"cancelled"`` once it has cancelled.
    With ``cancels`` false it goes on to the end of the stream.
    """

    def __init__(self, world: World, *, cancels: bool = True) -> None:
        super().__init__(world)
        self._cancels = cancels
        self._subscription: Subscription | None = None
        self._outstanding = 0
        self._of_no_avail = 0
        self._has_cancelled = False
        self._has_ended = False
        self.elements: list[T] = []
        self.end: object = None

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Ask now, or in a step of its own; perhaps cancel around that."""
        self._meet(subscription)
        self._got("on_subscribe")
        if self._subscription is not None:
            self._broke("2.12", "on_subscribe came a second time")
        self._subscription = subscription
        if self._cancels and self._perhaps("cancel at first"):
            self._soon("cancel", self.cancel)
        self._soon_or_now("ask", self._ask)

    def on_next(self, element: T, /) -> None:
        """Keep it; ask for more or cancel, from in here or later."""
        self._got("on_next", element)
        self._watch("an element")
        if element is None:
            self._broke("2.13", "an element is None")
        if self._outstanding > 0:
            self._outstanding -= 1
        elif self._of_no_avail:
            self._of_no_avail -= 1
            self._broke("3.6", "an element came that was requested after the cancellation")
        else:
            self._broke("1.1", "an element came beyond what was requested")
        self.elements.append(element)
        if self.end is None and self._cancels and self._perhaps("cancel"):
            self._soon_or_now("cancel", self.cancel)
        elif self._outstanding < 1 or self._world.pick("ask again", (False, False, False, True)):
            self._soon_or_now("ask", self._ask)

    def on_error(self, error: BaseException, /) -> None:
        """The stream has failed."""
        self._got("on_error", error)
        if not isinstance(error, BaseException):
            self._broke("2.13", f"on_error came with {repr_of(error)}")
        self._ended(error)

    def on_complete(self) -> None:
        """The stream has completed."""
        self._got("on_complete")
        self._ended("complete")

    def request(self, n: int, /) -> None:
        """Ask for ``n`` more elements, now."""
        if self._subscription is not None:
            if self._has_cancelled:
                self._of_no_avail += n
            else:
                self._outstanding += n
            self._send("request", self._subscription.request, n)

    def cancel(self) -> None:
        """Cancel, perhaps twice, and perhaps ask for more all the same (3.6)."""
        if self._subscription is not None:
            self.end = self.end or "cancelled"
            self._has_cancelled = True
            for _ in range(self._world.pick("how often", (1, 2))):
                self._send("cancel", self._subscription.cancel)
            if self._perhaps("ask behind it"):
                self.request(1)

    def _ask(self) -> None:
        if self._subscription is not None and self.end is None and self._outstanding < UNBOUNDED:
            self.request(self._world.pick("demand", DEMANDS))

    def _ended(self, end: object) -> None:
        self._watch("an end")
        self._has_ended = True
        if self.end is None:
            self.end = end
        if self._world.pick("cancel after the end", (False, True)):
            self._soon("cancel", self.cancel)

    def _watch(self, signal: str) -> None:
        if self._subscription is None:
            self._broke("1.9", f"{signal} came before on_subscribe")
        if self._has_ended:
            self._broke("1.7", f"{signal} came after the end")


class FreePublisher(_Peer, Generic[T]):
    """A Publisher of ``elements`` for one subscriber, in steps of the world.

    After its last element it completes, or fails with ``error`` if there is one; ``cancelled``:
    whether the subscriber has cancelled before.
    """

    def __init__(
        self, world: World, elements: Sequence[T], error: BaseException | None = None
    ) -> None:
        super().__init__(world)
        self._left = _checked(elements)
        if error is not None:
            check_error("FreePublisher", error)
        self._error = error
        self._subscriber: Any = None
        self._demand = 0
        self._sending = False
        self._over = False
        self.cancelled = False

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        """Give it the subscription, now or in a step of its own."""
        self._subscriber = subscriber
        self._meet(subscriber)
        self._soon_or_now("subscribe", self._begin)

    def _begin(self) -> None:
        """An empty stream may end before anything is asked for."""
        self._send("on_subscribe", self._subscriber.on_subscribe, self)
        if not self._left and self._world.pick("end unasked", (True, False)):
            self._soon("send", self._go_on)

    def request(self, n: int, /) -> None:
        """Send that many more, from in here or later."""
        self._got("request", n)
        if self.cancelled or self._over:
            return
        if n < 1:
            self._broke("3.9", f"request({n})")
        self._demand = min(self._demand + max(0, n), UNBOUNDED)
        if not self._sending:
            self._sending = True
            if self._perhaps("send now"):
                self._go_on()
            else:
                self._soon("send", self._go_on)

    def cancel(self) -> None:
        """Send no more, but perhaps what is under way (2.8)."""
        self._got("cancel")
        if self.cancelled or self._over:
            return
        self.cancelled = True
        if self._perhaps("under way"):
            self._soon("send", self._send_late)

    def _go_on(self) -> None:
        """Send a part of what was asked for; the rest in a step of its own."""
        most = self._world.pick("send", (UNBOUNDED, 1, 2))
        while self._left and self._demand and most and not self.cancelled:
            most -= 1
            self._give()
        if self.cancelled or self._over:
            return
        if not self._left and self._world.pick("end with the last element", (True, False)):
            self._end()
        elif self._demand or not self._left:
            self._soon("send", self._go_on)
        else:
            self._sending = False

    def _send_late(self) -> None:
        """Send as a Publisher does that has not received the cancellation yet."""
        for _ in range(min(len(self._left), self._demand, self._world.pick("late", (1, 2, 0)))):
            self._give()
        if not self._left and not self._over:
            self._end()

    def _give(self) -> None:
        self._demand -= 1
        self._send("on_next", self._subscriber.on_next, self._left.pop(0))

    def _end(self) -> None:
        self._over = True
        if self._error is not None:
            self._send("on_error", self._subscriber.on_error, self._error)
        else:
            self._send("on_complete", self._subscriber.on_complete)
