"""The kit is complete: every test of the standard's kit has its method, marked as it should be."""

import inspect

import pytest

from actors_rs.testing import tck
from actors_rs.testing.tck.catalogue import CATALOGUE, python_name

SIZES = {
    "PublisherVerification": 38,
    "SubscriberBlackboxVerification": 26,
    "SubscriberWhiteboxVerification": 27,
    "IdentityProcessorVerification": 68,
}


def verification(name):
    return getattr(tck, name)


@pytest.mark.parametrize("name", SIZES)
def test_the_catalogue_holds_all_tests_of_the_standards_kit_once(name):
    ids = [entry.standard_id for entry in CATALOGUE[name]]
    assert len(ids) == len(set(ids)) == SIZES[name]


@pytest.mark.parametrize("name", SIZES)
def test_every_row_of_the_catalogue_has_its_method_and_no_method_is_beside_it(name):
    methods = {method for method in dir(verification(name)) if method.startswith("test_")}
    assert methods == {entry.name for entry in CATALOGUE[name]}


@pytest.mark.parametrize("name", SIZES)
def test_every_method_carries_the_rule_and_kind_of_its_row_and_the_marker(name):
    for entry in CATALOGUE[name]:
        method = getattr(verification(name), entry.name)
        assert (method.tck.rule, method.tck.kind) == (entry.rule, entry.kind), entry
        assert [mark.name for mark in method.pytestmark] == [f"tck_{entry.kind}"]


@pytest.mark.parametrize("name", SIZES)
def test_every_method_says_in_a_sentence_what_it_checks(name):
    for entry in CATALOGUE[name]:
        assert inspect.getdoc(getattr(verification(name), entry.name)), entry


@pytest.mark.parametrize(
    ("standard_id", "ours"),
    [
        (
            "required_spec309_requestZeroMustSignalIllegalArgumentException",
            "test_required_spec309_request_zero_must_signal_on_error",
        ),
        (
            "required_spec109_subscribeThrowNPEOnNullSubscriber",
            "test_required_spec109_subscribe_throw_type_error_on_null_subscriber",
        ),
        (
            "required_spec213_onNext_mustThrowNullPointerExceptionWhenParametersAreNull",
            "test_required_spec213_on_next_must_throw_type_error_when_parameters_are_null",
        ),
        (
            "required_createPublisher1MustProduceAStreamOfExactly1Element",
            "test_required_create_publisher1_must_produce_a_stream_of_exactly1_element",
        ),
    ],
)
def test_names_follow_one_scheme(standard_id, ours):
    assert python_name(standard_id) == ours
