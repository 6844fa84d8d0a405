"""Blueprints made of functions that can be pickled, one for each method of the language.

An operator needs no row: its diagram in ``tests/pages/marbles/operators.py`` is one.
"""

import sqlite3
from concurrent.futures import Future
from contextlib import closing
from functools import partial
from operator import add
from typing import Any

from actors_rs import Backoff, Flow, Sink, Source, merge
from tests.pages.marbles.operators import OPERATORS as DIAGRAMS

numbers = Source.of(3, 1, 2, 2)
letters = Source.of("a", "b", "c", "d")
plus = partial(add, 1)


def pair(n):
    return n, n


def stream_of(n):
    return Source.of(n, n).map(plus)


def countdown(n):
    return (n, n - 1) if n else None


def nought(error):
    return 0


def fails(n):
    raise ValueError(n)


def called_back(emit):
    emit(1)
    emit.complete()


def is_odd(n):
    return n % 2


DRAWN = {
    stage.partition("/")[2]: marble
    for stage, marble in DIAGRAMS.items()
    if stage != "operators/kill_switch"  # its switch is of this process
}
"""Stage -> the blueprint of its diagram, and what it gives in virtual time."""
METHODS = {
    "all": lambda s: s.all(is_odd),
    "also_to": lambda s: s.also_to(Sink.ignore()),
    "amb": lambda s: s.take(0).amb(Source.never()).map(str),
    "append": lambda s: s.append(numbers),
    "async_boundary": lambda s: s.map(plus).async_boundary().map(plus),
    "combine_latest": lambda s: s.combine_latest(letters).count().map(type),
    "concat": lambda s: s.concat(numbers),
    "concat_map": lambda s: s.concat_map(stream_of),
    "divert_to": lambda s: s.divert_to(Sink.ignore(), is_odd),
    "end_with_get": lambda s: s.end_with_get(int),
    "fuse": lambda s: s.map(plus).filter(is_odd).take(2).fuse(),
    "if_empty": lambda s: s.take(0).if_empty(numbers),
    "interleave": lambda s: s.interleave(Source.of(7)),
    "into": lambda s: s.also_to(Flow().map(plus).into(Sink.list())),
    "is_empty": lambda s: s.is_empty(),
    "max": lambda s: s.max(),
    "merge": lambda s: s.merge(Source.of(7, 8)).reduce(0, add),
    "merge_preferred": lambda s: s.merge_preferred(Source.of(7, 8)).reduce(0, add),
    "merge_sorted": lambda s: s.take(0).merge_sorted(Source.of(1, 2)),
    "min": lambda s: s.min(key=plus),
    "named": lambda s: s.map(plus).named("plus"),
    "on_failure": lambda s: s.map(fails).on_failure("resume"),
    "pairwise": lambda s: s.pairwise(),
    "prepend": lambda s: s.prepend(numbers),
    "reduce_get": lambda s: s.reduce_get(int, add),
    "restart": lambda s: s.map(plus).restart(Backoff()),
    "retry": lambda s: s.map_async(plus, parallelism=2).retry(max_attempts=2),
    "some": lambda s: s.some(is_odd),
    "start_with_get": lambda s: s.start_with_get(int),
    "via": lambda s: s.via(Flow().map(plus)),
    "wire_tap": lambda s: s.wire_tap(Sink.ignore()),
    "with_attributes": lambda s: s.map(plus).with_attributes(window=3, dispatcher="pinned"),
    "with_total": lambda s: s.map(plus).with_total(9),
    "zip": lambda s: s.zip(letters),
    "zip_latest": lambda s: s.zip_latest(letters).count().map(type),
}
"""Methods that no diagram is named after."""
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
    "parquet": "in test_pickled_blueprints, with its sink",
    "queue": "in test_pickled_blueprints: it takes what the queue of its run is given",
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
