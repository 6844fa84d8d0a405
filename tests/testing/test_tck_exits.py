# mypy: disable-error-code="misc, valid-type"
"""What the kit does about code under test that raises what is no Exception: a rule is broken."""

from asyncio import CancelledError

import pytest

from actors_rs.testing.probes import SourceProbe
from actors_rs.testing.reference import (
    ReferenceProcessor,
    ReferencePublisher,
    ReferenceSubscriber,
    ReferenceSubscription,
)
from actors_rs.testing.tck import run_verification
from tests.testing.support import (
    blackbox_verification,
    processor_verification,
    publisher_verification,
    verdict,
)

ERRORS = [SystemExit(0), CancelledError("by asyncio"), KeyboardInterrupt()]


@pytest.fixture(params=ERRORS, ids=lambda error: type(error).__name__)
def error(request):
    """What the code under test raises."""
    return request.param


def raising(base, method, error, only=lambda _: True):
    """A ``base`` whose ``method`` raises ``error``, if ``only`` of its argument is true."""

    def replaced(self, *arguments):
        if only(*(arguments or (None,))):
            raise error
        return getattr(super(made, self), method)(*arguments)

    made = type("Raising", (base,), {method: replaced})
    return made


def publishers(method, error, only=lambda _: True):
    """Publishers whose subscriptions raise ``error`` in ``method``."""
    subscription = raising(ReferenceSubscription, method, error, only)
    given = {"subscription": lambda self, subscriber: subscription(subscriber, self.elements)}
    return type("Publisher", (ReferencePublisher,), given)


def test_an_exit_breaks_the_rule_of_its_test_and_the_other_tests_go_on(error):
    made = publishers("request", error, lambda n: n == 0)
    outcomes = list(run_verification(lambda: publisher_verification(made)))
    failed = {one.entry.rule: one.message for one in outcomes if one.verdict == "failed"}
    said = f"rule 3.16: request(0) must return normally, it raised {error!r}"
    assert failed == {"1.6": said, "1.7": said, "3.9": said}
    assert len(outcomes) == 38


@pytest.mark.parametrize(
    ("standard_id", "method", "said"),
    [
        ("untested_spec304_requestShouldNotPerformHeavyComputations", "request", "request must"),
        (
            "untested_spec305_cancelMustNotSynchronouslyPerformHeavyComputation",
            "cancel",
            "cancel must",
        ),
        (
            "required_spec302_mustAllowSynchronousRequestCallsFromOnNextAndOnSubscribe",
            "request",
            "request inside a signal must work",
        ),
    ],
)
def test_an_exit_in_a_call_that_the_test_does_not_wait_in_is_told(standard_id, method, said, error):
    told = verdict(publisher_verification(publishers(method, error)), standard_id)
    assert said in told
    assert f"it raised {error!r}" in told


def test_an_exit_in_place_of_a_type_error_is_told(error):
    publisher = raising(ReferencePublisher, "subscribe", error, lambda one: one is None)
    subscriber = raising(ReferenceSubscriber, "on_next", error, lambda one: one is None)
    assert f"must raise TypeError, it raised {error!r}" in verdict(
        publisher_verification(publisher), "required_spec109_subscribeThrowNPEOnNullSubscriber"
    )
    assert f"must raise TypeError, it raised {error!r}" in verdict(
        blackbox_verification(subscriber),
        "required_spec213_blackbox_onNext_mustThrowNullPointerExceptionWhenParametersAreNull",
    )


def test_an_exit_in_a_signal_breaks_the_rule_of_the_subscriber(error):
    said = verdict(
        blackbox_verification(raising(ReferenceSubscriber, "on_complete", error)),
        "untested_spec213_blackbox_failingOnSignalInvocation",
    )
    assert said == f"rule 2.13: on_complete must return normally, it raised {error!r}"


@pytest.mark.parametrize(
    ("method", "standard_id", "said"),
    [
        (
            "on_subscribe",
            "required_spec105_mustSignalOnCompleteWhenFiniteStreamTerminates",
            "rule 2.13: on_subscribe must return normally",
        ),
        (
            "on_error",
            "optional_spec104_mustSignalOnErrorWhenFails",
            "rule 2.13: on_error must return normally",
        ),
        (
            "subscribe",
            "required_spec201_mustSignalDemandViaSubscriptionRequest",
            "rule 1.9: subscribe must return normally",
        ),
    ],
)
def test_an_exit_of_a_processor_that_is_put_in_place_breaks_its_rule(
    method, standard_id, said, error
):
    processor = raising(ReferenceProcessor, method, error)
    told = verdict(processor_verification(processor), standard_id)
    assert f"{said}, it raised {error!r}" in told


def test_an_exit_in_the_hands_of_a_probe_is_passed_on_to_its_caller():
    probe: SourceProbe = SourceProbe(timeout=0.3)
    with pytest.raises(KeyboardInterrupt):  # it may be Ctrl-C: probes use the caller's thread
        probe.subscribe(raising(ReferenceSubscriber, "on_subscribe", KeyboardInterrupt())())
