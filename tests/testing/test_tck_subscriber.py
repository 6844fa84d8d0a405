"""The kit's tests of a Subscriber and a Processor: honest ones pass, bad input is refused."""

import pytest

from actors_rs import ActorSystem, Flow, Sink
from actors_rs.errors import InvalidArgumentError
from actors_rs.testing.reference import ReferenceProcessor, ReferenceSubscriber
from actors_rs.testing.tck import (
    IdentityProcessorVerification,
    SubscriberBlackboxVerification,
    SubscriberWhiteboxVerification,
)
from tests.testing.support import (
    blackbox_verification,
    patient,
    processor_verification,
    verdict,
    whitebox_verification,
)

SECONDS = 10
NONE = "required_spec213{}_onNext_mustThrowNullPointerExceptionWhenParametersAreNull"


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


class TestReferenceSubscriberFromOutside(SubscriberBlackboxVerification):
    def create_subscriber(self):
        return ReferenceSubscriber()


class TestReferenceSubscriberFromInside(SubscriberWhiteboxVerification):
    def create_subscriber(self, probe):
        return ReferenceSubscriber(probe=probe)


class TestReferenceProcessor(IdentityProcessorVerification):
    def create_identity_processor(self, buffer_size):
        return ReferenceProcessor(buffer_size)


class TestSinkAsSubscriber(SubscriberBlackboxVerification):
    @pytest.fixture(autouse=True)
    def _system(self, system):
        self.system = system

    def create_environment(self):
        return patient()

    def create_subscriber(self):
        return self.system.subscriber(Sink.list().with_attributes(window=4))


class TestFlowAsProcessor(IdentityProcessorVerification):
    max_supported_subscribers = 1

    @pytest.fixture(autouse=True)
    def _system(self, system):
        self.system = system

    def create_environment(self):
        return patient()

    def create_identity_processor(self, buffer_size):
        identity: Flow = Flow().map(lambda element: element)
        return self.system.processor(identity.with_attributes(window=buffer_size))


class TestSubscriberThatAsksWhenTold(SubscriberBlackboxVerification):
    class Patient(ReferenceSubscriber):
        def ask(self):
            pass

    def create_subscriber(self):
        return self.Patient()

    def trigger_request(self, subscriber, n):
        subscriber.trigger_request(n)


@pytest.mark.parametrize(
    ("verification", "infix", "factory"),
    [
        (SubscriberBlackboxVerification, "_blackbox", r"create_subscriber\(self\)"),
        (SubscriberWhiteboxVerification, "", r"create_subscriber\(self, probe\)"),
        (IdentityProcessorVerification, "", r"create_identity_processor\(self, buffer_size\)"),
    ],
)
def test_a_verification_without_its_factory_says_so(verification, infix, factory):
    bare = type("Bare", (verification,), {})
    with pytest.raises(InvalidArgumentError, match=f"^Bare needs a method {factory}, which makes"):
        verdict(bare(), NONE.format(infix))


@pytest.mark.parametrize(
    ("verification", "infix", "said"),
    [
        (blackbox_verification, "_blackbox", "create_subscriber must return a Subscriber, got 7"),
        (whitebox_verification, "", "create_subscriber must return a Subscriber, got 7"),
        (processor_verification, "", "create_identity_processor must return a Processor, got 7"),
    ],
)
def test_a_factory_that_makes_something_else_is_refused_with_what_came(verification, infix, said):
    with pytest.raises(InvalidArgumentError, match=said):
        verdict(verification(lambda *args, **named: 7), NONE.format(infix))


def test_a_subscriber_that_does_not_report_to_its_probe_is_told_how_to():
    verification = whitebox_verification(lambda probe: ReferenceSubscriber())
    said = verdict(verification, "required_exerciseWhiteboxHappyPath")
    assert "must call probe.register_on_subscribe(puppet)" in said


def test_a_processor_for_one_subscriber_skips_what_needs_two_with_the_reason():
    verification = processor_verification(ReferenceProcessor)
    verification.max_supported_subscribers = 1
    said = verdict(
        verification,
        "required_spec104_mustCallOnErrorOnAllItsSubscribersIfItEncountersANonRecoverableError",
    )
    assert said == "needs max_supported_subscribers of 2 or more, it is 1"


def test_the_elements_that_the_kit_sends_are_the_users():
    sent = []

    class Recording(ReferenceSubscriber):
        def on_next(self, element, /):
            super().on_next(element)
            sent.append(element)

    verification = blackbox_verification(Recording)
    verification.create_element = lambda index: f"element {index}"
    assert verdict(verification, "untested_spec213_blackbox_failingOnSignalInvocation") == ""
    assert sent == [f"element {index}" for index in range(len(sent))]
    assert len(sent) > 2
