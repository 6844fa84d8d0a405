# mypy: disable-error-code="arg-type, call-arg, misc, type-var, var-annotated"
"""``StopIteration`` raised by a function of the user's is a failure, never the end of a stream."""

import functools
import inspect
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from uuid import uuid4

import pytest

from actors_rs import Flow, Graph, Sink, Source, merge
from actors_rs.errors import StageError, StreamError
from tests.graph.helpers import SECONDS

ten = Source.range(0, 10)
broken = ten.map(lambda n: 1 // n)
FLOWS = {
    "all predicate": lambda f: ten.all(f),
    "batch weight": lambda f: ten.batch(weight=f, max_weight=3),
    "catch f": lambda f: broken.catch(f),
    "concat_map f": lambda f: ten.concat_map(f),
    "conflate seed": lambda f: ten.conflate(f, max),
    "conflate f": lambda f: ten.conflate(str, f).delay(0.001),
    "contains equal": lambda f: ten.contains(3, f),
    "defer functions": lambda f: Source.defer(f),
    "distinct key": lambda f: ten.distinct(f),
    "distinct key, window": lambda f: ten.distinct(f, 3),
    "distinct_until_changed key": lambda f: ten.distinct_until_changed(f),
    "divert_to when": lambda f: ten.divert_to(Sink.ignore(), f),
    "end_with_get functions": lambda f: ten.end_with_get(f),
    "expand f": lambda f: ten.expand(f),
    "filter predicate": lambda f: ten.filter(f),
    "first predicate": lambda f: ten.first(f),
    "flat_map f": lambda f: ten.flat_map(f),
    "flat_map f, breadth": lambda f: ten.flat_map(f, 3),
    "from_future future": lambda f: Source.from_future(f),
    "from_iterable iterable": lambda f: Source.from_iterable(f),
    "group_by key": lambda f: ten.group_by(f, 3).flat_map(lambda group: group, 3),
    "jsonl default": lambda f: ten.map(complex).also_to(Sink.jsonl(a_path(), default=f)),
    "map f": lambda f: ten.map(f),
    "map_async f": lambda f: ten.map_async(f, 2),
    "map_async f, ordered": lambda f: ten.map_async(f, 2, ordered=False),
    "map_async fallback": lambda f: ten.map_async(lambda n: 1 // n, fallback=lambda n, _: f(n)),
    "map_async key": lambda f: ten.map_async(str, 2, key=f),
    "map_error f": lambda f: broken.map_error(f),
    "map_not_none f": lambda f: ten.map_not_none(f),
    "max key": lambda f: ten.max(f),
    "merge_sorted key": lambda f: ten.merge_sorted(Source.of(1), f),
    "min key": lambda f: ten.min(f),
    "monitor f": lambda f: ten.monitor(f),
    "on_termination f": lambda f: ten.on_termination(f),
    "partition f": lambda f: merge(*ten.partition(2, f)),
    "recover f": lambda f: broken.recover(f),
    "recover_with stream": lambda f: broken.recover_with(f),
    "reduce f": lambda f: ten.reduce(0, f),
    "reduce_get make_init": lambda f: ten.reduce_get(f, max),
    "reduce_get f": lambda f: ten.reduce_get(int, f),
    "reduce_without_initial f": lambda f: ten.reduce_without_initial(f),
    "scan f": lambda f: ten.scan(0, f),
    "skip_while predicate": lambda f: ten.skip_while(f),
    "some predicate": lambda f: ten.some(f),
    "sort_within key": lambda f: ten.sort_within(2, f),
    "starmap f": lambda f: ten.map(lambda n: (n,)).starmap(f),
    "start_with_get functions": lambda f: ten.start_with_get(f),
    "stateful_map create": lambda f: ten.stateful_map(f, max),
    "stateful_map f": lambda f: ten.stateful_map(int, f),
    "stateful_map on_complete": lambda f: ten.stateful_map(int, lambda s, n: (s, n), f),
    "switch_map f": lambda f: ten.switch_map(f),
    "take_while predicate": lambda f: ten.take_while(f),
    "throttle cost": lambda f: ten.throttle(1e6, cost=f),
    "unfold f": lambda f: Source.unfold(0, f),
    "unfold_resource open": lambda f: Source.unfold_resource(f, str, str),
    "unfold_resource read": lambda f: Source.unfold_resource(int, f, str),
    "unfold_resource close": lambda f: Source.unfold_resource(int, lambda _: None, f),
}
SINKS = {
    "fold f": lambda f: Sink.fold(0, f),
    "fold_get make_init": lambda f: Sink.fold_get(f, max),
    "fold_get f": lambda f: Sink.fold_get(int, f),
    "for_each f": lambda f: Sink.for_each(f),
}
OF_DECIDERS: dict[str, Any] = {
    "map decider": lambda f: broken.on_failure(decider=f),
    "partition decider": lambda f: merge(*ten.partition(2, lambda n: 1 // n, decider=f)),
    "for_each decider": lambda f: Sink.for_each(lambda n: 1 // n).on_failure(decider=f),
    "retry when": lambda f: ten.map_async(lambda n: 1 // n, 2).retry(when=f),
    "retry after": lambda f: ten.map_async(lambda n: 1 // n, 2).retry(after=f),
    "map_async retry_after": lambda f: ten.map_async(lambda n: 1 // n, 2, retry_after=f),
}
AT_ONCE = {"combine how", "then make"}
"""Called while the blueprint is built: what they raise is raised there."""
BESIDE = {"from_iterable interrupt", "unfold interrupt", "unfold_resource interrupt"}
"""Called on a thread of their own: what they raise is a dead letter."""
ELSEWHERE = {
    *("aggregate_by key", "aggregate_by fold", "aggregate_by event_time", "join key"),
    *("join right_key", "join event_time", "join right_event_time", "csv types", "jsonl parse"),
    *("map_processes f", "map_processes initializer", "flat_map_processes f", "fan combine"),
    *("flat_map_processes initializer", "from_callback register", "map_result f"),
    *("with_attributes weight", "map_processes fallback", "contramap f"),
}
"""Their failures have tests in the files of these stages."""


def a_path():
    """Of a file that never appears, since its stream fails."""
    return Path(gettempdir()) / f"{uuid4()}.jsonl"


def a_function(*_):
    raise StopIteration("mine")


class Callable:
    def __call__(self, *_):
        raise StopIteration("mine")


WAYS = [a_function, Callable(), functools.partial(a_function)]


def failures(system, graph):
    with pytest.raises(StreamError) as caught:
        system.start(graph).result(SECONDS)
    return [caught.value, *getattr(caught.value, "others", ())]


def is_told(error, stage):
    named = isinstance(error, StageError) and error.stage == stage
    return named and "StopIteration" in f"{error} {error.__cause__!r}"


@pytest.mark.parametrize("f", WAYS)
@pytest.mark.parametrize("what", FLOWS)
def test_in_an_operator_it_is_a_failure_that_names_the_stage(what, f, shared):
    found = failures(shared, FLOWS[what](f).to(Sink.list()))
    assert any(is_told(error, what.split()[0]) for error in found)


@pytest.mark.parametrize("f", WAYS)
@pytest.mark.parametrize("what", SINKS)
@pytest.mark.parametrize("fan", [False, True])
def test_in_a_sink_it_is_a_failure_that_names_the_stage(what, f, fan, shared):
    sink = SINKS[what](f)
    found = failures(shared, ten.to(Sink.fan(sink, Sink.count()) if fan else sink))
    assert any(is_told(error, what.split()[0]) for error in found)


@pytest.mark.parametrize("f", WAYS)
@pytest.mark.parametrize("what", OF_DECIDERS)
def test_in_what_decides_about_a_failure_it_is_told_beside_that_failure(what, f, shared):
    made = OF_DECIDERS[what](f)
    found = failures(shared, ten.to(made) if isinstance(made, Sink) else made.to(Sink.list()))
    assert any("StopIteration" in str(error) for error in found)


@pytest.mark.parametrize("f", WAYS)
def test_in_a_hub_that_shares_out_it_is_a_failure_of_its_subscribers(f, shared):
    hub = ten.partition_hub(shared, f)
    found = failures(shared, Source.from_publisher(hub).to(Sink.list()))
    assert any(is_told(error, "partition_hub") for error in found)


@pytest.mark.parametrize("f", WAYS)
@pytest.mark.parametrize("what", ["map f", "filter predicate", "starmap f", "scan f"])
def test_in_stages_that_share_an_actor_it_names_the_one_that_it_came_from(what, f, shared):
    stage = what.split()[0]
    fused = FLOWS[what](f).map(str).fuse()
    assert any(is_told(error, stage) for error in failures(shared, fused.to(Sink.list())))
    for breadth in (None, 3):
        inner = Source.of(1).flat_map(lambda _: FLOWS[what](f).map(str), breadth)
        found = failures(shared, inner.to(Sink.list()))
        assert any(is_told(error, f"{stage}#1") for error in found)


def test_every_function_that_the_language_takes_is_among_those():
    found = {
        f"{name} {argument}"
        for each in (Flow, Sink, Graph)
        for name, method in inspect.getmembers(each, callable)
        for argument, kind in getattr(method, "__annotations__", {}).items()
        if "Callable" in str(kind) and not name.startswith("_") and argument != "return"
    }
    tried = {*FLOWS, *SINKS, *OF_DECIDERS, *AT_ONCE, *BESIDE, *ELSEWHERE, "partition_hub f"}
    assert found <= tried
