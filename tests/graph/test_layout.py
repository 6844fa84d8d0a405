# mypy: disable-error-code="var-annotated, func-returns-value"
"""Layouts: a graph is laid out once, and each start is fresh all the same."""

from functools import partial

from actors_rs import ActorSystem, Sink, Source
from actors_rs.engine import layout
from actors_rs.graph import envelopes as maker_for

System = partial(ActorSystem, workers=1)


def windows(run):
    return [stage.logic.window for stage in run._scope.stages()]


def test_a_graph_is_laid_out_once_however_often_it_is_started(monkeypatch):
    made = []
    original = layout.windows_of
    monkeypatch.setattr(
        layout, "windows_of", lambda specs, window: made.append(window) or original(specs, window)
    )
    graph = Source.range(0, 5).scan(0, lambda total, x: total + x).to(Sink.list())
    with ActorSystem(workers=1) as system:
        assert [system.start(graph).result() for _ in range(3)] == [[0, 1, 3, 6, 10]] * 3
        assert system.start(graph.monitored()).result() == [0, 1, 3, 6, 10]
    assert made == [4096]


def test_each_system_gives_its_own_window_to_the_same_graph():
    graph = Source.range(0, 5).map(str).to(Sink.list())
    with System(window=4) as small, System(window=64) as large:
        runs = [small.start(graph), large.start(graph), small.start(graph)]
        assert [windows(run) for run in runs] == [[4] * 3, [64] * 3, [4] * 3]


def test_a_publisher_is_laid_out_once_for_all_its_subscribers(monkeypatch):
    made = []
    original = maker_for.makers_of
    monkeypatch.setattr(layout, "makers_of", lambda specs: made.append(specs) or original(specs))
    with ActorSystem(workers=1) as system:
        publisher = system.publisher(Source.range(0, 3))
        made.clear()
        runs = [system.start(Source.from_publisher(publisher).to(Sink.list())) for _ in range(2)]
        assert [run.result() for run in runs] == [[0, 1, 2]] * 2
    assert all("range" not in [spec.kind for spec in specs] for specs in made)
