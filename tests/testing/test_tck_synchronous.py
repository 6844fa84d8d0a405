# mypy: disable-error-code="misc, valid-type"
"""The kit's Subscription that signals straight from ``request``, and who cannot stand that."""

import threading

import pytest

from actors_rs.testing.reference import ReferenceSubscriber
from actors_rs.testing.tck.synchronous import SynchronousSubscription
from tests.testing.support import blackbox_verification, impatient, patient, verdict

INSIDE = {
    "3.10": "untested_spec310_blackbox_requestMaySynchronouslyCallOnNextOnSubscriber",
    "3.11": "untested_spec311_blackbox_requestMaySynchronouslyCallOnCompleteOrOnError",
}


@pytest.fixture
def never():
    """What happens only when the test is over."""
    event = threading.Event()
    yield event
    event.set()


class Asking(ReferenceSubscriber):
    """Asks for one at a time, and notes what comes while it does."""

    def __init__(self):
        super().__init__(window=1)
        self.depth, self.seen = 0, []

    def trigger_request(self, n, /):
        self.depth += 1
        super().trigger_request(n)
        self.depth -= 1

    def on_next(self, element, /):
        self.seen.append((element, self.depth))
        super().on_next(element)

    def on_complete(self):
        self.seen.append(("end", self.depth))
        super().on_complete()


def test_signals_come_inside_request_as_deep_as_there_are_elements():
    subscriber = Asking()
    SynchronousSubscription(patient(), "3.10", subscriber, "abc").begin()
    assert subscriber.seen == [("a", 1), ("b", 2), ("c", 3), ("end", 4)]


@pytest.mark.parametrize("rule", INSIDE)
def test_a_subscriber_gets_its_first_signal_inside_request(rule):
    made = []

    def subscriber():
        made.append(Asking())
        return made[-1]

    assert verdict(blackbox_verification(subscriber), INSIDE[rule]) == ""
    assert made[-1].seen[0] == (0, 1)


@pytest.mark.parametrize("rule", INSIDE)
def test_a_subscriber_that_deadlocks_when_a_signal_comes_inside_its_request_breaks_the_rule(
    rule, never
):
    class Locked(Asking):
        def on_next(self, element, /):
            if self.depth:  # as if it held a lock while it asks, and took it here
                never.wait()
            super().on_next(element)

    said = verdict(blackbox_verification(Locked), INSIDE[rule])
    assert said == (
        f"rule {rule}: a signal inside request must return in time, it has not within 1 s"
    )


def test_what_a_signal_raises_is_noted_once_and_ends_the_stream():
    class Raising(Asking):
        def on_next(self, element, /):
            super().on_next(element)
            raise SystemExit(0)

    env, subscriber = impatient(), Raising()
    subscription = SynchronousSubscription(env, "3.10", subscriber, "abc")
    env.run(subscription.begin)
    assert [element for element, _ in subscriber.seen] == ["a", "b", "c", "end"]
    assert env.async_errors == (
        "rule 3.10: a signal inside request must work, it raised SystemExit(0)",
    )


def test_a_request_of_another_thread_is_answered_when_the_signal_under_way_has_returned():
    class Elsewhere(Asking):
        def on_subscribe(self, subscription, /):
            thread = threading.Thread(target=super().on_subscribe, args=(subscription,))
            thread.start()
            thread.join()
            self.seen.append("subscribed")

    subscriber = Elsewhere()
    SynchronousSubscription(patient(), "3.10", subscriber, "ab").begin()
    assert subscriber.seen == ["subscribed", ("a", 0), ("b", 1), ("end", 2)]
