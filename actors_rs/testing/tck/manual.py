"""A Subscriber that a test drives by hand, and that notes what its publisher does wrong.

Every signal is recorded in order of arrival. Wrong ones are noted in the environment with the rule
they break, and never raised: the publisher's thread is not the test's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar, cast

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.protocol.interfaces import Subscription
from actors_rs.runtime._primitives import current_thread_id
from actors_rs.runtime.settings import check_int
from actors_rs.testing.tck.environment import Environment, Failure
from actors_rs.testing.tck.signals import Signal, SignalLog
from actors_rs.texts import repr_of, text_of

__all__ = ["ManualSubscriber"]

T = TypeVar("T")


class ManualSubscriber(Generic[T]):
    """Requests, cancels and expects, as the test says. Its signals may come on any thread."""

    def __init__(self, env: Environment, name: str = "the subscriber") -> None:
        self.env = env
        self.name = name
        self.log = SignalLog(env, name)
        self._subscription: Subscription | None = None
        self._requested = 0
        self._arrived = 0
        self._ended: Signal | None = None
        self._under_way: list[str] = []
        self._thread = 0
        env.clean_up_later(self)

    # Signals

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Keep the first subscription; note a second one (2.12) and one that is ``None``."""
        with self._signal("on_subscribe"):
            if subscription is None:
                self.env.flop(f"rule 2.13: {self.name} got on_subscribe(None)")
                return
            if self._subscription is not None:
                self.env.flop(f"rule 1.9: {self.name} got a second on_subscribe (see 2.12)")
                return
            self._subscription = subscription
            self.log.record(Signal("on_subscribe", subscription))
            self.subscribed(subscription)

    def on_next(self, element: T, /) -> None:
        """Record an element; note one that was not requested (1.1) or is ``None`` (2.13)."""
        with self._signal("on_next"):
            self._check_place("on_next")
            self._arrived += 1
            if element is None:
                self.env.flop(f"rule 2.13: {self.name} got on_next(None)")
            if self._arrived > self._requested:
                self.env.flop(
                    f"rule 1.1: {self.name} requested {self._requested} elements, "
                    f"and got element number {self._arrived}"
                )
            self.log.record(Signal("on_next", element))
            self.received(element)

    def on_error(self, error: BaseException, /) -> None:
        """Record the failure; note one that is no exception (2.13)."""
        with self._signal("on_error"):
            self._check_place("on_error")
            if not isinstance(error, BaseException):
                self.env.flop(
                    f"rule 2.13: {self.name} got on_error({repr_of(error)}), no exception"
                )
            self._end(Signal("on_error", error))

    def on_complete(self) -> None:
        """Record the completion."""
        with self._signal("on_complete"):
            self._check_place("on_complete")
            self._end(Signal("on_complete"))

    def subscribed(self, subscription: Subscription) -> None:
        """Called inside ``on_subscribe``; a test overrides it to act there."""

    def received(self, element: T) -> None:
        """Called inside ``on_next``; a test overrides it to act there."""

    # Steps of the test

    @property
    def subscription(self) -> Subscription:
        """The subscription, waited for."""
        self.env.wait_until(
            lambda: self._subscription is not None,
            f"rule 1.9: {self.name} expected on_subscribe, it did not come",
        )
        return cast(Subscription, self._subscription)

    def request(self, n: int) -> None:
        """Ask for ``n`` more, an int of any size; ``Failure`` if that raises (3.16)."""
        check_int("request: n", n)
        subscription = self.subscription
        with self.env.changed.lock:
            self._requested += max(n, 0)
        self.env.call(
            f"rule 3.16: request({n}) must return normally",
            subscription.request,
            n,
            in_time=f"rule 3.4: request({n}) must return in time",
            caller=self,
        )

    def cancel(self) -> None:
        """Cancel; ``Failure`` if that raises (3.15)."""
        self.env.call(
            "rule 3.15: cancel must return normally",
            self.subscription.cancel,
            in_time="rule 3.5: cancel must return in time",
            caller=self,
        )

    def give_up(self) -> None:
        """Cancel at the end of a test; ignores its outcome."""
        if self._subscription is not None and self._ended is None:
            try:
                self.cancel()
            except Failure as failure:
                self.env.flop(text_of(failure))

    def expect_subscription(self) -> Subscription:
        """Wait for ``on_subscribe``, which has to be the first signal."""
        subscription = self.subscription
        self.log.take("on_subscribe", "1.9", "on_subscribe first")
        return subscription

    def expect_next(self, rule: str = "1.1") -> T:
        """Wait for an element and return it."""
        return cast(T, self.log.take("on_next", rule, "an element").value)

    def expect_elements(self, n: int, rule: str = "1.1") -> list[T]:
        """Wait for ``n`` elements, at least 1, and return them."""
        if n < 1:
            raise InvalidArgumentError(f"expect_elements needs n >= 1, got {n}")
        return [self.expect_next(rule) for _ in range(n)]

    def request_next(self, rule: str = "1.1") -> T:
        """Ask for one element, wait for it and return it."""
        self.request(1)
        return self.expect_next(rule)

    def expect_completion(self, rule: str = "1.5") -> None:
        """Wait for ``on_complete``."""
        self.log.take("on_complete", rule, "on_complete")

    def expect_error(
        self, kind: type[BaseException] = BaseException, rule: str = "1.4"
    ) -> BaseException:
        """Wait for ``on_error`` with an exception of this type and return it."""
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise ArgumentTypeError(f"expect_error needs a type of exception, got {repr_of(kind)}")
        wanted = f"on_error with a {kind.__name__}"
        error = self.log.take("on_error", rule, wanted).value
        if not isinstance(error, kind):
            raise Failure(f"rule {rule}: {self.name} expected {wanted}, got {repr_of(error)}")
        return error

    def expect_end_or_next(self, rule: str) -> Signal:
        """Wait for an element or ``on_complete``, whichever comes."""
        kind = self.log.peek(rule, "an element or on_complete").kind
        wanted = "on_complete" if kind == "on_complete" else "on_next"
        return self.log.take(wanted, rule, "an element or on_complete")

    def expect_nothing(self, rule: str, when: str) -> None:
        """``Failure`` if any signal comes within the quiet period."""
        self.log.expect_nothing(rule, when)

    @property
    def elements(self) -> list[T]:
        """All elements that have arrived so far."""
        return self.log.elements

    # Inside

    @contextmanager
    def _signal(self, kind: str) -> Iterator[None]:
        """One signal under way: two of different threads must not overlap (1.3)."""
        with self.env.changed.lock:
            if self._under_way and self._thread != current_thread_id():
                self.env.flop(
                    f"rule 1.3: {self.name} got {kind} on one thread "
                    f"while {self._under_way[-1]} was under way on another"
                )
            self._thread = current_thread_id()
            self._under_way.append(kind)
        try:
            yield
        finally:
            with self.env.changed.lock:
                self._under_way.remove(kind)

    def _check_place(self, kind: str) -> None:
        if self._subscription is None:
            self.env.flop(f"rule 1.9: {self.name} got {kind} before on_subscribe")
        if self._ended is not None:
            self.env.flop(f"rule 1.7: {self.name} got {kind} after {self._ended}")

    def _end(self, signal: Signal) -> None:
        self._ended = signal
        self.log.record(signal)
