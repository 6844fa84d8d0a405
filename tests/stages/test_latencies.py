"""How long calls took: a histogram whose answers are right to a sixteenth."""

import random
import time

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.stages.latencies import Latencies


@pytest.mark.parametrize("seconds", [1e-6, 0.000_3, 0.25, 0.5, 1.0, 41.0, 90_000.0])
def test_a_quantile_is_right_to_a_sixteenth(seconds):
    latencies = Latencies()
    latencies.add(seconds)
    [half] = latencies.quantiles(0.5)
    assert half == pytest.approx(seconds, rel=1 / 16)


def test_quantiles_are_those_of_the_sorted_times():
    chance = random.Random(7)
    times = [chance.lognormvariate(-6, 2) for _ in range(500)]
    latencies = Latencies()
    for one in times:
        latencies.add(one)
    times.sort()
    assert latencies.quantiles(0.5, 0.99) == [
        pytest.approx(times[249], rel=1 / 16),
        pytest.approx(times[494], rel=1 / 16),
    ]


def test_a_weight_counts_as_so_many_calls():
    latencies = Latencies()
    latencies.add(0.001, weight=8)
    latencies.add(1.0)
    assert latencies.quantiles(0.5, 0.95) == [
        pytest.approx(0.001, rel=1 / 16),
        pytest.approx(1.0, rel=1 / 16),
    ]


def test_memory_is_bounded_whatever_the_times_are():
    latencies = Latencies()
    for exponent in range(-300, 300):
        for part in range(1, 20):
            latencies.add(part * 2.0**exponent)
    latencies.add(0.0)
    assert len(latencies._counts) <= 360


def test_nothing_is_known_before_the_first_call():
    assert Latencies().quantiles(0.5, 0.99) == [None, None]


def snapshots_of(flow):
    with ActorSystem(workers=2) as system:
        run = system.start(flow.to(Sink.ignore()))
        run.result(timeout=20)
        return {stage.kind: stage for stage in run.snapshot().stages}


def test_a_slow_function_shows_as_the_latency_of_its_stage():
    def slow(number):
        time.sleep(0.005)  # the time that is measured
        return number

    stages = snapshots_of(Source.range(0, 12).map(slow))
    assert stages["map"].latency_p50 >= 0.004
    assert stages["map"].latency_p99 >= stages["map"].latency_p50
    assert stages["range"].latency_p50 is None or stages["range"].latency_p50 > 0


def test_the_latency_of_map_async_is_that_of_its_calls_also_of_failed_ones():
    def call(number):
        time.sleep(0.02)  # the time that is measured
        if number % 2:
            raise ValueError(number)

    stages = snapshots_of(Source.range(0, 8).map_async(call, 8).on_failure("resume"))
    assert stages["map_async"].latency_p50 >= 0.018
