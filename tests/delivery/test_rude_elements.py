# mypy: disable-error-code="var-annotated, no-any-return, no-untyped-def"
"""Acknowledged elements, and what fails for them, whose own methods raise."""

import pytest

from actors_rs import Sink, Source
from actors_rs.delivery import Disposition, acknowledged
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS
from tests.rude import MANNERS, TEXTS, rude

COUNT = 4
FLOWS = {
    "map": lambda s, f: s.map(f),
    "filter": lambda s, f: s.filter(f),
    "flat_map": lambda s, f: s.flat_map(f),
    "map_async": lambda s, f: s.map_async(f, 2),
    "scan": lambda s, f: s.scan(0, f),
    "distinct": lambda s, f: s.distinct(key=f),
    "fused": lambda s, f: s.map(f).filter(f).fuse(),
}
SINKS = {
    "sqlite": lambda path: Sink.sqlite(path, "INSERT INTO t VALUES (?)", setup="CREATE TABLE t(n)"),
    "parquet": lambda path: Sink.parquet(path),
    "for_each": lambda path: Sink.for_each(float),
}


@pytest.fixture(params=MANNERS)
def manner(request):
    return request.param


def fails_with(kind):
    def f(*_):
        raise kind

    return f


@pytest.mark.parametrize("name", FLOWS)
def test_what_fails_with_a_rude_exception_is_acknowledged_as_a_dead_letter(system, name, manner):
    kind, outcomes = rude(manner), []
    source = Source.from_iterable([kind() for _ in range(COUNT)])
    flow = acknowledged(source, lambda element, counted: outcomes.append(dict(counted)))
    failing = FLOWS[name](flow, fails_with(rude(manner, Exception)())).on_failure("resume")
    assert system.start(failing.to(Sink.list())).result(SECONDS) == []
    assert outcomes == [{Disposition.DEAD_LETTERED: 1}] * COUNT
    assert all(map(repr, system.dead_letters.recent()))


@pytest.mark.parametrize("name", FLOWS)
def test_a_rude_exception_is_the_failure_of_its_stage(system, name, manner):
    outcomes = []
    flow = acknowledged(Source.of(1, 2), lambda *acknowledged: outcomes.append(acknowledged))
    failing = FLOWS[name](flow, fails_with(rude(manner, Exception)()))
    with pytest.raises(StageError, match=r"at element 0: (TypeError: a )?Rude"):
        system.start(failing.to(Sink.list())).result(SECONDS)
    assert outcomes == []


@pytest.mark.parametrize("sink", SINKS)
def test_a_rude_element_that_its_sink_refuses_is_acknowledged(system, sink, manner, tmp_path):
    kind, outcomes = rude(manner, names=TEXTS, asked_for_class=False), []
    rows = [(kind(),) if sink == "sqlite" else kind() for _ in range(COUNT)]
    flow = acknowledged(
        Source.from_iterable(rows), lambda element, counted: outcomes.append(dict(counted))
    )
    into = SINKS[sink](tmp_path / "out").on_failure("resume")
    system.start(flow.to(into)).result(SECONDS)
    assert outcomes == [{Disposition.DEAD_LETTERED: 1}] * COUNT
