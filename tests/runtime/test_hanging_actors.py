"""An actor whose handler never returns, while its system ends: its neighbours, its own messages."""

import asyncio
import logging
import re
import threading
from contextlib import suppress

import pytest
from pykka import ActorDeadError, Timeout

from actors_rs import ActorSystem, ChildSpec, OneForOne, PooledActor, Supervisor, Terminated
from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime._primitives import monotonic
from actors_rs.runtime.dead_letters.dead_letters import DeadLetters
from actors_rs.runtime.system.shutdown import Shutdown
from actors_rs.runtime.system.signals import Leave
from tests.runtime.support import DEADLINE, behind, eventually


class Hangs(PooledActor):
    """Until its gate opens; answers with the message."""

    def __init__(self):
        super().__init__()
        self.begun, self.gate = threading.Event(), threading.Event()

    def on_receive(self, message):
        self.begun.set()
        self.gate.wait(DEADLINE)
        return message


@pytest.fixture
def hanging():
    """A system that has an actor which hangs with a question, the actor, and the answer."""
    system = ActorSystem(workers=1)
    ref = system.spawn(Hangs)
    actor = behind(ref)
    answer = ref.ask("question", block=False)
    assert actor.begun.wait(DEADLINE)
    yield system, actor, answer
    actor.gate.set()
    eventually(lambda: not system.children())


def test_the_question_in_its_hand_fails_when_the_time_of_the_shutdown_is_up(hanging):
    system, _, answer = hanging
    system.shutdown(timeout=0.05)
    with pytest.raises(ActorDeadError, match="was given up while handling the message"):
        answer.get(timeout=DEADLINE)
    assert system.statistics().abandoned == 1


def test_it_takes_no_messages_once_it_was_given_up(hanging):
    system, actor, _ = hanging
    ref = actor.actor_ref
    ref.tell("before")
    system.shutdown(timeout=0.05)
    letters = system.dead_letters.total
    assert letters == 1, "the message before"
    assert not ref.is_alive()
    for send in ref.tell, ref.ask:
        with pytest.raises(ActorDeadError, match="not found: a shutdown gave the actor up"):
            send("after")
    with pytest.raises(ActorDeadError):
        ref.tell_after(0.01, "later")
    assert ref.stop() is False
    assert ref.statistics().mailbox.data == 0
    actor.gate.set()
    eventually(lambda: not system.children())
    assert system.dead_letters.total == letters


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), Leave(143), SystemExit(1)], ids=repr)
def test_all_its_messages_are_accounted_for_when_a_signal_interrupts_the_giving_up(
    hanging, monkeypatch, raised
):
    system, actor, question = hanging
    for number in range(100):
        actor.actor_ref.tell(number)
    asked = [actor.actor_ref.ask(number, block=False) for number in range(3)]
    publish, calls = DeadLetters.publish, []

    def interrupted(self, what, **why):
        calls.append(what)
        if len(calls) == 50:
            raise raised
        publish(self, what, **why)

    monkeypatch.setattr(DeadLetters, "publish", interrupted)
    with pytest.raises(type(raised)):
        system.shutdown(timeout=0.05)
    for answer in (question, *asked):
        with pytest.raises(ActorDeadError):
            answer.get(timeout=DEADLINE)
    eventually(lambda: system.dead_letters.total == 100)
    assert system.children(), "while it still hangs"
    assert sorted(letter.what for letter in system.dead_letters.recent()) == list(range(100))
    assert not actor.actor_ref.is_alive()
    assert system.statistics().abandoned == 1


def the_error_in(caplog):
    [error] = [line.getMessage() for line in caplog.records if line.levelno == logging.ERROR]
    return error


@pytest.mark.parametrize("awaits", [False, True])
def test_the_line_about_it_has_the_class_of_the_message_in_its_hand(gate, caplog, awaits):
    system, begun = ActorSystem(), threading.Event()
    if awaits:
        awaiting = system.spawn(Swallows, gate)
        awaiting.tell("message")
        eventually(lambda: behind(awaiting)._pending_ is not None)
    else:
        system.spawn(HangsInItsFirstTurn, gate, begun, "on_receive")
        assert begun.wait(DEADLINE)
    system.shutdown(timeout=0.05)
    error = the_error_in(caplog)
    assert "; it handles a message of type str)" in error


def test_the_line_about_an_actor_that_hangs_in_a_hook_has_no_message(gate, caplog):
    system, begun = ActorSystem(), threading.Event()
    system.spawn(HangsInItsFirstTurn, gate, begun, "on_start")
    assert begun.wait(DEADLINE)
    system.shutdown(timeout=0.05)
    error = the_error_in(caplog)
    assert "on_start" in error
    assert "handles" not in error


def test_the_line_names_it_also_if_ctrl_c_interrupts_the_join_of_the_threads(
    hanging, monkeypatch, caplog
):
    join, calls = Shutdown._join_threads, []

    def interrupted(shutdown):
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return join(shutdown)

    monkeypatch.setattr(Shutdown, "_join_threads", interrupted)
    with pytest.raises(KeyboardInterrupt):
        hanging[0].shutdown(timeout=0.05)
    assert the_error_in(caplog).count("Hangs (") == 1


def test_a_second_shutdown_does_not_wait_for_it_again(hanging):
    system, _, _ = hanging
    system.shutdown(timeout=0.05)
    began = monotonic()
    system.shutdown(timeout=DEADLINE)
    assert monotonic() - began < DEADLINE / 2
    assert system.statistics().abandoned == 1


def test_stop_soon_shortens_a_shutdown_that_is_under_way(hanging):
    system, _, answer = hanging

    async def end():
        ending = asyncio.create_task(system.shutdown_async(timeout=DEADLINE))
        while system.is_open:
            await asyncio.sleep(0.01)
        system.stop_soon(0.1)
        await ending

    began = monotonic()
    asyncio.run(end())
    assert monotonic() - began < DEADLINE / 2
    with pytest.raises(ActorDeadError):
        answer.get(timeout=DEADLINE)


@pytest.mark.parametrize("explicit", [None, DEADLINE])
def test_stop_soon_shortens_a_shutdown_that_has_just_been_called(hanging, monkeypatch, explicit):
    system, _, answer = hanging
    run = Shutdown.run

    def late(self):
        system.stop_soon(0.1)
        run(self)

    monkeypatch.setattr(Shutdown, "run", late)
    began = monotonic()
    system.shutdown(timeout=explicit)
    assert monotonic() - began < DEADLINE / 2
    with pytest.raises(ActorDeadError):
        answer.get(timeout=DEADLINE)


class Swallows(PooledActor):
    """Its coroutines go on when they are cancelled, until the gate opens."""

    def __init__(self, gate):
        super().__init__()
        self.gate = gate

    async def on_receive(self, message):
        return await self.wait()

    async def on_stop(self):  # type: ignore[override]
        await self.wait()

    async def wait(self):
        while not self.gate.is_set():
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)


@pytest.fixture
def gate():
    gate = threading.Event()
    yield gate
    gate.set()


def test_the_question_of_a_coroutine_that_is_not_cancelled_fails_too(gate):
    system = ActorSystem()
    answer = system.spawn(Swallows, gate).ask("question", block=False)
    system.shutdown(timeout=0.2)
    with pytest.raises(ActorDeadError, match="was given up while handling the message"):
        answer.get(timeout=DEADLINE)
    assert system.statistics().abandoned == 1


def test_who_waits_for_the_end_of_an_actor_that_was_given_up_waits_no_more(gate):
    system = ActorSystem()
    ended = system.spawn(Swallows, gate).stop(block=False)
    system.shutdown(timeout=0.2)
    ended.get(timeout=DEADLINE)


@pytest.mark.parametrize("nested", [False, True])
def test_who_waits_for_a_child_that_was_given_up_or_its_supervisor_waits_no_more(gate, nested):
    system = ActorSystem()
    tree = Supervisor(OneForOne(), [ChildSpec(Swallows, args=(gate,), name="child")], name="tree")
    top = system.supervise(Supervisor(OneForOne(), [tree]) if nested else tree)
    name = "tree/child" if nested else "child"
    top.child(name).tell("message")
    ended = top.stop_child(name, block=False), top.stop(block=False)
    system.shutdown(timeout=0.2)
    for one in ended:
        one.get(timeout=DEADLINE)


def test_nobody_can_stop_a_child_of_a_system_that_was_given_up(gate):
    system = ActorSystem()
    top = system.supervise(
        Supervisor(OneForOne(), [ChildSpec(Swallows, args=(gate,), name="child")])
    )
    top.child("child").tell("message")
    system.shutdown(timeout=0.2)
    with pytest.raises(InvalidArgumentError, match="has stopped"):
        top.stop_child("child")
    with pytest.raises(ActorDeadError):
        top.child("child").tell("after")
    assert top.stop() is False


class PinnedHangs(Hangs):
    dispatcher = "pinned"


class HangsInItsFirstTurn(PooledActor):
    """A child's first turn also makes it."""

    def __init__(self, gate, begun, hook):
        super().__init__()
        self.gate, self.begun, self.hook = gate, begun, hook

    def on_start(self):
        self.actor_ref.tell("message")
        self.hang("on_start")

    def on_receive(self, message):
        self.hang("on_receive")

    def hang(self, hook):
        if hook == self.hook:
            self.begun.set()
            self.gate.wait(DEADLINE)


class PinnedHangsInItsFirstTurn(HangsInItsFirstTurn):
    dispatcher = "pinned"


@pytest.mark.parametrize("hook", ["on_start", "on_receive"])
@pytest.mark.parametrize("kind", [HangsInItsFirstTurn, PinnedHangsInItsFirstTurn])
def test_a_child_that_hangs_in_its_first_turn_is_counted_and_named_with_its_function(
    gate, caplog, kind, hook
):
    system, begun = ActorSystem(), threading.Event()
    spec = ChildSpec(kind, args=(gate, begun, hook), name="child")
    child = system.supervise(Supervisor(OneForOne(), [spec])).child("child")
    assert begun.wait(DEADLINE)
    with pytest.raises(Timeout, match=f"it is in .*HangsInItsFirstTurn.{hook} "):
        child.ask("late", timeout=0.05)
    system.shutdown(timeout=0.05)
    assert system.statistics().abandoned == 1
    error = the_error_in(caplog)
    assert re.search(rf"still busy: {kind.__name__} 'supervisor/child' .*Turn\.{hook} \(", error)


class Watches(PooledActor):
    def __init__(self, ref, got):
        super().__init__()
        self.ref, self.got = ref, got

    def on_start(self):
        self.watch(self.ref)

    def on_receive(self, message):
        self.got.append(message)


@pytest.mark.parametrize("kind", [Hangs, PinnedHangs])
def test_a_watcher_elsewhere_learns_of_the_end_once_the_handler_has_returned(kind):
    system = ActorSystem()
    got: list[Terminated] = []
    child = system.supervise(Supervisor(OneForOne(), [ChildSpec(kind, name="child")])).child(
        "child"
    )
    child.tell("message")
    eventually(child._actor_weakref)
    actor = behind(child)
    assert actor.begun.wait(DEADLINE)
    with ActorSystem() as elsewhere:
        elsewhere.spawn(Watches, child, got)
        system.shutdown(timeout=0.05)
        actor.gate.set()
        eventually(lambda: got)
        assert got[0].ref is child
        elsewhere.spawn(Watches, child, got)
        eventually(lambda: len(got) == 2)
