# mypy: disable-error-code="var-annotated"
"""Sliding windows of any width, alone."""

import pytest

from actors_rs.stages.operators.sliding import Sliding


@pytest.mark.parametrize("size", [1, 2, 7, 100])
@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("chunk", [1, 13, 199, 500])
def test_a_sliding_window_gives_the_same_tuples_however_its_input_is_cut(size, step, chunk):
    elements = list(range(500))
    sliding = Sliding(size, step)
    found = []
    for begin in range(0, 500, chunk):
        found += sliding.transform(iter(elements[begin : begin + chunk]))
    begins = range(0, 500 - size + 1, step)
    assert found == [tuple(elements[begin : begin + size]) for begin in begins]


def test_a_window_that_is_wider_than_the_stream_costs_no_more_than_the_stream():
    assert list(Sliding(2**62, 1).transform(iter([1, 2, 3]))) == []
