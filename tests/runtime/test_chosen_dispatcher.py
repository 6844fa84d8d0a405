"""A dispatcher that a constructor chooses serves its actor, and statistics name who serves."""

import threading
from typing import Any

import pytest

from actors_rs import ActorSystem, ChildSpec, PooledActor, Supervisor
from actors_rs.testing.world import World
from tests.runtime.support import behind, eventually


class Chooses(PooledActor):
    def __init__(self, dispatcher):
        super().__init__()
        self.dispatcher = dispatcher

    def on_start(self):
        self.started_on = threading.current_thread().name

    def on_receive(self, message):
        if message == "fail":
            raise ValueError(message)
        return self.started_on, threading.current_thread().name, self.statistics().dispatcher


class Pinned(Chooses):
    dispatcher = "pinned"


def child_of(system, kind, dispatcher):
    spec = ChildSpec(kind, args=(dispatcher,), name="child")
    return system.supervise(Supervisor(children=[spec])).child("child")


@pytest.mark.parametrize("supervised", [False, True])
def test_a_constructor_that_chooses_a_thread_of_its_own_gets_one_in_every_life(supervised):
    with ActorSystem(workers=2) as system:
        ref: Any = (child_of if supervised else ActorSystem.spawn)(system, Chooses, "pinned")
        started_on, handled_on, kind = ref.ask("where", timeout=20)
        assert started_on == handled_on
        assert "-pinned-Chooses" in handled_on
        assert kind == "pinned"
        assert system.statistics().pinned == 1
        if supervised:
            ref.tell("fail")
            assert ref.ask("where", timeout=20) == (started_on, started_on, "pinned")
            assert system.statistics().pinned == 1
    assert system.statistics().pinned == 0


def test_a_constructor_may_give_the_thread_of_its_class_back():
    with ActorSystem(workers=2) as system:
        ref = child_of(system, Pinned, "pool")
        for _ in range(2):
            started_on, handled_on, kind = ref.ask("where", timeout=20)
            assert "pinned" not in started_on + handled_on + kind
            ref.tell("fail")
        eventually(lambda: system.statistics().pinned == 0)


def test_a_child_that_is_taken_over_keeps_its_dispatcher_in_its_next_life():
    with ActorSystem(workers=2) as system:
        top = system.supervise(Supervisor(name="top"))
        ref = system.spawn(Chooses, "pinned")
        before = ref.ask("where", timeout=20)
        top.supervise(ref, args=("pinned",))
        ref.tell("fail")
        assert ref.ask("where", timeout=20) == before


def test_a_dispatcher_that_does_not_exist_is_a_constructor_that_failed(caplog):
    with ActorSystem(workers=2) as system:
        spec = ChildSpec(Chooses, args=("none such",), name="child", restart="temporary")
        top = system.supervise(Supervisor(children=[spec]))
        eventually(lambda: not top.children())
        assert "'supervisor/child' could not be made" in caplog.text
        assert "must be 'pool', 'pinned' or 'calling_thread', got 'none such'" in caplog.text


@pytest.mark.parametrize("asked_for", ["pool", "pinned", "calling_thread"])
def test_statistics_name_the_dispatcher_that_serves(asked_for):
    with ActorSystem(dispatcher="calling_thread") as system:
        answer: Any = system.spawn(Chooses, asked_for).ask("where")
        assert answer[2] == "calling_thread"
    with ActorSystem(workers=1) as system:
        ref = system.spawn(Chooses, asked_for)
        assert behind(ref).statistics().dispatcher == asked_for


def test_statistics_of_a_world_say_so():
    with World() as world:
        assert behind(world.system.spawn(Pinned, "pinned")).statistics().dispatcher == "world"
