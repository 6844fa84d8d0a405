# mypy: disable-error-code="func-returns-value"
"""Groups that end because they were idle, and no others, at the right moment."""

import pytest

from tests.stages.grouping import Grouping


def test_a_group_ends_when_it_was_idle_and_its_key_opens_a_new_one():
    grouping = Grouping(idle=10).request(9).push("a1", "b1")
    first = grouping[0].run()
    grouping[1].run()
    grouping.elapse(6).push("b2").elapse(5)
    assert first.down.completed
    assert not grouping[1].down.completed
    grouping.push("a2")
    assert grouping.given == ["a", "b", "a"]
    assert grouping[2].run().elements == ["a2"]
    grouping.elapse(11)
    assert grouping[1].down.completed
    assert grouping[2].down.completed
    assert not grouping.pending


def test_a_group_with_elements_in_hand_is_not_idle():
    grouping = Grouping(idle=10).request(9).push("a1").elapse(50)
    assert not grouping[0].down.completed
    grouping[0].run()
    grouping.elapse(11)
    assert grouping[0].elements == ["a1"]
    assert grouping[0].down.completed


def test_an_idle_timeout_makes_room_for_a_key_that_waits():
    grouping = Grouping(most=1, idle=10, stall=1).request(9).push("a1", "b1")
    grouping[0].run()
    grouping.elapse(10.5)
    assert grouping.given == ["a", "b"]
    assert grouping[1].run().elements == ["b1"]


def test_a_group_whose_key_had_to_wait_ends_when_it_was_idle_too():
    grouping = Grouping(most=1, idle=10).request(9).push("a1", "b1", "c1")
    for number in range(3):
        assert grouping.given == ["a", "b", "c"][: number + 1]
        grouping[number].run()
        grouping.elapse(10.1)
        assert grouping[number].down.completed
    assert not grouping.pending


def test_a_group_with_elements_in_hand_does_not_make_the_others_end_late():
    grouping = Grouping(idle=10).request(9).push("a1").elapse(5).push("b1")
    grouping[1].run()
    grouping.elapse(9.9)
    assert not grouping[1].down.completed
    grouping.elapse(0.2)
    assert grouping[1].down.completed
    assert not grouping[0].down.completed


def test_a_group_that_held_elements_for_long_is_idle_from_its_last_one_on():
    grouping = Grouping(idle=10).request(9).push("a1", "a2").elapse(50)
    grouping[0].run(1)
    grouping.elapse(13)
    grouping[0].ask(1)
    grouping.elapse(9.9)
    assert not grouping[0].down.completed
    grouping.elapse(0.2)
    assert grouping[0].down.completed
    assert not grouping.pending


@pytest.mark.parametrize("began", [26.4, 27.3373, 155.7, 411.9, 923.7, 1e7 / 3])
@pytest.mark.parametrize("idle", [1.67, 1 / 3, 2.7, 100.3])
def test_a_group_alone_ends_at_the_very_moment_however_its_time_is_rounded(began, idle):
    grouping = Grouping(idle=idle).elapse(began).request(9).push("a1")
    grouping[0].run()
    grouping.elapse(idle + 1e-5)
    assert grouping[0].down.completed
    assert not grouping.pending


def test_the_group_of_the_overflow_is_not_idle_while_it_gets_elements():
    grouping = Grouping(most=1, on_overflow="divert", idle=10).request(9).push("a1", "b1")
    grouping[0].run(), grouping[1].run()
    grouping.elapse(6).push("a2", "c1").elapse(6)
    assert not grouping[1].down.completed
    assert grouping[1].elements == ["b1", "c1"]
    grouping.elapse(4.1)
    assert grouping[1].down.completed
