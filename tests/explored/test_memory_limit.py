# mypy: disable-error-code="no-untyped-def, func-returns-value, var-annotated"
"""Graphs of any shape under a memory limit hold what fits, and go on in every world."""

import random

import pytest

from actors_rs import Feedback, Flow, Graph, Sink, Source
from actors_rs.errors import EndOfStreamError, Stalled
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.world import World

RUNS = 40
HEAVY = 100_000
"""Bytes of an element, of which ten fit into the limit."""


def numbers(count=12):
    return Source.range(0, count).map(lambda x: x)


def diamond(one, other):
    def branches():
        left, right = numbers().broadcast(2)
        return one(left).zip(other(right))

    return branches


def grouped():
    groups = numbers().group_by(lambda x: x % 3, 3)
    return groups.flat_map(lambda group: group.map(abs), breadth=3)


def looped(body):
    def loop():
        back = Feedback[int](buffer=8)
        merged = body(back.source.merge_preferred(numbers()).map(lambda x: x // 2))
        return merged.divert_to(back.sink, when=lambda x: x > 0)

    return loop


def same(flow):
    return flow.map(abs)


SHAPES = {
    "chain": (lambda: numbers().map(abs).filter(lambda x: x % 2), 6),
    "broadcast": (diamond(same, same), 12),
    "broadcast, one branch gathers": (diamond(lambda f: f.batch(3), same), 4),
    "broadcast, one branch leaves some out": (
        diamond(lambda f: f.filter(lambda x: x % 3), same),
        8,
    ),
    "broadcast, one branch is late": (diamond(lambda f: f.delay(5), lambda f: f.scan(0, max)), 12),
    "feedback": (looped(same), 12),
    "feedback with calls": (looped(lambda f: f.delay(1).map_async(abs, 2)), 12),
    "zip": (lambda: numbers().zip(numbers()), 12),
    "merge": (lambda: numbers().merge(numbers().map(abs)), 24),
    "concat": (lambda: numbers().concat(numbers().map(abs)), 24),
    "group_by": (grouped, 12),
    "flat_map": (lambda: numbers().flat_map(lambda x: numbers(3).map(abs), breadth=2), 36),
    "delay": (lambda: numbers().delay(5), 12),
    "map_processes": (lambda: numbers().map_processes(abs, 2).map(abs), 12),
    "first": (lambda: numbers().first(), 1),
}


def limited(seed, limit=1, window=4):
    return World(RandomWalk(seed), memory_limit=limit, window=window)


@pytest.mark.parametrize("shape", SHAPES)
def test_no_world_stands_still_under_a_limit_less_than_one_element(shape):
    make, count = SHAPES[shape]
    for seed in range(RUNS):
        with limited(seed) as world:
            assert len(world.start(make().to(Sink.list())).result()) == count
        assert world.system.statistics().memory_reserved == 0


@pytest.mark.parametrize("limit", [None, 1])
def test_a_loop_in_which_several_elements_come_of_one_holds_as_many_as_without_a_limit(limit):
    back = Feedback[int](buffer=40)
    merged = back.source.merge_preferred(Source.of(0))
    grown = merged.flat_map(lambda x: [x + 1] * (43 if x == 0 else 1))
    for seed in range(RUNS):
        with limited(seed, limit, window=64) as world:
            run = world.start(grown.divert_to(back.sink, lambda x: x < 2).to(Sink.count()))
            assert run.result() == 43


def test_elements_that_grow_heavy_on_their_way_round_a_loop_do_not_stop_it():
    back = Feedback(buffer=100)
    merged = back.source.merge_preferred(numbers(60).map(lambda x: (x, b"")))
    turned = merged.map(lambda pair: (pair[0] - 20, bytes(HEAVY))).map(lambda pair: pair)
    looped = turned.divert_to(back.sink, lambda pair: pair[0] > 0)
    for seed in range(RUNS):
        with limited(seed, "1 MiB", window=64) as world:
            assert world.start(looped.to(Sink.count())).result() == 60


# Branches and loops at random: each one is a graph that a limit must not stop


def grown(flow, draw, depth):
    """``flow`` through a few stages, some of which split it and bring it together again."""
    kinds = ["map", "scan", "delay", "async", "filter", "batch", *["diamond"] * depth * 2]
    for _ in range(draw.randint(0, 3)):
        kind = draw.choice(kinds)
        if kind == "diamond":
            one, other = flow.broadcast(2)
            flow = grown(one, draw, depth - 1).zip(grown(other, draw, depth - 1))
        else:
            flow = STAGES[kind](flow)
    return flow


STAGES = {
    "map": lambda flow: flow.map(lambda x: x),
    "scan": lambda flow: flow.scan(0, lambda _, x: x),
    "delay": lambda flow: flow.delay(0.5),
    "async": lambda flow: flow.map_async(lambda x: x, 2),
    "filter": lambda flow: flow.with_index().filter(lambda pair: pair[0] % 3),
    "batch": lambda flow: flow.batch(2),
}


def came_of(seed, limit):
    flow = grown(numbers(9), random.Random(seed), 3)
    try:
        with limited(seed, limit, window=3) as world:
            return world.start(flow.to(Sink.list())).result()
    except Stalled:
        return "stalled"


@pytest.mark.parametrize("part", range(8))
def test_a_graph_that_comes_to_its_end_without_a_limit_does_so_with_one(part):
    ended = 0
    for seed in range(part, 400, 8):
        without = came_of(seed, None)
        ended += without != "stalled"
        assert without == "stalled" or came_of(seed, 1) == without, f"seed {seed}"
    assert ended > 20


# How much is held


class Load:
    """Heavy elements, and how many of them there are at most at a time."""

    def __init__(self):
        self.made = self.gone = self.most = 0

    def source(self, count=60):
        return Source.range(0, count).map(self.make)

    def make(self, x):
        self.made += 1
        self.most = max(self.most, self.made - self.gone)
        return bytes(HEAVY)

    def take(self, element):
        self.gone += 1
        return 0


def most_of(flow_of):
    """The most elements alive in any world in which all of 60 go through the flow."""
    most = 0
    for seed in range(10):
        load = Load()
        with limited(seed, "1 MiB", window=64) as world:
            flow = flow_of(load.source()).map(load.take)
            assert world.start(flow.to(Sink.count())).result() == 60
        assert world.system.statistics().memory_reserved == 0
        most = max(most, load.most)
    return most


def test_a_plain_link_holds_what_fits():
    assert 3 <= most_of(lambda flow: flow) <= 12


def test_delayed_elements_count_and_those_that_fit_are_under_way():
    assert 3 <= most_of(lambda flow: flow.delay(10)) <= 14


def test_a_delay_is_no_longer_under_a_limit_that_suffices():
    with limited(0, "64 MiB", window=64) as world:
        run = world.start(Source.range(0, 60).delay(10).to(Sink.list()))
        assert run.result() == list(range(60))
        assert world.now < 11


def test_elements_and_results_in_worker_processes_count():
    assert 1 <= most_of(lambda flow: flow.map_processes(lambda x: x, 2)) <= 16


def test_a_call_in_a_worker_process_that_gives_heavy_results_counts_those():
    light = Source.range(0, 60).map_processes(lambda x: bytes(HEAVY), 2, chunk=4)
    most = 0
    with limited(3, "1 MiB", window=64) as world:

        def look(_):
            nonlocal most
            stage = next(one for one in run.snapshot().stages if one.kind == "map_processes")
            most = max(most, stage.buffered_bytes)

        run = world.start(light.throttle(1, 1.0).map(look).to(Sink.count()))
        assert run.result() == 60
    assert HEAVY < most < 1.5 * 2**20


def test_branches_that_give_one_for_one_hold_what_fits():
    def branches(flow):
        one, other = flow.broadcast(2)
        return one.map(lambda x: x).delay(3).zip(other.map_async(lambda x: x, 2))

    assert most_of(branches) <= 20


def test_a_loop_holds_what_fits():
    def loop(flow):
        back = Feedback(buffer=400)
        merged = back.source.merge_preferred(flow.map(lambda x: (x, 3)))
        turned = merged.map(lambda pair: (pair[0], pair[1] - 1)).delay(1)
        return turned.divert_to(back.sink, when=lambda pair: pair[1] > 0)

    assert most_of(loop) <= 24


def test_a_queue_that_nobody_reads_holds_what_fits():
    load = Load()
    with limited(0, "1 MiB", window=64) as world:
        run = world.start(load.source().to(Sink.queue(50)))
        queue = run.sink_queue()
        world.settle()
        held = len(queue)
        stage = run.snapshot().stages[-1]
        assert stage.buffered_bytes >= held * HEAVY
        for _ in range(60):
            load.take(queue.get())
        with pytest.raises(EndOfStreamError):
            queue.get()
        assert run.result() == 60
    assert 2 <= held <= 8
    assert load.most <= 12
    assert world.system.statistics().memory_reserved == 0


def test_queues_of_one_graph_hold_as_many_as_they_say_so_that_one_is_read_after_the_other():
    for seed in range(RUNS):
        with limited(seed) as world:
            one, other = numbers().broadcast(2)
            both = one.to(Sink.queue(12).named("one")), other.to(Sink.queue(12).named("other"))
            run = world.start(Graph(*both))
            for name in ("one", "other"):
                assert list(run.sink_queue(name)) == list(range(12))


def test_groups_whose_receivers_are_slow_hold_what_fits():
    def groups(flow):
        keyed = flow.with_index().group_by(lambda pair: pair[0] % 3, 3)
        return keyed.flat_map(lambda group: group.throttle(1, 1.0), breadth=3)

    assert 3 <= most_of(groups) <= 24


@pytest.mark.filterwarnings("ignore:flat_map.*blocks? all others")
def test_a_group_that_is_not_run_does_not_keep_elements_from_one_that_is():
    words = Source.of("a1", "c1", "c2", "a2", "a3", "c3").group_by(lambda word: word[0], 2)
    for seed in range(RUNS):
        with limited(seed) as world:
            threes = words.flat_map(lambda group: group.take(3), breadth=1)
            run = world.start(threes.to(Sink.list()))
            assert run.result() == ["a1", "a2", "a3", "c1", "c2", "c3"]
            assert world.now < 0.5, "without a standstill"


def test_groups_that_wait_for_each_other_go_on_beyond_the_limit():
    groups = numbers(8).group_by(lambda x: x // 4, 2).batch(2)
    pairs = groups.flat_map(lambda both: both[0].zip(both[1]))
    for seed in range(RUNS):
        with limited(seed, window=8) as world:
            assert world.start(pairs.to(Sink.list())).result() == [(n, n + 4) for n in range(4)]
        assert world.system.statistics().memory_reserved == 0


@pytest.mark.parametrize("seed", range(10))
def test_elements_that_wait_for_a_tapped_sink_are_no_more_than_fit_and_others_are_counted(seed):
    most = 0

    def look(_):
        nonlocal most
        tap = next(one for one in run.snapshot().stages if one.kind == "wire_tap")
        most = max(most, tap.details["waiting"])
        assert tap.buffered_bytes < 2**20

    slow = Flow().throttle(1, 1.0).to(Sink.count())
    with limited(seed, "1 MiB", window=64) as world:
        run = world.start(Load().source().wire_tap(slow).map(look).to(Sink.count()))
        assert run.result() == 60
        tap = next(one for one in run.snapshot().stages if one.kind == "wire_tap")
        assert tap.details["dropped"] > 30
    assert 1 <= most <= 12
    assert world.system.statistics().memory_reserved == 0


def test_a_run_that_drains_fills_its_queue_although_that_is_more_than_fits():
    with limited(0, "1 MiB", window=64) as world:
        run = world.start(Load().source().to(Sink.queue(50)))
        world.settle()
        run.drain()
        assert run.wait(60)
        assert list(run.sink_queue())
    assert world.system.statistics().memory_reserved == 0


def test_under_a_memory_limit_elements_are_weighed_and_windows_shrink():
    made = taken = most = 0

    def load(_):
        nonlocal made
        made += 1
        return bytes(HEAVY)

    def unload(element):
        nonlocal taken, most
        assert world.system.statistics().memory_reserved <= 2**20
        taken, most = taken + 1, max(most, made - taken)
        return len(element)

    with World(window=16, memory_limit="1 MiB") as world:
        run = world.start(Source.range(0, 40).map(load).map(unload).to(Sink.count()))
        assert run.result() == 40
    assert 1 < most < 10, "of 16 only those that fit"
    assert world.system.statistics().memory_limit == 2**20
    assert world.system.statistics().memory_reserved == 0
