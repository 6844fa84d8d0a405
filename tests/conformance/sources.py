# mypy: disable-error-code="var-annotated"
"""One row for each source. A key is the source's file below ``actors_rs/stages``."""

import sqlite3
from asyncio import sleep
from concurrent.futures import Future

import pyarrow
from pyarrow import parquet

from actors_rs import Source, merge
from actors_rs.engine.run.source_queue import SourceQueue
from actors_rs.language.sources import source
from actors_rs.stages.sources.queue import QueueSource
from actors_rs.testing.reference import ReferencePublisher
from tests.conformance.helpers import NUMBERS, same


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


def from_publisher(n, _):
    """The elements of a foreign Publisher that keeps the rules."""
    return Source.from_publisher(ReferencePublisher(range(n)))
