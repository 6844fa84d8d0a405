"""The kit's tests of a Publisher: each violator is caught by name, honest publishers pass."""

import pytest

from actors_rs import UNBOUNDED, ActorSystem, Source
from actors_rs.errors import InvalidArgumentError
from actors_rs.testing.misbehaving import FAILED_PUBLISHERS, PUBLISHERS, SUBSCRIPTIONS
from actors_rs.testing.misbehaving.subscriptions import RecursesWithoutBound
from actors_rs.testing.reference import ReferencePublisher
from actors_rs.testing.tck import PublisherVerification
from actors_rs.testing.tck.catalogue import PUBLISHER
from tests.testing.support import publisher_verification, verdict

DEPTH = "required_validate_boundedDepthOfOnNextAndRequestRecursion"
MOST = "required_validate_maxElementsFromPublisher"
MISCONFIGURED = {
    MOST: ("max_elements_from_publisher", -1),
    DEPTH: ("bounded_depth_of_on_next_and_request_recursion", 0),
}
CAUGHT = [
    (violator, standard_id)
    for violator in (*PUBLISHERS, *SUBSCRIPTIONS, *FAILED_PUBLISHERS)
    for standard_id in violator.caught_by
]


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

    def create_publisher(self, elements):
        return self.system.publisher(Source.range(0, elements))

    def create_failed_publisher(self):
        return self.system.publisher(Source.failed(OSError("failed")))


@pytest.mark.parametrize(
    ("violator", "standard_id"),
    CAUGHT,
    ids=[f"{violator.__name__}-{id_[:22]}" for violator, id_ in CAUGHT],
)
def test_a_violator_is_caught_by_its_test_with_its_rule(violator, standard_id):
    failed = None
    if violator in FAILED_PUBLISHERS:
        failed = lambda: violator(error=OSError("failed"))  # noqa: E731
    said = verdict(publisher_verification(violator, failed), standard_id)
    assert violator.message() in said


@pytest.mark.parametrize("standard_id", MISCONFIGURED)
def test_a_harness_that_makes_no_sense_is_caught(standard_id):
    verification = publisher_verification(ReferencePublisher)
    setattr(verification, *MISCONFIGURED[standard_id])
    assert MISCONFIGURED[standard_id][0] in verdict(verification, standard_id)


def test_every_required_test_of_a_publisher_has_a_violator_that_it_catches():
    caught = {standard_id for _, standard_id in CAUGHT} | set(MISCONFIGURED)
    required = {entry.standard_id for entry in PUBLISHER if entry.kind == "required"}
    assert required <= caught


def test_every_violator_breaks_a_rule_or_says_what_it_breaks_and_is_documented():
    for violator in {violator for violator, _ in CAUGHT}:
        assert violator.breaks or violator.says
        assert violator.__doc__


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
