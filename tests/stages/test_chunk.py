# mypy: disable-error-code="union-attr, var-annotated"
"""Chunks: a slow function is looked at after each call, and turns slow for 64 calls at most.

The function itself lets time pass, so no thread is needed.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise, product
from typing import Any

import pytest

from actors_rs.errors import StageError
from actors_rs.stages.chunks.chunk import CALLS, CHUNK_SECONDS, ELEMENTS, FRAME, ChunkSize
from actors_rs.stages.failure import OnFailure
from actors_rs.stages.operators.distinct import Distinct
from actors_rs.stages.operators.distinct_until_changed import DistinctUntilChanged
from actors_rs.stages.operators.extreme import ExtremeBy
from actors_rs.stages.operators.filter import Filter
from actors_rs.stages.operators.first import First
from actors_rs.stages.operators.flat_map import FlatMap
from actors_rs.stages.operators.map import Map
from actors_rs.stages.operators.map_not_none import MapNotNone
from actors_rs.stages.operators.reduce import Reduce
from actors_rs.stages.operators.reduce_without_initial import ReduceWithoutInitial
from actors_rs.stages.operators.scan import Scan
from actors_rs.stages.operators.search import Search
from actors_rs.stages.operators.skip_while import SkipWhile
from actors_rs.stages.operators.sort_within import SortWithin
from actors_rs.stages.operators.starmap import Starmap
from actors_rs.stages.operators.stateful_map import StatefulMap
from actors_rs.stages.operators.take_while import TakeWhile
from actors_rs.stages.ports import Inlet
from actors_rs.stages.sinks.fold import Fold
from actors_rs.stages.sinks.for_each import ForEach
from tests.pairwise import every_two
from tests.stages.harness import Alone

SIZE = 5_000
SLOW_FROM = 3_000
NUMBERS = list(range(SIZE))
QUICK, SLOW = 0.000_000_1, 0.01


def grown(*quick, most=CALLS):
    chunk = ChunkSize(most)
    for seconds in quick:
        chunk.record(chunk.size, seconds)
    return chunk


def test_a_chunk_starts_at_one_element_and_grows_fourfold_while_that_fits_into_a_millisecond():
    sizes = [grown(*[CHUNK_SECONDS / 5] * times).size for times in range(5)]
    assert sizes == [1, 4, 16, 64, 64]


def test_a_chunk_that_takes_about_a_millisecond_keeps_its_size():
    assert grown(0, 0, CHUNK_SECONDS / 2, CHUNK_SECONDS).size == 16


def test_after_a_chunk_that_takes_longer_the_next_one_is_as_large_as_fits():
    assert grown(0, 0, 0, CHUNK_SECONDS * 4).size == 16
    assert grown(0, 0, 0, 1.0).size == 1


def test_of_a_chunk_that_was_cut_short_and_took_long_its_elements_count():
    chunk = grown(0, 0, 0)
    chunk.record(2, CHUNK_SECONDS * 2)
    assert chunk.size == 1


def test_a_chunk_that_was_cut_short_tells_nothing_of_larger_ones():
    chunk = grown(0, 0)
    chunk.record(15, 0)
    assert chunk.size == 16


def test_several_chunks_are_gathered_only_once_chunks_are_as_large_as_they_get():
    assert [grown(*[0] * times).gathered for times in (0, 1, 2, 3)] == [1, 4, 16, FRAME]


def test_a_stage_that_calls_nothing_takes_one_chunk_at_a_time():
    chunk = grown(*[0] * 20, most=ELEMENTS)
    assert chunk.gathered == chunk.size == ELEMENTS


class Called:
    """The user's function, which lets time pass, and the budget of the turn it is called in."""

    def __init__(self, slow_from=SLOW_FROM, raises=(), quick=QUICK):
        self.slow_from, self.raises, self.quick = slow_from, raises, quick
        self.seen = []
        self.looks = []  # how many calls there had been at each look at the clock
        self.within = lambda: None  # what else a call does
        self.time = self.lapped = self.began = 0.0

    def __call__(self, n):
        self.seen.append(n)
        self.time += self.quick if n < self.slow_from else SLOW
        self.within()
        if n in self.raises:
            raise KeyError(n)
        return n

    def lap(self):
        self.looks.append(len(self.seen))
        seconds, self.lapped = self.time - self.lapped, self.time
        return seconds

    def spent(self):
        return self.time - self.began > 2 * CHUNK_SECONDS

    def turn(self, alone):
        self.began = self.lapped = self.time
        alone.logic.advance(self)

    def to_the_end(self, alone, demand=SIZE):
        inlet = alone.logic.inlet
        while inlet.buffered or getattr(alone.logic, "_results", None) is not None:
            if alone.logic.outlets and not alone.logic.outlet.demand:
                alone.logic.outlet.request(demand)
            self.turn(alone)
            if inlet.cancelled:
                return


OPERATORS = {
    "map of a Python function": lambda f: Map(lambda n: f(n)),
    "map of a callable": Map,
    "map in C": lambda f: Map(partial(f)),
    "starmap": lambda f: Starmap(lambda *n: f(*n)),
    "filter": lambda f: Filter(lambda n: f(n) >= 0),
    "map_not_none": lambda f: MapNotNone(lambda n: f(n)),
    "scan": lambda f: Scan(0, lambda _, n: f(n)),
    "stateful_map": lambda f: StatefulMap(int, lambda s, n: (s, f(n)), None),
    "take_while": lambda f: TakeWhile(lambda n: f(n) >= 0),
    "distinct": lambda f: Distinct(lambda n: f(n), None),
    "distinct of a window": lambda f: Distinct(lambda n: f(n), 3),
    "distinct_until_changed": lambda f: DistinctUntilChanged(lambda n: f(n)),
    "flat_map": lambda f: FlatMap(lambda n: [f(n)]),
}
ENDS = {
    "for_each": ForEach,
    "fold": lambda f: Fold(int, lambda _, n: f(n)),
    "skip_while": lambda f: SkipWhile(lambda n: f(n) >= 0),
    "sort_within": lambda f: SortWithin(3, f),
    "reduce": lambda f: Reduce(int, lambda _, n: f(n)),
    "reduce_without_initial": lambda f: ReduceWithoutInitial(lambda _, n: f(n)),
    "min by a key": lambda f: ExtremeBy(min, lambda n: f(n)),
    "max by a key": lambda f: ExtremeBy(max, lambda n: f(n)),
    "first": lambda f: First(lambda n: f(n) < 0),
    "some": lambda f: Search(lambda n: f(n) < 0, wanted=True),
    "all": lambda f: Search(lambda n: f(n) >= 0, wanted=False),
}
FRAMES: dict[str, Callable[[list[int]], Sequence[int]]] = {
    "list": list,
    "tuple": tuple,
    "range": lambda n: range(n[0], n[-1] + 1),
}


def begun(name, called, demand=SIZE, frame="list", policy="stop", numbers=NUMBERS):
    """The stage alone, with ``numbers`` in its inlet and so much demand; nothing is done yet."""
    logic: Any = {**OPERATORS, **ENDS}[name](called)
    logic.on_failure = OnFailure(policy)
    alone = Alone(logic, window=SIZE)
    if logic.outlets:
        logic.outlet.request(demand)
    logic.inlet.open()
    starred = name == "starmap"
    logic.inlet.push([(n,) for n in numbers] if starred else FRAMES[frame](numbers))
    return alone


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", [*OPERATORS, *ENDS])
def test_a_function_that_turns_slow_delays_its_turn_once_by_64_calls_at_most(name, frame):
    called = Called()
    alone = begun(name, called, frame=frame)
    before = 1 if name == "reduce_without_initial" else 0  # it is not called for the first
    while len(called.seen) <= SLOW_FROM - before:
        called.turn(alone)
    slow_calls = len(called.seen) - (SLOW_FROM - before)
    assert slow_calls <= CALLS, "the turn went on with a function that has turned slow"
    for calls in range(1, 50):
        called.turn(alone)
        assert len(called.seen) == SLOW_FROM - before + slow_calls + calls


@pytest.mark.parametrize("name", [*OPERATORS, *ENDS])
def test_no_more_than_64_calls_pass_between_two_looks_at_the_clock(name):
    called = Called(slow_from=SIZE)
    called.to_the_end(begun(name, called))
    assert called.seen[-1] == SIZE - 1
    assert max(later - look for look, later in pairwise([0, *called.looks])) <= CALLS


@pytest.mark.parametrize(("name", "frame", "demand"), every_two(OPERATORS, FRAMES, [3, 100, SIZE]))
def test_each_element_is_handled_once_and_in_order(name, frame, demand):
    called = Called(slow_from=SIZE // 2)
    alone = begun(name, called, demand, frame)
    called.to_the_end(alone, demand)
    alone.complete()
    assert alone.down.elements == called.seen == NUMBERS
    assert alone.down.completed


@pytest.mark.parametrize("demand", [1, 3, 70, 300])
@pytest.mark.parametrize("frame", FRAMES)
def test_a_predicate_is_called_for_no_element_beyond_the_results_that_are_asked_for(frame, demand):
    called = Called(slow_from=SIZE)
    logic = Filter(lambda n: called(n) % 100 == 99)
    alone = Alone(logic, window=SIZE).request(demand)
    alone.turn(partial(logic.inlet.push, FRAMES[frame](NUMBERS)))
    while (given := len(alone.down.elements)) < SIZE // 100:
        assert called.seen == NUMBERS[: given * 100]
        assert logic.inlet.count == given * 100
        alone.request(demand)
    assert alone.complete().down.elements == NUMBERS[99::100]
    assert called.seen == NUMBERS


def test_an_operator_that_drops_most_elements_takes_large_frames_for_a_small_demand(monkeypatch):
    sizes, take = [], Inlet.take_joined

    def noted(inlet, most):
        sizes.append(most)
        return take(inlet, most)

    monkeypatch.setattr(Inlet, "take_joined", noted)
    alone = Alone(Filter(lambda n: n < 0), window=SIZE).request(8).push(*NUMBERS)
    assert alone.logic.inlet.count == SIZE
    assert max(sizes) == FRAME


@pytest.mark.parametrize("name", [name for name in OPERATORS if name != "flat_map"])
def test_what_chunks_give_is_gathered_into_frames(name):
    called = Called(slow_from=SIZE, quick=0)
    alone = begun(name, called)
    called.to_the_end(alone)
    sizes = [len(frame) for frame in alone.down.frames]
    assert sizes == [1, 4, 16, FRAME, FRAME, SIZE - 21 - 2 * FRAME]


@pytest.mark.parametrize("name", OPERATORS)
def test_what_was_given_is_sent_after_a_millisecond_and_a_chunk(name):
    each = 0.000_002
    called = Called(slow_from=SIZE, quick=each)
    alone = begun(name, called)
    called.to_the_end(alone)
    largest = max(len(frame) for frame in alone.down.frames)
    assert CHUNK_SECONDS / each / 2 < largest <= CHUNK_SECONDS / each + CALLS


@pytest.mark.parametrize(
    ("name", "how", "frame"),
    every_two(OPERATORS, product(["resume", "stop"], [3, SIZE]), FRAMES),
)
def test_a_call_that_raises_is_blamed_for_its_own_element(name, how, frame):
    policy, demand = how
    raises = (64, 65, 127, 700, SLOW_FROM + 10, SIZE - 1)
    called = Called(raises=raises)
    alone = begun(name, called, demand, frame, policy)
    called.to_the_end(alone, demand)
    if policy == "stop":
        assert alone.down.elements == NUMBERS[:64]
        assert isinstance(alone.down.error, StageError)
        assert (alone.down.error.position, called.seen) == (64, NUMBERS[:65])
        return
    assert alone.down.elements == [n for n in NUMBERS if n not in raises]
    assert called.seen == NUMBERS
    expected = [(n,) if name == "starmap" else n for n in raises]
    assert [letter[0] for letter in alone.letters] == expected
    assert [letter[1] for letter in alone.letters] == list(raises)


@pytest.mark.parametrize("name", ["for_each", "fold"])
def test_a_sink_passes_over_what_raises_in_any_chunk(name):
    raises = (0, 64, 65, 127, 700, SIZE - 1)
    called = Called(raises=raises)
    alone = begun(name, called, policy="resume")
    called.to_the_end(alone)
    assert called.seen == NUMBERS
    assert alone.letters == [(n, n, "resume") for n in raises]
    assert alone.logic.taken == SIZE - len(raises)


@pytest.mark.parametrize("at", [1, 100, 1000])
@pytest.mark.parametrize("name", [*OPERATORS, *ENDS])
def test_a_stage_that_was_given_up_in_a_call_calls_its_function_no_more(name, at):
    called = Called(slow_from=SIZE)
    alone = begun(name, called)

    def given_up():
        if called.seen[-1] == at:
            inlet = alone.logic.inlet
            inlet.cancelled = inlet.closed = True
            inlet.buffered = 0
            called.time += 1.0
            alone.logic.halt()

    called.within = given_up
    called.turn(alone)
    assert called.seen[-1] == at


def test_a_builtin_that_stops_the_iteration_is_a_failure_in_any_chunk():
    def stop(n):
        if n == 700:
            raise StopIteration

    for frame in FRAMES:
        called = Called(slow_from=SIZE)
        called.within = lambda: stop(called.seen[-1])  # noqa: B023 - called in this round
        alone = begun("map in C", called, frame=frame)
        called.to_the_end(alone)
        assert "StopIteration" in str(alone.down.error)
        assert alone.down.elements == NUMBERS[:700]
