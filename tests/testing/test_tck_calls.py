# mypy: disable-error-code="misc, valid-type"
"""What the kit does about code under test that never returns: the test fails, the run goes on."""

import threading
from contextvars import ContextVar

import pytest

from actors_rs.testing.reference import (
    ReferencePublisher,
    ReferenceSubscriber,
    ReferenceSubscription,
)
from actors_rs.testing.tck import Environment, Failure, PublisherVerification, run_verification
from actors_rs.testing.tck import calls as tck_calls
from tests.runtime.support import no_thread_left
from tests.testing.support import (
    blackbox_verification,
    impatient,
    patient,
    publisher_verification,
    verdict,
)

INSIDE = (
    "required_spec302_mustAllowSynchronousRequestCallsFromOnNextAndOnSubscribe",
    "required_spec303_mustNotAllowUnboundedRecursion",
    "required_spec317_mustNotSignalOnErrorWhenPendingAboveLongMaxValue",
)
CORRECT_NUMBER = (
    "required_spec101_subscriptionRequestMustResultInTheCorrectNumberOfProducedElements"
)
NOPS = "required_spec306_afterSubscriptionIsCancelledRequestMustBeNops"


@pytest.fixture(autouse=True)
def never():
    """What happens only when the test is over."""
    event = threading.Event()
    yield event
    event.set()


def giving(subscription):
    """A publisher whose subscribers get a ``subscription`` each."""

    class Given(ReferencePublisher):
        def subscription(self, subscriber):
            return subscription(subscriber, self.elements)

    return Given


@pytest.fixture
def locked(never):
    """A subscription that holds a plain lock while it signals inside ``request``."""

    class Locked(ReferenceSubscription):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.held = threading.Lock()

        def run(self):
            if not self.held.acquire(blocking=False):
                never.wait()
                return
            try:
                super().run()
            finally:
                self.held.release()

    return Locked


@pytest.mark.parametrize("standard_id", INSIDE)
def test_a_publisher_that_deadlocks_when_asked_inside_on_next_breaks_rule_32(locked, standard_id):
    said = verdict(publisher_verification(giving(locked)), standard_id)
    assert "inside a signal must return in time, it has not within 1 s" in said
    assert said.startswith("rule 3.2: request(")


def test_where_it_does_so_on_a_thread_of_its_own_the_test_ends_too(locked, never):
    class OnAThread(locked):
        def request(self, n, /):
            if self.held.locked():
                never.wait()
            else:
                threading.Thread(target=super().request, args=(n,), daemon=True).start()

    said = verdict(publisher_verification(giving(OnAThread)), INSIDE[1])
    assert said.startswith("rule 3.3: the subscriber expected an element, nothing came")


def test_a_request_that_never_returns_fails_each_test_that_asks_and_the_others_go_on(
    never, monkeypatch
):
    monkeypatch.setattr(tck_calls, "LEAST_SECONDS", 0.05)
    called = []

    class Silent(ReferenceSubscription):
        def request(self, n, /):
            called.append("request")
            never.wait()

        def cancel(self):
            called.append("cancel")

    def verification():
        return publisher_verification(giving(Silent), environment=lambda: Environment(0.05, 0.01))

    outcomes = list(run_verification(verification))
    assert len(outcomes) == 38
    failed = {one.entry.rule: one.message for one in outcomes if one.verdict == "failed"}
    assert failed["1.5"] == "rule 3.4: request(1) must return in time, it has not within 0.05 s"

    called.clear()
    verdict(verification(), CORRECT_NUMBER)
    assert called == ["request"], "a cancel that overlaps with a request breaks rule 2.7"


def test_a_cancel_that_never_returns_breaks_rule_35_and_spoils_no_other_test(never):
    class Held(ReferenceSubscription):
        def cancel(self):
            never.wait()

    made = publisher_verification(giving(Held))
    assert verdict(made, NOPS) == "rule 3.5: cancel must return in time, it has not within 1 s"
    assert verdict(made, CORRECT_NUMBER) == ""


def test_a_subscribe_that_never_returns_breaks_rule_19(never):
    class Closed(ReferencePublisher):
        def subscribe(self, subscriber, /):
            never.wait()

    said = verdict(publisher_verification(Closed), CORRECT_NUMBER)
    assert said == "rule 1.9: subscribe must return normally, it has not within 1 s"


def test_a_signal_that_never_returns_breaks_rule_213(never):
    class Stuck(ReferenceSubscriber):
        def on_next(self, element, /):
            never.wait()

    said = verdict(
        blackbox_verification(Stuck),
        "required_spec201_blackbox_mustSignalDemandViaSubscriptionRequest",
    )
    assert said == "rule 2.13: on_next must return normally, it has not within 1 s"


def test_a_publisher_is_made_and_called_on_one_thread_in_the_context_of_the_test():
    spoken = ContextVar("spoken", default="elsewhere")
    seen = set()

    def note():
        seen.add((threading.get_ident(), spoken.get()))

    class Noting(ReferenceSubscription):
        def request(self, n, /):
            note()
            super().request(n)

    class Publisher(giving(Noting)):
        def __init__(self, elements):
            super().__init__(elements)
            note()

    spoken.set("here")
    with no_thread_left():
        assert verdict(publisher_verification(Publisher, environment=patient), INSIDE[0]) == ""
    assert len(seen) == 1
    assert seen.pop()[1] == "here"


def test_a_factory_may_skip_its_test():
    class Skipped(PublisherVerification):
        def create_publisher(self, elements):
            pytest.skip("no database here")

    with pytest.raises(pytest.skip.Exception, match="no database here"):
        Skipped().test_required_spec105_must_signal_on_complete_when_finite_stream_terminates()


def test_a_call_counts_as_late_on_the_thread_that_is_innermost_in_it(never):
    env = impatient()

    def nested():
        with env.under_way("outside must return"), env.under_way("inside must return"):
            never.wait()

    with pytest.raises(Failure, match=r"^inside must return, it has not within 1 s$"):
        env.run(nested)
