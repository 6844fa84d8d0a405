"""Blueprints go through a pickle and back: each source, operator, junction and sink there is."""

import copy
import pickle
import re
import sqlite3
import threading
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import closing
from functools import partial
from multiprocessing import get_context
from operator import add, attrgetter, mul
from typing import Any

import pytest
from pyspark import cloudpickle

from actors_rs import (
    ActorSystem,
    Backoff,
    Feedback,
    Flow,
    Graph,
    RateLimit,
    Sink,
    Source,
    amb,
    concat,
    merge,
    pipe,
)
from actors_rs.delivery import acknowledged

numbers = Source.of(3, 1, 2, 2)
letters = Source.of("a", "b", "c", "d")
plus = partial(add, 1)


def pair(n):
    return n, n


def stream_of(n):
    return Source.of(n, n).map(plus)


def steps(state, n):
    return state + n, state


def countdown(n):
    return (n, n - 1) if n else None


def instead(error):
    return Source.of(0)


def nought(error):
    return 0


def fails(n):
    raise ValueError(n)


def inner(group):
    return group.reduce(0, add)


def ended(error):
    return None


def called_back(emit):
    emit(1)
    emit.complete()


def is_odd(n):
    return n % 2


OPERATORS = {
    "aggregate_by": lambda s: s.aggregate_by(is_odd, 0, add),
    "all": lambda s: s.all(is_odd),
    "also_to": lambda s: s.also_to(Sink.ignore()),
    "amb": lambda s: s.take(0).amb(Source.never()).map(str),
    "append": lambda s: s.append(numbers),
    "async_boundary": lambda s: s.map(plus).async_boundary().map(plus),
    "average": lambda s: s.average(),
    "backpressure_timeout": lambda s: s.backpressure_timeout(60),
    "batch": lambda s: s.batch(2),
    "buffer": lambda s: s.buffer(8),
    "catch": lambda s: s.map(fails).catch(instead),
    "completion_timeout": lambda s: s.completion_timeout(60),
    "concat": lambda s: s.concat(numbers),
    "concat_map": lambda s: s.concat_map(stream_of),
    "conflate": lambda s: s.conflate(plus, add).reduce(0, add).map(type),
    "contains": lambda s: s.contains(2),
    "count": lambda s: s.count(),
    "debounce": lambda s: s.debounce(0.001).count().map(type),
    "default_if_empty": lambda s: s.take(0).default_if_empty(7),
    "delay": lambda s: s.delay(0.001),
    "distinct": lambda s: s.distinct(),
    "distinct_until_changed": lambda s: s.distinct_until_changed(),
    "divert_to": lambda s: s.divert_to(Sink.ignore(), is_odd),
    "element_at": lambda s: s.element_at(1),
    "end_with": lambda s: s.end_with(8, 9),
    "end_with_get": lambda s: s.end_with_get(int),
    "expand": lambda s: s.expand(pair).count().map(type),
    "filter": lambda s: s.filter(is_odd),
    "first": lambda s: s.first(is_odd),
    "flat_map": lambda s: s.flat_map(stream_of, breadth=2).reduce(0, add),
    "fuse": lambda s: s.map(plus).filter(is_odd).take(2).fuse(),
    "group_by": lambda s: s.group_by(is_odd, 9).flat_map(inner, breadth=9).reduce(0, add),
    "idle_timeout": lambda s: s.idle_timeout(60),
    "if_empty": lambda s: s.take(0).if_empty(numbers),
    "initial_timeout": lambda s: s.initial_timeout(60),
    "interleave": lambda s: s.interleave(Source.of(7)),
    "into": lambda s: s.also_to(Flow().map(plus).into(Sink.list())),
    "is_empty": lambda s: s.is_empty(),
    "keep_alive": lambda s: s.keep_alive(60, 0),
    "last": lambda s: s.last(),
    "map": lambda s: s.map(plus),
    "map_async": lambda s: s.map_async(plus, parallelism=2),
    "map_error": lambda s: s.map(fails).map_error(attrgetter("__cause__")).recover(nought),
    "map_not_none": lambda s: s.map_not_none({3: 4}.get),
    "max": lambda s: s.max(),
    "merge": lambda s: s.merge(Source.of(7, 8)).reduce(0, add),
    "merge_preferred": lambda s: s.merge_preferred(Source.of(7, 8)).reduce(0, add),
    "merge_sorted": lambda s: s.take(0).merge_sorted(Source.of(1, 2)),
    "min": lambda s: s.min(key=plus),
    "monitor": lambda s: s.monitor(ended),
    "named": lambda s: s.map(plus).named("plus"),
    "on_failure": lambda s: s.map(fails).on_failure("resume"),
    "on_termination": lambda s: s.on_termination(ended),
    "pairwise": lambda s: s.pairwise(),
    "prepend": lambda s: s.prepend(numbers),
    "recover": lambda s: s.map(fails).recover(nought),
    "recover_with": lambda s: s.map(fails).recover_with(Source.of(5)),
    "reduce": lambda s: s.reduce([], mul).count(),
    "reduce_get": lambda s: s.reduce_get(int, add),
    "reduce_without_initial": lambda s: s.reduce_without_initial(add),
    "restart": lambda s: s.map(plus).restart(Backoff()),
    "retry": lambda s: s.map_async(plus, parallelism=2).retry(max_attempts=2),
    "sample": lambda s: s.sample(0.001).count().map(type),
    "scan": lambda s: s.scan(0, add),
    "skip": lambda s: s.skip(1),
    "skip_while": lambda s: s.skip_while(is_odd),
    "skip_within": lambda s: s.skip_within(60),
    "sliding": lambda s: s.sliding(2),
    "some": lambda s: s.some(is_odd),
    "sort_within": lambda s: s.sort_within(4),
    "starmap": lambda s: s.map(pair).starmap(add),
    "start_with": lambda s: s.start_with(8, 9),
    "start_with_get": lambda s: s.start_with_get(int),
    "stateful_map": lambda s: s.stateful_map(int, steps),
    "sum": lambda s: s.sum(),
    "switch_map": lambda s: s.take(1).switch_map(stream_of),
    "take": lambda s: s.take(2),
    "take_while": lambda s: s.take_while(is_odd),
    "take_within": lambda s: s.take_within(60),
    "throttle": lambda s: s.throttle(1e6),
    "via": lambda s: s.via(Flow().map(plus)),
    "wire_tap": lambda s: s.wire_tap(Sink.ignore()),
    "with_attributes": lambda s: s.map(plus).with_attributes(window=3, dispatcher="pinned"),
    "with_total": lambda s: s.map(plus).with_total(9),
    "with_index": lambda s: s.with_index(),
    "zip": lambda s: s.zip(letters),
    "zip_latest": lambda s: s.zip_latest(letters).count().map(type),
    "combine_latest": lambda s: s.combine_latest(letters).count().map(type),
}
SEVERAL = {  # several streams come out: joined again
    "balance": lambda s: merge(*s.balance(2)),
    "broadcast": lambda s: merge(*s.broadcast(2)),
    "partition": lambda s: merge(*s.partition(2, is_odd)),
    "unzip": lambda s: merge(*s.map(pair).unzip(2)),
}
SOURCES = {
    "combine": lambda path: Source.combine(numbers, letters).count(),
    "bytes": lambda path: Source.bytes(path, 3),
    "csv": lambda path: Source.csv(path, header=False, types={0: str.upper}, on_bad_row="skip"),
    "defer": lambda path: Source.defer(int, float),
    "empty": lambda path: Source.empty(),
    "failed": lambda path: Source.failed(ValueError("x")).recover(nought),
    "files": lambda path: Source.files(path),
    "from_callback": lambda path: Source.from_callback(called_back, 3),
    "from_future": lambda path: Source.from_future(done),
    "from_sink_and_source": lambda path: Source.of(1).via(
        Flow.from_sink_and_source(Sink.ignore(), numbers)
    ),
    "from_iterable": lambda path: Source.from_iterable([1, 2], interrupt=int),
    "json": lambda path: Source.json(path.with_name(path.write_text("7") and path.name)),
    "jsonl": lambda path: Source.jsonl(path),
    "lines": lambda path: Source.lines(path),
    "never": lambda path: Source.never().take(0),
    "of": lambda path: numbers,
    "range": lambda path: Source.range(0, 9),
    "repeat": lambda path: Source.repeat(1, 3),
    "sqlite": lambda path: Source.sqlite(database(path), "SELECT n FROM t"),
    "tick": lambda path: Source.tick(0.001).take(2).count(),
    "timer": lambda path: Source.timer(0.001),
    "unfold": lambda path: Source.unfold(3, countdown),
    "unfold_resource": lambda path: Source.unfold_resource(partial(open, path), next_line, closed),
}
COMPOSED = {"after", "contramap", "map_result"}  # in test_composed_sinks
OTHERWISE = {
    "parquet": "below, with its sink",
    "queue": "below: it takes what the run's queue is given",
    "from_publisher": "of a publisher that a system has: not picklable",
    **dict.fromkeys(("hub", "partition_hub", "merge_hub"), "begins to run at once"),
    "kill_switch": "its switch is of this process",
    **dict.fromkeys(("run", "run_async", "iterate", "open"), "runs"),
    **dict.fromkeys(("join", "map_processes", "flat_map_processes"), "has tests of its own"),
    "to": "gives a graph",
    "then": "for layers above",
    "publisher_on": "gives an actor",
    "processor_on": "gives an actor",
}
SINKS: dict[str, Any] = {
    "count": lambda path: Sink.count(),
    "fan": lambda path: Sink.fan(Sink.list(), Sink.sum()),
    "first": lambda path: Sink.first(),
    "fold": lambda path: Sink.fold(0, add),
    "fold_get": lambda path: Sink.fold_get(int, add),
    "for_each": lambda path: Sink.for_each(plus),
    "ignore": lambda path: Sink.ignore(),
    "jsonl": lambda path: Sink.jsonl(path, default=str),
    "csv": lambda path: Flow().map(pair).to(Sink.csv(path)),
    "last": lambda path: Sink.last(),
    "lines": lambda path: Flow().map(str).to(Sink.lines(path)),
    "list": lambda path: Sink.list(),
    "named": lambda path: Sink.list().named("all"),
    "on_failure": lambda path: Sink.for_each(fails).on_failure("resume"),
    "sqlite": lambda path: (
        Flow().map(pair).into(Sink.sqlite(database(path), "INSERT INTO t VALUES (?, ?)"))
    ),
    "sum": lambda path: Sink.sum(),
    "with_attributes": lambda path: Sink.list().with_attributes(window=3),
}


def results(element, outcomes):
    return None


def database(path):
    path = path.with_suffix(".db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS t (n, m)")
    return path


def done():
    future: Future[int] = Future()
    future.set_result(3)
    return future


def next_line(file):
    return file.readline() or None


def closed(file):
    file.close()


def again(blueprint):
    return pickle.loads(pickle.dumps(blueprint))


def test_every_method_of_the_language_is_in_a_table():
    ours = {name for name in dir(Flow) if name[0] != "_"}
    assert ours == {*OPERATORS, *SEVERAL, *SOURCES, *OTHERWISE}
    sinks = {name for name in dir(Sink) if name[0] != "_"}
    assert sinks == {*SINKS, "parquet", "queue", *COMPOSED, "behind", "subscriber_on", "start_on"}


@pytest.mark.parametrize("name", [*OPERATORS, *SEVERAL])
def test_a_stream_gives_the_same(name):
    stream = {**OPERATORS, **SEVERAL}[name](numbers)
    copied = again(stream)
    assert repr(copied) == repr(stream)
    assert copied._out.spec.site == stream._out.spec.site
    first, second = stream.run(Sink.list()), copied.run(Sink.list())
    assert (sorted(first) == sorted(second)) if name in SEVERAL else first == second


@pytest.mark.parametrize("name", [*OPERATORS, *SEVERAL])
def test_a_flow_whose_input_is_open_can_be_put_behind_any_source(name):
    if name in ("restart", "amb", "fuse"):
        pytest.skip("made of the source too")
    flow = again({**OPERATORS, **SEVERAL}[name](Flow()))
    assert numbers.via(flow).run(Sink.count()) == numbers.via(flow).run(Sink.count())


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_gives_the_same(name, tmp_path):
    path = tmp_path / "in"
    path.write_text("1\n2\n")
    stream = SOURCES[name](path)
    assert again(stream).run(Sink.list()) == stream.run(Sink.list())


@pytest.mark.parametrize("name", SINKS)
def test_a_sink_and_a_graph_give_the_same(name, tmp_path):
    sink = SINKS[name](tmp_path / "out")
    first = numbers.run(again(sink))
    assert again(numbers.to(sink)).run() == first


def test_parquet(tmp_path):
    rows = Source.of({"n": 1}, {"n": 2})
    again(rows.to(Sink.parquet(tmp_path / "data"))).run()
    assert again(Source.parquet(tmp_path / "data")).run(Sink.list())[0].num_rows == 2


def test_a_queue_is_another_one():
    with ActorSystem() as system:
        run = system.start(again(Source.queue(4).to(Sink.list())))
        run.queue().put(1)
        run.queue().complete()
        assert run.result(60) == [1]


@pytest.mark.parametrize("join", [merge, concat, amb, pipe], ids=lambda join: join.__name__)
def test_functions_of_several_streams(join):
    stream = again(join(numbers.take(1), *([Flow().map(plus)] if join is pipe else [])))
    assert len(stream.run(Sink.list())) == 1


def test_a_loop_keeps_both_of_its_ends():
    loop = Feedback[int](4)
    again_, out = numbers.merge(loop.source).broadcast(2)
    graph = Graph(again_.filter(bool).map(partial(add, -1)).to(loop.sink), out.to(Sink.count()))
    assert again(graph).run() == graph.run()


def test_branches_that_are_pickled_together_stay_branches():
    one, other = again(numbers.broadcast(2))
    assert Graph(one.to(Sink.list()), other.to(Sink.sum())).run() == ([3, 1, 2, 2], 8)


def test_acknowledged_streams_can_still_be_merged():
    streams = again(acknowledged(numbers, results)), acknowledged(numbers, results)
    assert merge(*streams).run(Sink.count()) == 8


def test_a_limit_that_streams_share_stays_in_its_process():
    throttled = numbers.throttle(RateLimit(1e6, 1.0))
    with pytest.raises(pickle.PicklingError, match=r"stage 'throttle' .* cannot be pickled"):
        again(throttled)


def test_a_chain_may_be_longer_than_python_goes_deep():
    stream = numbers
    for _ in range(3000):
        stream = stream.map(plus)
    assert again(stream)._out.spec.kind == "map"


def test_a_graph_runs_in_another_process():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(numbers.map(plus).to(Sink.list()).run).result(60) == [4, 2, 3, 3]


def test_lambdas_go_through_cloudpickle():
    stream = numbers.map(lambda n: n + 1).filter(lambda n: n > 2)
    assert cloudpickle.loads(cloudpickle.dumps(stream.to(Sink.list()))).run() == [4, 3, 3]


def line_of(blueprint):
    return re.escape(blueprint._out.spec.site)


@pytest.mark.parametrize(
    ("dump", "function"),
    [(pickle.dumps, lambda n: n), (cloudpickle.dumps, threading.Lock().acquire)],
    ids=["pickle", "cloudpickle"],
)
def test_a_stage_that_cannot_be_pickled_is_named_with_its_line(dump, function):
    culprit = numbers.map(plus).filter(function).named("picky")
    told = rf"stage 'picky' \(made at {line_of(culprit)}\) cannot be pickled: .*with def at its"
    for blueprint in (
        culprit,
        culprit.map(plus).to(Sink.list()),
        numbers.append(culprit),
        culprit.map(plus).restart(),
        culprit.fuse(),
    ):
        with pytest.raises(pickle.PicklingError, match=told):
            dump(blueprint)


def test_a_copy_is_itself_whatever_its_functions_are():
    stream = numbers.map(lambda n: n)
    for blueprint in (stream, Sink.for_each(print), stream.to(Sink.list())):
        assert copy.copy(blueprint) is blueprint
        assert copy.deepcopy([blueprint])[0] is blueprint
