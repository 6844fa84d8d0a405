# mypy: disable-error-code="union-attr, var-annotated"
"""A brake that is pulled within a call ends the piece behind it: nothing twice, nothing lost.

The function pulls it itself, at every place of a piece, so no thread is needed.
"""

from collections.abc import Callable, Sequence
from functools import partial

import pytest

from actors_rs.errors import StageError
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
from actors_rs.stages.operators.starmap import Starmap
from actors_rs.stages.operators.stateful_map import StatefulMap
from actors_rs.stages.operators.take_while import TakeWhile
from actors_rs.stages.pieces.brake import Brake, Halted, halted
from actors_rs.stages.pieces.steps import Steps
from actors_rs.stages.sinks.fold import Fold
from actors_rs.stages.sinks.for_each import ForEach
from tests.stages.harness import Alone, FreeBudget

SIZE = 40
NUMBERS = list(range(1, SIZE + 1))


class Called:
    """The user's function: notes its calls, pulls the brake in some of them, raises in some."""

    def __init__(self, pulls=(), raises=(), late=()):
        self.pulls, self.raises, self.late = pulls, raises, late
        self.seen = []
        self.brake = Brake()

    def __call__(self, n):
        self.seen.append(n)
        if n in self.pulls:
            self.brake.pull()
        if n in self.late:
            self.brake.halt()  # what is left of a pull that began before the brake was released
        if n in self.raises:
            raise KeyError(n)
        return n


OPERATORS = {
    "map of a Python function": lambda f: Map(lambda n: f(n)),
    "map of a callable": Map,
    "map in C": lambda f: Map(partial(f)),
    "starmap": lambda f: Starmap(lambda *n: f(*n)),
    "filter": lambda f: Filter(lambda n: f(n)),
    "map_not_none": lambda f: MapNotNone(lambda n: f(n)),
    "scan": lambda f: Scan(0, lambda _, n: f(n)),
    "stateful_map": lambda f: StatefulMap(int, lambda s, n: (s, f(n)), None),
    "take_while": lambda f: TakeWhile(lambda n: f(n)),
    "skip_while": lambda f: SkipWhile(lambda n: f(n) < 0),
    "distinct": lambda f: Distinct(lambda n: f(n), None),
    "distinct of a window": lambda f: Distinct(lambda n: f(n), 3),
    "distinct_until_changed": lambda f: DistinctUntilChanged(lambda n: f(n)),
    "flat_map": lambda f: FlatMap(lambda n: [f(n)]),
}
SINKS = {
    "for_each": ForEach,
    "fold": lambda f: Fold(int, lambda _, n: f(n)),
}
FOLDINGS = {
    "reduce": lambda f: Reduce(int, lambda _, n: f(n)),
    "reduce_without_initial": lambda f: ReduceWithoutInitial(lambda _, n: f(n)),
    "min by a key": lambda f: ExtremeBy(min, lambda n: f(n)),
    "max by a key": lambda f: ExtremeBy(max, lambda n: f(n)),
    "first": lambda f: First(lambda n: f(n) < 0),
    "some": lambda f: Search(lambda n: f(n) < 0, wanted=True),
    "all": lambda f: Search(lambda n: f(n) > 0, wanted=False),
}
FRAMES: dict[str, Callable[[list[int]], Sequence[int]]] = {
    "list": list,
    "tuple": tuple,
    "range": lambda n: range(n[0], n[-1] + 1),
}


def input_of(name, numbers, frame="list"):
    return [(n,) for n in numbers] if name == "starmap" else FRAMES[frame](numbers)


def begun(logic, called, pace=SIZE, policy="stop"):
    """The stage alone, its pieces as large as they get."""
    logic.on_failure = OnFailure(policy)
    called.brake = logic.brake
    alone = Alone(logic, window=SIZE)
    logic.pace.size = pace
    if isinstance(logic, FlatMap):
        logic._steps._pace.size = pace
    return alone


def one_turn(alone, frame, demand):
    """What comes of a frame and demand in a turn of one piece."""
    if alone.logic.outlets:
        alone.request(demand)
    alone.logic.inlets[0].push(frame)
    alone.logic.advance(OneTurn())


def to_the_end(alone, demand=0):
    """Turn by turn, until all that was pushed is taken and given."""
    logic = alone.logic
    for _ in range(10 * SIZE):
        logic.advance(OneTurn())
        if demand and not logic.outlets[0].demand:
            alone.request(demand)


class OneTurn(FreeBudget):
    """A turn of one piece."""

    def spent(self):
        return True


@pytest.mark.parametrize("at", [1, 2, 17, SIZE])
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", OPERATORS)
def test_the_piece_ends_behind_the_call_in_which_the_brake_is_pulled(name, frame, at):
    called = Called(pulls=(at,))
    alone = begun(OPERATORS[name](called), called)
    one_turn(alone, input_of(name, NUMBERS, frame), SIZE)
    if name != "skip_while":
        assert called.seen == NUMBERS[:at], "called again behind the pull"
        assert alone.down.elements == NUMBERS[:at]
    to_the_end(alone)
    alone.complete()
    assert alone.down.elements == NUMBERS
    if name != "skip_while":
        assert called.seen == NUMBERS


@pytest.mark.parametrize("demand", [3, SIZE])
@pytest.mark.parametrize("policy", ["resume", "stop"])
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", [n for n in OPERATORS if n != "skip_while"])
def test_a_call_that_pulls_and_raises_is_blamed_for_its_own_element(name, frame, policy, demand):
    raises = (5, 6, 17, 29)
    called = Called(pulls=(2, 5, 17, 18, 30), raises=raises)
    alone = begun(OPERATORS[name](called), called, policy=policy)
    one_turn(alone, input_of(name, NUMBERS, frame), demand)
    to_the_end(alone, demand)
    if policy == "stop":
        assert alone.down.elements == NUMBERS[:4]
        assert isinstance(alone.down.error, StageError)
        assert (alone.down.error.position, called.seen) == (4, NUMBERS[:5])
        return
    assert alone.down.elements == [n for n in NUMBERS if n not in raises]
    assert called.seen == NUMBERS
    expected = [(n,) if name == "starmap" else n for n in raises]
    assert [letter[0] for letter in alone.letters] == expected
    assert [letter[1] for letter in alone.letters] == [n - 1 for n in raises]


@pytest.mark.parametrize("demand", [1, 3, 16])
@pytest.mark.parametrize("name", [n for n in OPERATORS if n != "skip_while"])
def test_pulls_at_every_call_lose_nothing_where_demand_is_short(name, demand):
    called = Called(pulls=NUMBERS)
    alone = begun(OPERATORS[name](called), called)
    one_turn(alone, input_of(name, NUMBERS), demand)
    for _ in NUMBERS:
        assert len(called.seen) <= alone.logic.outlets[0].count
        alone.request(demand)
    alone.complete()
    assert alone.down.elements == called.seen == NUMBERS
    assert alone.down.completed


@pytest.mark.parametrize("demand", [1, 3, SIZE])
@pytest.mark.parametrize("name", [n for n in OPERATORS if n != "skip_while"])
def test_a_pull_that_was_released_half_way_loses_nothing(name, demand):
    called = Called(late=NUMBERS)
    alone = begun(OPERATORS[name](called), called)
    one_turn(alone, input_of(name, NUMBERS), demand)
    to_the_end(alone, demand)
    alone.complete()
    assert alone.down.elements == called.seen == NUMBERS
    assert alone.down.completed


def test_a_filter_that_lets_nothing_through_is_ended_too():
    called = Called(pulls=(7,))
    alone = begun(Filter(lambda n: called(n) < 0), called)
    one_turn(alone, NUMBERS, 1)
    assert called.seen == NUMBERS[:7]
    assert alone.turn().complete().down.completed
    assert called.seen == NUMBERS


@pytest.mark.parametrize("results", [lambda n: (), lambda n: iter([])])
def test_a_flat_map_of_nothing_is_ended_too(results):
    called = Called(pulls=(7,))
    alone = begun(FlatMap(lambda n: results(called(n))), called)
    one_turn(alone, NUMBERS, 1)
    assert called.seen == NUMBERS[:7]
    assert alone.turn().complete().down.completed
    assert called.seen == NUMBERS


@pytest.mark.parametrize("at", [1, 2, 17, SIZE])
@pytest.mark.parametrize("name", [*SINKS, *FOLDINGS])
def test_a_sink_or_a_fold_ends_its_piece_behind_the_call(name, at):
    called = Called(pulls=(at,))
    alone = begun((SINKS | FOLDINGS)[name](called), called)
    first = 1 if name == "reduce_without_initial" else 0  # no call for the first
    one_turn(alone, NUMBERS, 1)
    if at > first:
        assert called.seen == NUMBERS[first:at]
        assert alone.logic.inlets[0].count == at
    to_the_end(alone)
    assert called.seen == NUMBERS[first:]


@pytest.mark.parametrize("name", SINKS)
def test_a_sink_passes_over_what_raises_whether_or_not_the_brake_was_pulled(name):
    raises = (5, 6, 17, 29)
    called = Called(pulls=(2, 5, 17, 18, 30), raises=raises)
    alone = begun(SINKS[name](called), called, policy="resume")
    alone.push(*NUMBERS).complete()
    assert called.seen == NUMBERS
    assert alone.letters == [(n, n - 1, "resume") for n in raises]
    assert alone.logic.taken == SIZE - len(raises)


def test_a_builtin_that_stops_the_iteration_is_a_failure_also_behind_a_pull():
    called = Called(pulls=(3,))

    def three_at_most(n):
        called(n)
        if n == 3:
            raise StopIteration

    alone = begun(Map(partial(three_at_most)), called)
    one_turn(alone, NUMBERS, SIZE)
    assert "StopIteration" in str(alone.down.error)
    assert called.seen == [1, 2, 3]


def test_a_pull_between_pieces_changes_nothing():
    called = Called()
    alone = begun(Map(called), called)
    alone.request(SIZE)
    for n in NUMBERS:
        alone.push(n)
        alone.logic.brake.pull()
    assert alone.down.elements == NUMBERS


def test_an_iterator_is_left_behind_the_element_of_the_pull():
    called = Called(pulls=(20,))
    steps, out = Steps(called.brake, 16), []
    for _ in range(10):
        steps.draw(iter(range(2000)), [], 2000, float, watched=True)  # it comes to large pieces
    numbers = map(called, NUMBERS)
    assert steps.draw(numbers, out, SIZE, float, watched=True)
    assert len(out) == 20
    called.brake.release()
    assert not steps.draw(numbers, out, SIZE + 1, float, watched=True)
    assert out == called.seen == NUMBERS


def test_what_replaces_the_function_raises_nothing_that_users_catch():
    with pytest.raises(Halted):
        halted(1, 2)
    assert not issubclass(Halted, Exception)
