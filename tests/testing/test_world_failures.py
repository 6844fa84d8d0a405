"""What a world tells of an actor that has failed, and when a failure is one of the scenario."""

import pytest

from actors_rs import PooledActor, Sink, Source
from actors_rs.errors import Stalled
from actors_rs.testing.explore import Plan, check_scenario
from actors_rs.testing.world import World

pytestmark = pytest.mark.usefixtures("by_itself")


class UnspeakableError(Exception):
    def __str__(self):
        raise LookupError


class Worker(PooledActor):
    def on_receive(self, message):
        if isinstance(message, BaseException):
            raise message


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("three is too much"), "failed: ValueError: three is too much"),
        (UnspeakableError(), "failed: UnspeakableError: <UnspeakableError whose __str__ raised"),
    ],
)
def test_an_actor_that_has_failed_is_shown_with_its_error(error, told):
    with World() as world:
        world.spawn(Worker).tell(error)
        world.settle()
        assert world.states()[0].startswith(f"Worker: stopped, {told}")


def test_an_actor_that_was_stopped_has_not_failed():
    with World() as world:
        ref = world.spawn(Worker)
        ref.tell(1)
        ref.stop()
        assert world.states() == ["Worker: stopped"]


def test_a_report_shows_the_error_of_an_actor():
    def scenario(world):
        world.spawn(Worker).tell(ValueError("three is too much"))
        world.settle()
        raise AssertionError("enough")

    with pytest.raises(AssertionError) as caught:
        check_scenario(scenario)
    assert "Worker: stopped, failed: ValueError: three is too much" in caught.value.__notes__[0]


def test_a_stall_tells_which_actors_have_failed():
    def scenario(world):
        world.spawn(Worker).tell(ValueError("three is too much"))
        world.until(lambda: False, None)

    with pytest.raises(Stalled) as caught, World() as world:
        scenario(world)
    assert "'Worker': stopped, failed: ValueError: three is too much" in str(caught.value)


def fails_by_a_run(world):
    return world.start(Source.of(1).map(lambda x: 1 // 0).to(Sink.ignore()))


def fails_by_an_actor(world):
    world.spawn(Worker).tell(ValueError())


@pytest.mark.parametrize("scenario", [fails_by_a_run, fails_by_an_actor])
def test_a_failure_for_which_nobody_asks_is_none_of_the_scenario(scenario):
    assert check_scenario(lambda world: scenario(world) and None, Plan(runs=50)).runs == 50


def test_an_actor_that_failed_leaves_its_error_to_be_asked_for():
    with World() as world:
        fails_by_an_actor(world)
        world.settle()
        assert type(world.system.dead_letters.recent()[0].error) is ValueError
