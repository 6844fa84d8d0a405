# mypy: disable-error-code="var-annotated"
"""What supervision costs when all children fail together: counted, not timed."""

import threading

import pytest

from actors_rs import ActorSystem, PooledActor
from actors_rs.runtime.supervision import affected, strategies
from actors_rs.runtime.supervision import supervisor as supervising
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.runtime.supervision.child_spec import ChildSpec, Supervisor
from actors_rs.runtime.supervision.strategies import OneForAll, RestForOne
from tests.counting import Instructions
from tests.runtime.support import DEADLINE, eventually

FILES = {module.__file__ for module in (affected, strategies, supervising)}
LATER = Backoff(initial=3600.0, maximum=3600.0, jitter=0)


class Child(PooledActor):
    def on_receive(self, message):
        if message == "fail":
            raise ValueError(message)
        return message


class Holding(PooledActor):
    def on_receive(self, gates):
        held, gate = gates
        held.set()
        gate.wait(DEADLINE)


def instructions(strategy, count, backwards):
    """Those it takes to bring ``count`` children down that all fail in one go."""
    held, gate = threading.Event(), threading.Event()
    with (
        Instructions(FILES, on_new_threads=True) as counter,
        ActorSystem(workers=1, max_workers=1) as system,
    ):
        specs = [ChildSpec(Child, name=str(n)) for n in range(count)]
        top = system.supervise(Supervisor(strategy(max_restarts=10, backoff=LATER), specs))
        children = list(top.children().values())
        for child in children:
            assert child.ask(1, timeout=DEADLINE) == 1
        system.spawn(Holding).tell((held, gate))
        assert held.wait(DEADLINE)
        before = counter.count
        for child in reversed(children) if backwards else children:
            child.tell("fail")
        gate.set()
        supervisor = top._actor_weakref()
        assert supervisor is not None
        order = tuple(supervisor.child_slots.order)
        eventually(lambda: not any(child.alive for child in order))
        down = counter.count - before
    return down / count


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("strategy", [OneForAll, RestForOne])
def test_each_of_many_children_that_fail_together_costs_the_same(strategy, backwards):
    few, many = (instructions(strategy, count, backwards) for count in (25, 200))
    assert many < 1.5 * few
