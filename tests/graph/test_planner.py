# mypy: disable-error-code="arg-type, func-returns-value, union-attr, var-annotated"
"""The planner: which stages ``fuse()`` puts into one actor, and what is seen of them."""

import pytest

from actors_rs import ActorSystem, Feedback, Flow, Graph, Sink, Source, merge
from actors_rs.delivery import Disposition, acknowledged
from actors_rs.errors import GraphError, StageError, Stalled
from actors_rs.graph.spec import OPEN, OutletRef, spec_of
from actors_rs.stages.operators.map import Map
from tests.graph.helpers import SECONDS, islands
from tests.graph.test_stall import SOON


def fused(graph, result=None):
    """The islands of ``graph`` when it is fused; run so, it gives ``result``."""
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        whole = graph.fuse()
        results = system.start(whole).result(SECONDS)
        assert result is None or results == result
        return islands(whole)


def same(x):
    return x


def three():
    return Source.range(0, 3)


LISTED = [0, 1, 2]
JOINED = {
    "a whole row": (lambda: three().map(same).to(Sink.list()), ["range + map + list"]),
    "no operator": (lambda: three().to(Sink.list()), ["range + list"]),
    "names": (
        lambda: three().named("x").map(same).named("y").to(Sink.list().named("z")),
        ["x + y + z"],
    ),
    "many": (
        lambda: three().map(same).filter(lambda _: True).map(same).to(Sink.list()),
        ["range + map + filter + map-2 + list"],
    ),
    "a list": (
        lambda: Source.from_iterable([0, 1, 2]).map(same).to(Sink.list()),
        ["from_iterable + map + list"],
    ),
    "a source that may wait": (
        lambda: Source.from_iterable(lambda: range(3)).map(same).to(Sink.list()),
        ["from_iterable", "map + list"],
    ),
    "a source and a sink that may not": (
        lambda: Source.from_iterable(lambda: range(3)).to(Sink.list()),
        ["from_iterable", "list"],
    ),
    "a window of its own": (
        lambda: three().map(same).map(same).with_attributes(window=7).map(same).to(Sink.list()),
        ["range + map + map-2 + map-3 + list"],
    ),
    "attributes of the source": (
        lambda: three().with_attributes(throughput=3).map(same).to(Sink.list()),
        ["range", "map + list"],
    ),
    "attributes of the sink": (
        lambda: three().map(same).to(Sink.list().with_attributes(throughput=3)),
        ["range + map", "list"],
    ),
    "a thread of its own": (
        lambda: three().map(same).to(Sink.list().with_attributes(dispatcher="pinned")),
        ["range + map", "list"],
    ),
    "a policy": (
        lambda: three().map(same).on_failure("resume").map(same).to(Sink.list()),
        ["range + map + map-2 + list"],
    ),
    "a policy of the sink": (
        lambda: three().map(same).to(Sink.list().on_failure("resume")),
        ["range + map + list"],
    ),
    "a boundary": (
        lambda: three().map(same).async_boundary().map(same).to(Sink.list()),
        ["range + map", "map-2 + list"],
    ),
    "a boundary behind the source": (
        lambda: three().async_boundary().map(same).to(Sink.list()),
        ["range", "map + list"],
    ),
    "a boundary before the sink": (
        lambda: three().map(same).async_boundary().to(Sink.list()),
        ["range + map", "list"],
    ),
    "an expanding operator": (
        lambda: three().map(same).flat_map(lambda x: [x]).map(same).to(Sink.list()),
        ["range + map + flat_map + map-2 + list"],
    ),
    "calls beside the stage": (
        lambda: three().map(same).map_async(same, 2).map(same).to(Sink.list()),
        ["range + map + map_async + map-2 + list"],
    ),
    "lists of so many": (
        lambda: three().map(same).batch(2).map(tuple).map(list).to(Sink.fold([], list.__add__)),
        ["range + map + batch + map-2 + map-3 + fold"],
    ),
    "lists that wait for a time": (
        lambda: three().batch(2, within=9).to(Sink.fold([], list.__add__)),
        ["range + batch + fold"],
    ),
    "lists of so much": (
        lambda: three().batch(weight=int, max_weight=2).to(Sink.fold([], list.__add__)),
        ["range + batch + fold"],
    ),
    "a section": (
        lambda: three().map(same).via(Flow().map(same).restart()).map(same).to(Sink.list()),
        ["range + map + section + map-2 + list"],
    ),
    "a side sink": (
        lambda: three().map(same).also_to(Sink.ignore()).map(same).to(Sink.list()),
        ["range + map + also_to + map-2 + list", "ignore"],
    ),
    "a tap": (
        lambda: three().map(same).wire_tap(Sink.count()).map(same).to(Sink.list()),
        ["range + map + wire_tap + map-2 + list", "count"],
    ),
    "what is diverted": (
        lambda: (
            three().map(same).divert_to(Sink.ignore(), lambda x: x > 5).map(same).to(Sink.list())
        ),
        ["range + map + divert_to + map-2 + list", "ignore"],
    ),
    "joined streams": (
        lambda: merge(three().map(same), Source.empty().map(same)).map(same).to(Sink.list()),
        ["range + map + empty + map-2 + merge + map-3 + list"],
    ),
    "a row that was fused before": (
        lambda: three().map(same).map(same).fuse().map(same).to(Sink.list()),
        ["range + map + map-2 + map-3 + list"],
    ),
    "a graph that was fused before": (
        lambda: three().map(same).to(Sink.list()).fuse(),
        ["range + map + list"],
    ),
}


@pytest.mark.parametrize("name", JOINED)
def test_fused_stages_are_one_actor_up_to_whatever_has_to_be_apart(name):
    make, expected = JOINED[name]
    assert fused(make(), LISTED) == expected


def test_a_sink_that_writes_a_file_keeps_its_thread_and_those_before_it_are_one_actor(
    tmp_path,
):
    path = tmp_path / "out.jsonl"
    assert fused(three().map(same).to(Sink.jsonl(path))) == ["range + map", "jsonl"]
    assert path.read_text(encoding="utf-8") == "0\n1\n2\n"


def test_a_fan_of_sinks_shares_the_actor():
    fan = Sink.fan(Sink.list(), Sink.count())
    assert fused(three().map(same).to(fan), ([0, 1, 2], 3)) == ["range + map + fan"]


def test_junctions_share_the_actor_and_streams_that_nothing_joins_have_one_each():
    one, other = three().map(same).filter(lambda _: True).broadcast(2)
    graph = Graph(one.map(same).to(Sink.list()), other.to(Sink.count()), three().to(Sink.sum()))
    expected = ["range + map + filter + broadcast + map-2 + list + count", "range-2 + sum"]
    assert fused(graph, ([0, 1, 2], 3, 3)) == expected


def test_a_graph_in_which_streams_meet_again_is_still_one_stream_when_fused():
    calls = []
    one, other = three().map(lambda x: calls.append(x) or x).broadcast(2)
    graph = one.map(same).zip(other.map(str)).map(same).to(Sink.list())
    names = fused(graph, [(0, "0"), (1, "1"), (2, "2")])
    assert names == ["range + map + broadcast + map-2 + map-3 + zip + map-4 + list"]
    assert calls == [0, 1, 2], "the part before the broadcast is there once"


@pytest.mark.parametrize("whole", [False, True])
def test_fused_graphs_that_share_a_junction_can_be_put_together(whole):
    one, other = three().map(same).also_to(Sink.ignore()).broadcast(2)
    graphs = one.map(same).to(Sink.list()).fuse(), other.map(same).to(Sink.sum()).fuse()
    apart = ["range", "map", "also_to", "ignore", "broadcast", "map-2 + list", "map-3 + sum"]
    together = ["range + map + also_to + broadcast + map-2 + list + map-3 + sum", "ignore"]
    graph = Graph(*graphs).fuse() if whole else Graph(*graphs)
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        assert system.start(graph).result(SECONDS) == ([0, 1, 2], 3)
    assert islands(graph) == (together if whole else apart)


def test_a_graph_that_has_run_before_can_be_fused():
    graph = three().map(same).to(Sink.list())
    assert graph.run() == LISTED
    assert fused(graph, LISTED) == ["range + map + list"]


@pytest.mark.parametrize("behind", [0, 5, None])
def test_fused_stages_have_the_windows_that_they_have_apart(behind):
    heavy = spec_of("heavy", lambda: Map(same), OPEN, outflow_window=3)
    light = spec_of("light", lambda: Map(same), OPEN, outflow_window=behind)
    windows = []
    for fuse in (False, True):
        flow = three().via(Flow(OutletRef(heavy))).map(same).via(Flow(OutletRef(light)))
        graph = flow.async_boundary().map(same).to(Sink.list())
        with ActorSystem(window=77, shutdown_timeout=SECONDS) as system:
            run = system.start(graph.fuse() if fuse else graph)
            run.result(SECONDS)
        windows.append([(link.upstream, link.window) for link in run.snapshot().links])
    expected = {0: 77, 5: 5, None: 3}[behind]
    assert windows[0] == windows[1]
    assert dict(windows[0])["light"] == expected


def test_a_loop_goes_round_in_a_fused_graph_too():
    def collatz(pair):
        start, x = pair
        return start, x // 2 if x % 2 == 0 else 3 * x + 1

    loop = Feedback(64)
    pairs = three().map(lambda x: (x + 1, x + 1))
    circling = loop.source.merge_preferred(pairs).map(collatz).map(same)
    graph = circling.divert_to(loop.sink, lambda pair: pair[1] > 1).map(same).to(Sink.list())
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        run = system.start(graph.fuse())
        assert sorted(x for x, _ in run.result(SECONDS)) == [1, 2, 3]
    assert len(islands(graph.fuse())) == 1


def test_acknowledged_elements_are_acknowledged_in_one_actor_too():
    got = []
    flow = acknowledged(three().map(same), lambda x, outcomes: got.append((x, dict(outcomes))))
    graph = flow.map(same).map(same).to(Sink.list())
    assert fused(graph, LISTED) == ["range + map + acknowledged + map-2 + map-3 + list"]
    assert sorted(got, key=str) == [(x, {Disposition.DELIVERED: 1}) for x in range(3)]


def test_fuse_leaves_the_graph_as_it_is_and_keeps_what_it_was_told():
    graph = three().map(same).to(Sink.list()).monitored().watched(3.0)
    fused = graph.fuse()
    assert islands(graph) == ["range", "map", "list"]
    assert islands(fused) == ["range + map + list"]
    assert fused._monitored
    assert fused._stall_after == 3.0


# What is seen of them.


def test_fused_stages_look_as_they_do_apart(shared):
    graph = Source.range(0, 100).map(same).filter(lambda x: x % 4 == 0).to(Sink.list())
    assert (graph.fuse().draw(), str(graph.fuse())) == (graph.draw(), str(graph))
    figures = []
    for one in (graph, graph.fuse()):
        run = shared.start(one)
        run.result(SECONDS)
        now = run.snapshot()
        stages = [(one.name, one.kind, one.elements_in, one.elements_out) for one in now.stages]
        figures.append((stages, [(one.upstream, one.elements) for one in now.links]))
    assert figures[0] == figures[1]
    assert figures[1][0][2] == ("filter", "filter", 100, 25)


def test_the_stage_that_failed_is_the_one_that_says_so(shared):
    run = shared.start(three().map(lambda x: 1 // x).to(Sink.list()).fuse())
    with pytest.raises(StageError):
        run.result(SECONDS)
    states = {stage.name: stage.state for stage in run.snapshot().stages}
    assert states["map"] == "failed"
    assert states["range"] == "ended"


def test_fused_stages_that_wait_for_a_source_are_not_said_to_be_stalled(shared):
    for flow in (Source.never(), Source.never().map(same)):
        run = shared.start(flow.to(Sink.list()).fuse().watched(SOON))
        assert not run.wait(6 * SOON)
        run.drain()
        assert run.result(SECONDS) == []


def test_fused_stages_that_wait_for_each_other_are_said_to_be_stalled(shared):
    one, other = Source.repeat(1).map(same).broadcast(2)
    late = other.map(same).skip(100_000).named("late")
    graph = one.zip(late).map(same).to(Sink.list())
    with pytest.raises(Stalled, match="'broadcast', 'late', 'map-2', 'zip' wait for each other"):
        shared.start(graph.fuse().watched(SOON)).result(SECONDS)


# Settings directly after ``fuse()``.


def test_a_policy_directly_after_fuse_is_that_of_all_its_stages(shared):
    flow = Source.range(0, 6).map(lambda x: 6 // x).map(lambda x: 6 // (x - 3)).fuse()
    graph = flow.on_failure("resume").to(Sink.list())
    assert shared.start(graph).result(SECONDS) == [2, -6, -3, -3]


def test_a_dispatcher_directly_after_fuse_is_that_of_all_its_stages():
    flow = three().map(same).map(same).fuse().with_attributes(dispatcher="pinned")
    assert islands(flow.to(Sink.list())) == ["range + map + map-2", "list"]


def test_what_is_before_a_fused_flow_is_still_shared_when_that_gets_attributes():
    shared = three().map(same)
    one = shared.via(Flow().map(same).map(same).fuse()).with_attributes(dispatcher="pinned")
    with pytest.raises(GraphError, match="outlet of stage 'map' feeds exactly one inlet"):
        Graph(one.to(Sink.list()), shared.to(Sink.list()))
