# mypy: disable-error-code="var-annotated"
"""One row for each sink. A key is the sink's file below ``actors_rs/stages``."""

import sqlite3

from actors_rs import Flow, Sink
from actors_rs.engine.loops.sink_queue import SinkQueue
from actors_rs.language.sink import made_sink as sink
from actors_rs.stages.sinks.queue import QueueSink
from tests.conformance.helpers import NUMBERS, same


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
