# mypy: disable-error-code="arg-type, union-attr, var-annotated"
"""How long a turn of a row lasts, whose time that is, and what is called in it."""

from typing import Any

import pytest

from actors_rs.stages.operators.end_with import EndWith
from actors_rs.stages.operators.filter import Filter
from actors_rs.stages.operators.map import Map
from actors_rs.stages.operators.skip import Skip
from actors_rs.stages.operators.sum import Sum
from actors_rs.stages.operators.take import Take
from actors_rs.stages.sinks.first import First
from actors_rs.stages.sinks.for_each import ForEach
from actors_rs.stages.sinks.list import ListSink
from tests.stages.test_line import Row, numbers, same

TURN = 0.002


class Clocked:
    """A budget by a clock that only moves on when a function says so."""

    def __init__(self):
        self.time = self.began = self.lapped = 0.0
        self.row: Any = None

    def lap(self):
        seconds, self.lapped = self.time - self.lapped, self.time
        return seconds

    def spent(self):
        return self.lapped - self.began > TURN

    def begin(self):
        self.began = self.lapped = self.time
        return self


class Slow:
    """A function that takes ``seconds``, and notes its calls."""

    def __init__(self, seconds, clock=None):
        self.clock, self.seconds, self.calls = clock or Clocked(), seconds, []

    def __call__(self, x):
        self.calls.append(x)
        self.clock.time += self.seconds
        return x


class Timed(Row):
    """A row whose turns last as long as its functions take."""

    def __init__(self, clock, *logics, **options):
        self.clock, self.turns = clock, []
        clock.row = self  # its first turn comes before it is made
        super().__init__(*logics, **options)

    def turn(self, signal=lambda: None):
        signal()
        self.logic.advance(self.clock.begin())
        self.turns.append(self.clock.time - self.clock.began)
        return self


def skips(count):
    """Stages that hand on what they get."""
    return [Skip(0) for _ in range(count)]


def to_the_end(row):
    while not row.logic.finished:
        row.turn()
    return row


@pytest.mark.parametrize("stages", [1, 3])
def test_a_cancellation_from_behind_goes_all_the_way_up_before_the_next_call(stages):
    slow = Slow(1.0)
    row = Timed(slow.clock, Map(slow), *skips(stages))
    row.request(9).push(*range(8))
    before = len(slow.calls)
    row.cancel()
    assert row.up.cancelled
    assert len(slow.calls) == before


@pytest.mark.parametrize("end", [Take, lambda _: Sum(), None], ids=["enough", "failed", "sink"])
def test_whoever_has_had_enough_or_fails_keeps_the_first_part_from_a_second_call(end):
    slow = Slow(1.0)
    tail = skips(3) + ([First()] if end is None else [end(1)])
    row = Timed(slow.clock, Map(lambda x: slow(x) and "no number"), *tail)
    if end is not None:
        row.request(9)
    row.push(*range(1, 9))
    assert row.up.cancelled
    assert slow.calls == [1]


@pytest.mark.parametrize("seconds", [0.0005, 0.001, 0.01])
def test_a_slow_function_in_front_of_a_sink_gets_no_more_than_a_turn_takes(seconds):
    slow = Slow(seconds)
    row = to_the_end(Timed(slow.clock, numbers(300), Map(slow), ListSink()))
    assert row.logic.result == list(range(300))
    assert max(row.turns) <= TURN + 2 * seconds


@pytest.mark.parametrize("seconds", [0.0005, 0.01])
def test_a_slow_sink_gets_no_more_than_a_turn_takes(seconds):
    slow = Slow(seconds)
    to_the_end(row := Timed(slow.clock, numbers(300), same(), ForEach(slow)))
    assert slow.calls == list(range(300))
    assert max(row.turns) <= TURN + 0.001 + 2 * seconds


def test_what_comes_at_the_end_of_a_stream_comes_turn_by_turn():
    slow = Slow(0.001)
    row = Timed(slow.clock, numbers(1), EndWith(lambda: range(1, 500)), ForEach(slow))
    to_the_end(row)
    assert slow.calls == list(range(500))
    assert max(row.turns) <= 0.01


def test_a_part_that_raises_as_it_lets_go_keeps_no_other_from_it():
    class Raising(Sum):
        def hold_nothing(self):
            raise KeyError("kept")

    last = ListSink()
    row = to_the_end(Timed(Clocked(), numbers(9), Raising(), last))
    assert last._elements is not None
    with pytest.raises(KeyError, match="kept"):
        row.logic.hold_nothing()
    assert last._elements is None


@pytest.mark.parametrize("stages", [0, 1, 2])
@pytest.mark.parametrize(("enough", "slow"), [(3, 3), (18, 19), (80, 82)])
def test_what_lies_in_a_row_is_taken_before_a_slow_function_is_called_again(enough, slow, stages):
    """The stages behind it took one piece each while it was slow, the first of which is small."""
    clock = Clocked()
    calls = []

    def f(x):
        calls.append(x)
        if x >= slow:  # as who looks at a turn that lasts would see to it
            clock.time += 1.0
            clock.row.logic.brake.pull()
        return x

    row = Timed(clock, numbers(1000), Map(f), *skips(stages), Take(enough), ListSink())
    assert to_the_end(row).logic.result == list(range(enough))
    assert len(calls) <= slow + 1


def test_what_gives_little_takes_large_pieces_in_front_of_a_sink_that_wants_one():
    pieces = []

    class Noting(Filter):
        def collect(self, elements, out):
            elements = list(elements)
            pieces.append(len(elements))
            super().collect(iter(elements), out)

    row = to_the_end(
        Timed(Clocked(), numbers(9000), Noting(lambda x: x == 8999), First(), window=8192)
    )
    assert row.logic.result == 8999
    assert len(pieces) < 50
