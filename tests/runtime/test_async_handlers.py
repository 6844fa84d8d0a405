# mypy: disable-error-code="func-returns-value, override"
"""Handlers and hooks that are coroutines: one at a time for an actor, and no thread is held."""

import asyncio
import contextvars
import logging
import threading
from typing import Any

import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem, ChildSpec, OneForOne, PooledActor, Supervisor
from actors_rs.errors import BlockingError, InvalidArgumentError
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.testing.world import World
from tests.runtime.processes import run
from tests.runtime.support import DEADLINE, eventually, no_thread_left, raises_at_the_end

SOON = Backoff(0.001, 0.001, jitter=0)
WHERE = contextvars.ContextVar("where", default="nowhere")


class Slow(PooledActor):
    """Notes what happens around an ``await``; waits at a message that is an event."""

    def __init__(self, notes: list[Any], kind: str = "pool") -> None:
        super().__init__()
        self.notes = notes
        self.dispatcher = kind

    async def on_start(self) -> None:
        await asyncio.sleep(0)
        self.notes.append("start")

    async def on_receive(self, message: Any) -> Any:
        self.notes.append(("begin", message))
        if isinstance(message, BaseException):
            await asyncio.sleep(0)
            raise message
        if isinstance(message, threading.Event):
            while not message.is_set():
                await asyncio.sleep(0.001)
        await asyncio.sleep(0)
        self.notes.append(("end", message))
        return threading.current_thread().name

    async def double(self, n: int) -> int:
        await asyncio.sleep(0)
        return 2 * n

    async def on_stop(self) -> None:
        await asyncio.sleep(0)
        self.notes.append("stop")

    async def on_failure(self, kind: Any, error: Any, traceback: Any) -> None:
        await asyncio.sleep(0)
        self.notes.append(("failure", error))


class Stubborn(PooledActor):
    """Its coroutine does not let itself be cancelled."""

    async def on_receive(self, message: Any) -> None:
        while not message.is_set():
            try:
                await asyncio.sleep(0.001)
            except asyncio.CancelledError:
                continue


@pytest.fixture
def notes() -> list[Any]:
    return []


@pytest.mark.parametrize("kind", ["pool", "pinned", "calling_thread"])
def test_the_next_message_is_handled_when_the_coroutine_has_ended(notes, kind):
    with ActorSystem() as system:
        ref = system.spawn(Slow, notes, kind)
        for x in range(5):
            ref.tell(x)
        thread = ref.ask("asked", timeout=DEADLINE)
        assert ref.stop(timeout=DEADLINE)
    pairs = [(what, x) for x in [*range(5), "asked"] for what in ("begin", "end")]
    assert notes == ["start", *pairs, "stop"]
    assert thread == "actors-asyncio"


def test_no_thread_is_held_while_an_actor_awaits(notes):
    may = threading.Event()
    with ActorSystem(workers=1, max_workers=1) as system:
        refs = [system.spawn(Slow, notes) for _ in range(50)]
        for ref in refs:
            ref.tell(may)
        eventually(lambda: len(notes) == 100)  # all are between begin and end
        assert system.statistics().workers == 1
        assert not refs[0].actor_inbox.idle
        may.set()


class Plain(PooledActor):
    """A plain handler between coroutines; and a context variable."""

    async def on_start(self) -> None:
        WHERE.set("on_start")

    def on_receive(self, message: Any) -> Any:
        return WHERE.get() if message is None else self.answer(message)

    async def answer(self, message: Any) -> Any:
        WHERE.set(message)
        return self.system.name


def test_coroutines_run_in_the_context_of_their_actor():
    with ActorSystem(name="mine") as system:
        ref = system.spawn(Plain)
        assert ref.ask(None, timeout=DEADLINE) == "on_start"
        assert ref.ask("a message", timeout=DEADLINE) == "mine"
        assert ref.ask(None, timeout=DEADLINE) == "a message"
    assert WHERE.get() == "nowhere"


def test_a_proxy_answers_with_what_the_coroutine_returns(notes):
    with ActorSystem() as system:
        proxy = system.spawn(Slow, notes).proxy()
        assert proxy.double(4).get(timeout=DEADLINE) == 8
        with pytest.raises(TypeError):
            proxy.double({}).get(timeout=DEADLINE)


def test_an_error_of_the_coroutine_is_the_answer_and_the_actor_lives_on(notes):
    with ActorSystem() as system:
        ref = system.spawn(Slow, notes)
        with pytest.raises(ValueError, match="mine") as caught:
            ref.ask(ValueError("mine"), timeout=DEADLINE)
        assert caught.traceback[-1].name == "on_receive"
        assert ref.is_alive()
        with pytest.raises(asyncio.CancelledError):
            ref.ask(asyncio.CancelledError(), timeout=DEADLINE)
        assert ref.is_alive()


def test_a_failure_that_nobody_asked_for_ends_the_actor_behind_on_failure(notes):
    error = ValueError("mine")
    with ActorSystem() as system:
        ref = system.spawn(Slow, notes)
        ref.tell(error)
        eventually(ref.actor_stopped.is_set)
        eventually(lambda: not system.children())
        [letter] = system.dead_letters.recent()
    assert (letter.what, letter.error) == (error, error)
    assert notes == ["start", ("begin", error), ("failure", error)]


@pytest.mark.parametrize("failed", ["dead_letter", "retry"])
def test_a_supervisor_restarts_an_actor_whose_coroutine_has_failed(notes, failed):
    class Once(Slow):
        failures = 0

        async def on_receive(self, message: Any) -> Any:
            if message == "fails" and not Once.failures:
                Once.failures += 1
                raise ValueError("mine")
            return await super().on_receive(message)

    rule = OneForOne(backoff=SOON, failed_message=failed)
    with ActorSystem() as system:
        ref = system.supervise(Supervisor(rule, [ChildSpec(Once, (notes,), name="a")])).child("a")
        ref.tell("fails")
        ref.ask("next", timeout=DEADLINE)
        assert system.dead_letters.total == (failed == "dead_letter")
    handled = [note[1] for note in notes if note[0] == "end"]
    assert handled == (["fails", "next"] if failed == "retry" else ["next"])
    assert notes.count("start") == 2


def test_an_on_start_that_fails_is_a_failed_start(notes):
    class Unable(Slow):
        async def on_start(self) -> None:
            await asyncio.sleep(0)
            raise OSError("no file")

    with ActorSystem() as system:
        ref = system.spawn(Unable, notes)
        with pytest.raises(ActorDeadError) as caught:
            ref.ask(1, timeout=DEADLINE)
    assert isinstance(caught.value.__cause__, OSError)
    assert [note[0] for note in notes] == ["failure"]


def test_an_on_stop_that_fails_is_a_dead_letter_and_the_actor_ends(notes):
    class Unable(Slow):
        async def on_stop(self) -> None:
            await asyncio.sleep(0)
            raise OSError("no file")

    with ActorSystem() as system:
        assert system.spawn(Unable, notes).stop(timeout=DEADLINE) is True
        assert [type(letter.error) for letter in system.dead_letters.recent()] == [OSError]


def test_an_exit_in_a_coroutine_ends_the_system(notes):
    with raises_at_the_end(SystemExit), ActorSystem() as system:
        system.spawn(Slow, notes).tell(SystemExit(3))
        eventually(lambda: not system.is_open)


def test_an_orderly_shutdown_waits_for_the_coroutine(notes):
    may = threading.Event()
    with no_thread_left(), ActorSystem() as system:
        system.spawn(Slow, notes).tell(may)
        eventually(lambda: ("begin", may) in notes)
        threading.Timer(0.05, may.set).start()
    assert notes == ["start", ("begin", may), ("end", may), "stop"]


def leave_by_an_exception(system):
    raise KeyError("left")


def stop_soon(system):
    system.stop_soon()


@pytest.mark.parametrize("leave", [leave_by_an_exception, stop_soon])
@pytest.mark.parametrize("supervised", [False, True])
def test_a_system_that_is_cancelled_cancels_the_coroutine_and_says_so(notes, leave, supervised):
    never = threading.Event()
    answer: Any = None
    system = ActorSystem(cancel_grace=DEADLINE)
    with no_thread_left():
        try:
            with system:
                if supervised:
                    spec = ChildSpec(Slow, (notes,), name="a")
                    ref: Any = system.supervise(Supervisor(children=[spec])).child("a")
                else:
                    ref = system.spawn(Slow, notes)
                ref.tell("first")
                answer = ref.ask(never, block=False)
                ref.tell("never read")
                eventually(lambda: ("begin", never) in notes)
                leave(system)
        except KeyError:
            pass
    with pytest.raises(ActorDeadError, match="was stopped while handling the message"):
        answer.get(timeout=0)
    assert notes[-2:] == [("begin", never), "stop"]
    assert [letter.what for letter in system.dead_letters.recent()] == ["never read"]


def test_a_message_whose_coroutine_is_cancelled_is_a_dead_letter(notes):
    never = threading.Event()
    with ActorSystem() as system:
        system.spawn(Slow, notes).tell(never)
        eventually(lambda: ("begin", never) in notes)
        system.stop_soon()
    [letter] = system.dead_letters.recent()
    assert letter.what is never
    assert letter.why == "the actor was stopped while it handled the message"


def test_an_orderly_shutdown_whose_time_is_up_cancels_the_coroutine(notes):
    never = threading.Event()
    with World() as world:
        world.spawn(Slow, notes).tell(never)
        world.until(lambda: ("begin", never) in notes, 10.0)
        world.system.shutdown(timeout=2.0)
        assert 1.0 < world.now < 2.0
    assert notes[-1] == "stop"


def test_a_coroutine_that_does_not_end_is_named_and_left_behind(caplog):
    may = threading.Event()
    system = ActorSystem(name="left")
    system.spawn(Stubborn).tell(may)
    eventually(lambda: system.event_loop._running)  # type: ignore[attr-defined]
    with caplog.at_level(logging.ERROR, "actors_rs.runtime"):
        system.shutdown(drain=False, timeout=0.2)
    assert "Stubborn" in caplog.text
    assert "left-asyncio" in caplog.text
    may.set()


def test_a_coroutine_must_not_wait_for_an_answer_but_may_await_it(notes):
    class Asking(PooledActor):
        async def on_receive(self, ref: Any) -> Any:
            return await ref.ask_async("question", timeout=DEADLINE)

        async def waits(self, ref: Any) -> Any:
            return ref.ask("question")

    with ActorSystem(workers=1, max_workers=1) as system:
        other, asking = system.spawn(Slow, notes), system.spawn(Asking)
        assert asking.ask(other, timeout=DEADLINE) == "actors-asyncio"
        with pytest.raises(BlockingError, match=r"await ref\.ask_async\(message\)"):
            asking.proxy().waits(other).get(timeout=DEADLINE)


def test_what_an_actor_is_told_while_it_awaits_is_counted_as_unread(notes):
    may = threading.Event()
    with ActorSystem() as system:
        ref = system.spawn(Slow, notes)
        for message in (may, 1, 2):
            ref.tell(message)
        eventually(lambda: ("begin", may) in notes)
        [actor] = system.children()
        statistics = actor.statistics()
        assert (statistics.state, statistics.mailbox.data) == ("running", 2)
        may.set()


def test_it_hears_of_the_end_of_whom_it_watches(notes):
    class Watching(Slow):
        async def on_start(self) -> None:
            self.watch(other)

        async def on_receive(self, message: Any) -> Any:
            self.notes.append(message.ref)

    with ActorSystem() as system:
        other: Any = system.spawn(Slow, [])
        system.spawn(Watching, notes)
        eventually(lambda: other.actor_inbox.owner._watchers_)
        other.stop()
        eventually(lambda: notes)
    assert notes[0] == other


def test_a_child_of_the_process_leaves_the_coroutine_to_its_parent():
    lines, _ = run(
        """
        import asyncio
        class Slow(PooledActor):
            async def on_receive(self, may):
                say("begun")
                while not may.is_set():
                    await asyncio.sleep(0.001)
                return "answer"
        may = threading.Event()
        system = ActorSystem()
        ref = system.spawn(Slow)
        answer = ref.ask(may, block=False)
        while not system.event_loop._running:
            time.sleep(0.001)
        def work():
            say(ref.is_alive())
            with ActorSystem() as mine:
                other = threading.Event()
                other.set()
                say(mine.spawn(Slow).ask(other, timeout=10))
        say(in_child(work))
        may.set()
        say(answer.get(timeout=10))
        system.shutdown()
        """
    )
    assert lines == ["begun", "False", "begun", "answer", "0", "answer"]


async def gives(self: Any, *_: Any) -> Any:
    yield 1


@pytest.mark.parametrize("hook", ["on_receive", "on_start", "on_stop", "on_failure"])
def test_an_async_generator_in_place_of_a_handler_is_refused(hook):
    with pytest.raises(InvalidArgumentError, match=f"class Mine: '{hook}' must be .*no 'yield'"):
        type("Mine", (PooledActor,), {hook: gives})
    with pytest.raises(InvalidArgumentError, match="got an async generator"):
        type("Mine", (type("Mixin", (), {hook: gives}), PooledActor), {})


def test_an_actor_that_has_ended_is_not_kept_by_its_last_coroutine(notes):
    import gc
    import weakref

    with ActorSystem() as system:
        ref = system.spawn(Slow, notes)
        actor = weakref.ref(ref.actor_inbox.owner)
        ref.ask(1, timeout=DEADLINE)
        ref.stop(timeout=DEADLINE)
        eventually(lambda: gc.collect() is not None and actor() is None)
