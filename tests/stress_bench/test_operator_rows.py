"""The contestants of the operators' benchmark do the same work."""

import re
from pathlib import Path

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.graph.blueprint import in_order
from stress.bench import operators
from stress.bench.contestants.operator_rows import ROWS

METHODS = Path(__file__).resolve().parents[2] / "actors_rs" / "language"
NOT_LINEAR = {
    *(
        "aggregate_by",
        "amb",
        "backpressure_timeout",
        "buffer",
        "catch",
        "completion_timeout",
        "concat_map",
    ),
    *("conflate", "debounce", "delay", "expand", "group_by", "idle_timeout", "if_empty"),
    *("initial_timeout", "keep_alive", "kill_switch", "map_async", "map_error", "monitor"),
    *("on_termination", "prepend", "recover", "recover_with", "sample", "skip_within"),
    *("switch_map", "take_within", "throttle"),
}
"""Operators that wait, keep a time, start streams or deal with an end: no loop is their peer."""
AS_ANOTHER = {
    "element_at": "skip and take: it ends with its element",
    "start_with_get": "start_with",
    "end_with_get": "end_with",
}


@pytest.fixture(scope="module")
def system():
    with ActorSystem(workers=1) as system:
        yield system


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_plain_python_gives_what_the_operator_gives(system, row):
    graph = row.ours(Source.range(0, 250)).to(Sink.list())
    assert system.start(graph).result(10) == list(row.plain(range(250)))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_peers_run(row):
    if row.rx is not None:
        operators.by_rx(row.rx, 20)
    if row.aio is not None:
        operators.by_aiostream(row.aio, 20)


def test_every_linear_operator_has_a_row():
    text = "".join(path.read_text(encoding="utf-8") for path in METHODS.rglob("*.py"))
    linear = {*re.findall(r"\.then\(\s*\"(\w+)\"", text)} - NOT_LINEAR
    measured = {
        spec.kind for row in ROWS for spec in in_order([row.ours(Source.range(0, 1))._out.spec])
    }
    assert "reduce_get" in linear
    missing = sorted(linear - measured - {*AS_ANOTHER})
    assert not missing, (
        f"{missing}: add a row to stress/bench/contestants/operator_rows.py, or "
        "the name to NOT_LINEAR"
    )
