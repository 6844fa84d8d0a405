# mypy: disable-error-code="attr-defined, var-annotated"
"""The logic of ``group_by`` alone: groups that come, are claimed, held back, evicted and stuck."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from actors_rs.errors import Stalled, TooManyGroupsError
from actors_rs.stages.inner.groups import OVERFLOW
from tests.stages.grouping import Grouping


def test_nothing_is_asked_for_before_downstream_asks():
    grouping = Grouping()
    assert grouping.up.requested == 0
    grouping.request(1)
    assert grouping.up.requested == 16


def test_a_group_is_given_with_its_first_element_and_as_it_is_asked_for():
    grouping = Grouping().request(1).push("a1", "b1", "a2")
    assert grouping.given == ["a"]
    grouping[0].run()
    assert grouping[0].elements == ["a1", "a2"]
    assert grouping[1].elements == []
    grouping.request(5)
    assert grouping.given == ["a", "b"]
    grouping[1].run()
    assert grouping[1].elements == ["b1"]


def test_a_group_gets_no_more_than_it_asked_for_and_the_rest_later():
    grouping = Grouping().request(5).push("a1", "a2", "b1", "a3", "a4")
    grouping[0].run(2)
    grouping[1].run()
    assert grouping[0].elements == ["a1", "a2"]
    grouping[0].ask(1)
    assert grouping[0].elements == ["a1", "a2", "a3"]
    grouping.push("a5")
    grouping[0].ask(9)
    assert grouping[0].elements == ["a1", "a2", "a3", "a4", "a5"]
    assert grouping[1].elements == ["b1"]


def test_a_slow_group_holds_up_the_others_only_when_a_window_of_elements_is_held():
    grouping = Grouping(window=4).request(5).push("a1", "b1")
    grouping[1].run()
    grouping.push("a2", "a3", "b2")
    assert grouping[1].elements == ["b1", "b2"]
    grouping.push("b3", "a4")
    assert grouping[1].elements == ["b1", "b2", "b3"]
    grouping.push("b4")
    assert grouping[1].elements == ["b1", "b2", "b3"], "four are held for a"
    grouping[0].run(1)
    grouping.turn()  # room for one element: whoever makes more of it goes first
    assert grouping[1].elements == ["b1", "b2", "b3", "b4"]


@pytest.mark.parametrize("size", [1, 3, 8])
def test_no_more_than_a_window_is_held_and_another_one_waits(size):
    grouping = Grouping(window=8).request(5)
    sent = 0
    while asked := min(size, grouping.up.requested - sent):
        grouping.push(*["a"] * asked)
        sent += asked
        assert grouping.logic.details()["held"] <= 8
    assert sent == 16


def test_all_groups_complete_behind_what_is_held_for_them():
    grouping = Grouping().request(5).push("a1", "b1").complete()
    grouping[0].run()
    assert not grouping.down.completed, "it must hear if nobody wants the other one"
    grouping[1].run()
    assert grouping.down.completed
    assert grouping[0].elements == ["a1"]
    assert grouping[0].down.completed
    assert grouping[1].down.completed
    assert grouping.logic.finished


def test_a_failure_of_upstream_comes_behind_the_elements_in_each_group():
    error = KeyError("up")
    grouping = Grouping().request(5).push("a1", "b1")
    grouping[0].run()
    grouping.fail(error)
    assert grouping[0].down.error is error
    assert grouping[1].down.error is None
    grouping[1].run()
    assert grouping.down.error is error
    assert grouping[1].elements == ["b1"]
    assert grouping[1].down.error is error
    assert grouping.logic.finished


def test_what_comes_for_a_cancelled_group_opens_another_one_which_gets_what_it_held_first():
    grouping = Grouping().request(9).push("a1", "b1", "a2", "a3")
    grouping[0].run(2).cancel()
    assert grouping.given == ["a", "b", "a"]
    grouping.push("a4")
    assert grouping[2].run().elements == ["a3", "a4"]
    assert grouping.logic.details()["dropped"] == 0


def test_a_group_that_is_cut_short_behind_the_end_of_upstream_opens_another_one_too():
    grouping = Grouping().request(9).push("a1", "a2", "a3").complete()
    grouping[0].run(2).cancel()
    assert not grouping.down.completed
    assert grouping[1].run(1).elements == ["a3"]
    assert grouping[1].down.completed
    assert grouping.down.completed
    assert grouping.logic.finished


def test_a_group_that_was_dropped_unused_is_cancelled_and_what_it_held_is_counted():
    grouping = Grouping().request(9).push("a1", "a2", "b1")
    grouping[0].drop()
    assert grouping.logic.details()["dropped"] == 2
    grouping.push("a3")
    assert grouping.given == ["a", "b", "a"], "whoever gets the next one may run it"


def test_with_drop_what_comes_for_a_cancelled_group_is_dropped_and_it_is_not_opened_again():
    grouping = Grouping(drops=True).request(5).push("a1", "b1")
    grouping[0].run().cancel()
    grouping.push("a2", "b2", "a3")
    assert grouping.given == ["a", "b"]
    assert grouping.logic.details()["dropped"] == 2


def test_upstream_is_cancelled_when_downstream_and_all_groups_are():
    grouping = Grouping().request(5).push("a1", "b1")
    grouping[0].run()
    grouping.cancel()
    assert not grouping.up.cancelled
    grouping.push("c1", "a2")
    assert grouping[0].elements == ["a1", "a2"]
    grouping[0].cancel()
    grouping[1].cancel()
    assert grouping.up.cancelled
    assert grouping.logic.finished


def test_groups_that_downstream_did_not_take_are_no_more_when_it_has_left():
    grouping = Grouping().request(1).push("a1", "b1")
    assert grouping.given == ["a"]
    grouping[0].run()
    grouping.cancel()
    grouping[0].cancel()
    assert grouping.up.cancelled
    assert grouping.logic.finished


def test_groups_that_were_dropped_unused_hold_up_nobody_when_downstream_has_left():
    grouping = Grouping(window=2).request(5).push("a1", "b1")
    grouping[0].run()
    grouping.cancel().push("b2")
    grouping.push("a2")
    assert grouping[0].elements == ["a1"], "two elements are held for b"
    grouping[1].drop()
    grouping.turn()
    assert grouping[0].elements == ["a1", "a2"]
    grouping[0].cancel()
    assert grouping.logic.finished


def test_a_failure_downstream_ends_upstream_and_all_groups_with_it():
    grouping = Grouping().request(5).push("a1")
    grouping[0].run()
    error = KeyError("down")
    grouping.cancel(cause=error)
    assert grouping.up.cause is error
    assert grouping[0].down.error is error
    assert grouping.logic.finished


def test_a_key_that_raises_fails_all_behind_the_elements_before():
    grouping = Grouping().request(5).push("a1", "")
    assert grouping.down.error is not None
    assert isinstance(grouping.down.error.__cause__, IndexError)
    assert grouping.down.error.position == 1
    assert grouping.up.cancelled


# Beyond max_groups


def test_with_backpressure_a_key_waits_until_a_group_ends():
    grouping = Grouping(most=1).request(5).push("a1", "b1", "a2")
    grouping[0].run()
    assert grouping.given == ["a"]
    assert grouping[0].elements == ["a1", "a2"]
    assert grouping.logic.details()["held"] == 1
    grouping[0].cancel()
    assert grouping.given == ["a", "b"]
    assert grouping[1].run().elements == ["b1"]
    assert grouping.logic.details()["held"] == 0


def test_with_backpressure_a_waiting_key_gets_its_group_behind_the_end_of_upstream():
    grouping = Grouping(most=1).request(5).push("a1", "b1", "c1", "b2").complete()
    grouping[0].run()
    assert grouping[0].down.completed
    assert grouping.given[:2] == ["a", "b"]
    grouping[1].run()
    assert grouping[1].elements == ["b1", "b2"]
    grouping[2].run()
    assert grouping.down.completed
    assert grouping.logic.finished


def test_with_evict_idle_the_group_that_was_used_longest_ago_makes_room():
    grouping = Grouping(most=2, on_overflow="evict_idle").request(9)
    for element in ("a1", "b1", "a2", "c1", "b2"):
        grouping.push(element)
    assert grouping.given == ["a", "b", "c", "b"]
    streams = [grouping[i].run() for i in range(4)]
    assert [stream.elements for stream in streams] == [["a1", "a2"], ["b1"], ["c1"], ["b2"]]
    assert [stream.down.completed for stream in streams] == [True, True, False, False]


def test_with_fail_the_elements_before_are_delivered_and_the_key_is_named():
    grouping = Grouping(most=1, on_overflow="fail").request(5).push("a1")
    grouping[0].run()
    grouping.push("a2", "b1")
    assert grouping[0].elements == ["a1", "a2"]
    error = grouping.down.error.__cause__
    assert isinstance(error, TooManyGroupsError)
    assert "key 'b' came while 1 groups were open" in str(error)
    assert grouping.up.cancelled


def test_with_divert_all_other_keys_go_to_one_group():
    grouping = Grouping(most=1, on_overflow="divert").request(5).push("a1", "b1", "c1", "a2", "b2")
    assert grouping.given == ["a", OVERFLOW]
    assert grouping[0].run().elements == ["a1", "a2"]
    assert sorted(grouping[1].run().elements) == ["b1", "b2", "c1"]


def test_a_cancelled_group_of_the_overflow_makes_no_room():
    grouping = Grouping(most=1, on_overflow="divert", drops=True).request(9).push("a1", "b1")
    grouping[0].run(), grouping[1].run().cancel()
    grouping.push("c1", "b2").push("d1")
    assert grouping.given == ["a", OVERFLOW]
    assert grouping.logic.details()["dropped"] == 3
    grouping[0].cancel()
    grouping.push("d2")
    assert grouping.given == ["a", OVERFLOW, "d"], "its place is free"


def test_a_new_key_costs_no_look_at_each_group_that_is_open():
    looks = []

    class Watched(dict):
        def items(self):
            looks.append(len(self))
            return super().items()

        def values(self):
            looks.append(len(self))
            return super().values()

    grouping = Grouping(most=3, on_overflow="divert").request(9).push("a1", "b1", "c1")
    groups = grouping.logic._groups
    groups.open = Watched(groups.open)
    grouping.push("d1", "e1", "f1", "g1")
    assert grouping.given == ["a", "b", "c", OVERFLOW]
    assert looks == []


def test_the_cancelled_group_that_was_used_longest_ago_makes_room_first():
    grouping = Grouping(most=2, on_overflow="evict_idle", drops=True).request(9).push("a1", "b1")
    grouping[0].run().cancel(), grouping[1].run().cancel()
    grouping.push("a2").push("c1").push("a3")
    assert grouping.given == ["a", "b", "c"]
    grouping.push("b2")
    assert grouping.given == ["a", "b", "c", "b"]
    assert not grouping[2].down.ended, "the place of a cancelled group is taken first"


def test_groups_may_be_looked_at_from_elsewhere_while_others_are_opened():
    grouping = Grouping().request(9).push("a1", "b1")
    seen = iter(grouping.logic._groups)
    first = next(seen)
    grouping.push("c1")
    assert [group.key for group in (first, *seen)] == ["a", "b"]


# Standing still


def test_a_group_that_nobody_runs_fails_the_stage_when_it_holds_up_the_others():
    grouping = Grouping(stall=5, window=4).request(9).push("a1", "b1", "b2", "b3")
    grouping[0].run()
    grouping.push("b4")
    assert grouping.down.error is None
    grouping.stand_still()
    error = grouping.down.error.__cause__
    assert isinstance(error, Stalled)
    assert "'by letter' has stood still: nobody runs the streams of groups 'b'" in str(error)
    assert grouping.up.cancelled


def test_a_group_that_nobody_runs_fails_the_stage_behind_the_end_of_upstream():
    grouping = Grouping(stall=5).request(9).push("a1").complete().stand_still()
    assert isinstance(grouping.down.error.__cause__, Stalled)


def test_a_group_that_is_run_but_asks_for_nothing_is_nobodys_fault():
    grouping = Grouping(stall=5, window=4).request(9).push("a1", "a2", "a3", "a4")
    grouping[0].run(1)
    grouping.push("a5").stand_still()
    assert grouping.down.error is None


def test_keys_that_wait_for_room_that_never_comes_fail_the_stage():
    grouping = Grouping(most=1, stall=5, window=4).request(9).push("a1")
    grouping[0].run()
    grouping.push("b1", "c1", "b2").push("b3").stand_still()
    error = grouping.down.error.__cause__
    assert isinstance(error, Stalled)
    assert "max_groups=1 groups are open, none of them ends" in str(error)
    assert "'b', 'c'" in str(error)


def test_groups_that_nobody_runs_behind_a_downstream_that_has_left_are_let_go():
    grouping = Grouping(stall=5).request(9).push("a1", "b1")
    grouping.reports = []
    grouping[0].run()
    grouping.cancel().complete().stand_still()
    assert grouping.reports == [("b", "1 elements of a group that nobody runs")]
    assert grouping[0].down.completed
    assert grouping.logic.finished
    grouping.drop()
    assert not grouping.pending


@pytest.mark.parametrize("stall", [None, 5])
def test_no_alarm_is_set_while_all_groups_keep_up(stall):
    grouping = Grouping(stall=stall).request(9).push("a1", "b1")
    grouping[0].run(), grouping[1].run()
    for _ in range(5):
        grouping.push("a2", "b2")
    assert not grouping.pending


def idle_longest_first(keys, most):
    """The groups of ``keys`` in the order of their beginnings, where the one idle longest ends."""
    groups, opened = [], {}
    for at, key in enumerate(keys):
        if key not in opened and len(opened) == most:
            del opened[next(iter(opened))]
        opened[key] = group = opened.pop(key, None) or []
        if not group:
            groups.append(group)
        group.append(f"{key}{at}")
    return groups


@given(
    keys=st.text("abcd", min_size=1, max_size=40),
    most=st.integers(1, 3),
    cuts=st.lists(st.integers(1, 40), max_size=4),
)
@example(keys="aabacada", most=2, cuts=[1])
@example(keys="abbac", most=2, cuts=[2])
@example(keys="abca", most=2, cuts=[2])
def test_the_group_idle_longest_makes_room_whatever_comes_in_one_frame(keys, most, cuts):
    grouping = Grouping(most, "evict_idle", window=64).request(64)
    elements = [f"{key}{at}" for at, key in enumerate(keys)]
    places = sorted({0, *cuts, len(elements)})
    for begin, end in pairwise(places):
        if elements[begin:end]:
            grouping.push(*elements[begin:end])
    grouping.complete()
    for stream in grouping.streams:
        stream.run()
    assert [stream.elements for stream in grouping.streams] == idle_longest_first(keys, most)
