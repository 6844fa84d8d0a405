"""The kit is tested: every required test catches a violator, and says which rule it breaks."""

import pytest

from actors_rs.testing.misbehaving import (
    FAILED_PUBLISHERS,
    PROCESSORS,
    PUBLISHERS,
    SUBSCRIBERS,
    SUBSCRIPTIONS,
)
from actors_rs.testing.reference import ReferencePublisher
from actors_rs.testing.tck import (
    IdentityProcessorVerification,
    PublisherVerification,
    SubscriberWhiteboxVerification,
)
from actors_rs.testing.tck.catalogue import BLACKBOX, CATALOGUE, PUBLISHER, WHITEBOX
from tests.testing.support import (
    blackbox_verification,
    processor_verification,
    publisher_verification,
    verdict,
    whitebox_verification,
)

MISCONFIGURED = {
    "required_validate_maxElementsFromPublisher": ("max_elements_from_publisher", -1),
    "required_validate_boundedDepthOfOnNextAndRequestRecursion": (
        "bounded_depth_of_on_next_and_request_recursion",
        0,
    ),
}
VIOLATORS = (*PUBLISHERS, *SUBSCRIPTIONS, *FAILED_PUBLISHERS, *SUBSCRIBERS, *PROCESSORS)
CAUGHT = [(violator, one) for violator in VIOLATORS for one in violator.caught_by]


@pytest.fixture(autouse=True)
def what_blocks_does_so_until_the_test_is_over(monkeypatch):
    """Else a machine that stalls for as long lets both be late, the call and who waits for it."""
    monkeypatch.setattr("actors_rs.testing.misbehaving.subscriptions.BLOCKED", 60.0)


def verification_of(violator, standard_id):
    if violator in FAILED_PUBLISHERS:
        return publisher_verification(ReferencePublisher, lambda: violator(error=OSError("failed")))
    if violator in PROCESSORS:
        return processor_verification(violator)
    if violator not in SUBSCRIBERS:
        return publisher_verification(violator)
    black = standard_id in {entry.standard_id for entry in BLACKBOX}
    return (blackbox_verification if black else whitebox_verification)(violator)


@pytest.mark.parametrize(
    ("violator", "standard_id"),
    CAUGHT,
    ids=[f"{violator.__name__}-{one[:26]}" for violator, one in CAUGHT],
)
def test_a_violator_is_caught_by_its_test_with_its_rule(violator, standard_id):
    said = verdict(verification_of(violator, standard_id), standard_id)
    assert violator.message() in said


@pytest.mark.parametrize("standard_id", MISCONFIGURED)
def test_a_harness_that_makes_no_sense_is_caught(standard_id):
    verification = publisher_verification(ReferencePublisher)
    setattr(verification, *MISCONFIGURED[standard_id])
    assert MISCONFIGURED[standard_id][0] in verdict(verification, standard_id)


@pytest.mark.parametrize("verification", CATALOGUE)
def test_every_required_test_has_a_violator_that_it_catches(verification):
    caught = {standard_id for _, standard_id in CAUGHT} | set(MISCONFIGURED)
    entries = CATALOGUE[verification]
    required = {entry.standard_id for entry in entries if entry.kind in ("required", "stochastic")}
    assert required <= caught


NOT_CHECKED = {entry.standard_id for entry in BLACKBOX} - {one for _, one in CAUGHT}


@pytest.mark.parametrize(
    "standard_id", [one.standard_id for one in BLACKBOX if one.standard_id not in NOT_CHECKED]
)
def test_every_rule_for_a_subscriber_seen_from_outside_has_two_violators(standard_id):
    assert len([violator for violator, one in CAUGHT if one == standard_id]) >= 2


@pytest.mark.parametrize(
    ("parent", "entries"),
    [(PublisherVerification, PUBLISHER), (SubscriberWhiteboxVerification, WHITEBOX)],
)
def test_a_processor_runs_the_very_tests_of_a_publisher_and_a_subscriber(parent, entries):
    for entry in entries:
        method = getattr(IdentityProcessorVerification, entry.name)
        assert method is getattr(parent, entry.name)


def test_every_violator_is_documented_and_says_what_it_breaks():
    for violator in VIOLATORS:
        assert violator.__doc__
        assert violator.breaks or violator.says
        assert violator.caught_by


def test_no_violator_is_forgotten_in_the_lists():
    def below(kind):
        return {kind}.union(*map(below, kind.__subclasses__()))

    from actors_rs.testing.misbehaving import Violator

    ours = {one for one in below(Violator) if one.__module__.startswith("actors_rs")}
    assert {one for one in ours if one.caught_by} == set(VIOLATORS)
