# mypy: disable-error-code="var-annotated"
"""The one list of our stages, each as something the conformance kit can be pointed at.
A key is the stage's file below ``actors_rs/stages``. A new stage needs an entry: a test looks.
"""

import sqlite3
from asyncio import sleep
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import count

import pyarrow
from pyarrow import parquet

from actors_rs import Feedback, Flow, KillSwitch, Sink, Source, merge, operator
from actors_rs.engine.loops.sink_queue import SinkQueue
from actors_rs.engine.run.source_queue import SourceQueue
from actors_rs.language.sink import made_sink as sink
from actors_rs.language.sources import source
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.stages.sinks.queue import QueueSink
from actors_rs.stages.sources.queue import QueueSource
from actors_rs.testing.reference import ReferencePublisher

WORKERS = (1, 4)
WINDOWS = (1, 2, 16, 1024)
NUMBERS = count()


@dataclass(frozen=True)
class Setting:
    """Under what a stage is tested; with ``frames`` its neighbours are ours, else foreign."""

    workers: int
    window: int
    frames: bool

    def __str__(self):
        peers = "frames" if self.frames else "signals"
        return f"{self.workers}-workers-window-{self.window}-{peers}"


ALL = [Setting(w, size, f) for w in WORKERS for size in WINDOWS for f in (False, True)]
PAIRS = [one for one in ALL if one.frames == ((one.workers > 1) ^ (WINDOWS.index(one.window) % 2))]
"""Settings in which each two choices meet at least once."""


def attached(n, _):
    hub = Source.merge_hub()
    hub.attach(Source.range(0, n))
    hub.close()
    return hub.source


def awaited(n):
    """What an async generator gives that waits for each element."""

    async def numbers():
        for k in range(n):
            await sleep(0)
            yield k

    return Source.from_iterable(numbers)


def settled(value):
    future = Future()
    future.set_result(value)
    return future


def rows(n, folder):
    path = folder / f"{next(NUMBERS)}.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE numbers (n INTEGER)")
        connection.executemany("INSERT INTO numbers VALUES (?)", [(k,) for k in range(n)])
    connection.close()
    return Source.sqlite(path, "SELECT n FROM numbers")


def batches(n, folder):
    path = folder / f"{next(NUMBERS)}.parquet"
    parquet.write_table(pyarrow.table({"n": range(n)}), path)
    batches = Source.parquet(path, rows_per_batch=3)
    return batches.flat_map(lambda batch: batch["n"].to_pylist())


def written(n, folder, text=""):
    path = folder / f"{next(NUMBERS)}.txt"
    path.write_text(text or "".join(f"{k}\n" for k in range(n)), "utf-8")
    return path


def folder_of(n, folder):
    path = folder / f"{next(NUMBERS)}"
    path.mkdir()
    for k in range(n):
        (path / f"{k}").write_text("")
    return path


def queued(n, _):
    """A queue that is completed at once, beside the elements: nobody has the run's handle."""
    closed = SourceQueue(1, "backpressure")
    closed.complete()
    return merge(source("queue", lambda: QueueSource(closed)), Source.range(0, n))


def called_back(n):
    def register(emit):
        for k in range(n):
            emit(k)
        emit.complete()

    return Source.from_callback(register, n + 1)


SOURCES = {
    "sources/files/bytes": lambda n, folder: Source.bytes(written(n, folder), 2).take(n),
    "sources/files/csv": lambda n, folder: Source.csv(written(n, folder), header=False),
    "sources/defer": lambda n, _: Source.defer(*[lambda: 1] * n),
    "sources/files/files": lambda n, folder: Source.files(f"{folder_of(n, folder)}/*"),
    "sources/from_future": lambda n, _: Source.from_future(lambda: settled(range(n))).flat_map(
        same
    ),
    "sources/files/json": lambda n, folder: Source.json(
        written(n, folder, str([*range(n)])), "item"
    ),
    "sources/files/jsonl": lambda n, folder: Source.jsonl(written(n, folder)),
    "sources/files/parquet": batches,
    "sources/queue": queued,
    "sources/files/sqlite": rows,
    "sources/unfold_resource": lambda n, _: Source.unfold_resource(
        lambda: iter(range(n)), lambda numbers: next(numbers, None), same
    ),
    "hubs/merge_hub": attached,
    "sources/empty": lambda n, _: merge(Source.empty(), Source.range(0, n)),
    "sources/failed": lambda n, _: Source.range(0, n),  # and itself as the failed publisher
    "sources/from_async_iterable": lambda n, _: awaited(n),
    "sources/from_callback": lambda n, _: called_back(n),
    "sources/from_iterable": lambda n, _: Source.from_iterable(lambda: iter(range(n))),
    "sources/files/lines": lambda n, folder: Source.lines(written(n, folder)),
    "sources/never": lambda n, _: merge(Source.range(0, n), Source.never()).take(n),
    "sources/of": lambda n, _: Source.of(*range(n)),
    "sources/repeat": lambda n, _: Source.repeat(7, n),
    "sources/tick": lambda n, _: Source.tick(0.0002).take(n),
    "sources/timer": lambda n, _: merge(Source.timer(0.001).skip(1), Source.range(0, n)),
    "sources/unfold": lambda n, _: Source.unfold(0, lambda k: (k, k + 1) if k < n else None),
}
"""``(n, folder)`` -> a source of n elements. All of them fail with ``Source.failed``."""


def same(x):
    return x


def again(error):
    raise error


@operator
def passed_on(elements):
    yield from elements


def both_ways():
    """All that comes, and beside it a sink with a source that ends with it."""
    both = Flow.from_sink_and_source(Sink.ignore(), Source.never(), coupled=True)
    return Flow().also_to(both.into(Sink.ignore()))


def looped():
    loop = Feedback(8)
    return loop.source.merge_preferred(Flow()).divert_to(loop.sink, lambda _: False)


def beside(operator):
    """A flow with ``operator``, which drops elements, on a branch that ends in nothing."""
    one, other = Flow().broadcast(2)
    return merge(one, operator(other).filter(lambda _: False))


def broadcast():
    one, other = Flow().broadcast(2)
    return merge(one, other.filter(lambda _: False))


def partition():
    one, other = Flow().partition(2, lambda _: 1)
    return merge(one, other)


def unzip():
    one, other = Flow().map(lambda x: (x, x)).unzip()
    return merge(one, other.filter(lambda _: False))


def first_part(parts):
    return parts[0]


def last_part(parts):
    return parts[-1]


def folded(fold):
    """All that comes, and beside it a fold with a sink of its own."""
    return Flow().also_to(fold(Flow()).into(Sink.ignore()))


FLOWS = {
    "operators/average": lambda: folded(lambda flow: flow.count().average()),
    "operators/backpressure_timeout": lambda: Flow().backpressure_timeout(100),
    "operators/batch": lambda: Flow().batch(1).map(lambda batch: batch[0]),
    "operators/buffer": lambda: Flow().buffer(10**6, "drop_oldest"),
    "operators/completion_timeout": lambda: Flow().completion_timeout(100),
    "operators/conflate": lambda: (
        Flow().conflate(lambda x: [x], lambda xs, x: [*xs, x]).flat_map(same)
    ),
    "operators/batch_by_weight": lambda: (
        Flow().batch(weight=lambda _: 2, max_weight=2).map(lambda batch: batch[0])
    ),
    "operators/map_async_by_key": lambda: Flow().map_async(same, 2, key=lambda _: 0),
    "operators/map_processes": lambda: Flow().map_processes(same, 1),
    "operators/flat_map_processes": lambda: Flow().flat_map_processes(lambda x: [x], 1),
    "operators/contains": lambda: folded(lambda flow: flow.contains(-1)),
    "operators/count": lambda: folded(lambda flow: flow.count()),
    "operators/debounce": lambda: beside(lambda flow: flow.debounce(0.001)),
    "operators/default_if_empty": lambda: Flow().default_if_empty(),
    "operators/delay": lambda: Flow().delay(0.0005),
    "operators/distinct": lambda: Flow().with_index().distinct().map(lambda pair: pair[1]),
    "operators/distinct_until_changed": lambda: (
        Flow().with_index().distinct_until_changed().map(lambda pair: pair[1])
    ),
    "operators/element_at": lambda: folded(lambda flow: flow.end_with(0).element_at(0)),
    "operators/end_with": lambda: Flow().end_with(),
    "operators/expand": lambda: Flow().expand(lambda x: [x]),
    "operators/extreme": lambda: folded(lambda flow: flow.count().min()),
    "operators/filter": lambda: Flow().filter(lambda _: True),
    "operators/first": lambda: folded(lambda flow: flow.end_with(0).first()),
    "operators/flat_map": lambda: Flow().flat_map(lambda x: [x]).flat_map(Source.of),
    "operators/generated": lambda: passed_on(),
    "operators/identity": Flow,
    "operators/idle_timeout": lambda: Flow().idle_timeout(100),
    "operators/initial_timeout": lambda: Flow().initial_timeout(100),
    "operators/keep_alive": lambda: Flow().keep_alive(100, None),
    "operators/kill_switch": lambda: Flow().kill_switch(KillSwitch()),
    "operators/last": lambda: folded(lambda flow: flow.count().last()),
    "operators/map": lambda: Flow().map(same),
    "operators/map_async": lambda: Flow().map_async(same, parallelism=2),
    "operators/map_error": lambda: Flow().map_error(same),
    "operators/map_not_none": lambda: Flow().map_not_none(same),
    "operators/monitor": lambda: Flow().monitor(same),
    "operators/on_termination": lambda: Flow().on_termination(same),
    "operators/recover": lambda: Flow().recover(again),
    "operators/aggregate_by": lambda: folded(
        lambda flow: flow.aggregate_by(lambda _: 0, 0, lambda _, x: x).map(last_part)
    ),
    "operators/join": lambda: folded(
        lambda flow: flow.join(Source.empty(), key=int, within=1, event_time=int).map(same)
    ),
    "operators/aggregate_windows": lambda: folded(
        lambda flow: flow.aggregate_by(
            int, 0, max, every=9, event_time=int, merged_with=[Source.empty()]
        ).map(last_part)
    ),
    "operators/reduce": lambda: folded(lambda flow: flow.reduce(0, lambda _, x: x)),
    "operators/reduce_without_initial": lambda: folded(
        lambda flow: flow.count().reduce_without_initial(lambda _, x: x)
    ),
    "operators/sample": lambda: beside(lambda flow: flow.sample(0.001)),
    "operators/scan": lambda: Flow().scan(0, lambda _, x: x),
    "operators/search": lambda: folded(lambda flow: flow.is_empty()),
    "operators/skip": lambda: Flow().skip(0),
    "operators/skip_while": lambda: Flow().skip_while(lambda _: False),
    "operators/skip_within": lambda: beside(lambda flow: flow.skip_within(100)),
    "operators/sliding": lambda: Flow().sliding(1).map(lambda only: only[0]),
    "operators/sort_within": lambda: folded(lambda flow: flow.sort_within(3)),
    "operators/starmap": lambda: Flow().map(lambda x: (x,)).starmap(same),
    "operators/start_with": lambda: Flow().start_with(),
    "operators/stateful_map": lambda: Flow().stateful_map(int, lambda n, x: (n, x)),
    "operators/sum": lambda: folded(lambda flow: flow.count().sum()),
    "operators/take": lambda: Flow().take(10**9),
    "operators/take_while": lambda: Flow().take_while(lambda _: True),
    "operators/take_within": lambda: Flow().take_within(100),
    "operators/throttle": lambda: Flow().throttle(10**4),
    "operators/with_index": lambda: Flow().with_index().map(lambda pair: pair[1]),
    "junctions/feedback": looped,
    "junctions/sink_and_source": lambda: both_ways(),
    "junctions/also_to": lambda: Flow().also_to(Sink.ignore()),
    "junctions/amb": lambda: Flow().amb(Source.never()),
    "junctions/balance": lambda: Flow().balance(1)[0],
    "junctions/broadcast": broadcast,
    "operators/catch": lambda: Flow().catch(Source.failed),
    "junctions/combine_latest": lambda: Flow().combine_latest(Source.of(0)).map(first_part),
    "junctions/concat": lambda: Flow().append(Source.empty()).prepend(Source.empty()),
    "junctions/divert_to": lambda: Flow().divert_to(Sink.ignore(), lambda _: False),
    "operators/flat_map_merge": lambda: Flow().flat_map(Source.of, breadth=2),
    "junctions/interleave": lambda: Flow().interleave(Source.empty(), 2),
    "junctions/merge": lambda: merge(Flow(), Source.empty()),
    "junctions/merge_preferred": lambda: Flow().merge_preferred(Source.empty()),
    "junctions/merge_sorted": lambda: Flow().merge_sorted(Source.empty(), key=str),
    "junctions/partition": partition,
    "operators/recover_with": lambda: Flow().recover_with(again),
    "operators/group_by": lambda: Flow().group_by(lambda _: 0, 1).flat_map(lambda group: group),
    "operators/switch_map": lambda: merge(Flow(), Source.empty().switch_map(Source.of)),
    "junctions/unzip": unzip,
    "junctions/wire_tap": lambda: Flow().wire_tap(Sink.ignore()),
    "junctions/zip": lambda: Flow().zip(Source.repeat(0)).map(first_part),
    "junctions/zip_latest": lambda: (
        Flow().zip_latest(merge(Source.of(0), Source.never())).map(first_part)
    ),
}
"""A flow that passes on what comes, made with the stage."""


async def soon(x):
    return x


def from_publisher(n, _):
    """What a Publisher of others gives, one that keeps to the rules."""
    return Source.from_publisher(ReferencePublisher(range(n)))


SOON = Backoff(0, 0)
VARIANTS = {
    "operators/map, a section that restarts": lambda: Flow().map(same).restart(SOON),
    "operators/map, on_failure": lambda: Flow().map(same).on_failure("resume"),
    "operators/map_async, retried": lambda: Flow().map_async(same, 2).retry(SOON),
    "operators/map_async, falling back": lambda: Flow().map_async(len, 2, fallback=lambda x, _: x),
    "operators/map_async, unordered": lambda: Flow().map_async(same, 1, ordered=False),
    "operators/map_async, coroutines": lambda: Flow().map_async(soon, 2),
    "operators/map_async_by_key, coroutines": lambda: Flow().map_async(soon, 2, key=lambda _: 0),
    "operators/buffer, backpressure": lambda: Flow().buffer(3),
    "operators/batch, within": lambda: Flow().batch(1, within=0.01).map(first_part),
    "junctions/concat, if_empty": lambda: Flow().if_empty(Source.empty()),
    "operators/group_by, evict_idle": lambda: (
        Flow().group_by(lambda _: 0, 1, "evict_idle", idle_timeout=5).flat_map(same, breadth=2)
    ),
    "operators/group_by, divert": lambda: (
        Flow().group_by(lambda _: 0, 1, "divert").flat_map(same, breadth=2)
    ),
    "operators/group_by, fail": lambda: (
        Flow().group_by(lambda _: 0, 1, "fail").flat_map(lambda group: group.map(same))
    ),
}
"""Options of stages, and what is made of several, that go a way of their own through the code."""


HUBS = {
    "hubs/hub": lambda source, system: source.hub(system, replay=32),
    "hubs/partition_hub": lambda source, system: source.partition_hub(
        system, lambda _, count: count - 1
    ),
}
"""``(source, system)`` -> a hot publisher."""


def table(folder):
    path = folder / f"{next(NUMBERS)}.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE numbers (n INTEGER)")
    connection.close()
    return Sink.sqlite(path, "INSERT INTO numbers VALUES (:n)")


def queued_out():
    """A queue with room for all: nobody has the run's handle, to get from it."""
    queue = SinkQueue(64)
    queue.open_up()
    return QueueSink(queue)


SINKS = {
    "sinks/count": lambda _: Sink.count(),
    "sinks/files/csv": lambda folder: (
        Flow().map(lambda n: [n]).to(Sink.csv(folder / f"{next(NUMBERS)}.csv"))
    ),
    "sinks/fan": lambda _: Sink.fan(Sink.count(), Sink.list()),
    "sinks/first": lambda _: Sink.first(),
    "sinks/fold": lambda _: Sink.fold(0, lambda n, _: n + 1),
    "sinks/for_each": lambda _: Sink.for_each(same),
    "sinks/ignore": lambda _: Sink.ignore(),
    "sinks/files/jsonl": lambda folder: Sink.jsonl(folder / f"{next(NUMBERS)}.jsonl"),
    "sinks/last": lambda _: Sink.last(),
    "sinks/files/lines": lambda folder: (
        Flow().map(str).to(Sink.lines(folder / f"{next(NUMBERS)}.gz"))
    ),
    "sinks/list": lambda _: Sink.list(),
    "sinks/files/parquet": lambda folder: Sink.parquet(folder / f"{next(NUMBERS)}"),
    "sinks/queue": lambda _: sink("queue", queued_out),
    "sinks/files/sqlite": table,
    "sinks/sum": lambda _: Sink.sum(),
}
"""``folder`` -> a sink."""

ROWS = {"sinks/files/parquet", "sinks/files/sqlite"}
"""Sinks that take rows, ``{"n": 0}`` and so on; the others take numbers."""
