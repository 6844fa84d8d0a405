# mypy: disable-error-code="var-annotated"
"""Operators and sinks alone, on recorders."""

import pytest

from actors_rs.errors import ProtocolViolation
from actors_rs.stages.operators.batch import Batch
from actors_rs.stages.operators.filter import Filter
from actors_rs.stages.operators.flat_map import FlatMap
from actors_rs.stages.operators.identity import Identity
from actors_rs.stages.operators.map import Map
from actors_rs.stages.operators.scan import Scan
from actors_rs.stages.operators.skip import Skip
from actors_rs.stages.operators.skip_while import SkipWhile
from actors_rs.stages.operators.take import Take
from actors_rs.stages.operators.take_while import TakeWhile
from actors_rs.stages.sinks.count import Count
from actors_rs.stages.sinks.first import First
from actors_rs.stages.sinks.for_each import ForEach
from actors_rs.stages.sinks.list import ListSink
from tests.stages.harness import Alone


def over_7(n):
    return 100 // (n - 7)


OPERATORS = {
    "map": (lambda: Map(lambda n: -n), lambda xs: [-x for x in xs]),
    "map_builtin": (lambda: Map(str), lambda xs: [str(x) for x in xs]),
    "filter": (lambda: Filter(lambda n: n % 3), lambda xs: [x for x in xs if x % 3]),
    "filter_builtin": (lambda: Filter(bool), lambda xs: [x for x in xs if x]),
    "flat_map": (
        lambda: FlatMap(lambda n: range(n % 4)),
        lambda xs: [y for x in xs for y in range(x % 4)],
    ),
    "identity": (Identity, list),
    "take": (lambda: Take(9), lambda xs: xs[:9]),
    "take_while": (lambda: TakeWhile(lambda n: n < 9), lambda xs: xs[:9]),
    "skip": (lambda: Skip(5), lambda xs: xs[5:]),
    "skip_while": (lambda: SkipWhile(lambda n: n < 5), lambda xs: xs[5:]),
    "scan": (
        lambda: Scan(0, lambda a, n: a + n),
        lambda xs: [sum(xs[: i + 1]) for i in range(len(xs))],
    ),
    "batch": (lambda: Batch(4, None), lambda xs: [xs[i : i + 4] for i in range(0, len(xs), 4)]),
}
every_operator = pytest.mark.parametrize(
    ("make", "model"), OPERATORS.values(), ids=OPERATORS.keys()
)


@every_operator
def test_nothing_is_requested_before_there_is_demand(make, model):
    stage = Alone(make())
    assert stage.up.requests == []
    wanted = 9 if isinstance(stage.logic, Take) else 16  # no more than it gives
    assert stage.request(1).up.requests[0] == wanted


@every_operator
@pytest.mark.parametrize("step", [1, 2, 3, 7, 100])
def test_no_more_is_given_than_was_requested_and_all_of_it_in_the_end(make, model, step):
    stage = Alone(make(), window=32)
    stage.request(step)
    stage.push(*range(min(32, stage.up.requested) if not stage.up.cancelled else 0))
    requested = step
    while not stage.down.ended and requested < 1000:
        assert len(stage.down.elements) <= requested
        if not stage.logic.inlets[0].done and not stage.up.cancelled:
            stage.complete()
        stage.request(step)
        requested += step
    assert stage.down.completed
    assert stage.down.elements == model(list(range(32)))


@every_operator
def test_completion_needs_no_demand(make, model):
    assert Alone(make()).complete().down.completed


@every_operator
def test_a_failure_needs_no_demand_and_arrives_as_it_is(make, model):
    error = ValueError("upstream")
    assert Alone(make()).fail(error).down.error is error


@every_operator
def test_an_end_stays_behind_the_elements_held_back(make, model):
    stage = Alone(make()).request(1)
    stage.push(*range(6, 14)).complete()
    expected = model(list(range(6, 14)))
    if len(expected) > 1:
        assert not stage.down.ended
    stage.request(100)
    assert stage.down.completed


@every_operator
def test_cancelling_reaches_upstream_with_its_cause(make, model):
    cause = ValueError("downstream failed")
    stage = Alone(make()).request(1).cancel(cause=cause)
    assert stage.up.cancelled
    assert stage.up.cause is cause
    assert stage.logic.finished


@every_operator
def test_cancelling_before_any_demand_reaches_upstream(make, model):
    stage = Alone(make()).cancel()
    assert stage.up.cancelled
    assert stage.up.requests == []


@every_operator
def test_the_window_is_replenished_when_three_quarters_of_it_are_left(make, model):
    stage = Alone(make(), window=1000).request(3).request(5000)
    if stage.up.cancelled or isinstance(stage.logic, Take):
        return
    assert stage.up.requests == [1000]
    handed = 0
    while handed < 1000 and not stage.up.cancelled:
        stage.push(*range(4, 54))
        handed += 50
        if handed < 250:
            assert stage.up.requests == [1000]
        if handed >= 300 and not stage.up.cancelled:
            assert stage.up.requested - handed > 700


@pytest.mark.parametrize("demand", [1, 3, 4, 5, 100])
@pytest.mark.parametrize(
    "make",
    [
        lambda: Map(over_7),
        lambda: FlatMap(lambda n: [over_7(n)]),
        lambda: Scan(0, lambda _, n: over_7(n)),
    ],
    ids=["map", "flat_map", "scan"],
)
def test_elements_before_a_failing_one_are_delivered_first(make, demand):
    stage = Alone(make()).request(demand)
    stage.push(*range(16))
    while not stage.down.ended:
        stage.request(demand)
    assert stage.down.elements == [over_7(n) for n in range(7)]
    assert stage.down.error.position == 7
    assert isinstance(stage.down.error.__cause__, ZeroDivisionError)
    assert stage.up.cancelled


class Raises:
    """No plain function, so operators may treat it otherwise."""

    def __call__(self, n):
        if n == 7:
            raise StopIteration
        return [n]


@pytest.mark.parametrize("f", [Raises(), lambda n: Raises()(n)], ids=["object", "function"])
@pytest.mark.parametrize("demand", [1, 100])
@pytest.mark.parametrize("last", [8, 16])
@pytest.mark.parametrize(
    "operator", [Map, Filter, FlatMap, TakeWhile, SkipWhile, lambda f: Scan(0, lambda _, n: f(n))]
)
def test_a_stop_iteration_of_the_users_is_a_failure_and_no_end(operator, f, demand, last):
    stage = Alone(operator(f)).request(demand)
    stage.push(*range(last)).complete()
    for _ in range(last):
        stage.request(demand)
    assert stage.down.error is not None
    assert stage.down.error.position == 7


@pytest.mark.parametrize("behind", [0, 2])
def test_a_predicate_in_c_that_runs_out_is_a_failure_and_loses_nothing(behind):
    stage = Alone(Filter(next)).request(10)
    stage.push(full := iter("a"), iter(""), *(iter("b") for _ in range(behind)))
    assert stage.down.elements == [full]
    assert stage.down.error.position == 1


@pytest.mark.parametrize("behind", [0, 1])
@pytest.mark.parametrize("demand", [1, 10])
def test_a_predicate_in_c_through_which_a_method_raises_is_a_failure_and_loses_nothing(
    behind, demand
):
    class RunsOut:
        def __eq__(self, other):
            raise StopIteration

        __hash__ = object.__hash__

    stage = Alone(Filter([1].__contains__)).request(demand)
    stage.push(1, RunsOut(), *[1] * behind)
    stage.request(demand)
    assert stage.down.elements == [1]
    assert stage.down.error.position == 1


class OverThree:
    """As a predicate: a type, which is called in C, but whose ``__init__`` is not."""

    def __init__(self, n):
        if n > 3:
            raise StopIteration


@pytest.mark.parametrize("kind", [list, tuple, range])
@pytest.mark.parametrize("last", [5, 7])
def test_a_predicate_in_c_that_runs_out_is_a_failure_in_frames_of_all_kinds(kind, last):
    frame, out = range(last), []
    elements = iter(frame if kind is range else kind(frame))
    with pytest.raises(RuntimeError, match="filter: predicate raised StopIteration"):
        Filter(OverThree).collect(elements, out)
    assert out == [0, 1, 2, 3]
    assert list(elements) == list(range(5, last))


@pytest.mark.parametrize("kind", [list, tuple, range])
@pytest.mark.parametrize("size", [0, 3])
def test_a_predicate_in_c_filters_frames_of_all_kinds(kind, size):
    out = []
    Filter(bool).collect(iter(range(size) if kind is range else kind(range(size))), out)
    assert out == list(range(1, size))


def test_a_function_in_c_that_runs_out_is_a_failure_and_no_end():
    stage = Alone(Map(next)).request(10)
    stage.push(iter("a"), iter("b"), iter(""), iter("d"))
    assert stage.down.elements == ["a", "b"]
    assert stage.down.error is not None


def test_take_cancels_upstream_and_completes_behind_the_last_one():
    stage = Alone(Take(3)).request(3)
    assert stage.up.requested == 3, "a group that it cuts short loses none"
    stage.push(1, 2, 3)
    assert stage.up.requested == 3
    assert stage.down.elements == [1, 2, 3]
    assert stage.down.completed
    assert stage.up.cancelled


def test_take_nothing_completes_at_once_without_asking():
    stage = Alone(Take(0))
    assert stage.down.completed
    assert stage.up.requests == []
    assert stage.up.cancelled


def test_flat_map_draws_an_endless_iterable_only_as_far_as_demanded():
    drawn = []

    def endless(_):
        n = 0
        while True:
            drawn.append(n)
            yield n
            n += 1

    stage = Alone(FlatMap(endless)).request(5)
    stage.push("x")
    assert stage.down.elements == [0, 1, 2, 3, 4]
    assert len(drawn) <= 6


def test_elements_beyond_demand_are_a_violation_of_rule_1_1():
    stage = Alone(ListSink(), window=2)
    with pytest.raises(ProtocolViolation, match=r"rule 1\.1: 2 elements requested, 3 delivered"):
        stage.logic.inlet.push((1, 2, 3))


def test_an_element_after_the_end_is_a_violation_of_rule_1_7():
    stage = Alone(ListSink()).complete()
    stage.logic.inlet.cancelled = False
    with pytest.raises(ProtocolViolation, match=r"rule 1\.7"):
        stage.logic.inlet.push((1,))


def test_a_sink_asks_for_its_window_at_once():
    assert Alone(ListSink(), window=8).up.requests == [8]


def test_first_asks_for_one_element_and_cancels_behind_it():
    stage = Alone(First(), window=64)
    assert stage.up.requests == [1]
    stage.push("a")
    assert stage.logic.completed
    assert stage.logic.result == "a"
    assert stage.up.cancelled


def test_a_sinks_failure_names_the_element_and_cancels_upstream():
    seen = []

    def f(n):
        if n == 5:
            raise ValueError(n)
        seen.append(n)

    stage = Alone(ForEach(f), window=16)
    stage.push(*range(10))
    assert seen == [0, 1, 2, 3, 4]
    assert stage.up.cancelled
    assert stage.up.cause.position == 5
    assert not stage.logic.completed


def test_for_each_does_not_take_a_stop_iteration_for_the_end():
    stage = Alone(ForEach(Raises()), window=16)
    stage.push(*range(10)).complete()
    assert not stage.logic.completed
    assert stage.up.cause.position == 7


def test_a_sink_that_upstream_failed_has_no_result():
    stage = Alone(Count()).push(1, 2).fail(ValueError())
    assert stage.logic.finished
    assert not stage.logic.completed


def test_a_batch_waits_for_its_time_only_once_it_holds_something():
    stage = Alone(Batch(3, within=0.5)).request(10)
    assert stage.timers == []
    stage.push(1)
    assert [timer.seconds for timer in stage.timers] == [0.5]
    stage.turn(stage.timers[0].action)
    assert stage.down.elements == [[1]]


def test_the_timer_of_a_full_batch_does_not_cut_the_next_one_short():
    stage = Alone(Batch(2, within=0.5)).request(10)
    stage.push(1)
    stage.push(2)
    stage.push(3)
    assert stage.timers[0].cancelled
    stage.turn(stage.timers[0].action)
    assert stage.down.elements == [[1, 2]]
