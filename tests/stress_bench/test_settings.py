# mypy: disable-error-code="no-untyped-def"
"""What the options of a stress run may be."""

import math

import pytest

from actors_rs.errors import InvalidArgumentError
from stress.settings import Settings


@pytest.mark.parametrize("number", [-1.0, 0.0, math.nan, math.inf])
@pytest.mark.parametrize("option", ["minutes", "dilation"])
def test_a_number_with_which_a_round_would_test_nothing_is_refused(option, number):
    with pytest.raises(InvalidArgumentError, match=f"--{option} must be a number above 0, got"):
        Settings(**{option: number})


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_a_yield_p_that_is_no_probability_is_refused(p):
    with pytest.raises(InvalidArgumentError, match="--yield-p must be from 0 to 1, got"):
        Settings(yield_p=p)


def test_without_minutes_a_round_goes_on_to_its_end():
    assert Settings().minutes is None
    assert Settings(minutes=0.5, dilation=5).stretched(2) == 10
