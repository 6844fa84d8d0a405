"""Random graphs on real threads: nothing lost, nothing twice, no hang, whatever the windows."""

import random
from collections import Counter

import pytest

from actors_rs import ActorSystem, Graph, Sink, Source
from actors_rs.errors import RunCancelled, StageError
from tests.graph.helpers import wait_until
from tests.graph.random_graphs import Maker

SEEDS = range(25)


@pytest.fixture(
    scope="module",
    params=[(1, None), (2, None), (8, None), (2, "1 KiB")],
    ids=["1 worker", "2 workers", "8 workers", "hardly any memory"],
)
def system(request):
    workers, limit = request.param
    settings = {"workers": workers, "memory_limit": limit}
    with ActorSystem(window=64, shutdown_timeout=10, **settings) as system:
        yield system
    assert system.statistics().memory_reserved == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_graph_delivers_every_element_once_on_every_path(system, seed):
    made = Maker(seed)
    going = system.start(made.graph())
    results = going.result(20)
    lists = [results] if len(made.sinks) == 1 else results
    assert Counter(n for part in lists for n in part) == made.expected


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_graph_ends_wherever_it_is_cancelled(system, seed):
    made = Maker(seed)
    going = system.start(made.graph())
    for _ in range(seed * 20):
        pass
    going.cancel()
    assert going.wait(20)
    assert going.state in ("cancelled", "completed")
    wait_until(lambda: not system.children())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_graph_can_be_drained_at_any_moment(system, seed):
    made = Maker(seed)
    going = system.start(made.graph())
    going.drain()
    results = going.result(20)
    lists = [results] if len(made.sinks) == 1 else results
    assert not Counter(n for part in lists for n in part) - made.expected
    wait_until(lambda: not system.children())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_graph_with_a_failing_branch_fails_as_a_whole(system, seed):
    made = Maker(seed)
    draw = random.Random(seed)

    def fails(n):
        if n == 300:
            raise KeyError(n)
        return n

    before, beside = Source.range(0, 10**6).broadcast(2)
    branch = before.map(fails).with_attributes(window=draw.choice([1, 2, 16, 1024]))
    going = system.start(
        Graph(branch.to(Sink.ignore()), beside.map(lambda n: n).to(Sink.ignore()), *made.sinks)
    )
    with pytest.raises(StageError) as caught:
        going.result(20)
    assert caught.value.position == 300
    wait_until(lambda: not system.children())


def test_many_runs_at_a_time_do_not_mix(system):
    runs = [system.start(Maker(seed).graph()) for seed in SEEDS]
    for seed, going in zip(SEEDS, runs, strict=True):
        made, results = Maker(seed), going.result(30)
        lists = [results] if len(made.sinks) == 1 else results
        assert Counter(n for part in lists for n in part) == made.expected


def test_starting_and_cancelling_at_once_leaves_nothing(system):
    for n in range(100):
        going = system.start(Source.repeat(n).map_async(lambda n: n, 2).batch(3).to(Sink.ignore()))
        going.cancel()
        with pytest.raises(RunCancelled):
            going.result(10)
    wait_until(lambda: not system.children())
