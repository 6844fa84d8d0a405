"""The kit's verdict on a Publisher of elements and errors whose own methods raise is the same."""

import pytest

from actors_rs.testing.reference import ReferencePublisher
from tests.rude import rude
from tests.testing.support import publisher_verification, verdict

TESTS = sorted(
    name.removeprefix("test_")
    for name in dir(publisher_verification(ReferencePublisher))
    if name.startswith("test_")
)
RUDE = rude("raises")
ELEMENTS = [RUDE() for _ in range(10)]


def test_there_are_tests_to_compare():
    assert len(TESTS) > 30


@pytest.mark.parametrize("name", TESTS)
def test_rude_elements_and_errors_change_no_verdict(name):
    usual = publisher_verification(ReferencePublisher, lambda: ReferencePublisher(error=OSError()))
    rude_ones = publisher_verification(
        lambda numbers: ReferencePublisher(ELEMENTS[n % len(ELEMENTS)] for n in numbers),
        lambda: ReferencePublisher(error=rude("raises", Exception)()),
    )
    assert verdict(rude_ones, name) == verdict(usual, name)
