"""Every two choices of a table meet."""

from itertools import combinations, product

import pytest

from tests.pairwise import every_two


def pairs(rows):
    return {pair for row in rows for pair in combinations(enumerate(row), 2)}


@pytest.mark.parametrize("sizes", [(4, 4, 4), (28, 5, 3), (3, 9, 2), (4, 4, 1)])
def test_every_two_choices_meet(sizes):
    choices = [range(size) for size in sizes]
    assert pairs(every_two(*choices)) == pairs(product(*choices))


def test_a_third_parameter_with_too_many_choices_is_refused():
    with pytest.raises(AssertionError, match="never meet"):
        every_two(range(5), range(2), range(3))
