"""Base of the tests of a Publisher: the user's factories, and special subscribers."""

from __future__ import annotations

from typing import Any

from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.protocol.interfaces import Publisher, Subscription
from actors_rs.testing.tck.environment import Environment, Failure, NotVerified
from actors_rs.testing.tck.manual import ManualSubscriber
from actors_rs.testing.tck.verification import Verification
from actors_rs.texts import text_of

__all__ = ["AsksInside", "AsksTooMuch", "CountsDepth", "Lingering", "PublisherBase"]

LINGERING = 0.0002  # seconds: long enough for another thread to get in, short enough to repeat


class PublisherBase(Verification):
    """Factories and options of a publisher's verification."""

    max_elements_from_publisher: int = UNBOUNDED - 1
    """The most elements the publisher can make; ``UNBOUNDED`` if it can never complete."""

    bounded_depth_of_on_next_and_request_recursion: int = 1
    """How many calls of ``on_next`` may lie on one thread's stack at a time (3.3)."""

    stochastic_streams: int = 100
    """How many streams the test of serial signals (1.3) makes; fewer take less time."""

    def create_publisher(self, elements: int) -> Publisher[Any]:
        """A fresh Publisher of exactly this many elements, none of them ``None``."""
        raise self.missing("create_publisher(self, elements)", "which makes the Publisher to test")

    def create_failed_publisher(self) -> Publisher[Any] | None:
        """A Publisher that fails at once, or ``None`` if there is no such thing."""
        return None

    # For the tests

    def need(self, elements: int, completes: bool = False) -> None:
        """Skip the test if the publisher cannot make so many elements, or cannot complete."""
        most = self.max_elements_from_publisher
        if elements > most >= 0:
            raise NotVerified(f"needs {elements} elements, the publisher makes at most {most}")
        if completes and most >= UNBOUNDED:
            raise NotVerified("needs a publisher that completes, this one never does")

    def publisher(self, elements: int) -> Publisher[Any]:
        """The publisher under test."""
        self.need(elements)
        made = self.create_publisher(elements)
        publisher: Publisher[Any] = self.made("create_publisher", made, Publisher, "Publisher")
        return publisher

    def failed_publisher_or_none(self) -> Publisher[Any] | None:
        """The failed publisher, if the user made one."""
        made = self.create_failed_publisher()
        if made is not None:
            self.made("create_failed_publisher", made, Publisher, "Publisher or None")
        return made

    def failed_publisher(self) -> Publisher[Any]:
        """The failed publisher; the test is skipped without it."""
        publisher = self.failed_publisher_or_none()
        if publisher is None:
            raise NotVerified("needs create_failed_publisher, which returned None")
        return publisher

    def subscribe(self, publisher: Publisher[Any], subscriber: ManualSubscriber[Any]) -> None:
        """Call ``subscribe``, which has to return normally (1.9)."""
        promise = "rule 1.9: subscribe must return normally"
        self.env.call(promise, publisher.subscribe, subscriber)

    def subscribed(self, elements: int, completes: bool = False) -> ManualSubscriber[Any]:
        """A subscriber of a fresh publisher, with its subscription."""
        self.need(elements, completes)
        subscriber: ManualSubscriber[Any] = ManualSubscriber(self.env)
        self.subscribe(self.publisher(elements), subscriber)
        subscriber.expect_subscription()
        return subscriber


class Lingering(ManualSubscriber[Any]):
    """Stays in each signal for a moment, so that signals that can overlap do."""

    def subscribed(self, subscription: Subscription) -> None:
        self._linger()

    def received(self, element: Any) -> None:
        self._linger()

    def _linger(self) -> None:
        self.env.changed.wait(LINGERING)  # which releases the interpreter


class AsksInside(ManualSubscriber[Any]):
    """Requests one element at a time: ``times[0]`` times inside ``on_subscribe``, ``times[n]``
    times inside the ``n``-th ``on_next``, and never again."""

    def __init__(self, env: Environment, *times: int) -> None:
        super().__init__(env)
        self._times = iter(times)

    def subscribed(self, subscription: Subscription) -> None:
        self._ask_as_planned()

    def received(self, element: Any) -> None:
        self._ask_as_planned()

    def _ask_as_planned(self) -> None:
        for _ in range(next(self._times, 0)):
            self.ask(1)

    def ask(self, n: int) -> None:
        """Request from inside a signal; what that raises is noted, not passed on."""
        with self.env.changed.lock:
            self._requested += n
        try:
            self.env.call(
                "rule 3.2: request inside a signal must work",
                self.subscription.request,
                n,
                in_time=f"rule 3.2: request({n}) inside a signal must return in time",
                caller=self,
            )
        except Failure as failure:
            self.env.flop(text_of(failure))


class CountsDepth(AsksInside):
    """Notes when ``on_next`` calls lie on one stack deeper than ``bound`` (3.3)."""

    def __init__(self, env: Environment, bound: int) -> None:
        super().__init__(env)
        self.bound = bound

    def received(self, element: Any) -> None:
        depth = self._under_way.count("on_next")
        if depth > self.bound:
            self.env.flop(
                f"rule 3.3: request inside on_next led to {depth} calls of on_next on one stack, "
                f"at most {self.bound} may be"
            )
            return
        self.ask(1)


class AsksTooMuch(AsksInside):
    """Requests almost everything in each of its first ten ``on_next``, then cancels."""

    def __init__(self, env: Environment) -> None:
        super().__init__(env)
        self.left = 10

    def received(self, element: Any) -> None:
        if self.left:
            self.left -= 1
            self.ask(UNBOUNDED - 1)
        else:
            self.give_up()
