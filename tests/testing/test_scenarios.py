"""What is no scenario for a world is refused, and never a test that passes."""

import time

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import InvalidArgumentError, WorldError
from actors_rs.testing.explore import Plan, check_scenario, explore


async def later(world):
    raise AssertionError


def in_parts(world):
    yield


@pytest.mark.parametrize("make", [explore(), check_scenario])
@pytest.mark.parametrize("test", [later, in_parts])
def test_what_would_pass_without_having_run_is_an_error(make, test):
    with pytest.raises(InvalidArgumentError, match=r"must be a plain function, got the .*or"):
        make(test)


def test_the_real_clock_is_named_also_where_two_runs_differ_by_what_it_told():
    def stamped(world):
        world.start(Source.of(1).map(lambda _: time.time()).to(Sink.list())).result()

    with pytest.raises(WorldError, match=r"has its own time, but time\(\) .*test_scenarios"):
        check_scenario(stamped, Plan(runs=1))
