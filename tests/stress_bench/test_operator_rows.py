"""The contestants of the operators' benchmark do the same work."""

import pytest

from actors_rs import ActorSystem, Sink, Source
from stress.bench import operators
from stress.bench.operator_rows import ROWS


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
