"""Probes: both ends of a stream in the hands of a test.

A ``SourceProbe`` is a Publisher that sends what the test says; a ``SinkProbe`` is a Subscriber that
asks when the test says, and tells what came. Every expectation waits with a deadline, raises
``Failure`` with what was expected and what came, and reports rules that the other side has broken.
Signals and calls may come on any thread; the expectations belong to the test's thread.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar, cast

from actors_rs.errors import InvalidArgumentError
from actors_rs.protocol.checks import check_subscriber, shown
from actors_rs.protocol.interfaces import Subscriber, Subscription, is_subscription
from actors_rs.testing.tck.environment import Environment, Failure, Latch
from actors_rs.testing.tck.manual import ManualSubscriber
from actors_rs.testing.tck.upstream import Upstream
from actors_rs.texts import repr_of

__all__ = ["SinkProbe", "SourceProbe"]

T = TypeVar("T")


class SourceProbe(Generic[T]):
    """A Publisher for one subscriber. It sends what the test says, requested or not.

    ``timeout`` and ``no_signals_timeout`` are in seconds, and stretched as the kit's are.
    """

    def __init__(self, timeout: float = 3.0, no_signals_timeout: float = 0.05) -> None:
        self.env = Environment(timeout, no_signals_timeout)
        self._subscribed = Latch(self.env)
        self._upstream: Upstream | None = None

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        """Take the subscriber; a second one is rejected with ``on_error`` (1.9, 1.11)."""
        check_subscriber(subscriber)
        upstream = Upstream(self.env, subscriber)
        if self._upstream is not None:
            upstream.begin()
            upstream.fail(InvalidArgumentError("a SourceProbe takes one subscriber, and has one"))
            return
        self._upstream = upstream
        upstream.begin()
        self._subscribed.close()

    @property
    def upstream(self) -> Upstream:
        """The subscription that was given out; waits for the subscriber."""
        self._subscribed.expect_closed("expected a subscriber, none came")
        return cast(Upstream, self._upstream)

    @property
    def outstanding(self) -> int:
        """Elements requested and not yet sent."""
        return self.upstream.requested - self.upstream.sent

    @property
    def cancelled(self) -> bool:
        """Whether the subscriber has cancelled."""
        return self.upstream.cancelled

    def expect_request(self, n: int | None = None) -> int:
        """Wait for a request and return how much it adds; ``Failure`` if it is not ``n``."""
        more = self.upstream.expect_request()
        if n is not None and more != n:
            raise Failure(f"expected a request of {n}, got {more}")
        self.env.verify_no_async_errors()
        return more

    def send(self, *elements: T) -> None:
        """Send elements, one signal each."""
        for element in elements:
            self.upstream.send(element)

    def complete(self) -> None:
        """Complete the stream."""
        self.upstream.complete()

    def fail(self, error: BaseException) -> None:
        """Fail the stream."""
        self.upstream.fail(error)

    def expect_cancel(self) -> None:
        """Wait for the cancellation."""
        self.upstream.expect_cancel()
        self.env.verify_no_async_errors()

    def expect_nothing(self) -> None:
        """``Failure`` if the subscriber requests or cancels within the quiet period."""
        self.upstream.expect_no_calls("2.1", "now")
        self.env.verify_no_async_errors()


class SinkProbe(Generic[T]):
    """A Subscriber that asks for nothing by itself.

    ``timeout`` and ``no_signals_timeout`` are in seconds, and stretched as the kit's are.
    """

    def __init__(self, timeout: float = 3.0, no_signals_timeout: float = 0.05) -> None:
        self.env = Environment(timeout, no_signals_timeout)
        self._subscriber: ManualSubscriber[T] = ManualSubscriber(self.env, "the probe")
        self._began = False

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Take the subscription; a second one is noted as a violation (2.12)."""
        if not is_subscription(subscription):
            came = shown(subscription)
            raise TypeError(f"rule 2.13: on_subscribe needs a Subscription, got {came}")
        self._subscriber.on_subscribe(subscription)

    def on_next(self, element: T, /) -> None:
        """Keep the element; one that was not requested is noted as a violation (1.1)."""
        if element is None:
            raise TypeError("rule 2.13: on_next needs an element, got None")
        self._subscriber.on_next(element)

    def on_error(self, error: BaseException, /) -> None:
        """Keep the error."""
        if error is None:
            raise TypeError("rule 2.13: on_error needs an exception, got None")
        self._subscriber.on_error(error)

    def on_complete(self) -> None:
        """Note the completion."""
        self._subscriber.on_complete()

    @property
    def elements(self) -> list[T]:
        """All elements that have arrived so far, expected or not."""
        return self._subscriber.elements

    def request(self, n: int) -> None:
        """Ask for ``n`` more, an int of any size; waits for the subscription."""
        self._begin()
        self._subscriber.request(n)

    def cancel(self) -> None:
        """Ask for no more; waits for the subscription."""
        self._begin()
        self._subscriber.cancel()

    def expect_subscription(self) -> Subscription:
        """Wait for ``on_subscribe`` and return the subscription."""
        self._begin()
        return self._subscriber.subscription

    def expect_next(self, *expected: T) -> T:
        """Wait for these elements, or for any one element; return the last one."""
        self._begin()
        came = self._subscriber.expect_next()
        for index, wanted in enumerate(expected):
            came = self._subscriber.expect_next() if index else came
            if came != wanted:
                raise Failure(f"expected element {repr_of(wanted)}, got {repr_of(came)}")
        self.env.verify_no_async_errors()
        return came

    def expect_error(self, kind: type[BaseException] = BaseException) -> BaseException:
        """Wait for ``on_error`` with an exception of this type and return it."""
        self._begin()
        error = self._subscriber.expect_error(kind)
        self.env.verify_no_async_errors()
        return error

    def expect_complete(self) -> None:
        """Wait for ``on_complete``."""
        self._begin()
        self._subscriber.expect_completion()
        self.env.verify_no_async_errors()

    def expect_nothing(self) -> None:
        """``Failure`` if any signal comes within the quiet period."""
        self._begin()
        self._subscriber.expect_nothing("1.1", "now")
        self.env.verify_no_async_errors()

    def _begin(self) -> None:
        """Everything starts with ``on_subscribe``."""
        if not self._began:
            self._subscriber.expect_subscription()
            self._began = True
