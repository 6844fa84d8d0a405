"""Drawings of graphs, flows, runs and systems in a notebook, which a real kernel executes."""

import xml.etree.ElementTree as ET
from textwrap import dedent

import nbformat
import pytest
from nbclient import NotebookClient

from actors_rs import ActorSystem, Flow, Graph, Sink, Source, merge
from tests.graph.helpers import SECONDS

SVG = "{http://www.w3.org/2000/svg}"
CELLS = [
    """
    import threading
    from actors_rs import ActorSystem, Flow, Sink, Source
    graph = Source.range(0, 10).map(str).named("to text").to(Sink.list())
    graph
    """,
    "Flow().map(str)",
    "Sink.list()",
    """
    gate, system = threading.Event(), ActorSystem()
    held = Source.range(0, 10).map(lambda n: gate.wait() and n).named("held up")
    run = system.start(held.to(Sink.count()))
    run
    """,
    "system",
    """
    gate.set()
    assert run.result(30) == 10
    for thread in threading.enumerate():
        if thread.name == "actors-notebook":
            thread.join(30)
    """,
    "run",
    "graph.run(progress=True)",
    "system.shutdown()",
]


def texts_of(svg):
    return [node.text for node in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def outputs():
    """Of each cell, by its number, once all have run."""
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(dedent(cell).strip()) for cell in CELLS]
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


def test_a_graph_a_flow_and_a_sink_are_drawings(outputs):
    for number, names in enumerate([["range", "to text", "list"], ["map"], ["list"]]):
        [shown] = outputs[number]
        assert texts_of(shown["data"]["image/svg+xml"]) == names
    assert outputs[0][0]["data"]["text/plain"] == "range -> to text -> list"


def test_a_run_is_drawn_with_its_figures_and_the_drawing_follows_it_to_its_end(outputs):
    [shown] = outputs[3]
    texts = texts_of(shown["data"]["image/svg+xml"])
    assert {"held up", "in 10, out 10", "ended"} <= set(texts)


def test_a_system_shows_its_runs_and_follows_them(outputs):
    [shown] = outputs[4]
    assert "<p><code>&lt;ActorSystem" in shown["data"]["text/html"]
    assert "<svg" not in shown["data"]["text/html"], "no run goes on any more"


def test_a_run_that_has_ended_is_shown_once(outputs):
    [shown] = outputs[6]
    assert shown["output_type"] == "execute_result"
    assert "in 10, out 10" in texts_of(shown["data"]["image/svg+xml"])


def test_progress_is_a_bar_in_a_notebook_too(outputs):
    bar, result = outputs[7]
    assert bar["data"]["text/html"].startswith('<progress value="1.0000"></progress> ')
    assert "100% (10 of 10)" in bar["data"]["text/plain"]
    assert result["data"]["text/plain"].startswith("['0', '1'")


def test_a_running_system_has_the_drawing_of_each_of_its_runs():
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        run = system.start(Source.never().named("<b>").to(Sink.ignore()))
        html = system._repr_mimebundle_()["text/html"]
        run.cancel()
    assert html.count("<svg") == 1
    assert "&lt;b&gt;" in html
    assert "<b>" not in html


def test_an_open_flow_that_passes_everything_on_is_an_empty_drawing():
    assert texts_of(Flow()._repr_mimebundle_()["image/svg+xml"]) == []


@pytest.mark.parametrize("name", ["<script>", "a\x00b", "\ud800", "x" * 500, "two\nlines"])
def test_whatever_a_stage_is_called_the_drawing_is_well_formed(name):
    graph = Source.of(1).named(name).to(Sink.list())
    first, second = texts_of(graph.draw("svg"))
    assert len(first) <= 27
    assert second == "list"


def test_each_link_is_an_arrow_and_one_that_leads_back_too():
    good, bad = Source.range(0, 10).map(str).partition(2, lambda _: 0)
    graph = Graph(merge(good, Source.of("x")).to(Sink.list()), bad.to(Sink.ignore()))
    drawing = ET.fromstring(graph.draw("svg"))
    arrows = [node for node in drawing.iter(f"{SVG}path") if node.get("marker-end")]
    assert len(arrows) == 6
    assert {"out 0", "out 1"} <= set(texts_of(graph.draw("svg")))
