# mypy: disable-error-code="no-untyped-def, func-returns-value"
"""Worlds with automatic windows keep every promise, and the same decisions make the same run."""

from dataclasses import replace

import pytest

from actors_rs import Sink, Source
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.explore import check_scenario, explore
from actors_rs.testing.world import World
from tests.explored.catalogue import SCENARIOS
from tests.explored.scenario import WINDOWS

RUNS = 12
STANDSTILL = "junctions/a side that waits for the other"
"""It is about what stands still at fixed windows, and does not where branches meet again."""
ANY_WINDOW = [
    name for name, one in SCENARIOS.items() if one.windows == WINDOWS and name != STANDSTILL
]


@pytest.mark.parametrize("name", ANY_WINDOW)
def test_the_scenario_holds_with_automatic_windows(name):
    scenario = SCENARIOS[name]
    plan = replace(scenario.plan, runs=RUNS, windows=("auto",))
    check_scenario(scenario.run, plan, name.replace("/", "."))


@explore(runs=400, window="auto")
def test_a_chain_whose_stages_turn_slow_and_fast_gives_all_in_order(world):
    chain = Source.range(0, 100).map(lambda x: x).filter(lambda x: x % 3).map(lambda x: x)
    assert world.start(chain.to(Sink.list())).result() == [x for x in range(100) if x % 3]


def requests_of(seed):
    with World(RandomWalk(seed), window="auto") as world:
        run = world.start(Source.range(0, 200).map(lambda x: x).map(lambda x: x).to(Sink.sum()))
        assert run.result() == 19_900
        return [str(delivery) for delivery in world.deliveries()]


def test_a_world_with_automatic_windows_is_the_same_when_it_is_made_again():
    made = [requests_of(seed) for seed in range(20)]
    assert made == [requests_of(seed) for seed in range(20)]
    assert len({tuple(one) for one in made}) > 10


@pytest.mark.parametrize("fast_stages", [1, 2, 3, 5])
@explore(runs=50, window="auto")
def test_a_drain_of_a_stage_of_fifty_milliseconds_finds_eight_elements_at_most_in_each_link(
    world, fast_stages
):
    calls, drained_at = world.pick("calls", (30, 8, 100)), 0.0

    def slow(n):
        nonlocal drained_at
        world.sleep(0.05)
        if n == calls:
            drained_at = world.now
            run.drain()
        return n

    numbers = Source.range(0, 10**9)
    for _ in range(fast_stages):
        numbers = numbers.map(lambda n: n)
    run = world.start(numbers.map(slow).to(Sink.count()))
    assert run.result() > calls
    links = fast_stages + 1
    assert 0 < world.now - drained_at <= (8 * links + 1) * 0.05
