"""The bottleneck of a run is the stage that was made slow, whatever the shape of the graph."""

import asyncio
import threading
import time

import pytest

from actors_rs import ActorSystem, Graph, Sink, Source, zip
from tests.graph.helpers import SECONDS, wait_until

SLOW = 0.004
MANY = 10**9


def slow(element):
    time.sleep(SLOW)
    return element


def slowly(n=MANY):
    for number in range(n):
        yield slow(number)


async def slow_call(element):
    await asyncio.sleep(SLOW)
    return element


async def slow_elements():
    for number in range(MANY):
        yield await slow_call(number)


def called(element):
    return Source.of(element).map_async(slow_call, 1).map(abs)


def numbers():
    return Source.range(0, MANY)


def waits_for_the_first():
    """A function of which the first call, that later ones wait behind, takes for ever."""
    over = threading.Event()
    return over, lambda n: over.wait(SECONDS) if n == 0 else n


def branches(junction, at):
    """Two branches, of which number ``at`` has the planted stage."""
    ends = [
        (branch.map(slow).named("planted") if number == at else branch.map(abs)).to(Sink.ignore())
        for number, branch in enumerate(junction)
    ]
    return Graph(*ends)


def joined(join, at):
    sides = [
        numbers().map(slow).named("planted") if number == at else numbers().map(abs)
        for number in range(2)
    ]
    return join(*sides).to(Sink.ignore())


GRAPHS = {
    "a source": lambda: Source.from_iterable(slowly).named("planted").map(abs).to(Sink.ignore()),
    "an async source": lambda: (
        Source.from_iterable(slow_elements).named("planted").map(abs).to(Sink.ignore())
    ),
    "the first map": lambda: numbers().map(slow).named("planted").map(abs).to(Sink.ignore()),
    "the last map": lambda: numbers().map(abs).map(slow).named("planted").to(Sink.ignore()),
    "a filter in the middle": lambda: (
        numbers().map(abs).filter(slow).named("planted").map(str).to(Sink.ignore())
    ),
    "a sink": lambda: numbers().map(abs).to(Sink.for_each(slow).named("planted")),
    "a fold": lambda: numbers().to(Sink.fold(0, lambda a, b: slow(a)).named("planted")),
    "blocking calls": lambda: (
        numbers().map_async(slow, 4).named("planted").map(abs).to(Sink.ignore())
    ),
    "awaited calls": lambda: (
        numbers().map(abs).map_async(slow_call, 8).named("planted").to(Sink.ignore())
    ),
    "calls that are slower than others": lambda: (
        numbers().map_async(slow_call, 8).map_async(slow_call, 2).named("planted").to(Sink.ignore())
    ),
    "a map that is slower than another": lambda: (
        numbers().map(slow).map(lambda n: slow(slow(n))).named("planted").to(Sink.ignore())
    ),
    "a branch of broadcast": lambda: branches(numbers().broadcast(2), 1),
    "the first branch of broadcast": lambda: branches(numbers().broadcast(2), 0),
    "before broadcast": lambda: Graph(
        *(
            branch.map(abs).to(Sink.ignore())
            for branch in numbers().map(slow).named("planted").broadcast(2)
        )
    ),
    "one side of zip": lambda: joined(zip, 0),
    "the other side of zip": lambda: joined(zip, 1),
    "after merge": lambda: numbers().merge(numbers()).map(slow).named("planted").to(Sink.ignore()),
    "after an async boundary": lambda: (
        numbers().map(abs).async_boundary().map(slow).named("planted").to(Sink.ignore())
    ),
    "in a fused graph": lambda: (
        numbers().map(abs).map(slow).named("planted").map(str).to(Sink.ignore()).fuse()
    ),
    "inner streams": lambda: (
        numbers().flat_map(called, breadth=2).named("planted").to(Sink.ignore())
    ),
    "a long inner stream": lambda: (
        Source.of("one file")
        .flat_map(lambda file: numbers().map_async(slow_call, 2))
        .named("planted")
        .to(Sink.ignore())
    ),
    "inner streams of inner streams": lambda: (
        Source.of("one file")
        .flat_map(lambda file: Source.range(0, 10**6).map(abs).flat_map(called, breadth=2))
        .named("planted")
        .to(Sink.ignore())
    ),
    "a rate": lambda: numbers().map(abs).throttle(100, 1.0).named("planted").to(Sink.ignore()),
}


@pytest.mark.parametrize("where", GRAPHS)
def test_the_bottleneck_is_the_stage_that_is_slow(where):
    with ActorSystem(workers=2, cancel_grace=SECONDS) as system:
        run = system.start(GRAPHS[where]())
        seen = []

        def stands_out():
            seen.append(run.snapshot())
            return seen[-1].seconds > 0.5 and seen[-1].bottleneck is not None

        wait_until(stands_out)  # on a busy machine, none may for a while
        run.cancel()
        assert run.wait(SECONDS)
    slowest = seen[-1].bottleneck
    shares = [(s.name, s.busy, s.idle, s.back_pressured) for s in seen[-1].stages]
    assert slowest is not None, shares
    assert slowest.name == "planted", shares


def test_a_run_that_keeps_up_with_its_input_has_no_bottleneck():
    with ActorSystem(workers=2) as system:
        run = system.start(Source.tick(0.01).map(abs).to(Sink.ignore()))
        wait_until(lambda: run.snapshot().stages[-1].elements_in > 5)
        assert run.snapshot().bottleneck is None
        run.cancel()


def test_calls_that_wait_behind_the_first_one_make_their_stage_the_bottleneck():
    over, f = waits_for_the_first()
    with ActorSystem(workers=2) as system:
        run = system.start(numbers().map(abs).map_async(f, 8).to(Sink.ignore()))
        try:
            wait_until(lambda: run.snapshot().bottleneck is not None)
            wait_until(lambda: run.snapshot().bottleneck.kind == "map_async")
        finally:
            over.set()
            run.cancel()


def test_seconds_of_calls_are_added_up():
    with ActorSystem(workers=2) as system:
        run = system.start(Source.range(0, 20).map_async(slow, 4).to(Sink.ignore()))
        run.result(SECONDS)
        seconds = run.snapshot().stages[1].details["call_seconds"]
    assert seconds >= 20 * SLOW * 0.9
