"""One point of each curve: a function of the size, which is called in a process of its own.

Where one process computes, a rate is by processor time, since a machine has other tenants; worker
processes and partitions, which wait, are timed by the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from time import perf_counter, process_time, sleep
from typing import Any

from actors_rs import ActorSystem, PooledActor, Sink, Source, merge
from stress.bench.measuring.fresh import resident_bytes

__all__ = [
    "actors",
    "element_size",
    "groups",
    "memory",
    "partitions",
    "processes",
    "stages",
    "width",
]

LEAST_SECONDS = 0.5
"""A point runs until so much time has passed."""
LEAST_ELEMENTS = 30_000
"""To make little of what a run costs to start."""
WORKERS_ELEMENTS = 1_500
CALL_TURNS = 20_000
PARTITION_SECONDS = 0.002


def _rate(run: Callable[[], object], elements: int, clock: Callable[[], float]) -> float:
    """Elements a second, over as many runs as it takes, after one that warms up."""
    run()
    began, runs, taken = clock(), 0, 0.0
    while not runs or taken < LEAST_SECONDS:
        run()
        runs += 1
        taken = clock() - began
    return runs * elements / taken


def stages(n: int) -> float:
    """Elements a second through ``n`` maps."""
    elements = max(LEAST_ELEMENTS, 300_000 // n)
    flow = Source.range(0, elements)
    for _ in range(n):
        flow = flow.map(abs)
    graph = flow.to(Sink.count())
    with ActorSystem() as system:
        return _rate(lambda: system.start(graph).result(), elements, process_time)


def width(n: int) -> float:
    """Elements a second that go to each of ``n`` branches."""
    elements = max(LEAST_ELEMENTS, 300_000 // n)
    branches = Source.range(0, elements).broadcast(n)
    graph = merge(*(branch.map(abs) for branch in branches)).to(Sink.count())
    with ActorSystem() as system:
        return _rate(lambda: system.start(graph).result(), elements, process_time)


def processes(n: int) -> float:
    """Elements a second through ``map_processes`` with ``n`` workers."""

    def call(x: int) -> int:
        for _ in range(CALL_TURNS):
            pass
        return x

    graph = Source.range(0, WORKERS_ELEMENTS).map_processes(call, n).to(Sink.count())
    with ActorSystem() as system:
        return _rate(lambda: system.start(graph).result(), WORKERS_ELEMENTS, perf_counter)


def element_size(n: int) -> float:
    """Elements of ``n`` bytes a second, made by one stage and read by another."""
    elements = max(50, min(50_000, (64 << 20) // n))
    graph = Source.range(0, elements).map(partial(_made, n)).map(_read).to(Sink.sum())
    with ActorSystem(memory_limit="64 MiB") as system:
        return _rate(lambda: system.start(graph).result(), elements, process_time)


def element_size_in_a_loop(n: int) -> float:
    """The same without stages."""
    elements = max(50, min(50_000, (64 << 20) // n))
    return _rate(lambda: sum(_read(_made(n, x)) for x in range(elements)), elements, process_time)


def _made(n: int, x: int) -> bytes:
    return b"%c" % (x % 250) * n


def _read(element: bytes) -> int:
    return element.count(b"\xff")


def groups(n: int) -> float:
    """Groups a second, each of two elements, summed up within the stage; all are open at once."""
    elements = Source.range(0, 2 * n).group_by(lambda x: x % n, n)
    sums = elements.flat_map(lambda group: group.reduce(0, int.__add__).fuse(), n)
    began = process_time()
    with ActorSystem() as system:
        assert system.start(sums.to(Sink.count())).result() == n
    return n / (process_time() - began)


class Idle(PooledActor):
    """Takes a message and does nothing."""

    def on_receive(self, message: object) -> None:
        pass


def actors(n: int) -> float:
    """Actors a second that are started, told once and stopped; all live at once."""
    began = process_time()
    with ActorSystem() as system:
        refs = [system.spawn(Idle) for _ in range(n)]
        for ref in refs:
            ref.tell(1)
    return n / (process_time() - began)


def partitions(n: int) -> float:
    """Partitions a second, four in flight, where Spark's driver takes 2 ms for each."""
    from actors_rs.graph.spec import OutletRef, spec_of
    from actors_rs.language.flow import Flow
    from actors_rs.spark.policy import PartitionPolicy
    from actors_rs.spark.supervised import SupervisedPartitions
    from tests.spark.bench import ListPlan

    class Slow(ListPlan):
        def fetch(self, index: int, *rest: Any) -> Generator[Any, None, None]:
            sleep(PARTITION_SECONDS)
            yield from super().fetch(index, *rest)

    def stage() -> SupervisedPartitions:
        plan: Any = Slow(*([index] for index in range(n)))
        policy = PartitionPolicy(max_attempts=3)
        return SupervisedPartitions(
            plan, "curve", policy=policy, in_flight=4, ordered=True, chunk=1
        )

    source: Any = Flow(OutletRef(spec_of("partitions", stage, outflow_window=4)))
    with ActorSystem() as system:
        began = perf_counter()
        assert system.start(source.to(Sink.count())).result() == n
        return n / (perf_counter() - began)


def memory(n: int) -> float:
    """MiB of the process at the most, while ``n`` elements go through five stages."""
    most = 0

    def look(x: int) -> None:
        nonlocal most
        if x % 1_000 == 0:
            most = max(most, resident_bytes())

    flow = Source.range(0, n)
    for _ in range(5):
        flow = flow.map(abs)
    with ActorSystem() as system:
        system.start(flow.to(Sink.for_each(look))).result()
    return most / 2**20
