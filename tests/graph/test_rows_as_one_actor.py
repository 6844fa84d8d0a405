# mypy: disable-error-code="arg-type, func-returns-value, union-attr, var-annotated"
"""``Graph.fuse()``: which stages are one actor, which stay apart, and what is seen of them."""

import pytest

from actors_rs import ActorSystem, Feedback, Flow, Graph, Sink, Source, merge
from actors_rs.delivery import Disposition, acknowledged
from actors_rs.errors import StageError, Stalled
from actors_rs.graph.spec import OPEN, OutletRef, spec_of
from actors_rs.stages.operators.map import Map
from tests.graph.helpers import SECONDS
from tests.graph.test_stall import SOON


def rows(graph, result=None):
    """The names of the stages of a run of ``graph`` when it is fused, which gives ``result``."""
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        run = system.start(graph.fuse())
        outcome = run.result(SECONDS)
        assert result is None or outcome == result
        names = [stage.name for stage in run.snapshot().stages]
    return [name for name in names if not name.endswith(" (ended)")]  # of inner streams


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
        ["range + map + filter + 2 more"],
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
    "attributes of an operator": (
        lambda: three().map(same).map(same).with_attributes(window=7).map(same).to(Sink.list()),
        ["range + map", "map", "map + list"],
    ),
    "attributes of the source": (
        lambda: three().with_attributes(throughput=3).map(same).to(Sink.list()),
        ["range", "map + list"],
    ),
    "attributes of the sink": (
        lambda: three().map(same).to(Sink.list().with_attributes(window=3)),
        ["range + map", "list"],
    ),
    "a thread of its own": (
        lambda: three().map(same).to(Sink.list().with_attributes(dispatcher="pinned")),
        ["range + map", "list"],
    ),
    "a policy": (
        lambda: three().map(same).on_failure("resume").map(same).to(Sink.list()),
        ["range", "map", "map + list"],
    ),
    "a policy of the sink": (
        lambda: three().map(same).to(Sink.list().on_failure("resume")),
        ["range + map", "list"],
    ),
    "a boundary": (
        lambda: three().map(same).async_boundary().map(same).to(Sink.list()),
        ["range + map", "map + list"],
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
        ["range + map", "flat_map", "map + list"],
    ),
    "calls beside the stage": (
        lambda: three().map(same).map_async(same, 2).map(same).to(Sink.list()),
        ["range + map", "map_async", "map + list"],
    ),
    "lists of so many": (
        lambda: three().map(same).batch(2).map(tuple).map(list).to(Sink.fold([], list.__add__)),
        ["range + map + batch + 3 more"],
    ),
    "lists that wait for a time": (
        lambda: three().batch(2, within=9).to(Sink.fold([], list.__add__)),
        ["range", "batch", "fold"],
    ),
    "lists of so much": (
        lambda: three().batch(weight=int, max_weight=2).to(Sink.fold([], list.__add__)),
        ["range", "batch", "fold"],
    ),
    "a section": (
        lambda: three().map(same).via(Flow().map(same).restart()).map(same).to(Sink.list()),
        ["range + map", "section", "map + list"],
    ),
    "a side sink": (
        lambda: three().map(same).also_to(Sink.ignore()).map(same).to(Sink.list()),
        ["range + map", "also_to", "ignore", "map + list"],
    ),
    "a tap": (
        lambda: three().map(same).wire_tap(Sink.count()).map(same).to(Sink.list()),
        ["range + map", "wire_tap", "count", "map + list"],
    ),
    "what is diverted": (
        lambda: (
            three().map(same).divert_to(Sink.ignore(), lambda x: x > 5).map(same).to(Sink.list())
        ),
        ["range + map", "divert_to", "ignore", "map + list"],
    ),
    "joined streams": (
        lambda: merge(three().map(same), Source.empty().map(same)).map(same).to(Sink.list()),
        ["range + map", "empty + map", "merge", "map + list"],
    ),
    "a row that was fused before": (
        lambda: three().map(same).map(same).fuse().map(same).to(Sink.list()),
        ["range + map + map + 2 more"],
    ),
    "a graph that was fused before": (
        lambda: three().map(same).to(Sink.list()).fuse(),
        ["range + map + list"],
    ),
}


@pytest.mark.parametrize("name", JOINED)
def test_a_row_is_one_actor_up_to_whatever_has_to_be_apart(name):
    make, expected = JOINED[name]
    assert rows(make(), LISTED) == expected


def test_a_sink_that_writes_a_file_keeps_its_thread_and_what_is_before_it_is_one_actor(tmp_path):
    path = tmp_path / "out.jsonl"
    assert rows(three().map(same).to(Sink.jsonl(path))) == ["range + map", "jsonl"]
    assert path.read_text(encoding="utf-8") == "0\n1\n2\n"


def test_several_sinks_in_one_are_a_part_of_the_row():
    fan = Sink.fan(Sink.list(), Sink.count())
    assert rows(three().map(same).to(fan), ([0, 1, 2], 3)) == ["range + map + fan"]


def test_a_junction_stays_and_what_is_before_and_behind_it_is_one_actor_each():
    one, other = three().map(same).filter(lambda _: True).broadcast(2)
    graph = Graph(one.map(same).to(Sink.list()), other.to(Sink.count()), three().to(Sink.sum()))
    expected = ["range + map + filter", "broadcast", "map + list", "count", "range + sum"]
    assert rows(graph, ([0, 1, 2], 3, 3)) == expected


def test_a_graph_in_which_streams_meet_again_is_still_one_stream_when_fused():
    calls = []
    one, other = three().map(lambda x: calls.append(x) or x).broadcast(2)
    graph = one.map(same).zip(other.map(str)).map(same).to(Sink.list())
    names = rows(graph, [(0, "0"), (1, "1"), (2, "2")])
    assert names == ["range + map", "broadcast", "map", "map-2", "zip", "map + list"]
    assert calls == [0, 1, 2], "the part before the broadcast is there once"


@pytest.mark.parametrize("whole", [False, True])
def test_fused_graphs_that_share_a_junction_can_be_put_together(whole):
    one, other = three().map(same).also_to(Sink.ignore()).broadcast(2)
    graphs = one.map(same).to(Sink.list()).fuse(), other.map(same).to(Sink.sum()).fuse()
    before = ["range + map"] if whole else ["range", "map"]
    expected = [*before, "also_to", "ignore", "broadcast", "map + list", "map + sum"]
    graph = Graph(*graphs)
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        run = system.start(graph.fuse() if whole else graph)
        assert run.result(SECONDS) == ([0, 1, 2], 3)
        assert [stage.name for stage in run.snapshot().stages] == expected


def test_a_graph_that_has_run_before_can_be_fused():
    graph = three().map(same).to(Sink.list())
    assert graph.run() == LISTED
    assert rows(graph, LISTED) == ["range + map + list"]


@pytest.mark.parametrize("behind", [0, 5, None])
def test_windows_behind_a_row_are_those_behind_its_last_stage(behind):
    heavy = spec_of("heavy", lambda: Map(same), OPEN, outflow_window=3)
    light = spec_of("light", lambda: Map(same), OPEN, outflow_window=behind, fusable=True)
    windows = []
    for fuse in (False, True):
        flow = three().via(Flow(OutletRef(heavy))).map(same).via(Flow(OutletRef(light)))
        graph = flow.async_boundary().map(same).to(Sink.list())
        with ActorSystem(window=77, shutdown_timeout=SECONDS) as system:
            run = system.start(graph.fuse() if fuse else graph)
            run.result(SECONDS)
        windows.append([(link.upstream, link.window) for link in run.snapshot().links])
    expected = {0: 77, 5: 5, None: 3}[behind]
    assert dict(windows[0])["light"] == dict(windows[1])["map + light"] == expected


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
        names = [stage.name for stage in run.snapshot().stages]
    assert {"range + map", "map + map", "map + list"} <= set(names)


def test_acknowledged_elements_go_stage_by_stage_and_are_acknowledged():
    got = []
    flow = acknowledged(three().map(same), lambda x, outcomes: got.append((x, dict(outcomes))))
    graph = flow.map(same).map(same).to(Sink.list())
    assert rows(graph, LISTED) == ["range + map", "acknowledged", "map + map", "list"]
    assert sorted(got, key=str) == [(x, {Disposition.DELIVERED: 1}) for x in range(3)]


def test_fuse_leaves_the_graph_as_it_is_and_keeps_what_it_was_told():
    graph = three().map(same).to(Sink.list()).monitored().watched(3.0)
    fused = graph.fuse()
    assert repr(graph) == "<Graph of range, map, list>"
    assert repr(fused) == "<Graph of range + map + list>"
    assert fused._monitored
    assert fused._stall_after == 3.0


# What is seen of them.


def test_a_picture_has_a_box_for_each_row_and_arrows_between_them():
    one, other = three().map(same).broadcast(2)
    graph = Graph(one.map(same).to(Sink.list()), other.to(Sink.count())).fuse()
    picture = graph.draw()
    for box in ('["range + map"]', '["map + list"]', '["broadcast"]', '["count"]'):
        assert box in picture
    assert "range + map" in str(graph)


def test_a_row_shows_what_came_to_its_end_and_what_each_part_gave(shared):
    flow = Source.range(0, 100).map(same).filter(lambda x: x % 4 == 0)
    run = shared.start(flow.to(Sink.list()).fuse())
    run.result(SECONDS)
    (row,) = run.snapshot().stages
    assert (row.kind, row.state, row.elements_in, row.elements_out) == ("fused", "ended", 25, 0)
    assert row.details == {"1 range gave": 100, "2 map + filter gave": 25, "3 list took": 25}
    assert row.busy > 0
    assert "25" in run.draw()
    apart = shared.start(flow.async_boundary().map(same).to(Sink.list()).fuse())
    apart.result(SECONDS)
    snapshot = apart.snapshot()
    assert [stage.elements_out for stage in snapshot.stages] == [25, 0]
    assert [(link.upstream, link.elements) for link in snapshot.links] == [
        ("range + map + filter", 25)
    ]


def test_a_row_that_failed_says_so(shared):
    run = shared.start(three().map(lambda x: 1 // x).to(Sink.list()).fuse())
    with pytest.raises(StageError):
        run.result(SECONDS)
    assert [stage.state for stage in run.snapshot().stages] == ["failed"]


def test_a_row_that_waits_for_what_never_comes_is_not_said_to_be_stalled(shared):
    for flow in (Source.never(), Source.never().map(same)):
        run = shared.start(flow.to(Sink.list()).fuse().watched(SOON))
        assert not run.wait(6 * SOON)
        run.drain()
        assert run.result(SECONDS) == []


def test_rows_that_wait_for_each_other_are_said_to_be_stalled(shared):
    one, other = Source.repeat(1).map(same).broadcast(2)
    late = other.map(same).skip(100_000).named("late")
    graph = one.zip(late).map(same).to(Sink.list())
    with pytest.raises(Stalled, match="'broadcast', 'map \\+ late', 'zip' wait for each other"):
        shared.start(graph.fuse().watched(SOON)).result(SECONDS)
