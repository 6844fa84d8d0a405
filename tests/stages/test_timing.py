# mypy: disable-error-code="var-annotated"
"""Timed stages alone: the test says what time it is, and nothing sleeps."""

import pytest

from actors_rs.errors import StageError, StreamTimeoutError
from actors_rs.runtime.rate.rate_limit import RateLimit
from actors_rs.stages.operators.backpressure_timeout import BackpressureTimeout
from actors_rs.stages.operators.completion_timeout import CompletionTimeout
from actors_rs.stages.operators.debounce import Debounce
from actors_rs.stages.operators.delay import Delay
from actors_rs.stages.operators.idle_timeout import IdleTimeout
from actors_rs.stages.operators.initial_timeout import InitialTimeout
from actors_rs.stages.operators.keep_alive import KeepAlive
from actors_rs.stages.operators.sample import Sample
from actors_rs.stages.operators.skip_within import SkipWithin
from actors_rs.stages.operators.take_within import TakeWithin
from actors_rs.stages.operators.throttle import Throttle
from actors_rs.stages.sources.tick import Tick
from actors_rs.stages.sources.timer import TimerSource
from tests.stages.harness import Alone

TIMED = {
    "backpressure_timeout": lambda: BackpressureTimeout(3),
    "completion_timeout": lambda: CompletionTimeout(3),
    "debounce": lambda: Debounce(3),
    "delay": lambda: Delay(3),
    "idle_timeout": lambda: IdleTimeout(3),
    "initial_timeout": lambda: InitialTimeout(3),
    "keep_alive": lambda: KeepAlive(3, "?"),
    "sample": lambda: Sample(3),
    "skip_within": lambda: SkipWithin(3),
    "take_within": lambda: TakeWithin(3),
    "throttle": lambda: Throttle(RateLimit(1, 3), None),
}
every_operator = pytest.mark.parametrize("make", TIMED.values(), ids=TIMED.keys())
TIMEOUTS = {name: make for name, make in TIMED.items() if name.endswith("_timeout")}
every_timeout = pytest.mark.parametrize("make", TIMEOUTS.values(), ids=TIMEOUTS.keys())


@every_operator
def test_nothing_is_requested_before_there_is_demand(make):
    stage = Alone(make())
    assert stage.up.requests == []
    assert stage.request(1).up.requests == ([1] if stage.logic.passes_demand else [16])


@every_operator
def test_a_stage_that_looks_on_asks_for_what_downstream_asks_for_up_to_its_window(make):
    stage = Alone(make())
    if not stage.logic.passes_demand:
        pytest.skip("elements wait in its inlet, or are dropped there")
    assert stage.request(2).request(3).up.requests == [2, 3]
    stage.push(1, 2)
    not_given = stage.up.requested - 5  # skipped
    assert not_given == 2 - len(stage.down.elements)
    assert stage.request(10**6).up.requested == 16 + 2


@every_operator
@pytest.mark.parametrize("ask", [1, 100])
@pytest.mark.parametrize(
    "end", [Alone.complete, Alone.cancel, lambda stage: stage.fail(KeyError(1))]
)
def test_no_timer_outlives_the_stage_however_it_ended(make, ask, end):
    stage = Alone(make()).request(ask).push(1, 2, 3)
    end(stage)
    if not stage.logic.finished:
        stage.request(100).elapse(30)
    assert stage.drop().pending == []


@every_operator
def test_a_ring_that_lies_in_the_mailbox_while_the_stage_ends_changes_nothing(make):
    stage = Alone(make()).request(1).push(1, 2, 3)
    late = stage.pending
    stage.cancel()
    for timer in late:
        timer.fired = True
        stage.turn(timer.action)
    assert stage.drop().pending == []


@every_operator
def test_a_cancellation_reaches_upstream_at_once_and_with_its_cause(make):
    cause = ValueError("downstream")
    stage = Alone(make()).request(2).push(1, 2).cancel(cause=cause)
    assert (stage.up.cancelled, stage.up.cause) == (True, cause)
    assert stage.logic.finished


# Passing on


def test_delay_gives_each_element_when_its_time_has_come_in_order():
    stage = Alone(Delay(3)).request(9).push(1, 2).elapse(1).push(3).elapse(1.9)
    assert stage.down.elements == []
    assert stage.elapse(0.2).down.elements == [1, 2]
    assert stage.elapse(1).down.elements == [1, 2, 3]


def test_delay_ends_behind_its_last_element_and_at_once_without_any():
    stage = Alone(Delay(3)).request(9).push(1).elapse(1).complete()
    assert not stage.elapse(1.9).down.ended
    assert stage.elapse(0.2).down.completed
    assert Alone(Delay(3)).request(9).complete().down.completed


def test_delay_fails_behind_the_elements_that_came_before():
    stage = Alone(Delay(3)).request(9).push(1).fail(KeyError(1)).elapse(3)
    assert stage.down.elements == [1]
    assert isinstance(stage.down.error, KeyError)


def test_delay_holds_no_more_than_a_window_and_keeps_to_demand():
    stage = Alone(Delay(3), window=4).request(2).push(1, 2, 3, 4).elapse(2)
    assert stage.up.requested == 4
    assert stage.elapse(5).down.elements == [1, 2]
    assert stage.request(9).down.elements == [1, 2, 3, 4]


def test_take_within_gives_what_came_in_time_and_cancels_then():
    stage = Alone(TakeWithin(3)).request(2).push(1).elapse(2).push(2, 3).elapse(1.5)
    assert stage.up.cancelled
    assert stage.down.elements == [1, 2]
    assert not stage.down.ended, "what came in time is owed"
    stage.push(4)
    assert stage.request(5).down.elements == [1, 2, 3]
    assert stage.down.completed


@pytest.mark.parametrize("error", [None, OSError("upstream")])
def test_take_within_ends_as_upstream_did_if_that_was_in_time(error):
    stage = Alone(TakeWithin(3)).request(1).push(1, 2)
    stage = stage.complete() if error is None else stage.fail(error)
    stage.elapse(5)
    assert not stage.down.ended, "what came in time is owed"
    assert stage.request(5).down.elements == [1, 2]
    assert (stage.down.completed, stage.down.error) == (error is None, error)


def test_take_within_completes_when_the_time_is_up_and_nothing_waits():
    assert Alone(TakeWithin(3)).elapse(3).down.completed
    assert Alone(TakeWithin(3)).request(5).push(1).complete().down.completed


def test_skip_within_drops_what_comes_too_early():
    stage = Alone(SkipWithin(3)).request(5).push(1, 2).elapse(2.9).push(3).elapse(0.2).push(4, 5)
    assert stage.down.elements == [4, 5]
    assert stage.logic.details() == {"skipped": 3}


def test_skip_within_asks_for_more_than_its_window_while_it_drops():
    stage = Alone(SkipWithin(3), window=4).request(4)
    for _ in range(5):
        stage.push(1, 2, 3, 4)
    assert stage.complete().down.completed
    assert stage.up.requested > 16


def test_keep_alive_fills_each_silence_once_per_interval():
    stage = Alone(KeepAlive(2, "?")).request(9).push(1).elapse(5)
    assert stage.down.elements == [1, "?", "?"]
    stage.push(2).elapse(1.5).push(3).elapse(1.5)
    assert stage.down.elements == [1, "?", "?", 2, 3]
    assert stage.elapse(0.6).down.elements[-1] == "?"
    assert stage.logic.details() == {"added": 3}


def test_keep_alive_gives_one_value_for_a_silence_in_which_nobody_asked():
    stage = Alone(KeepAlive(2, "?")).request(1).push(1).elapse(20)
    assert stage.down.elements == [1]
    assert stage.request(5).down.elements == [1, "?"]
    assert stage.elapse(2).down.elements == [1, "?", "?"]


def test_keep_alive_adds_nothing_behind_the_end():
    stage = Alone(KeepAlive(2, "?")).request(9).push(1).complete().elapse(20)
    assert (stage.down.elements, stage.down.completed) == ([1], True)


# Dropping


def test_debounce_gives_an_element_after_silence_and_drops_the_others():
    stage = Alone(Debounce(3)).request(9).push(1, 2).elapse(2).push(3).elapse(2.9)
    assert stage.down.elements == []
    assert stage.elapse(0.2).down.elements == [3]
    assert stage.push(4).elapse(3).down.elements == [3, 4]
    assert stage.logic.details() == {"dropped": 2}


@pytest.mark.parametrize("make", [lambda: Debounce(3), lambda: Sample(3)])
def test_what_is_held_at_the_end_is_given_before_it(make):
    assert Alone(make()).request(9).push(1, 2).complete().down.elements == [2]
    stage = Alone(make()).request(9).push(1, 2).fail(KeyError(1))
    assert stage.down.elements == [2]
    assert isinstance(stage.down.error, KeyError)


@pytest.mark.parametrize("make", [lambda: Debounce(3), lambda: Sample(3)])
def test_what_is_held_at_the_end_waits_for_demand(make):
    stage = Alone(make()).request(1).push(1).elapse(3).push(2).complete().elapse(9)
    assert (stage.down.elements, stage.down.ended) == ([1], False)
    assert stage.request(1).down.elements == [1, 2]
    assert stage.down.completed


@pytest.mark.parametrize("make", [lambda: Debounce(3), lambda: Sample(3)])
def test_while_nobody_asks_a_newer_element_replaces_the_older(make):
    stage = Alone(make()).request(1).push(1).elapse(3).push(2).elapse(9).push(3)
    assert stage.down.elements == [1]
    assert stage.request(1).elapse(3).down.elements == [1, 3]
    assert stage.logic.details() == {"dropped": 1}


def test_sample_gives_the_newest_at_each_tick_and_nothing_twice():
    stage = Alone(Sample(3)).request(9).elapse(1).push(1, 2).elapse(2)
    assert stage.down.elements == [2]
    stage.elapse(3).push(3).elapse(1)
    assert stage.down.elements == [2]
    assert stage.push(4).elapse(2).down.elements == [2, 4]


# Timeouts


def failure_of(stage):
    error = stage.down.error
    assert isinstance(error, StageError)
    assert isinstance(error.__cause__, StreamTimeoutError)
    return error.__cause__


@every_timeout
def test_a_timeout_passes_everything_on_and_the_end(make):
    stage = Alone(make()).request(2).push(1, 2).request(9).push(3).complete()
    assert (stage.down.elements, stage.down.completed) == ([1, 2, 3], True)
    failed = Alone(make()).request(2).push(1).fail(KeyError(1))
    assert failed.down.elements == [1]
    assert isinstance(failed.down.error, KeyError)


@pytest.mark.parametrize("kind", ["initial_timeout", "idle_timeout", "completion_timeout"])
def test_a_silent_upstream_is_cancelled_and_downstream_told(kind):
    stage = Alone(TIMED[kind]()).request(1).elapse(2.9)
    assert not stage.down.ended
    error = failure_of(stage.elapse(0.2))
    assert isinstance(error, TimeoutError)
    assert (kind in str(error), "'alone'" in str(error)) == (True, True)
    assert stage.up.cancelled
    assert isinstance(stage.up.cause, StageError)


@pytest.mark.parametrize("kind", ["initial_timeout", "idle_timeout"])
def test_upstream_is_not_late_while_nobody_asks(kind):
    assert not Alone(TIMED[kind]()).elapse(30).down.ended


def test_initial_timeout_looks_at_the_first_element_only():
    stage = Alone(InitialTimeout(3)).request(9).elapse(2).push(1).elapse(30)
    assert (stage.down.ended, stage.pending) == (False, [])


def test_idle_timeout_begins_anew_with_each_element():
    stage = Alone(IdleTimeout(3)).request(9).elapse(2).push(1).elapse(2.9).push(2).elapse(2.9)
    assert not stage.down.ended
    assert "no element for 3 s" in str(failure_of(stage.elapse(0.2)))


def test_idle_timeout_does_not_count_time_in_which_downstream_asks_for_nothing():
    stage = Alone(IdleTimeout(3)).request(2).push(1, 2).elapse(30)
    assert not stage.down.ended
    assert not stage.request(1).elapse(2.9).down.ended
    failure_of(stage.elapse(0.2))


def test_an_element_that_came_in_the_turn_of_the_ring_is_in_time():
    for kind in ("initial_timeout", "idle_timeout"):
        stage = Alone(TIMED[kind]()).request(1)
        ring = stage.pending[0]
        ring.fired, stage.time = True, 103.5

        def both(ring=ring, stage=stage):
            ring.action()
            stage.logic.inlet.push([1])

        assert stage.turn(both).down.elements == [1]
        assert not stage.down.ended


def test_completion_timeout_counts_from_the_start_whatever_flows():
    stage = Alone(CompletionTimeout(3)).request(9).elapse(2).push(1).elapse(0.9).push(2)
    assert not stage.down.ended
    failure_of(stage.elapse(0.2))
    assert stage.down.elements == [1, 2]


def test_a_stream_that_completes_in_the_turn_of_the_ring_is_in_time():
    stage = Alone(CompletionTimeout(3)).request(9)
    ring = stage.pending[0]
    ring.fired = True
    failures = []
    stage.failed = lambda *error, **_: failures.append(error)

    def both():
        ring.action()
        stage.logic.inlet.complete()

    assert stage.turn(both).down.completed
    assert failures == []


def test_backpressure_timeout_fails_when_an_element_waits_too_long():
    stage = Alone(BackpressureTimeout(3)).request(1).push(1).elapse(30)
    assert not stage.down.ended, "nothing waits"
    stage.push(2, 3).elapse(2).request(1).elapse(2.9)
    assert not stage.down.ended, "an element has moved"
    assert "nothing was requested for 3 s" in str(failure_of(stage.elapse(0.2)))
    assert stage.down.elements == [1, 2]


def test_a_stopped_timer_of_an_element_that_moved_on_is_set_anew_not_once_each():
    stage = Alone(IdleTimeout(3)).request(1000)
    for n in range(100):
        stage.push(n).elapse(0.1)
    assert len(stage.timers) < 10


# Sources


def test_tick_gives_the_number_of_each_tick_and_leaves_out_those_nobody_asked_for():
    stage = Alone(Tick(2)).elapse(2).request(2).elapse(4)
    assert stage.down.elements == [1, 2]
    stage.elapse(4).request(1).elapse(2)
    assert stage.down.elements == [1, 2, 5]
    assert stage.logic.details() == {"skipped": 3}


def test_tick_keeps_its_beat_however_late_a_turn_was():
    stage = Alone(Tick(2)).request(9)
    stage.pending[0].fired, late = True, stage.pending[0].action
    stage.time += 7
    assert stage.turn(late).down.elements == [2]
    assert stage.elapse(1.1).down.elements == [2, 3]


def test_tick_completes_when_drained_and_leaves_no_timer():
    stage = Alone(Tick(2)).request(9).elapse(2).drain()
    assert stage.down.completed
    assert stage.drop().pending == []


def test_timer_gives_one_element_when_it_is_time_and_asked_for():
    assert Alone(TimerSource(3)).request(1).elapse(2.9).down.elements == []
    stage = Alone(TimerSource(3)).elapse(4)
    assert (stage.down.elements, stage.down.ended) == ([], False)
    stage.request(5)
    assert (stage.down.elements, stage.down.completed) == ([0], True)
    assert Alone(TimerSource(3)).drain().down.completed
