# mypy: disable-error-code="arg-type, call-overload, func-returns-value, var-annotated"
"""Blueprints: what cannot run is refused in a sentence, what can is a value used at will."""

import threading

import pytest

from actors_rs import ActorSystem, Flow, Graph, Sink, Source, merge, pipe
from actors_rs.errors import GraphError, InvalidArgumentError
from tests.graph.helpers import SECONDS, run

ten = Source.range(0, 10)


def test_an_outlet_used_twice_names_broadcast_and_both_users():
    with pytest.raises(
        GraphError, match=r"'range' feeds exactly one inlet.*'list'.*'sum'.*\.broadcast\(2\)"
    ):
        Graph(ten.to(Sink.list()), ten.to(Sink.sum()))
    with pytest.raises(GraphError, match=r"\.broadcast\(2\)"):
        run(ten.merge(ten).to(Sink.list()))


def test_an_outlet_of_a_partition_that_feeds_nothing_is_named():
    even, _ = ten.partition(2, lambda n: n % 2, name="parity")
    with pytest.raises(GraphError, match=r"outlet 1 of stage 'parity' feeds nothing.*Sink\.ignore"):
        run(even.to(Sink.list()))


@pytest.mark.parametrize("flow", [Flow(), Flow().map(str), Flow().merge(ten)])
def test_a_flow_without_a_source_is_refused(flow):
    with pytest.raises(GraphError, match="has no source"):
        run(flow.to(Sink.list()))
    with ActorSystem() as system, pytest.raises(GraphError, match="open"):
        system.publisher(flow)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ten.with_attributes(window=0), "stage 'range': window must be at least 1, got 0"),
        (lambda: ActorSystem(window=0), "window must be at least 1, got 0"),
        (lambda: ten.map_async(str, 0), "parallelism must be at least 1, got 0"),
        (lambda: ten.batch(0), "count must be at least 1"),
        (lambda: ten.batch(1, within=0), "within must be above 0"),
        (lambda: ten.take(-1), "count must be at least 0"),
        (lambda: ten.skip(-1), "count must be at least 0"),
        (lambda: ten.broadcast(0), "n must be at least 1"),
        (lambda: ten.partition(0, hash), "n must be at least 1"),
        (lambda: Source.range(0, -1), "count must be at least 0"),
        (lambda: Source.repeat(1, -1), "count must be at least 0"),
        (lambda: Sink.sqlite("x", "y", batch=0), "batch must be at least 1"),
        (lambda: Sink.parquet("x", rows_per_file=0), "rows_per_file must be at least 1"),
        (lambda: ten.with_attributes(dispatcher="mine"), "'pool' or 'pinned', got 'mine'"),
    ],
)
def test_a_number_out_of_its_range_is_refused_at_once(make, says):
    with pytest.raises(InvalidArgumentError, match=says):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: ten.map(None),
        lambda: ten.filter(3),
        lambda: ten.take("1"),
        lambda: ten.batch(True),
        lambda: ten.to(ten),
        lambda: ten.via(Sink.list()),
        lambda: merge(ten, [1]),
        lambda: Graph(ten),
        lambda: ten.named(3),
        lambda: Source.from_iterable(3),
        lambda: Source.failed("no"),
        lambda: ten.map_async(str, 1, executor="no"),
    ],
)
def test_the_wrong_kind_of_thing_is_refused_at_once(make):
    with pytest.raises(TypeError):
        make()


def test_nothing_to_put_together_is_refused():
    for make in (Graph, merge):
        with pytest.raises(GraphError, match="got none"):
            make()


def test_a_source_cannot_stand_behind_a_flow():
    with pytest.raises(GraphError, match="via needs an open input, got the source"):
        pipe(ten, Source.of(1).map(str))  # type: ignore[misc]


def test_names_that_occur_again_get_a_number():
    with ActorSystem() as system:
        flow = ten.map(str).map(int).map(str).named("map-2").map(int).named("last")
        going = system.start(flow.to(Sink.list().named("last")))
        going.result(SECONDS)
    names = [stage.name for stage in going.snapshot().stages]
    assert names == ["range", "map", "map-2", "map-2-2", "last", "last-2"]


def test_a_blueprint_is_a_value_that_no_operator_changes():
    doubled = ten.map(lambda n: n * 2)
    some = doubled.filter(lambda n: n > 10)
    assert doubled.run(Sink.list()) == [n * 2 for n in range(10)]
    assert some.run(Sink.count()) == 4
    assert doubled.named("other").run(Sink.sum()) == 90


def test_a_piece_can_be_used_several_times_in_one_graph():
    piece = Flow().map(lambda n: n + 1).filter(lambda n: n % 2)
    twice = pipe(ten, piece, Flow().map(lambda n: n * 3), piece)
    other = Source.of(1, 2, 3).via(piece)
    assert run(Graph(twice.to(Sink.list()), other.to(Sink.list()))) == ([], [3])
    assert run(merge(ten.via(piece), Source.range(10, 10).via(piece)).to(Sink.sum())) == sum(
        range(1, 21, 2)
    )


def test_a_piece_with_junctions_inside_can_be_used_again():
    a, b = Flow().broadcast(2)
    piece = a.map(lambda n: n * 10).merge(b)
    twice = ten.via(piece).via(piece)
    expected = sorted(m for n in range(10) for m in (n, n * 10, n * 10, n * 100))
    assert sorted(twice.run(Sink.list())) == expected


def test_sinks_and_empty_flows_are_values_too():
    sink = Sink.list()
    assert run(Graph(Source.of(1).to(sink), Source.of(2).via(Flow()).to(sink))) == ([1], [2])


@pytest.mark.parametrize("window", [1, 1024])
def test_a_chain_of_two_thousand_stages_runs(window):
    flow = ten
    for _ in range(2000):
        flow = flow.map(lambda n: n + 1)
    assert run(flow.to(Sink.list()), 30, window=window) == [n + 2000 for n in range(10)]


def test_a_chain_of_two_thousand_stages_is_a_publisher_and_a_piece():
    piece = Flow()
    for _ in range(2000):
        piece = piece.map(lambda n: n + 1)
    assert run(ten.via(piece).to(Sink.first())) == 2000
    with ActorSystem() as system:
        subscriber = system.subscriber(Sink.sum())
        system.publisher(ten.via(piece)).subscribe(subscriber)
        assert subscriber.run.result(SECONDS) == 20_045


@pytest.mark.parametrize("window", [1, 2, 16])
@pytest.mark.parametrize("workers", [1, 2])
def test_diamonds_do_not_deadlock_and_lose_nothing(window, workers):
    def diamond(flow, depth):
        if not depth:
            return flow
        a, b = flow.broadcast(2)
        c, d = flow_parts = diamond(a, depth - 1).partition(2, lambda n: n % 2)
        assert flow_parts
        return merge(c.map(lambda n: n), d, diamond(b, depth - 1))

    got = run(diamond(Source.range(0, 200), 3).to(Sink.list()), window=window, workers=workers)
    assert sorted(got) == sorted(n for n in range(200) for _ in range(8))


def test_the_window_of_heavy_elements_flows_downstream_until_they_are_taken_apart():
    with ActorSystem(window=512) as system:
        batches = ten.batch(100).map(list).filter(bool)
        flow = batches.flat_map(list).named("apart").map(str).named("after")
        going = system.start(flow.to(Sink.list().with_attributes(window=7)))
        going.result(SECONDS)
        windows = {stage.name: stage.window for stage in going.snapshot().stages}
    assert windows["batch"] == 512
    assert windows["map"] == windows["filter"] == windows["apart"] == 16
    assert windows["after"] == 512
    assert windows["list"] == 7


@pytest.mark.parametrize(
    ("window", "count", "behind"), [(512, 2, 256), (512, 1, 512), (512, 100, 16), (8, 2, 16)]
)
@pytest.mark.parametrize("fuse", [False, True])
def test_a_window_behind_short_lists_has_room_for_the_elements_of_the_one_before(
    window, count, behind, fuse
):
    sink = Sink.list().with_attributes(throughput=100).named("all")  # an actor of its own
    graph = Source.from_iterable(iter(range(10))).batch(count).map(list).to(sink)
    with ActorSystem(window=window) as system:
        going = system.start(graph.fuse() if fuse else graph)
        going.result(SECONDS)
        (last,) = [stage for stage in going.snapshot().stages if stage.name == "all"]
    assert last.window == behind


@pytest.mark.parametrize("window", [1, 2, 5, 100])
def test_no_stage_ever_has_more_than_its_window_on_the_way_to_it(window):
    given, taken, most = [0], [0], [0]

    def give():
        for n in range(500):
            given[0] += 1
            most[0] = max(most[0], given[0] - taken[0])
            yield n

    def take(n):
        taken[0] += 1

    run(Source.from_iterable(give).to(Sink.for_each(take)), window=window)
    assert taken == [500]
    assert most[0] <= 2 * window, "a window on the link, and at most one that is being worked on"


def test_a_pinned_stage_runs_on_one_thread_of_its_own():
    threads = set()
    flow = ten.map(lambda n: threads.add(threading.current_thread().name) or n)
    run(flow.with_attributes(dispatcher="pinned", window=2).to(Sink.list()))
    assert len(threads) == 1
    assert "pinned" in threads.pop()
