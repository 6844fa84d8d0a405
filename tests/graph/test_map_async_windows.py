# mypy: disable-error-code="var-annotated"
"""How much ``map_async`` asks for before there is a call for it."""

import threading

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.testing.world import World
from tests.graph.helpers import SECONDS, wait_until


def window_of_calls(flow, **settings):
    with ActorSystem(**{"window": 4096, **settings}) as system:  # an automatic one begins small
        going = system.start(flow.to(Sink.ignore()))
        stages = {stage.kind: stage.window for stage in going.snapshot().stages}
        going.cancel()
    return stages["map_async"]


@pytest.mark.parametrize("key", [None, str])
def test_few_elements_are_asked_for_before_there_is_a_call_for_them(key):
    numbers = Source.never()
    assert window_of_calls(numbers.map_async(str, 1, key=key)) == 16
    assert window_of_calls(numbers.map_async(str, 100, key=key).retry()) == 400
    assert window_of_calls(numbers.map_async(str, 10_000, key=key)) == 4096
    assert window_of_calls(numbers.map_async(str, 100, key=key), window=7) == 7
    assert window_of_calls(numbers.batch(1000).map_async(str, 100, key=key)) == 16


def test_a_window_that_was_set_is_that_of_map_async():
    flow = Source.never().map_async(str, 1).with_attributes(window=1000)
    assert window_of_calls(flow) == 1000
    assert window_of_calls(flow, window=7) == 1000


def test_a_window_does_not_bound_the_calls_that_are_under_way():
    gate, begun = threading.Event(), []

    def f(n):
        begun.append(n)
        gate.wait(SECONDS)

    with ActorSystem(shutdown_timeout=SECONDS) as system:
        flow = Source.range(0, 100).map_async(f, 8).with_attributes(window=1)
        going = system.start(flow.to(Sink.count()))
        wait_until(lambda: len(begun) == 8)
        gate.set()
        assert going.result(SECONDS) == 100


def test_draining_makes_no_more_calls_than_elements_were_in_hand():
    gate, begun = threading.Event(), []

    def f(n):
        begun.append(n)
        gate.wait(SECONDS)
        return n

    with ActorSystem(shutdown_timeout=SECONDS) as system:
        going = system.start(Source.range(0, 100_000).map_async(f, 2).to(Sink.count()))
        wait_until(lambda: len(begun) == 2)
        going.drain()
        gate.set()
        assert going.result(SECONDS) <= 16 + 2 * 2
    assert len(begun) <= 16 + 2 * 2


@pytest.mark.parametrize(("parallelism", "key"), [(1, None), (1, str), (2, None)])
def test_one_tick_waits_while_all_calls_take_longer_and_the_others_are_counted(parallelism, key):
    begun = []

    def job(tick):
        begun.append((tick, world.now))
        world.sleep(10)

    with World() as world:
        jobs = Source.tick(1).map_async(job, parallelism, key=key).take(5)
        run = world.start(jobs.to(Sink.ignore()))
        run.result()
        ticks = next(one for one in run.snapshot().stages if one.kind == "tick")
    taken = [tick for tick, _ in begun]
    assert taken[:2] == [0, 1]
    # A tick waits for one call at most. Further ticks are dropped.
    late = [now - (tick + 1) for tick, now in begun]
    assert max(late) <= 10
    assert ticks.details["skipped"] >= taken[-1] - len(taken)
