# mypy: disable-error-code="var-annotated"
"""Throttle alone: the test says what time it is."""

from fractions import Fraction
from typing import Any

import pytest

from actors_rs.runtime.rate.rate_limit import RateLimit
from actors_rs.stages.failure import OnFailure
from actors_rs.stages.operators.throttle import Throttle
from tests.stages.harness import Alone


def test_throttle_gives_elements_at_even_distances():
    stage = Alone(Throttle(RateLimit(2, per=1, burst=1), None)).request(9).push(1, 2, 3, 4)
    seen = []
    for _ in range(16):
        seen.append(len(stage.down.elements))
        stage.elapse(0.125)
    assert seen == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4]


def test_throttle_lets_a_burst_through_after_a_pause():
    stage = Alone(Throttle(RateLimit(1, burst=3), None)).request(9).push(*range(9))
    assert stage.down.elements == [0, 1, 2]
    assert stage.elapse(2).down.elements == [0, 1, 2, 3, 4]


def test_throttle_charges_what_an_element_costs():
    stage = Alone(Throttle(RateLimit(1, burst=1), len)).request(9).push("a", "four", "", "b")
    assert stage.down.elements == ["a"]
    assert stage.elapse(3.9).down.elements == ["a"]
    assert stage.elapse(0.2).down.elements == ["a", "four", ""]
    assert stage.elapse(1).down.elements == ["a", "four", "", "b"]


def test_what_can_pass_at_once_is_given_in_few_frames_and_each_cost_is_asked_once():
    asked = []

    def cost(n):
        asked.append(n)
        return 2

    stage = Alone(Throttle(RateLimit(1, burst=12), cost), window=64).request(99).push(*range(40))
    assert stage.down.frames == [[0], [1, 2, 3, 4], [5]]
    assert stage.logic.details() == {"waiting": True}
    stage.elapse(4)
    assert stage.down.elements == list(range(8))
    assert asked == list(range(9))


def test_what_another_stream_took_at_the_same_moment_is_waited_for():
    class Shared(RateLimit):
        def level(self, now):
            level = super().level(now)
            super().take(others.pop() if others else 0, now)
            return level

    others = [6, 0]
    stage = Alone(Throttle(Shared(1, burst=10), lambda _: 2), window=64).request(99)
    stage.push(*range(9)).complete()
    assert stage.down.elements == [0, 1]
    assert stage.elapse(2).down.elements == [0, 1, 2]
    assert stage.elapse(12).down.elements == list(range(9))
    assert stage.down.completed


def test_an_element_whose_cost_cannot_be_told_is_passed_over_behind_those_before_it():
    stage = Alone(Throttle(RateLimit(1, burst=4), lambda n: 1 // (n != 2)), window=64)
    stage.logic.on_failure = OnFailure("resume")
    stage.request(99).push(*range(6))
    assert stage.down.elements == [0, 1, 3, 4]
    assert stage.elapse(1).down.elements == [0, 1, 3, 4, 5]
    assert stage.letters == [(2, 2, "resume")]


def test_a_cost_may_be_any_real_number():
    half: Any = Fraction(1, 2)
    stage = Alone(Throttle(RateLimit(1, burst=1), lambda _: half)).request(9)
    assert stage.push("a", "b", "c").down.elements == ["a", "b"]


@pytest.mark.parametrize(
    "cost", [lambda _: -1, lambda _: None, lambda _: float("nan"), lambda x: 1 / x]
)
def test_throttle_fails_at_an_element_whose_cost_makes_no_sense(cost):
    stage = Alone(Throttle(RateLimit(1, burst=9), lambda x: cost(0) if x == 2 else 0))
    stage.request(9).push(0, 1, 2, 3)
    assert stage.down.elements == [0, 1]
    assert stage.down.error.position == 2


def test_throttle_ends_behind_the_element_that_waits():
    stage = Alone(Throttle(RateLimit(1, burst=1), None)).request(9).push(1, 2).complete()
    assert not stage.elapse(0.9).down.ended
    assert stage.elapse(0.2).down.elements == [1, 2]
    assert stage.down.completed


def test_throttle_takes_one_element_more_than_it_gives_at_most():
    stage = Alone(Throttle(RateLimit(1, burst=1), None), window=4).request(9).push(1, 2, 3, 4)
    assert stage.logic.inlet.count == 2
    assert stage.logic.details() == {"waiting": True}


def test_streams_that_share_a_limit_are_served_in_turn():
    limit = RateLimit(1, burst=1)
    one, two = (Alone(Throttle(limit, None)).request(9).push(1, 2, 3) for _ in "ab")
    for _ in range(4):
        one.elapse(1)
        two.elapse(1)
    assert len(one.down.elements) + len(two.down.elements) == 5
    assert abs(len(one.down.elements) - len(two.down.elements)) == 1


def test_a_change_of_the_rate_is_heard_by_those_that_wait():
    limit = RateLimit(1, per=1000, burst=1)
    stage = Alone(Throttle(limit, None)).request(9).push(1, 2, 3).elapse(100)
    assert stage.down.elements == [1]
    limit.change(1, per=1)
    stage.turn().elapse(0.95)
    assert stage.down.elements == [1, 2]
    assert stage.elapse(1).down.elements == [1, 2, 3]


def test_a_change_of_the_rate_counts_from_then_on_if_nobody_waits():
    limit = RateLimit(1000, burst=500)
    stage = Alone(Throttle(limit, None), window=1024).request(1000).push(*range(500))
    assert len(stage.down.elements) == 500
    limit.change(10)
    stage.turn().elapse(1)
    assert len(stage.push(*range(500)).down.elements) == 510


def test_a_cancelled_stream_gives_its_place_to_those_behind():
    limit = RateLimit(1, burst=1)
    one = Alone(Throttle(limit, lambda _: 100)).request(9).push(1, 2)
    two = Alone(Throttle(limit, None)).request(9).push(1)
    assert two.down.elements == []
    one.cancel().drop()
    assert two.turn().elapse(1.1).down.elements == [1]
    two.complete().drop()
    assert len(limit._listeners) == limit.waiting == 0


def test_each_of_many_that_wait_has_one_message_however_many_others_leave():
    limit = RateLimit(1, per=1000, burst=1)
    stages = [Alone(Throttle(limit, None)).request(9).push(1, 2) for _ in range(50)]
    for stage in stages[:-1]:
        stage.cancel().drop()
    assert max(len(stage.posted) for stage in stages) == 1
    limit.change(1, per=1)
    last = stages[-1].turn()
    assert not last.posted
    assert last.elapse(2).down.elements == [1, 2]


def test_a_rate_that_changes_while_a_stage_looks_is_another_message():
    class Changing(RateLimit):
        def take(self, most, now):
            taken = super().take(most, now)
            if changes:
                self.change(changes.pop())
            return taken

    changes: list[float] = []
    limit = Changing(1000, burst=500)
    stage = Alone(Throttle(limit, None), window=1024).request(1000).push(*range(500))
    changes += [10]
    limit.change(2000)
    stage.turn().elapse(1)
    assert len(stage.push(*range(500)).down.elements) == 510
