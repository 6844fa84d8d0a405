"""What is asked, directly or by a proxy, is a part of what a world tells of its run."""

from itertools import count

import pytest

from actors_rs import PooledActor
from actors_rs.errors import NondeterminismError
from actors_rs.testing.explore import Plan, check_scenario
from actors_rs.testing.world import World, sequence_diagram

pytestmark = pytest.mark.usefixtures("by_itself")


class Adder(PooledActor):
    sum = 0

    def on_receive(self, message):
        return message

    def add(self, one, other=0):
        return one + other


def set_sum(ref, value):
    ref.proxy().sum = value


ASKS = {
    "Ask('one')": lambda ref: ref.ask("one"),
    "Ask(['one'])": lambda ref: ref.ask(["one"]),
    "Ask(ProxyCall(['add'], [1], {}))": lambda ref: ref.proxy().add(1).get(),
    "Ask(ProxyCall(['add'], [2], {}))": lambda ref: ref.proxy().add(2).get(),
    "Ask(ProxyCall(['add'], [1], {'other': 2}))": lambda ref: ref.proxy().add(1, other=2).get(),
    "Ask(ProxyGetAttr(['sum']))": lambda ref: ref.proxy().sum.get(),
    "Ask(ProxySetAttr(['sum'], 5))": lambda ref: set_sum(ref, 5),
}


def world_of(ask):
    with World() as world:
        ask(world.spawn(Adder))
    return world


def test_runs_that_differ_in_what_was_asked_differ_in_all_that_is_told_of_them():
    worlds = [world_of(ask) for ask in ASKS.values()]
    for seen in ("digest", "behaviour", "behaviour_key"):
        assert len({getattr(world, seen) for world in worlds}) == len(ASKS)


@pytest.mark.parametrize("told", ASKS)
def test_a_question_is_shown_with_what_was_asked(told):
    deliveries = world_of(ASKS[told]).deliveries()
    assert told in [one.message for one in deliveries]
    assert any(told in line for line in sequence_diagram(deliveries))


def test_asking_something_else_in_each_run_is_found():
    numbers = count()

    def scenario(world):
        world.spawn(Adder).ask(next(numbers))

    with pytest.raises(NondeterminismError, match=r"first '.*Ask\(0\)', then '.*Ask\(1\)'"):
        check_scenario(scenario, Plan(runs=300))
