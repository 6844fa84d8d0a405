# mypy: disable-error-code="arg-type, var-annotated"
"""merge_sorted where the key of an element cannot be had."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Sink, Source
from actors_rs.errors import StageError
from actors_rs.testing.world.world import World

BAD = "bad"


def key(element):
    if element == BAD:
        raise KeyError(element)
    return element


def with_bad_ones(numbers, places):
    """``numbers`` in order, with elements that have no key at ``places``."""
    elements = sorted(numbers)
    for place in places:
        elements.insert(place % (len(elements) + 1), BAD)
    return elements


sides = st.builds(
    with_bad_ones, st.lists(st.integers(0, 9), max_size=9), st.lists(st.integers(0, 20), max_size=4)
)


@given(sides, sides, st.sampled_from(["resume", "restart"]), st.integers(1, 16))
def test_elements_without_a_key_are_passed_over_and_no_other(one, other, policy, window):
    good = sorted(element for element in [*one, *other] if element != BAD)
    with World(window=window) as world:
        merged = Source.of(*one).merge_sorted(Source.of(*other), key=key).on_failure(policy)
        assert world.start(merged.to(Sink.list())).result() == good
        assert world.system.dead_letters.total == one.count(BAD) + other.count(BAD)


def test_the_policy_is_to_stop_by_default_behind_what_comes_before():
    seen = []
    with World() as world:
        merged = Source.of(1, 4, 6).merge_sorted(Source.of(2, BAD, 9), key=key)
        run = world.start(merged.to(Sink.for_each(seen.append)))
        with pytest.raises(StageError) as caught:
            run.result()
    assert seen == [1, 2]
    assert caught.value.position == 1
