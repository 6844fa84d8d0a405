"""What is no scenario for a world is refused, and never a test that passes."""

import time

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import InvalidArgumentError, Stalled, WorldError
from actors_rs.testing.explore import Plan, check_scenario, explore
from actors_rs.testing.world import World


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


def test_a_run_on_threads_is_named_and_not_taken_for_a_stall():
    def with_threads(world):
        assert Source.of(1).run(Sink.list()) == [1]

    with pytest.raises(WorldError, match=r"has one thread, but another .*test_scenarios"):
        check_scenario(with_threads, Plan(runs=1))
    with World(), pytest.raises(Stalled, match=r"start what you wait for with world\.start"):
        Source.never().run(Sink.list())


def test_what_cannot_be_called_is_refused_where_it_is_handed_in():
    with World() as world, pytest.raises(InvalidArgumentError, match="soon: expected a function"):
        world.soon("cancel", None)  # type: ignore[arg-type]
