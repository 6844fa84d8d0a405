# mypy: disable-error-code="var-annotated"
"""Random graphs on real threads: nothing lost, nothing twice, no hang, whatever the windows."""

import random
from collections import Counter

import pytest

from actors_rs import ActorSystem, Graph, Sink, Source, merge
from actors_rs.errors import RunCancelled, StageError
from tests.graph.helpers import wait_until

SEEDS = range(25)


class Maker:
    """Draws a graph and says, with counters, what has to arrive in all its sinks together."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.expected = Counter()
        self.sinks = []
        open_ends = [self.source(n) for n in range(self.draw.randint(1, 3))]
        for _ in range(self.draw.randint(2, 14)):
            self.grow(open_ends)
        for flow, elements in open_ends:
            self.expected += elements
            sink = Sink.list().with_attributes(window=self.window())
            self.sinks.append(flow.to(sink))

    def window(self):
        return self.draw.choice([None, None, 1, 2, 3, 16, 100])

    def source(self, number):
        size = self.draw.choice([0, 1, 5, 100, 400])
        elements = [number * 1000 + n for n in range(size)]
        make = self.draw.choice([lambda: elements, lambda: Source.of(*elements)])()
        if isinstance(make, list):
            make = Source.from_iterable(lambda: iter(elements))
        return make, Counter(elements)

    def grow(self, ends):
        flow, elements = ends.pop(self.draw.randrange(len(ends)))
        kind = self.draw.choice(
            ["map", "async", "filter", "flat", "broadcast", "partition", "merge"]
        )
        if kind == "map":
            ends.append((flow.map(lambda n: n), elements))
        elif kind == "async":
            ordered = self.draw.random() < 0.5
            ends.append((flow.map_async(lambda n: n, self.draw.randint(1, 8), ordered), elements))
        elif kind == "filter":
            kept = Counter({n: c for n, c in elements.items() if n % 3})
            ends.append((flow.filter(lambda n: n % 3), kept))
        elif kind == "flat":
            flow = flow.batch(self.draw.randint(1, 20)).flat_map(lambda batch: batch)
            ends.append((flow, elements))
        elif kind == "broadcast":
            count = self.draw.randint(1, 3)
            ends.extend((branch, elements) for branch in flow.broadcast(count))
        elif kind == "partition":
            count = self.draw.randint(1, 3)
            for index, branch in enumerate(flow.partition(count, lambda n: n % count)):
                ends.append(
                    (branch, Counter({n: c for n, c in elements.items() if n % count == index}))
                )
        elif ends:
            other, more = ends.pop(self.draw.randrange(len(ends)))
            ends.append((merge(flow, other), elements + more))
        else:
            ends.append((flow, elements))
        flow, elements = ends[-1]
        if kind not in ("broadcast", "partition"):
            ends[-1] = (flow.with_attributes(window=self.window()), elements)

    def graph(self):
        return Graph(*self.sinks)


@pytest.fixture(scope="module", params=[1, 2, 8], ids=lambda n: f"{n}_workers")
def system(request):
    with ActorSystem(workers=request.param, window=64, shutdown_timeout=10) as system:
        yield system


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
