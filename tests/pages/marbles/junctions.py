"""The diagrams of junctions, by the file of their stage."""

from __future__ import annotations

from actors_rs import Flow, amb, concat, merge
from tests.pages.marbles.played import Marble, tape

TWO = {"a": "1 2 - 3 |", "b": "- 8 9 - |"}
ONE = {"in": "1 2 3 4 |"}


def _odd(n):
    return n % 2 == 1


JUNCTIONS = {
    "junctions/also_to": Marble(
        "streams",
        ONE,
        lambda a, sink: a.also_to(sink),
        {"out": "1 2 3 4 |", "sink": "1 2 3 4"},
        sinks=1,
    ),
    "junctions/amb": Marble(
        "streams", {"a": "- 1 2 |", "b": "8 - 9 |"}, lambda a, b: amb(a, b), {"out": "8 - 9 |"}
    ),
    "junctions/balance": Marble(
        "streams",
        ONE,
        lambda a: a.balance(2),
        {"first": "1 3 - - |", "second": "- 2 - 4 |"},
        takes=1,
    ),
    "junctions/broadcast": Marble(
        "streams", ONE, lambda a: a.broadcast(2), {"first": "1 2 3 4 |", "second": "1 2 3 4 |"}
    ),
    "junctions/combine_latest": Marble(
        "streams", TWO, lambda a, b: a.combine_latest(b), {"out": "- (1,8);(2,8) (2,9) (3,9) |"}
    ),
    "junctions/concat": Marble(
        "streams", TWO, lambda a, b: concat(a, b), {"out": "1 2 - 3 - 8 9 - |"}
    ),
    "junctions/divert_to": Marble(
        "streams",
        ONE,
        lambda a, sink: a.divert_to(sink, _odd),
        {"out": "- 2 - 4 |", "sink": "1 - 3"},
        sinks=1,
    ),
    "junctions/interleave": Marble(
        "streams", TWO, lambda a, b: a.interleave(b, 2), {"out": "1 2;8 9 3 |"}
    ),
    "junctions/merge": Marble("streams", TWO, lambda a, b: merge(a, b), {"out": "1 8;2 9 3 |"}),
    "junctions/merge_preferred": Marble(
        "streams", TWO, lambda a, b: a.merge_preferred(b), {"out": "1 2;8 9 3 |"}
    ),
    "junctions/merge_sorted": Marble(
        "streams",
        {"a": "1 4 6 |", "b": "2 3 5 |"},
        lambda a, b: a.merge_sorted(b),
        {"out": "1 2;3 4;5 6;|"},
    ),
    "junctions/partition": Marble(
        "streams", ONE, lambda a: a.partition(2, _odd), {"even": "- 2 - 4 |", "odd": "1 - 3 - |"}
    ),
    "junctions/sink_and_source": Marble(
        "streams",
        {"in": "1 2 |"},
        lambda a, sink: a.via(Flow.from_sink_and_source(sink, tape("8 - 9 |"))),
        {"out": "8 - 9 |", "sink": "1 2"},
        sinks=1,
    ),
    "junctions/unzip": Marble(
        "streams",
        ONE,
        lambda a: a.map(lambda n: (n, n * 10)).unzip(),
        {"first": "1 2 3 4 |", "second": "10 20 30 40 |"},
        note="of pairs (n, 10 n)",
    ),
    "junctions/wire_tap": Marble(
        "streams",
        ONE,
        lambda a, sink: a.wire_tap(sink),
        {"out": "1 2 3 4 |", "sink": "1 2 3 4"},
        sinks=1,
    ),
    "junctions/zip": Marble("streams", TWO, lambda a, b: a.zip(b), {"out": "- (1,8) (2,9) - |"}),
    "junctions/zip_latest": Marble(
        "streams", TWO, lambda a, b: a.zip_latest(b), {"out": "- (1,8);(2,8) (2,9) (3,9) |"}
    ),
}
