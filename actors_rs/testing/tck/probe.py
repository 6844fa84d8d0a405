"""White-box tests of a Subscriber: the probe that it reports to, and the puppet that moves it."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar, cast, runtime_checkable

from actors_rs.testing.tck.environment import Environment, Failure
from actors_rs.testing.tck.signals import Signal, SignalLog
from actors_rs.texts import repr_of, text_of

__all__ = ["SubscriberPuppet", "WhiteboxProbe"]

T = TypeVar("T")


@runtime_checkable
class SubscriberPuppet(Protocol):
    """Strings on a Subscriber: each call makes it act soon."""

    def trigger_request(self, n: int, /) -> None:
        """Make the subscriber request ``n`` elements."""
        ...

    def signal_cancel(self) -> None:
        """Make the subscriber cancel its subscription."""
        ...


class WhiteboxProbe(Generic[T]):
    """The subscriber under test reports each signal here, as it processes it. Thread-safe."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.log = SignalLog(env, "the subscriber under test")
        self._puppet: SubscriberPuppet | None = None
        env.clean_up_later(self)

    # Reports of the subscriber

    def register_on_subscribe(self, puppet: SubscriberPuppet) -> None:
        """It was subscribed; ``puppet`` moves it from now on."""
        with self.env.changed.lock:
            self._puppet = puppet
            self.env.changed.notify_all()

    def register_on_next(self, element: T) -> None:
        """It has processed an element."""
        self.log.record(Signal("on_next", element))

    def register_on_error(self, error: BaseException) -> None:
        """It has processed the failure."""
        self.log.record(Signal("on_error", error))

    def register_on_complete(self) -> None:
        """It has processed the completion."""
        self.log.record(Signal("on_complete"))

    # Expectations of the test

    @property
    def puppet(self) -> SubscriberPuppet:
        """The puppet, waited for."""
        self.env.wait_until(
            lambda: self._puppet is not None,
            "create_subscriber(probe) must call probe.register_on_subscribe(puppet) "
            "in on_subscribe, it has not",
        )
        return cast(SubscriberPuppet, self._puppet)

    def trigger_request(self, n: int) -> None:
        """Move the puppet; it has to return normally."""
        promise = f"rule 3.16: trigger_request({n}) must return normally"
        self.env.call(promise, self.puppet.trigger_request, n)

    def signal_cancel(self) -> None:
        """Move the puppet; it has to return normally."""
        promise = "rule 3.15: signal_cancel must return normally"
        self.env.call(promise, self.puppet.signal_cancel)

    def give_up(self) -> None:
        """Let the subscriber cancel when the test is over; ignores its outcome."""
        if self._puppet is not None:
            try:
                self.signal_cancel()
            except Failure as failure:
                self.env.flop(text_of(failure))

    def expect_next(self, element: T, rule: str) -> None:
        """Wait until this element was processed."""
        came = self.log.take("on_next", rule, f"element {repr_of(element)}").value
        if came != element:
            raise Failure(
                f"rule {rule}: expected element {repr_of(element)} to be processed, "
                f"got {repr_of(came)}"
            )

    def expect_completion(self, rule: str) -> None:
        """Wait until the completion was processed."""
        self.log.take("on_complete", rule, "on_complete")

    def expect_error(self, error: BaseException, rule: str) -> None:
        """Wait until this very failure was processed."""
        came = self.log.take("on_error", rule, f"on_error({repr_of(error)})").value
        if came is not error:
            raise Failure(
                f"rule {rule}: expected the very error {repr_of(error)}, got {repr_of(came)}"
            )

    def expect_nothing(self, rule: str, when: str) -> None:
        """``Failure`` if anything is processed within the quiet period."""
        self.log.expect_nothing(rule, when)
