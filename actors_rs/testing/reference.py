"""The smallest Publisher, Subscriber and Processor that keep every rule.

They run on the caller's thread and hold everything in memory: no model of speed, but something to
compare one's own with, and what the violators of ``actors_rs.testing.misbehaving`` deviate from.
Thread-safe where the standard asks for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from actors_rs.protocol.demand import check_request, less_demand, more_demand
from actors_rs.protocol.interfaces import Subscriber, Subscription
from actors_rs.runtime._primitives import Lock

if TYPE_CHECKING:
    from actors_rs.testing.tck.probe import WhiteboxProbe

__all__ = [
    "ReferenceProcessor",
    "ReferencePublisher",
    "ReferenceSubscriber",
    "ReferenceSubscription",
]

T = TypeVar("T")
Signals = Callable[[], None]


class ReferenceSubscription(Generic[T]):
    """Elements for one subscriber, sent as it requests them.

    Signals go out in one loop. A ``request`` while it runs only adds to the demand, so signals
    never overlap (1.3) and ``request`` never recurses (3.3).
    """

    def __init__(self, subscriber: Subscriber[T], elements: Iterable[T] = ()) -> None:
        self.elements = deque(elements)
        self.demand = 0
        self.over = False
        self.errors: list[BaseException] = []
        self._subscriber: Subscriber[T] | None = subscriber
        self._end: Signals | None = None
        self._lock = Lock()
        self._running = True  # until on_subscribe has returned
        self.changed: Signals = _nothing

    def begin(self) -> None:
        """Give the subscriber this subscription, then the elements it has requested (1.9)."""
        if (subscriber := self._subscriber) is not None:
            self.signal(partial(subscriber.on_subscribe, self))
        self._running = False
        self.run()

    def request(self, n: int, /) -> None:
        """Ask for ``n`` more; below 1 the stream fails (3.9)."""
        if self.over:
            return
        try:
            amount = check_request(n, "reference publisher")
        except (TypeError, ValueError) as error:
            self.fail(error)
            return
        with self._lock:
            self.demand = more_demand(self.demand, amount)
        self.changed()
        self.run()

    def cancel(self) -> None:
        """Send no more, and release the subscriber (3.12, 3.13)."""
        if not self.over:
            self.over = True
            self._subscriber = self._end = None
            self.changed()

    def push(self, element: T) -> None:
        """One more element to give out."""
        with self._lock:
            self.elements.append(element)
        self.run()

    def complete(self) -> None:
        """Complete after the elements that wait."""
        subscriber = self._subscriber
        if subscriber is not None:
            with self._lock:
                self._end = subscriber.on_complete
            self.run()

    def fail(self, error: BaseException) -> None:
        """Fail at once: waiting elements are dropped."""
        subscriber = self._subscriber
        if subscriber is not None:
            with self._lock:
                self.elements.clear()
                self._end = partial(subscriber.on_error, error)
            self.run()

    def run(self) -> None:
        """Send the elements with demand, unless the loop runs already."""
        with self._lock:
            if self._running:
                return
            self._running = True
        while (signal := self._next()) is not None:
            self.signal(signal)

    def choose(self) -> Signals | None:
        """The signal whose turn it is; called with the lock held."""
        subscriber, end = self._subscriber, self._end  # once: ``cancel`` takes no lock (3.5)
        if self.over or subscriber is None:
            return None
        if self.elements and self.demand:
            self.demand = less_demand(self.demand, 1)
            return partial(subscriber.on_next, self.elements.popleft())
        if not self.elements and end is not None:
            self.over, self._subscriber = True, None
            return end
        return None

    def signal(self, signal: Signals) -> None:
        """Send one signal; a subscriber that raises counts as cancelled (2.13)."""
        try:
            signal()
        except Exception as error:
            self.errors.append(error)
            self.cancel()

    def _next(self) -> Signals | None:
        with self._lock:
            signal = self.choose()
            if signal is None:
                self._running = False
                if self.over:
                    self._end = None
            return signal


class ReferencePublisher(Generic[T]):
    """Gives the same elements to each subscriber, from the first one; then completes, or fails."""

    def __init__(self, elements: Iterable[T] = (), error: BaseException | None = None) -> None:
        self.elements = tuple(elements)
        self.error = error

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        """Start giving; ``TypeError`` for ``None`` (1.9)."""
        if subscriber is None:
            raise TypeError("rule 1.9: subscribe needs a Subscriber, got None")
        self.start(self.subscription(subscriber))

    def subscription(self, subscriber: Subscriber[Any]) -> ReferenceSubscription[Any]:
        """The subscription that a subscriber gets."""
        return ReferenceSubscription(subscriber, self.elements)

    def start(self, subscription: ReferenceSubscription[Any]) -> None:
        """Make the subscription known to its subscriber, with its end in place."""
        if self.error is not None:
            subscription.fail(self.error)
        else:
            subscription.complete()
        subscription.begin()


class ReferenceSubscriber(Generic[T]):
    """Asks for ``window`` elements, and for as many again when those have come.

    With a ``probe`` of the kit's white-box verification it asks for nothing by itself: it reports
    to the probe, and is its own puppet.
    """

    def __init__(self, window: int = 2, probe: WhiteboxProbe[T] | None = None) -> None:
        self.window = check_request(window, "reference subscriber")
        self.probe = probe
        self.elements: list[T] = []
        self.error: BaseException | None = None
        self.completed = False
        self.subscription: Subscription | None = None
        self._open = 0

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Take the first subscription and ask; cancel any further one (2.5)."""
        if subscription is None:
            raise TypeError("rule 2.13: on_subscribe needs a Subscription, got None")
        if self.subscription is not None:
            subscription.cancel()
            return
        self.subscription = subscription
        if self.probe is not None:
            self.probe.register_on_subscribe(self)
        else:
            self.ask()

    def on_next(self, element: T, /) -> None:
        """Keep the element, ask again when the window is used up."""
        if element is None:
            raise TypeError("rule 2.13: on_next needs an element, got None")
        self.elements.append(element)
        if self.probe is not None:
            self.probe.register_on_next(element)
            return
        self._open -= 1
        if self._open == 0:
            self.ask()

    def on_error(self, error: BaseException, /) -> None:
        """Keep the error."""
        if error is None:
            raise TypeError("rule 2.13: on_error needs an exception, got None")
        self.error = error
        if self.probe is not None:
            self.probe.register_on_error(error)

    def on_complete(self) -> None:
        """Note the completion."""
        self.completed = True
        if self.probe is not None:
            self.probe.register_on_complete()

    def ask(self) -> None:
        """Ask for a window of elements."""
        self._open = self.window
        self.trigger_request(self.window)

    def trigger_request(self, n: int, /) -> None:
        """Ask for ``n`` elements."""
        if self.subscription is not None:
            self.subscription.request(n)

    def signal_cancel(self) -> None:
        """Cancel the subscription."""
        if self.subscription is not None:
            self.subscription.cancel()


class ReferenceProcessor(Generic[T]):
    """Passes elements on unchanged, to any number of subscribers, each at its own pace.

    It holds at most ``buffer_size`` elements for its slowest subscriber and asks upstream for one
    at a time, as long as any subscriber wants some. It cancels upstream when its last one has.
    """

    def __init__(self, buffer_size: int = 16) -> None:
        self.buffer_size = check_request(buffer_size, "reference processor")
        self.upstream: Subscription | None = None
        self.outlets: list[ReferenceSubscription[T]] = []
        self.asked = False
        self.ended = False
        self._end: Callable[[ReferenceSubscription[T]], None] | None = None
        self._lock = Lock()

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Take the first subscription; cancel any further one (2.5)."""
        if subscription is None:
            raise TypeError("rule 2.13: on_subscribe needs a Subscription, got None")
        if self.upstream is not None:
            subscription.cancel()
            return
        self.upstream = subscription
        self.pull()

    def on_next(self, element: T, /) -> None:
        """Pass an element on."""
        if element is None:
            raise TypeError("rule 2.13: on_next needs an element, got None")
        self.asked = False
        for outlet in tuple(self.outlets):
            outlet.push(element)
        self.pull()

    def on_error(self, error: BaseException, /) -> None:
        """Pass the failure on at once (4.2)."""
        if error is None:
            raise TypeError("rule 2.13: on_error needs an exception, got None")
        self.end(lambda outlet: outlet.fail(error))

    def on_complete(self) -> None:
        """Pass the completion on, after the elements that wait."""
        self.end(lambda outlet: outlet.complete())

    def end(self, end: Callable[[ReferenceSubscription[T]], None]) -> None:
        """Tell every subscriber, also those to come, how the stream ended."""
        self.ended, self._end = True, end
        for outlet in tuple(self.outlets):
            end(outlet)

    def subscribe(self, subscriber: Subscriber[T], /) -> None:
        """One more subscriber, which gets what comes from now on; ``TypeError`` for ``None``."""
        if subscriber is None:
            raise TypeError("rule 1.9: subscribe needs a Subscriber, got None")
        outlet = self.outlet(subscriber)
        self.outlets.append(outlet)
        outlet.changed = self.pull
        if self._end is not None:
            self._end(outlet)
        outlet.begin()

    def outlet(self, subscriber: Subscriber[T]) -> ReferenceSubscription[T]:
        """The subscription that a subscriber gets."""
        return ReferenceSubscription(subscriber)

    def pull(self) -> None:
        """Ask upstream for one element if one is wanted and there is room; else perhaps cancel."""
        upstream = self.upstream
        if upstream is None or self.ended:
            return
        if self.outlets and all(outlet.over for outlet in self.outlets):
            self.ended = True
            self.outlets.clear()
            upstream.cancel()
            return
        with self._lock:
            asking = not self.asked and self._wants_one()
            self.asked = self.asked or asking
        if asking:
            upstream.request(1)

    def _wants_one(self) -> bool:
        open_ones = [outlet for outlet in self.outlets if not outlet.over]
        room = all(len(outlet.elements) < self.buffer_size for outlet in open_ones)
        return room and any(outlet.demand > len(outlet.elements) for outlet in open_ones)


def _nothing() -> None:
    """The reaction of a subscription that nobody watches."""
