# mypy: disable-error-code="var-annotated"
"""Loops that are written out: what they give, how far they have come, and who was at fault."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs.stages.brake import Brake
from actors_rs.stages.counted import behind
from actors_rs.stages.written_loops import Step, through


class BadError(Exception):
    pass


def failing_at(bad, f):
    """``f``, but it raises for numbers that end in ``bad``."""

    def function(x):
        if x % 10 in bad:
            raise BadError(x)
        return f(x)

    return function


KINDS = {
    "map": lambda bad: Step("map", failing_at(bad, lambda x: x + 1)),
    "starmap": lambda bad: Step("starmap", failing_at(bad, lambda x: x * 3)),
    "filter": lambda bad: Step("filter", failing_at(bad, lambda x: x % 3)),
}


def one_by_one(steps, elements):
    """What comes out, what each step took, and ``(step, element)`` of those that raised."""
    out, taken, faults = [], [0] * len(steps), []
    for element in elements:
        x = element
        for number, (kind, function) in enumerate(steps):
            taken[number] += 1
            try:
                made = function(*x) if kind == "starmap" else function(x)
            except BadError:
                faults.append((number, x))
                break
            if kind != "filter":
                x = made
            elif not made:
                break
        else:
            out.append(x)
    return out, taken, faults


def in_loops(steps, elements):
    """The same by ``through``, which goes on behind each stumble."""
    out, taken, faults, left = [], [0] * len(steps), [], len(elements)
    while left:
        passed = through(steps, behind(elements, len(elements) - left), out, Brake())
        assert passed.left < left, "it went on behind what it stumbled over"
        left = passed.left
        taken = [a + b for a, b in zip(taken, passed.taken, strict=True)]
        if passed.stumble is not None:
            assert isinstance(passed.stumble.error, BadError)
            faults.append(passed.stumble[:2])
    return out, taken, faults


rows = st.lists(
    st.tuples(st.sampled_from(["map", "filter"]), st.sets(st.integers(0, 9), max_size=2)),
    min_size=1,
    max_size=5,
)


@given(row=rows, elements=st.lists(st.integers(0, 99), max_size=30))
def test_a_loop_gives_counts_and_blames_as_one_element_after_the_other_would(row, elements):
    steps = [KINDS[kind](bad) for kind, bad in row]
    assert in_loops(steps, elements) == one_by_one(steps, elements)


@pytest.mark.parametrize("behind_it", [[], ["filter"], ["map", "filter", "map"]])
def test_a_starmap_spreads_what_comes_to_it(behind_it):
    row = [Step("map", lambda x: (x,)), KINDS["starmap"]({4})]
    steps = [*row, *(KINDS[kind]({6}) for kind in behind_it)]
    elements = list(range(20))
    assert in_loops(steps, elements) == one_by_one(steps, elements)


@pytest.mark.parametrize("kind", ["map", "filter"])
@pytest.mark.parametrize("count", [1, 3])
def test_a_pulled_brake_ends_the_loop_behind_the_element_in_hand(kind, count):
    brake, out = Brake(), []

    def pulls(x):
        if x == 3:
            brake.pull()
        return True if kind == "filter" else x

    steps = [Step(kind, pulls), *[Step("map", lambda x: x)] * (count - 1)]
    passed = through(steps, iter(range(1, 9)), out, brake)
    assert (passed.left, passed.taken, passed.stumble) == (5, [3] * count, None)
    assert len(out) == 3


def test_a_loop_that_has_ended_is_not_hit_by_a_pull():
    brake, out = Brake(), []
    steps = [Step("map", lambda x: x + 1)] * 2
    through(steps, iter([1, 2]), out, brake)
    brake.pull()
    passed = through(steps, iter([3, 4]), out, brake)
    assert (out, passed.left) == ([3, 4, 5, 6], 0)
