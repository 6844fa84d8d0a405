"""Which orders of calls a search comes to, where it decides them."""

from itertools import permutations
from typing import Any

import pytest

from actors_rs import Sink, Source
from actors_rs.testing.explore import Plan, check_scenario

WAYS: dict[str, Any] = {
    "unordered": lambda up: up.map_async(abs, parallelism=3, ordered=False),
    "by key": lambda up: up.map_async(abs, parallelism=3, key=abs),
    "falling back": lambda up: up.map_async(len, 3, ordered=False, fallback=lambda n, _: n),
    "retried": lambda up: up.map_async(abs, parallelism=3, ordered=False).retry(),
}


@pytest.mark.parametrize("way", WAYS)
def test_calls_on_threads_that_wait_for_nothing_end_in_every_order(way: str) -> None:
    seen = set()

    def scenario(world: Any) -> None:
        flow = WAYS[way](Source.of(0, 1, 2))
        seen.add(tuple(world.start(flow.to(Sink.list())).result()))

    check_scenario(scenario, Plan(runs=400))
    assert seen == set(permutations(range(3)))
