# mypy: disable-error-code="var-annotated, arg-type"
"""Supervised actors in a world: each life is an actor of its own, seen like any other."""

import pytest

from actors_rs import ChildSpec, OneForOne, PooledActor, Supervisor
from actors_rs.errors import NondeterminismError
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.testing.decisions import Decisions
from actors_rs.testing.explore import explore
from actors_rs.testing.world import World


class Worker(PooledActor):
    def on_receive(self, message):
        if message == "fail":
            raise ValueError("as told")
        return message


def supervised(world):
    spec = ChildSpec(Worker, name="a")
    strategy = OneForOne(backoff=Backoff(1.0, 1.0, jitter=0.0))
    return world.system.supervise(Supervisor(strategy, [spec])).child("a")


def told(*messages):
    """What a world with a worker that is told ``messages`` has seen."""
    with World(Decisions()) as world:
        ref = supervised(world)
        world.settle()
        for message in messages:
            ref.tell(message)
        world.sleep(10)
        received = [(one.receiver, one.message) for one in world.deliveries()]
        return received, world.digest, world.behaviour, world.states()


def test_what_a_supervised_actor_receives_is_noted_life_by_life():
    received, *_, states = told("x", "fail", "y")
    scopes = [pair for pair in received if pair[0].startswith("supervisor/a")]
    first, second = dict.fromkeys(name for name, _ in scopes)
    assert scopes == [(first, "'x'"), (first, "'fail'"), (second, "'y'")]
    assert any(state.startswith(f"{second}: living") for state in states)


def test_other_messages_to_a_supervised_actor_are_another_behaviour():
    one, other = told("x"), told("y")
    assert one[1] != other[1]
    assert one[2] != other[2]
    assert told("x")[1:3] == one[1:3]


def test_what_differs_from_run_to_run_of_a_supervised_actor_is_reported():
    numbers = iter(range(100_000))

    @explore(runs=300)
    def scenario(world):
        supervised(world).tell(next(numbers))
        world.settle()

    with pytest.raises(NondeterminismError, match="supervisor/a"):
        scenario()
