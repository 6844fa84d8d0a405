"""Who asks where no answer can come is told so, and nothing has been sent then."""

import asyncio
import os
import threading
from typing import Any

import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem, ChildSpec, PooledActor, Sink, Source, Supervisor
from actors_rs.errors import BlockingError, InvalidArgumentError, StageError
from tests.runtime.support import Recorder, eventually


class Counting(PooledActor):
    """Counts what comes to it; an event keeps it busy until that is set."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def on_receive(self, message):
        self.count += 1
        if isinstance(message, threading.Event):
            message.wait(20)
        return self.count

    def double(self, number):
        self.count += 1
        return 2 * number


BLOCKING = {
    "ask": lambda ref, top: ref.ask("x"),
    "ask for some time": lambda ref, top: ref.ask("x", timeout=5),
    "stop": lambda ref, top: ref.stop(),
    "stop for some time": lambda ref, top: ref.stop(timeout=5),
    "stop_child": lambda ref, top: top.stop_child("Counting"),
    "set a field": lambda ref, top: setattr(ref.proxy(), "count", 99),
}
INSTEAD = {
    "ask": ("ref.ask() ", "'await ref.ask_async(message)'", "'ref.tell(message)'"),
    "stop": ("ref.stop() ", "'await ref.stop(block=False)'", "'ref.stop(block=False)'"),
    "stop_child": (
        "stop_child() ",
        "'await supervisor.stop_child(name, block=False)'",
        "'supervisor.stop_child(name, block=False)'",
    ),
    "set a field": (
        "proxy.count = value ",
        "'await proxy.set_count(value)'",
        "'proxy.set_count.defer(value)'",
    ),
    "read a field": ("proxy.count.get() ", "'await proxy.count'", "in an actor write 'await "),
    "call a method": (
        "proxy.double(...).get() ",
        "'await proxy.double(...)'",
        "'proxy.double.defer(...)'",
    ),
    "get": ("get() of a future ", "'await future'", "in an actor write 'await "),
}
WAITING = {
    **BLOCKING,
    "read a field": lambda ref, top: ref.proxy().count.get(),
    "call a method": lambda ref, top: ref.proxy().double(3).get(),
    "get": lambda ref, top: PooledActor._create_future().get(),
}
"""These send a message first, and wait for the answer then."""


class Caller(PooledActor):
    """Calls what it is told to."""

    def on_receive(self, call):
        return call()


@pytest.mark.parametrize("dispatcher", ["pool", "calling_thread"])
@pytest.mark.parametrize("call", BLOCKING.values(), ids=BLOCKING)
def test_a_call_that_must_not_wait_sends_nothing(call, dispatcher):
    with ActorSystem(workers=2, dispatcher=dispatcher) as system:
        top = system.supervise(Supervisor(children=[ChildSpec(Counting, restart="temporary")]))
        ref, caller = top.child("Counting"), system.spawn(Caller)
        ref.proxy()
        for _ in range(3):
            with pytest.raises(BlockingError):
                caller.ask(lambda: call(ref, top), timeout=20)
        assert ref.ask("x", timeout=20) == 1  # nothing came before
        assert ref.is_alive()


@pytest.mark.parametrize("call", BLOCKING.values(), ids=BLOCKING)
def test_a_coroutine_of_a_stream_must_await_an_answer(call):
    with ActorSystem(workers=2) as system:
        top = system.supervise(Supervisor(children=[ChildSpec(Counting, restart="temporary")]))
        ref = top.child("Counting")
        ref.proxy()

        async def asks(_):
            call(ref, top)

        with pytest.raises(StageError) as failed:
            system.start(Source.of(1).map_async(asks, 1).to(Sink.list())).result(20)
        assert isinstance(failed.value.__cause__, BlockingError)

        async def awaits(_):
            return await ref.ask("x", block=False)

        assert system.start(Source.of(1).map_async(awaits, 1).to(Sink.list())).result(20) == [1]


@pytest.mark.parametrize("call", INSTEAD)
def test_the_error_names_the_call_that_would_wait_and_the_code_to_write_instead(call):
    named, awaited, sent = INSTEAD[call]
    with ActorSystem(workers=2) as system:
        top = system.supervise(Supervisor(children=[ChildSpec(Counting, restart="temporary")]))
        ref, caller = top.child("Counting"), system.spawn(Caller)
        ref.proxy()

        async def calls():
            WAITING[call](ref, top)

        ref.tell(gate := threading.Event())  # an answer that is there already needs no waiting
        with pytest.raises(BlockingError) as in_coroutine:
            caller.ask(calls, timeout=20)
        with pytest.raises(BlockingError) as in_handler:
            caller.ask(lambda: WAITING[call](ref, top), timeout=20)
        gate.set()
    assert str(in_coroutine.value).startswith(f"{named}in a coroutine would block")
    assert f"write {awaited}" in str(in_coroutine.value)
    assert str(in_handler.value).startswith(f"{named}would block a thread that actors share")
    assert awaited in str(in_handler.value)
    assert sent in str(in_handler.value)


def test_a_look_at_an_answer_is_allowed_everywhere():
    with ActorSystem(workers=2) as system:
        ref, caller = system.spawn(Counting), system.spawn(Caller)
        answer = ref.ask("x", block=False)
        answer.get(timeout=20)
        assert caller.ask(lambda: answer.get(timeout=0), timeout=20) == 1


def test_who_asks_a_supervisor_gets_an_error_that_names_its_children():
    with ActorSystem(workers=2) as system:
        top = system.supervise(Supervisor(children=[ChildSpec(Counting)], name="top"))
        with pytest.raises(InvalidArgumentError, match=r"'top' takes no messages.*'Counting'"):
            top.ask("x", timeout=20)
        assert system.dead_letters.total == 0
        top.tell("x")
        eventually(lambda: system.dead_letters.total == 1)
        assert top.is_alive()


def test_who_asks_a_stage_gets_an_error():
    with ActorSystem(workers=2) as system:
        run = system.start(Source.never().named("mine").to(Sink.list()))
        eventually(lambda: system.children())
        stage = system.children()[0].actor_ref
        with pytest.raises(InvalidArgumentError, match="takes no messages, as no stage does"):
            stage.ask("x", timeout=20)
        run.cancel()


class FailsToStart(PooledActor):
    def __init__(self, gate):
        super().__init__()
        self.gate = gate

    def on_start(self):
        self.gate.wait(20)
        raise OSError("no database")


@pytest.mark.parametrize("supervised", [False, True])
def test_the_cause_of_a_dead_actors_answer_is_what_its_on_start_raised(supervised):
    gate = threading.Event()
    with ActorSystem(workers=2) as system:
        ref: Any
        if supervised:
            spec = ChildSpec(FailsToStart, args=(gate,), restart="temporary")
            ref = system.supervise(Supervisor(children=[spec])).child("FailsToStart")
        else:
            ref = system.spawn(FailsToStart, gate)
        early = ref.ask("before", block=False)
        gate.set()
        with pytest.raises(ActorDeadError, match="before handling") as dead:
            early.get(timeout=20)
        assert str(dead.value.__cause__) == "no database"
        eventually(lambda: not ref.is_alive())
        for late in (lambda: ref.ask("behind", timeout=20), lambda: ref.tell("behind")):
            with pytest.raises(ActorDeadError) as dead:
                late()
            assert str(dead.value.__cause__) == "no database"


def in_child(check):
    """Whether ``check`` is true in a forked child, within 20 s."""
    pid = os.fork()
    if pid == 0:
        answer = []
        thread = threading.Thread(target=lambda: answer.append(check()), daemon=True)
        thread.start()
        thread.join(20)
        os._exit(0 if answer == [True] else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def raises_dead(call):
    try:
        call()
    except ActorDeadError as error:
        return "forked" in str(error)
    return False


def test_what_was_asked_before_a_fork_is_answered_with_an_error_in_the_child():
    gate = threading.Event()
    with ActorSystem(workers=2) as system:
        ref = system.spawn(Recorder)
        handled, waiting = (ref.ask(lambda: gate.wait(20), block=False) for _ in range(2))
        computed = waiting.map(lambda answer: answer)

        async def awaited(future):
            return await future

        for future in (handled, waiting, computed):
            assert in_child(lambda future=future: raises_dead(future.get))
            assert in_child(lambda future=future: raises_dead(lambda: asyncio.run(awaited(future))))
        gate.set()
        assert handled.get(timeout=20) is waiting.get(timeout=20) is True


def test_an_answer_that_was_there_before_a_fork_is_there_in_the_child():
    with ActorSystem(workers=2) as system:
        answer = system.spawn(Counting).ask("x", block=False)
        answer.get(timeout=20)
        assert in_child(lambda: answer.get(timeout=20) == 1)


def deep():
    return deep()


@pytest.mark.parametrize("ask", [True, False])
@pytest.mark.parametrize("supervised", [True, False])
def test_a_recursion_error_is_its_actors_failure_and_no_end_of_the_system(ask, supervised):
    with ActorSystem(workers=2) as system:
        ref: Any
        if supervised:
            ref = system.supervise(Supervisor(children=[ChildSpec(Caller)])).child("Caller")
        else:
            ref = system.spawn(Caller)
        other = system.spawn(Counting)
        if ask:
            with pytest.raises(RecursionError):
                ref.ask(deep, timeout=20)
        else:
            ref.tell(deep)
            eventually(lambda: system.dead_letters.total == 1)
        if ask or supervised:
            assert ref.ask(lambda: 1, timeout=20) == 1
        assert other.ask("x", timeout=20) == 1
        assert system.is_open
