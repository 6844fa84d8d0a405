# mypy: disable-error-code="var-annotated"
"""Pictures of graphs and of runs: what is on them, escaped, and the outline for ``print``."""

import pytest

from actors_rs import ActorSystem, Flow, Graph, RunSnapshot, Sink, Source, merge
from actors_rs.errors import InvalidArgumentError
from actors_rs.graph.drawing.boxes import Arrow, Box
from actors_rs.graph.drawing.picture import Picture
from actors_rs.language.feedback import Feedback
from tests.graph.helpers import SECONDS, wait_until

chain = Source.range(0, 10).map(str).to(Sink.list())


def fan():
    good, bad = Source.range(0, 10).map(str).named("parse").partition(2, lambda _: 0)
    both = merge(good.also_to(Sink.count()), Source.of("x"))
    return Graph(both.to(Sink.list()), bad.to(Sink.ignore()))


def test_a_chain_is_one_line():
    assert str(chain) == "range -> map -> list"
    assert str(Source.of(1).to(Sink.sum())) == "of -> sum"


def test_an_outline_begins_a_line_wherever_streams_branch_or_join():
    assert str(fan()).splitlines() == [
        "range -> parse -> partition",
        "partition[out 0] -> also_to",
        "also_to[out 1] -> count",
        "of",
        "also_to[out 0], of -> merge -> list",
        "partition[out 1] -> ignore",
    ]


def test_names_that_occur_again_are_told_apart():
    twice = merge(Source.of(1).map(str), Source.of(2).map(str)).to(Sink.list())
    assert str(twice).splitlines() == [
        "of -> map",
        "of-2 -> map-2",
        "map, map-2 -> merge -> list",
    ]


def test_the_outline_of_a_cycle_has_each_stage_once():
    arrows = [Arrow(0, 1), Arrow(1, 2), Arrow(2, 1), Arrow(3, 4), Arrow(4, 3)]
    outline = Picture([Box(name) for name in "abcde"], arrows).outline()
    assert outline.splitlines()[:2] == ["a", "a, c -> b -> c"]


def test_a_loop_is_drawn_closed_before_and_while_it_runs():
    loop = Feedback(10)
    grown = Source.range(0, 5).merge(loop.source).map(lambda n: n + 1)
    done, again = grown.partition(2, lambda n: n < 9)
    graph = Graph(done.to(Sink.list()), again.to(loop.sink))
    assert str(graph).splitlines() == [
        "range",
        "partition[out 1] -> feedback",
        "range, feedback -> merge -> map -> partition",
        "partition[out 0] -> list",
    ]
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        run = system.start(graph)
        assert run.result(SECONDS) == ([9] * 5,)
        drawn = run.draw()
    assert graph.draw().count("-->") == drawn.count("-->") == 6


def test_an_outline_looks_at_each_name_a_few_times_however_wide_the_graph_is():
    looks = 0

    class Named(str):
        def split(self, *args):
            nonlocal looks
            looks += 1
            return super().split(*args)

    boxes = [Box(Named(f"s{n}")) for n in range(200)]
    picture = Picture(boxes, [Arrow(n, 199) for n in range(199)])
    assert len(picture.outline().splitlines()) == 200
    assert looks == 200


def test_repr_is_short_whatever_the_size():
    assert repr(chain) == "<Graph of range, map, list>"
    flow = Source.of(1)
    for _ in range(50):
        flow = flow.map(lambda n: n)
    assert repr(flow.to(Sink.list())) == "<Graph of 52 stages, of to list>"


def test_mermaid_has_a_box_for_each_stage_and_an_arrow_for_each_link():
    assert chain.draw() == (
        "flowchart LR\n"
        '    s0["range"]\n'
        '    s1["map"]\n'
        '    s2["list"]\n'
        "    s0 --> s1\n"
        "    s1 --> s2\n"
    )
    drawn = fan().draw("mermaid")
    assert '-->|"out 1"|' in drawn
    assert drawn.count("-->") == 8


def test_dot_says_the_same():
    assert chain.draw("dot") == (
        "digraph {\n"
        "    rankdir=LR\n"
        '    node [shape=box, fontname="sans-serif"]\n'
        '    s0 [label="range"]\n'
        '    s1 [label="map"]\n'
        '    s2 [label="list"]\n'
        "    s0 -> s1\n"
        "    s1 -> s2\n"
        "}\n"
    )


def test_a_name_may_hold_any_sign():
    name = 'a "b" <c> & #1; \\n `d` | ] }\nnext'
    graph = Source.of(1).named(name).to(Sink.list())
    assert 's0["a #34;b#34; #60;c#62; #38; #35;1; \\n #96;d#96; | ] } next"]' in graph.draw()
    assert r's0 [label="a \"b\" <c> &amp; #1; \\n `d` | ] } next"]' in graph.draw("dot")
    assert str(graph) == 'a "b" <c> & #1; \\n `d` | ] } next -> list'


def test_another_format_is_refused_in_one_sentence():
    with pytest.raises(InvalidArgumentError, match="one of 'mermaid', 'dot', 'svg', got 'png'"):
        chain.draw("png")


def test_a_running_graph_draws_with_its_counters():
    with ActorSystem(window=16, shutdown_timeout=SECONDS) as system:
        run = system.start(
            merge(Source.range(0, 40), Source.never())
            .map(str)
            .wire_tap(Sink.count())
            .to(Sink.list())
        )
        wait_until(lambda: all(s.elements_in == 40 for s in run.snapshot().stages[2:]))
        mermaid, dot = run.draw(), run.draw("dot")
        run.cancel()
        assert run.wait(SECONDS)
        ended = run.draw()
    assert '"map<br/>in 40, out 40<br/>busy ' in mermaid
    assert 's2 -->|"40 +' in mermaid
    assert '|"tap, 40 +' in mermaid
    assert 'label="map\\nin 40, out 40' in dot
    assert "asked" not in ended
    assert "class s0,s1,s2,s3,s4,s5,s6 ended" in ended


def test_a_failed_stage_is_seen_on_the_picture():
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        run = system.start(Source.of(0).map(lambda n: 1 // n).named("divide").to(Sink.list()))
        assert run.wait(SECONDS)
        assert "class s1 failed" in run.draw()
        assert 'fillcolor="#f4b6b6"' in run.draw("dot")


def test_a_snapshot_holds_the_links_and_can_be_drawn_later():
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        run = system.start(fan())
        run.result(SECONDS)
        snapshot = run.snapshot()
    links = {(link.upstream, link.outlet, link.downstream) for link in snapshot.links}
    assert ("partition", "out 1", "ignore") in links
    assert len(links) == 8
    assert snapshot.draw() == run.draw()
    assert snapshot.as_dict()["links"][0]["upstream"] == "range"
    assert RunSnapshot("empty", "running", 0.0, ()).draw() == "flowchart LR\n"


def test_publishers_and_processors_draw_what_runs_between_the_boundaries():
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        processor = system.processor(Flow().map(str).map(int))
        assert processor.run.draw() == "flowchart LR\n"  # not begun
        subscriber = system.subscriber(Sink.list())
        processor.subscribe(subscriber)
        system.publisher(Source.of(1)).subscribe(processor)
        assert subscriber.run.result(SECONDS) == [1]
        assert 's0 -->|"1"| s1' in processor.run.draw()
