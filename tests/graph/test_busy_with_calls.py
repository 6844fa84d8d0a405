"""A stage whose calls others make is busy with them."""

import threading

import pytest

from actors_rs import ActorSystem, Sink, Source
from tests.graph.helpers import SECONDS, wait_until


@pytest.mark.parametrize(("calls", "busy"), [(4, 1.0), (2, 0.5)])
def test_calls_under_way_count_against_parallelism(calls, busy):
    gate = threading.Event()
    numbers = Source.range(0, calls).map_async(lambda n: gate.wait(SECONDS), 4)
    with ActorSystem(workers=2) as system:
        run = system.start(numbers.to(Sink.ignore()))
        try:
            wait_until(lambda: run.snapshot().stages[1].details["under_way"] == calls)
            wait_until(lambda: abs(run.snapshot().stages[1].busy - busy) < 0.05)
            snapshot = run.snapshot()
            stage = snapshot.stages[1]
            assert stage.busy + stage.idle + stage.back_pressured == pytest.approx(1.0)
            if busy == 1.0:
                assert snapshot.bottleneck is stage
            assert not snapshot.draining
            run.drain()
            assert run.snapshot().draining
        finally:
            gate.set()
        run.result(SECONDS)


def test_calls_that_have_ended_are_not_under_way_though_the_stage_has_no_turn():
    gate, blocked, leave, ended = (threading.Event() for _ in range(4))
    left = iter(range(3, -1, -1))

    def call(number):
        gate.wait(SECONDS)
        if not next(left):
            ended.set()
        return number

    def block(number):
        blocked.set()
        leave.wait(SECONDS)
        return number

    with ActorSystem(workers=1, max_workers=1) as system:
        run = system.start(Source.range(0, 4).map_async(call, 2).to(Sink.list()))
        wait_until(lambda: run.snapshot().stages[1].details["under_way"] == 2)
        other = system.start(Source.of(1).map(block).to(Sink.ignore()))
        try:
            assert blocked.wait(SECONDS)
            gate.set()
            assert ended.wait(SECONDS)
            assert run.snapshot().stages[1].details["under_way"] <= 2
        finally:
            leave.set()
        assert run.result(SECONDS) == [0, 1, 2, 3]
        other.result(SECONDS)
