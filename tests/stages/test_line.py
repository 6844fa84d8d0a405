# mypy: disable-error-code="attr-defined, no-any-return, union-attr, var-annotated"
"""``Line`` alone: several logics linked by calls, on recorders, without an actor."""

from functools import partial

import pytest

from actors_rs.errors import StageError
from actors_rs.raised import names_itself
from actors_rs.stages.brake import Brake
from actors_rs.stages.line import Line, LinePart, SinkLine
from actors_rs.stages.linear import Operator, SinkLogic
from actors_rs.stages.operators.end_with import EndWith
from actors_rs.stages.operators.filter import Filter
from actors_rs.stages.operators.flat_map import FlatMap
from actors_rs.stages.operators.map import Map
from actors_rs.stages.operators.take import Take
from actors_rs.stages.sinks.first import First
from actors_rs.stages.sinks.for_each import ForEach
from actors_rs.stages.sinks.list import ListSink
from actors_rs.stages.source import SourceLogic
from actors_rs.stages.sources.never import Never
from actors_rs.stages.sources.of import SequenceSource
from actors_rs.stages.sources.repeat import Repeat
from tests.stages.harness import Alone

MANY = 10_000


class Asks:
    """A budget that is spent when it is asked for the ``most``-th time."""

    def __init__(self, most):
        self.most, self.asked = most, 0

    def lap(self):
        return 1.0  # so pieces stay small

    def spent(self):
        self.asked += 1
        return self.asked >= self.most


class Row(Alone):
    """The line of ``logics``, named a, b, c ...; its failures as those of a run."""

    def __init__(self, *logics, window=16, asks=None, outflow_windows=()):
        self.asks, self.failures = asks, []
        ahead = [*outflow_windows, *([None] * len(logics))]
        parts = [
            LinePart(name, f"{name}.py:1", logic, outflow)
            for name, logic, outflow in zip("abcdef", logics, ahead, strict=False)
        ]
        kind = SinkLine if isinstance(logics[-1], SinkLogic) else Line
        super().__init__(kind(parts), window)

    def turn(self, signal=lambda: None):
        signal()
        if self.asks is None:
            return super().turn()
        self.logic.advance(Asks(self.asks))
        return self

    def failed(self, error, position=None, *, plain=False, beside=None):
        assert plain or names_itself(error, position), "the part does not name itself"
        self.failures.append(error)
        return error

    def stop(self, error=None):
        assert self.logic.finished, "the line has not ended"
        self.logic.stop(error)
        return self


def numbers(count=MANY):
    return SequenceSource(range(count))


def same():
    return Map(lambda x: x)


def every():
    return Filter(lambda x: True)


def told(error):
    return error.stage, error.position, error.site, type(error.__cause__)


# Demand and elements.


def test_a_row_with_a_sink_asks_for_a_window_and_anew_for_what_was_taken():
    row = Row(same(), ListSink(), window=16)
    assert row.up.requests == [16]
    row.push(1, 2, 3, 4)
    assert row.up.requests == [16, 4]
    row.push(5, 6, 7)
    assert row.up.requests == [16, 4]
    row.complete()
    assert (row.logic.result, row.logic.completed) == ([1, 2, 3, 4, 5, 6, 7], True)


def test_a_row_asks_for_nothing_before_it_is_asked():
    row = Row(same(), Filter(bool), window=16)
    assert row.up.requests == []
    assert row.request(1).up.requests == [16]


@pytest.mark.parametrize("step", [1, 2, 7, 5000])
def test_a_row_gives_what_was_asked_for_and_no_more(step):
    row = Row(numbers(), Map(lambda x: -x))
    assert row.down.frames == []
    for turn in range(1, 4):
        row.request(step)
        assert row.down.elements == [-x for x in range(min(turn * step, MANY))]


@pytest.mark.parametrize("step", [1, 3, 100])
def test_a_row_that_gives_more_than_it_takes_gives_it_as_it_is_asked(step):
    row = Row(numbers(4), FlatMap(lambda x: [x] * 3))
    given = 0
    while not row.down.ended:
        row.request(step)
        assert len(row.down.elements) <= given + step
        given += step
    assert row.down.elements == [x for x in range(4) for _ in "abc"]


def test_an_operator_that_drops_much_asks_until_something_comes():
    row = Row(numbers(), Filter(lambda x: x == MANY - 1)).request(1)
    assert row.down.elements == [MANY - 1]


def test_a_row_has_had_enough_when_one_of_its_parts_has():
    assert Row(Repeat(1, None), Take(20_000), ListSink()).logic.result == [1] * 20_000
    assert Row(numbers(10**15), same(), First()).logic.result == 0
    row = Row(same(), First()).push(7, 8)
    assert (row.up.cancelled, row.up.cause, row.logic.finished) == (True, None, True)


def test_windows_within_are_those_of_the_line_unless_a_part_says_another():
    row = Row(same(), same(), ListSink(), window=16)
    assert [part.logic.inlets[0].window for part in row.logic._parts] == [16, 16, 16]
    row = Row(same(), same(), ListSink(), window=16, outflow_windows=(3, 0))
    assert [part.logic.inlets[0].window for part in row.logic._parts] == [16, 3, 8192]
    row = Row(numbers(), same(), ListSink(), outflow_windows=(None, 5))
    assert [part.logic.window for part in row.logic._parts[1:]] == [8192, 5]


# Turns.


class Noting(Operator):
    """Passes elements on and notes what it is told to do, and may raise."""

    def __init__(self, name, notes, raises=""):
        super().__init__()
        self.name, self.notes, self.raises = name, notes, raises

    def note(self, what):
        self.notes.append((self.name, what))
        if self.raises == what:
            raise KeyError(what)

    def start(self):
        self.note("start")

    def transform(self, elements, /):
        return elements

    def advance(self, budget):
        self.note("advance")
        super().advance(budget)

    def drain(self):
        self.note("drain")

    def stop(self, error):
        self.notes.append((self.name, f"stopped by {type(error).__name__}"))
        if self.raises == "stop":
            raise KeyError("stop")


def test_parts_start_and_are_passed_in_their_order():
    notes = []
    Row(*(Noting(name, notes) for name in "abc"))
    assert notes[:6] == [(name, what) for what in ("start", "advance") for name in "abc"]


def test_parts_are_drained_in_their_order_and_a_source_ends():
    notes = []
    Row(Noting("a", notes), Noting("b", notes)).drain()
    assert [note for note in notes if note[1] == "drain"] == [("a", "drain"), ("b", "drain")]
    for source in (Never(), Repeat(1, None)):
        row = Row(source, EndWith(lambda: (2, 3))).drain().request(9)
        assert (row.down.elements, row.down.completed) == ([2, 3], True)
        sink = Row(source.__class__() if isinstance(source, Never) else numbers(0), ListSink())
        assert sink.drain().logic.completed


@pytest.mark.parametrize("asks", range(1, 9))
def test_a_turn_ends_when_its_budget_is_spent_and_the_next_one_goes_on(asks):
    row = Row(numbers(50), same(), Filter(lambda x: x % 3), ListSink(), asks=asks)
    turns = 0
    while not row.logic.finished:
        row.turn()
        turns += 1
        assert turns < 500, "it does not come on"
    assert turns > 1
    assert row.logic.result == [x for x in range(50) if x % 3]


@pytest.mark.parametrize("asks", range(1, 9))
def test_a_sink_does_not_lag_behind_though_every_turn_is_over_before_it_is_through(asks):
    called, seen = [], []
    row = Row(numbers(900), Map(called.append), ForEach(seen.append), asks=asks)
    for _ in range(50):
        row.turn()
        assert len(called) - len(seen) <= 2 * asks


def test_within_a_turn_that_is_not_over_all_comes_to_the_end():
    seen = []
    Row(numbers(), same(), Filter(lambda x: x >= 0), ForEach(seen.append))
    assert seen == list(range(MANY))


def test_the_brakes_of_all_parts_are_pulled_together():
    brakes = []

    class Recorded(Brake):
        def pull(self):
            brakes.append(self)

    logics = [Repeat(1, 3), same(), ListSink()]
    for logic in logics[1:]:
        logic.brake = Recorded()
    row = Row(*logics)
    row.logic.brake.pull()
    assert brakes == [logic.brake for logic in logics[1:]]


def test_only_what_leaves_the_line_is_sent_ahead_while_it_is_filled():
    class Watched(Row):
        def filling(self, outlet, frame):
            told.append(outlet)
            return False

        def at_work(self):
            told.append("at work")

    told = []
    row = Watched(same(), same()).request(3).push(1)
    assert told == ["at work", row.logic.outlets[0]], (
        "the first part calls a function, which may turn slow"
    )


def test_a_row_waits_outside_and_ends_with_its_run_if_a_part_does():
    assert Row(Never(), ListSink()).logic.waits_outside
    row = Row(numbers(), ListSink())
    assert not row.logic.waits_outside
    assert not row.logic.ends_with_run
    ending = same()
    ending.ends_with_run = True
    assert Row(numbers(), ending, ListSink()).logic.ends_with_run


# Ends.


def test_a_cancellation_reaches_upstream_with_its_cause_and_each_part_is_stopped_once():
    notes, cause = [], KeyError("behind")
    row = Row(Noting("a", notes), Noting("b", notes)).request(5).cancel(cause=cause)
    assert row.up.cause is cause
    row.stop()
    assert [note for note in notes if "stopped" in note[1]] == [
        ("b", "stopped by NoneType"),
        ("a", "stopped by NoneType"),
    ]


@pytest.mark.parametrize("error", [None, OSError("over")])
def test_a_row_that_is_ended_ends_to_both_sides_and_within(error):
    notes = []
    row = Row(Noting("a", notes), Noting("b", notes), Noting("c", notes)).request(5)
    row.logic.end(error)
    assert (row.up.cancelled, row.up.cause) == (True, error)
    assert (row.down.completed, row.down.error) == (error is None, error)
    row.stop(error)
    assert len([note for note in notes if "stopped" in note[1]]) == 3


def test_a_failure_from_upstream_comes_behind_the_elements_and_is_what_parts_are_stopped_with():
    notes, error = [], OSError("gone")
    row = Row(Noting("a", notes), Noting("b", notes)).request(1).push(1, 2).fail(error)
    assert (row.down.elements, row.down.error) == ([1], None)
    row.request(1)
    assert (row.down.elements, row.down.error) == ([1, 2], error)
    row.stop(error)
    assert [note for note in notes if "stopped" in note[1]] == [
        (name, "stopped by OSError") for name in "ab"
    ]


@pytest.mark.parametrize("bad", "abc")
@pytest.mark.parametrize("where", ["start", "advance"])
def test_a_part_that_raises_fails_the_row_by_its_own_name(bad, where):
    notes = []
    row = Row(*(Noting(name, notes, where if name == bad else "") for name in "abc")).turn()
    (failure,) = row.failures
    assert told(failure) == (bad, None, f"{bad}.py:1", KeyError)
    assert row.up.cancelled
    assert row.down.error is failure
    row.stop(failure)
    assert len([note for note in notes if "stopped" in note[1]]) == 3


@pytest.mark.parametrize("bad", "abc")
def test_a_part_that_stops_badly_fails_by_its_own_name_and_the_others_are_stopped_too(bad):
    notes = []
    row = Row(*(Noting(name, notes, "stop" if name == bad else "") for name in "abc"))
    row.request(3).push(1, 2).complete().stop()
    assert [told(failure) for failure in row.failures] == [(bad, None, f"{bad}.py:1", KeyError)]
    assert len([note for note in notes if "stopped" in note[1]]) == 3


def test_a_function_that_raises_is_named_with_its_element_behind_what_came_before():
    seen = []
    row = Row(numbers(), Map(lambda x: 9 // (5 - x)), ForEach(seen.append))
    assert [told(one) for one in row.failures] == [("b", 5, "b.py:1", ZeroDivisionError)]
    assert seen == [1, 2, 3, 4, 9]
    assert (row.logic.finished, row.logic.completed) == (True, False)


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_what_is_no_exception_fails_the_part_as_well(kind):
    def leave(_):
        raise kind("leave")

    row = Row(numbers(), Map(leave), ListSink())
    assert [told(one) for one in row.failures] == [("b", None, "b.py:1", kind)]
    assert row.logic.finished


def test_a_sink_whose_result_fails_is_named_and_has_none():
    class Bad(ListSink):
        def finish(self):
            raise KeyError("finish")

    row = Row(same(), Bad()).push(1).complete()
    assert [told(one)[0] for one in row.failures] == ["b"]
    assert (row.logic.completed, row.logic.finished) == (False, True)


def test_a_source_that_fails_at_once_fails_the_row_without_an_element():
    class Broken(SourceLogic):
        def produce(self, most, budget):
            raise KeyError("produce")

    row = Row(Broken(), same(), ListSink())
    assert [told(one) for one in row.failures] == [("a", None, "a.py:1", KeyError)]
    assert row.logic.finished


def test_a_sink_that_did_not_complete_is_stopped_with_why_the_line_ended():
    stopped = []

    class Telling(ListSink):
        def stop(self, error):
            stopped.append(error)

    row = Row(numbers(0), same(), Telling())
    row.stop()
    assert stopped == [None]
    cancelled = Row(Never(), Telling())
    cancelled.turn(partial(cancelled.logic.inlet.cancel))
    cancelled.stop(error := StageError("other", KeyError()))
    assert stopped == [None, error]


# What is seen of it.


def test_a_row_names_what_its_parts_hold_and_then_holds_it_no_more():
    row = Row(same(), every()).request(1).push(1).push(2, 3, 4, 5).request(1)
    assert list(row.logic.held()) == [3, 4, 5]
    row.cancel()
    row.logic.hold_nothing()
    assert list(row.logic.held()) == [None] * 3


def test_a_row_tells_what_each_part_gave_and_its_sink_took():
    row = Row(numbers(9), Filter(lambda x: x % 2), ListSink())
    assert row.logic.details() == {"1 a gave": 9, "2 b gave": 4, "3 c took": 4}
    assert row.logic.last_inlet.count == 4
    assert Row(same(), ListSink()).logic.last_inlet is None
