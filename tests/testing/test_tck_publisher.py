"""The kit's tests of a Publisher: honest publishers pass, and bad input is refused."""

import pytest

from actors_rs import UNBOUNDED, ActorSystem, Source
from actors_rs.errors import InvalidArgumentError
from actors_rs.testing.misbehaving.subscriptions import RecursesWithoutBound
from actors_rs.testing.reference import ReferencePublisher
from actors_rs.testing.tck import PublisherVerification
from tests.testing.support import patient, publisher_verification, verdict


class TestReferencePublisher(PublisherVerification):
    def create_publisher(self, elements):
        return ReferencePublisher(range(elements))

    def create_failed_publisher(self):
        return ReferencePublisher(error=OSError("failed"))


class TestSourceAsPublisher(PublisherVerification):
    @pytest.fixture(autouse=True)
    def _system(self):
        with ActorSystem(workers=2, shutdown_timeout=10) as self.system:
            yield

    def create_environment(self):
        return patient()

    def create_publisher(self, elements):
        return self.system.publisher(Source.range(0, elements))

    def create_failed_publisher(self):
        return self.system.publisher(Source.failed(OSError("failed")))


def test_a_verification_without_its_factory_says_so():
    class Bare(PublisherVerification):
        pass

    with pytest.raises(InvalidArgumentError, match=r"^Bare needs a method create_publisher\("):
        Bare().test_required_spec102_may_signal_less_than_requested_and_terminate_subscription()


@pytest.mark.parametrize("made", [None, [1, 2, 3]])
def test_a_factory_that_makes_no_publisher_is_refused_with_what_came(made):
    verification = publisher_verification(lambda _elements: made)
    with pytest.raises(InvalidArgumentError, match="create_publisher must return a Publisher, got"):
        verdict(verification, "required_spec109_subscribeThrowNPEOnNullSubscriber")


def test_a_failed_publisher_that_is_none_is_refused():
    verification = publisher_verification(ReferencePublisher, failed=lambda: 7)
    with pytest.raises(InvalidArgumentError, match="create_failed_publisher must return"):
        verdict(verification, "optional_spec104_mustSignalOnErrorWhenFails")


def test_without_a_failed_publisher_its_tests_are_skipped_with_the_reason():
    verification = publisher_verification(ReferencePublisher)
    said = verdict(verification, "optional_spec104_mustSignalOnErrorWhenFails")
    assert "needs create_failed_publisher" in said


@pytest.mark.parametrize(
    ("most", "reason"), [(2, "at most 2"), (0, "at most 0"), (UNBOUNDED, "never does")]
)
def test_a_test_that_needs_what_the_publisher_cannot_do_is_skipped_with_the_reason(most, reason):
    verification = publisher_verification(ReferencePublisher)
    verification.max_elements_from_publisher = most
    said = verdict(verification, "required_spec105_mustSignalOnCompleteWhenFiniteStreamTerminates")
    assert reason in said


@pytest.mark.parametrize("bound", [1, 20])
def test_recursion_deeper_than_declared_is_caught_with_its_depth(bound):
    verification = publisher_verification(RecursesWithoutBound)
    verification.bounded_depth_of_on_next_and_request_recursion = bound
    said = verdict(verification, "required_spec303_mustNotAllowUnboundedRecursion")
    assert f"led to {bound + 1} calls of on_next on one stack, at most {bound} may be" in said
