# mypy: disable-error-code="var-annotated"
"""The one list of our stages, each as something the conformance kit can be pointed at.

A key is the stage's file below ``actors_rs/stages``. A stage that gives no stream of n elements by
itself stands in a graph that does. Whoever adds a stage adds it here: a test looks for it.
"""

import sqlite3
from dataclasses import dataclass
from itertools import count

from actors_rs import Flow, Sink, Source, merge

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


def lines(n, folder):
    path = folder / f"{next(NUMBERS)}.txt"
    path.write_text("line\n" * n, "utf-8")
    return Source.lines(path)


SOURCES = {
    "sources/empty": lambda n, _: merge(Source.empty(), Source.range(0, n)),
    "sources/failed": lambda n, _: Source.range(0, n),  # and itself as the failed publisher
    "sources/from_iterable": lambda n, _: Source.from_iterable(lambda: iter(range(n))),
    "sources/lines": lines,
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


FLOWS = {
    "operators/backpressure_timeout": lambda: Flow().backpressure_timeout(100),
    "operators/batch": lambda: Flow().batch(1).map(lambda batch: batch[0]),
    "operators/buffer": lambda: Flow().buffer(10**6, "drop_oldest"),
    "operators/completion_timeout": lambda: Flow().completion_timeout(100),
    "operators/conflate": lambda: (
        Flow().conflate(lambda x: [x], lambda xs, x: [*xs, x]).flat_map(same)
    ),
    "operators/debounce": lambda: beside(lambda flow: flow.debounce(0.001)),
    "operators/delay": lambda: Flow().delay(0.0005),
    "operators/expand": lambda: Flow().expand(lambda x: [x]),
    "operators/filter": lambda: Flow().filter(lambda _: True),
    "operators/flat_map": lambda: Flow().flat_map(lambda x: [x]),
    "operators/identity": Flow,
    "operators/idle_timeout": lambda: Flow().idle_timeout(100),
    "operators/initial_timeout": lambda: Flow().initial_timeout(100),
    "operators/keep_alive": lambda: Flow().keep_alive(100, None),
    "operators/map": lambda: Flow().map(same),
    "operators/map_async": lambda: Flow().map_async(same, parallelism=2),
    "operators/sample": lambda: beside(lambda flow: flow.sample(0.001)),
    "operators/scan": lambda: Flow().scan(0, lambda _, x: x),
    "operators/skip": lambda: Flow().skip(0),
    "operators/skip_while": lambda: Flow().skip_while(lambda _: False),
    "operators/skip_within": lambda: beside(lambda flow: flow.skip_within(100)),
    "operators/take": lambda: Flow().take(10**9),
    "operators/take_while": lambda: Flow().take_while(lambda _: True),
    "operators/take_within": lambda: Flow().take_within(100),
    "operators/throttle": lambda: Flow().throttle(10**4),
    "junctions/broadcast": broadcast,
    "junctions/merge": lambda: merge(Flow(), Source.empty()),
    "junctions/partition": partition,
}
"""A flow that passes on what comes, made with the stage."""


HUBS = {"junctions/hub": lambda source, system: source.hub(system, replay=32)}
"""``(source, system)`` -> a hot publisher."""


def table(folder):
    path = folder / f"{next(NUMBERS)}.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE numbers (n INTEGER)")
    connection.close()
    return Sink.sqlite(path, "INSERT INTO numbers VALUES (:n)")


SINKS = {
    "sinks/count": lambda _: Sink.count(),
    "sinks/first": lambda _: Sink.first(),
    "sinks/fold": lambda _: Sink.fold(0, lambda n, _: n + 1),
    "sinks/for_each": lambda _: Sink.for_each(same),
    "sinks/ignore": lambda _: Sink.ignore(),
    "sinks/jsonl": lambda folder: Sink.jsonl(folder / f"{next(NUMBERS)}.jsonl"),
    "sinks/last": lambda _: Sink.last(),
    "sinks/list": lambda _: Sink.list(),
    "sinks/parquet": lambda folder: Sink.parquet(folder / f"{next(NUMBERS)}"),
    "sinks/sqlite": table,
    "sinks/sum": lambda _: Sink.sum(),
}
"""``folder`` -> a sink."""

ROWS = {"sinks/parquet", "sinks/sqlite"}
"""Sinks that take rows, ``{"n": 0}`` and so on; the others take numbers."""
