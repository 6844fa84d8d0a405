# mypy: disable-error-code="var-annotated,arg-type"
"""Errors in the stages that deal with them, alone: recovered from, mapped, retried."""

import gc
import weakref
from dataclasses import dataclass
from functools import partial

import pytest

from actors_rs.errors import StageError
from actors_rs.runtime.rate.rate_limit import RateLimit
from actors_rs.stages.calls.fallback import Fallback
from actors_rs.stages.calls.retries import Retries
from actors_rs.stages.junctions.concat import Concat
from actors_rs.stages.operators.map_async import MapAsync
from actors_rs.stages.operators.map_error import MapError
from actors_rs.stages.operators.recover import Recover
from actors_rs.stages.operators.recover_with import RecoverWith
from tests.stages.harness import Alone, Upstream

ERROR = KeyError("upstream")


def once_again(error):
    raise error


# recover and map_error


@pytest.mark.parametrize("make", [lambda: Recover(repr), lambda: MapError(repr)])
def test_a_stream_that_completes_is_left_as_it_is(make):
    stage = Alone(make()).request(9).push(1, 2).complete()
    assert (stage.down.elements, stage.down.completed, stage.recoveries) == ([1, 2], True, [])


def test_recover_gives_a_last_element_and_the_run_has_not_failed():
    stage = Alone(Recover(repr)).request(9).push(1, 2).fail(ERROR)
    assert (stage.down.elements, stage.down.completed) == ([1, 2, repr(ERROR)], True)
    assert stage.recoveries == [ERROR]


def test_the_last_element_waits_for_demand_and_is_made_once():
    made = []
    stage = Alone(Recover(made.append)).request(1).push(1).fail(ERROR).turn().turn()
    assert (stage.down.elements, stage.down.ended, made) == ([1], False, [ERROR])
    stage.request(1)
    assert (stage.down.elements, stage.down.completed, made) == ([1, None], True, [ERROR])


def test_an_error_that_recover_raises_again_goes_on_as_it_was():
    stage = Alone(Recover(once_again)).request(1).fail(ERROR)
    assert (stage.down.error, stage.recoveries) == (ERROR, [])


def test_a_failure_of_recover_itself_is_one():
    stage = Alone(Recover(lambda _: 1 / 0)).request(1).fail(ERROR)
    assert isinstance(stage.down.error, StageError)
    assert isinstance(stage.down.error.__cause__, ZeroDivisionError)
    assert stage.recoveries == []


@pytest.mark.parametrize("make", [Recover, MapError])
def test_nothing_is_called_for_one_who_has_cancelled_or_an_exit(make):
    called = []
    stage = Alone(make(called.append)).request(1).push(1, 2).cancel().fail(ERROR)
    assert (stage.logic.finished, called) == (True, [])
    leaving = SystemExit(3)
    assert Alone(make(called.append)).request(1).fail(leaving).down.error is leaving
    assert called == []


def test_map_error_replaces_the_error_and_names_the_first_as_its_cause():
    other = ValueError("mapped")
    stage = Alone(MapError(lambda _: other)).request(9).push(1).fail(ERROR)
    assert (stage.down.elements, stage.down.error, other.__cause__) == ([1], other, ERROR)
    assert stage.recoveries == [ERROR]


@dataclass(frozen=True)
class FrozenError(Exception):
    """It refuses attributes."""

    code: int


def test_the_cause_of_an_error_that_refuses_attributes_is_named_too():
    stage = Alone(MapError(lambda _: FrozenError(3))).request(9).fail(ERROR)
    assert stage.down.error == FrozenError(3)
    assert stage.down.error.__cause__ is ERROR


def test_an_error_that_is_given_in_each_run_has_the_cause_of_that_run():
    shared = FrozenError(3)
    for error in (KeyError("first"), KeyError("second")):
        stage = Alone(MapError(lambda _: shared)).request(9).fail(error)
        assert stage.down.error is shared
        assert shared.__cause__ is error


def test_a_cause_that_the_user_has_named_stays():
    other, why = ValueError("mapped"), KeyError("mine")
    other.__cause__ = why
    for _ in range(2):
        assert Alone(MapError(lambda _: other)).request(9).fail(ERROR).down.error is other
        assert other.__cause__ is why


def test_map_error_may_leave_the_error_as_it_is():
    stage = Alone(MapError(lambda error: error)).request(9).fail(ERROR)
    assert (stage.down.error, stage.recoveries) == (ERROR, [])


@pytest.mark.parametrize("f", [lambda _: "text", lambda _: 1 / 0])
def test_map_error_fails_when_it_gives_no_error(f):
    error = Alone(MapError(f)).request(9).fail(ERROR).down.error
    assert isinstance(error, StageError)
    assert isinstance(error.__cause__, TypeError | ZeroDivisionError)


# The decision of retry


def test_there_are_as_many_attempts_as_were_given():
    retries = Retries(lambda n: n * 10.0, 3, None, None)
    assert [retries.again_in(n, ERROR, 0.0) for n in (1, 2, 3)] == [10.0, 20.0, None]
    assert retries.made == 2


def test_only_errors_that_are_worth_it_are_retried():
    retries = Retries(float, 9, None, lambda error: isinstance(error, OSError))
    assert retries.again_in(1, OSError(), 0.0) == 1.0
    assert retries.again_in(1, ERROR, 0.0) is None
    assert Retries(float, 9, None, None).again_in(1, SystemExit(), 0.0) is None


def test_a_budget_bounds_the_retries_of_all():
    budget = RateLimit(1, per=10, burst=2)
    one, other = (Retries(float, 9, budget, None) for _ in "ab")
    assert one.again_in(1, ERROR, 0.0) == 1.0
    assert other.again_in(1, ERROR, 0.0) == 1.0
    assert one.again_in(1, ERROR, 0.0) is None
    assert (one.made, one.refused, other.refused) == (1, 1, 0)
    assert one.again_in(1, ERROR, 10.0) == 1.0


# retry in map_async


class Flaky:
    """Fails ``times`` times for each element."""

    def __init__(self, times):
        self.times, self.calls = times, {}

    def __call__(self, x):
        self.calls[x] = self.calls.get(x, 0) + 1
        if self.calls[x] <= self.times.get(x, 0):
            raise OSError(f"{x} failed")
        return -x


def calling(f, parallelism=2, ordered=True, **options):
    logic = MapAsync(f, parallelism, ordered, None)
    settings = {"max_attempts": 3, "budget": None, "when": None, **options}
    logic.retries = Retries(lambda _: 5.0, **settings)
    return Alone(logic).request(99)


def work(stage):
    """Run the jobs that the stage has handed out, as threads would."""
    while stage.jobs:
        stage.jobs.pop(0)()
        stage.turn()
    return stage


def test_a_call_that_fails_is_made_again_after_its_wait():
    stage = work(calling(f := Flaky({1: 2})).push(1))
    assert (f.calls, stage.down.elements) == ({1: 1}, [])
    work(stage.elapse(4.9))
    assert f.calls == {1: 1}
    work(stage.elapse(0.2))
    assert f.calls == {1: 2}
    work(stage.elapse(5)).complete()
    assert (stage.down.elements, stage.down.completed) == ([-1], True)
    assert stage.logic.details()["retried"] == 2


def test_a_call_that_rests_holds_no_place_among_the_parallel_ones():
    stage = work(calling(f := Flaky({1: 1}), parallelism=1, ordered=False).push(1, 2))
    assert (f.calls, stage.down.elements) == ({1: 1, 2: 1}, [-2])
    assert stage.logic.details()["under_way"] == 0
    assert work(stage.elapse(5)).down.elements == [-2, -1]


def test_the_order_is_kept_across_retries():
    stage = work(calling(Flaky({1: 1})).push(1, 2))
    assert stage.down.elements == []
    assert work(stage.elapse(5)).down.elements == [-1, -2]


def test_the_last_failure_is_the_stages_and_says_how_often_it_was_tried():
    stage = calling(f := Flaky({2: 9})).push(1, 2)
    for _ in range(3):
        work(stage).elapse(5)
    assert f.calls == {1: 1, 2: 3}
    assert stage.down.elements == [-1]
    assert stage.down.error.position == 1
    assert stage.down.error.__cause__.__notes__ == ["that was call 3 of 3"]


def test_a_fallback_is_called_in_a_turn_after_the_last_call_and_keeps_the_order():
    called = []
    stage = calling(f := Flaky({1: 9})).push(1, 2)

    def fallback(x, error):
        called.append(f.calls[x])
        return str(error)

    stage.logic.fallback = Fallback(fallback)
    for _ in range(2):
        work(stage).elapse(5)
    while stage.jobs:
        stage.jobs.pop(0)()
    assert (f.calls, called, stage.down.elements) == ({1: 3, 2: 1}, [], [])
    stage.turn()
    assert (called, stage.down.elements) == ([3], ["1 failed", -2])


def test_the_stream_does_not_complete_while_a_call_rests():
    stage = work(calling(Flaky({1: 1})).push(1)).complete()
    assert not stage.down.ended
    assert work(stage.elapse(5)).down.completed


def test_no_call_is_made_behind_a_cancellation_and_no_timer_is_left():
    stage = work(calling(f := Flaky({1: 1})).push(1)).cancel().drop()
    assert stage.pending == []
    work(stage.elapse(9))
    assert f.calls == {1: 1}


def test_calls_that_rest_are_bounded():
    stage = calling(Flaky(dict.fromkeys(range(16), 9)), parallelism=2, ordered=False)
    work(stage.push(*range(16)))
    assert stage.logic.inlet.count == 4
    assert len(stage.pending) == 4


# Streams that follow each other


class Hosted(Alone):
    """It has streams, each of which ends in the turn behind its beginning."""

    def __init__(self, logic, end_with=None):
        self.end_with, self.begun = end_with, []
        super().__init__(logic)

    def attach(self, source, inlet):
        up = Upstream()
        inlet.connect(up)
        self.begun.append(weakref.ref(up))
        self.post(partial(inlet.complete, self.end_with))


@pytest.mark.parametrize(
    ("logic", "error"),
    [
        (lambda: Concat([object() for _ in range(50)]), None),
        (lambda: RecoverWith(lambda _: object(), 50), ERROR),
    ],
    ids=["concat", "recover_with"],
)
def test_streams_that_were_gone_through_are_not_kept(logic, error):
    stage = Hosted(logic(), error).request(9)
    if error is not None:
        stage.fail(error)
    for _ in range(48):
        stage.turn()
    gc.collect()
    assert len(stage.begun) >= 48
    assert sum(up() is not None for up in stage.begun) <= 2
