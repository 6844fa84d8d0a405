# mypy: disable-error-code="misc, arg-type, var-annotated, no-any-return, no-untyped-def"
"""Actors, messages and exceptions whose own methods raise: every question is answered, all ends."""

import logging
import threading

import pykka
import pytest
from pykka import ActorDeadError

from actors_rs import ActorRegistry, ActorSystem, ChildSpec, PooledActor, Supervisor
from actors_rs.errors import RestartLimitError
from tests.graph.helpers import SECONDS, wait_until
from tests.rude import MANNERS, rude

NAMES = ("__repr__", "__str__", "__format__", "__bool__", "__len__", "__eq__", "__hash__")


class Call:
    def __init__(self, f):
        self.f = f


def receive(actor, message):
    return message.f(actor) if type(message) is Call else message


@pytest.fixture(params=MANNERS)
def manner(request, caplog):
    caplog.set_level(logging.DEBUG)
    return request.param


@pytest.fixture
def system():
    with ActorSystem(workers=2) as system:
        yield system


@pytest.fixture
def kind(manner):
    """A class of rude actors, one for each test."""
    methods = dict.fromkeys(NAMES, MANNERS[manner])
    return type("RudeActor", (PooledActor,), {**methods, "on_receive": receive})


@pytest.fixture
def fail(manner):
    """What an actor does to fail with a rude exception."""
    error = rude(manner, Exception)

    def f(*_):
        raise error()

    return f


def test_an_asker_gets_a_rude_answer_and_a_rude_exception(system, kind, fail, manner):
    ref, message = system.spawn(kind), rude(manner)()
    assert ref.ask(message, timeout=SECONDS) is message
    with pytest.raises(Exception) as raised:
        ref.ask(Call(fail), timeout=SECONDS)
    assert raised.type.__name__ == "Rude"


def test_a_rude_failure_ends_an_actor_and_what_it_has_not_read_is_a_dead_letter(
    system, kind, fail, manner
):
    ref, unread = system.spawn(kind), [rude(manner)() for _ in range(3)]

    def fail_with_messages_behind(actor):
        for message in unread:
            ref.tell(message)
        fail()

    ref.tell(Call(fail_with_messages_behind))
    assert ref.actor_stopped.wait(SECONDS)
    wait_until(lambda: len(system.dead_letters.recent()) == len(unread) + 1)
    letters = system.dead_letters.recent()
    assert all(map(repr, letters))
    assert [any(one.what is message for one in letters) for message in unread] == [True] * 3
    with pytest.raises(ActorDeadError):
        ref.ask(1, timeout=SECONDS)


@pytest.mark.parametrize("hook", ["on_start", "on_stop", "on_failure"])
def test_a_hook_that_fails_rudely_ends_the_actor(system, kind, fail, hook):
    ref = system.spawn(type("Hooked", (kind,), {hook: fail}))
    if hook == "on_failure":
        ref.tell(Call(fail))
    else:
        ref.stop(block=False)
    assert ref.actor_stopped.wait(SECONDS)


def test_a_rude_child_is_restarted(system, kind, fail):
    family = system.supervise(Supervisor(name="family", children=[ChildSpec(kind, name="rude")]))
    child = family.child("rude")
    child.tell(Call(fail))
    assert child.ask(5, timeout=SECONDS) == 5


def test_a_rude_child_that_cannot_start_ends_its_supervisor(kind, fail):
    spec = ChildSpec(type("Hooked", (kind,), {"on_start": fail}), name="rude")
    with pytest.raises(RestartLimitError, match="'family' gave up"), ActorSystem() as system:  # noqa: PT012
        family = system.supervise(Supervisor(name="family", children=[spec]))
        assert family.actor_stopped.wait(SECONDS)


def test_who_watches_is_told_of_a_rude_end(system, kind, fail):
    told = []

    class Watcher(PooledActor):
        def on_receive(self, message):
            if isinstance(message, pykka.ActorRef):
                self.watch(message)
            else:
                told.append(repr(message))

    ref, watcher = system.spawn(kind), system.spawn(Watcher)
    watcher.ask(ref, timeout=SECONDS)
    ref.tell(Call(fail))
    wait_until(lambda: told != [])


def test_a_rude_message_that_is_answered_late_is_named(system, kind, manner):
    ref = system.spawn(kind)
    go_on = threading.Event()
    ref.tell(Call(lambda actor: go_on.wait(SECONDS)))
    with pytest.raises(pykka.Timeout) as raised:
        ref.ask(rude(manner)(), timeout=0.01)
    go_on.set()
    assert "gave no answer to" in str(raised.value)


def test_the_registry_finds_and_stops_rude_actors(system, kind, manner):
    ref = system.spawn(kind)
    assert ActorRegistry.get_by_class(kind) == [ref]
    ActorRegistry.broadcast(rude(manner)(), target_class=kind)
    ref.stop(timeout=SECONDS)
    assert not ref.is_alive()
