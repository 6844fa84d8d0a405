# mypy: disable-error-code="union-attr, var-annotated"
"""What an exception in an actor ends, and what it does not."""

import gc
import logging
import threading
import weakref
from traceback import extract_tb

import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem, ChildSpec, PooledActor, Supervisor
from actors_rs.errors import InvalidArgumentError
from tests.runtime.support import Recorder, behind, eventually, no_thread_left, raises_at_the_end


@pytest.fixture(params=["pool", "calling_thread", "pinned"])
def kind(request):
    return type("Kind", (Recorder,), {"dispatcher": request.param})


class Odd(BaseException):
    """Neither an error nor an exit."""


def test_an_exception_under_ask_is_raised_in_the_caller_and_the_actor_lives(kind):
    with ActorSystem() as system:
        ref = system.spawn(kind)
        actor = behind(ref)
        with pytest.raises(ValueError, match="mine"):
            ref.ask(ValueError("mine"))
        assert ref.ask("alive") == "alive"
        assert actor.hooks == ["start"]


def test_an_exception_under_tell_ends_the_actor_after_on_failure(kind, caplog):
    error = ValueError("mine")
    with ActorSystem() as system:
        ref = system.spawn(kind)
        actor = behind(ref)
        ref.tell(error)
        eventually(lambda: not system.children())
        assert actor.hooks == ["start", "failure"]
        assert actor.failure[:2] == (ValueError, error)
        assert extract_tb(actor.failure[2])[-1].name == "on_receive"
        assert not ref.is_alive()
    assert "Unhandled exception in Kind" in caplog.text


def test_the_message_that_ended_an_actor_is_a_dead_letter():
    error = ValueError("mine")
    with ActorSystem() as system:
        ref = system.spawn(Recorder)
        ref.tell(error)
        eventually(lambda: not system.children())
    (letter,) = system.dead_letters.recent()
    assert (letter.what, letter.error) == (error, error)


class Big:
    """What a handler has in hand."""


class Handler(PooledActor):
    """Fails with something in hand; ``broken`` are the hooks that fail too."""

    def __init__(self, held, seen, broken=()):
        super().__init__()
        self.held, self.seen, self.broken = held, seen, broken

    def on_receive(self, message):
        self.held.append(weakref.ref(in_hand := Big()))
        raise ValueError(type(in_hand))

    def _fail_in(self, hook):
        if hook in self.broken:
            self.held.append(weakref.ref(in_hand := Big()))
            raise KeyError(type(in_hand))

    def on_failure(self, kind, error, trace):
        self.seen.append((extract_tb(trace)[-1].name, extract_tb(error.__traceback__)[-1].name))
        self._fail_in("on_failure")


@pytest.mark.parametrize("broken", [[], ["on_failure"]])
@pytest.mark.parametrize("restart", [None, "temporary", "permanent"])
def test_the_letter_of_a_failed_actor_keeps_its_place_and_nothing_that_its_handler_had(
    broken, restart, monkeypatch
):
    # what pytest shows of the log keeps the traceback
    monkeypatch.setattr(logging.getLogger("actors_rs.runtime"), "disabled", True)
    held, seen = [], []
    with ActorSystem(dispatcher="calling_thread") as system:
        if restart is None:
            ref = system.spawn(Handler, held, seen, broken)
        else:
            child = ChildSpec(Handler, (held, seen, broken), restart=restart)
            ref = system.supervise(Supervisor(children=[child])).child("Handler")
        ref.tell("fail")
        assert seen == [("on_receive", "on_receive")]
        gc.collect()
        assert [gone() for gone in held] == [None] * len(held)
        letters = system.dead_letters.recent()
        assert len(letters) == len(held)
        [failed] = [letter.error for letter in letters if letter.what == "fail"]
        assert failed.__notes__[0].startswith("raised in Handler.on_receive (")


def test_an_error_that_ends_the_system_is_raised_again_with_its_traceback():
    def exits():
        raise SystemExit(3)

    with raises_at_the_end(SystemExit) as caught, ActorSystem() as system:
        system.spawn(Recorder).tell(exits)
        eventually(lambda: not system.is_open)
    assert "exits" in [frame.name for frame in extract_tb(caught.tb)]


def test_an_exception_ends_no_other_actor(kind):
    with ActorSystem(workers=1) as system:
        refs = [system.spawn(kind) for _ in range(10)]
        refs[4].tell(ValueError())
        eventually(lambda: len(system.children()) == 9)
        assert [ref.ask(1) for ref in refs if ref is not refs[4]] == [1] * 9


def test_asks_behind_a_failing_tell_get_actor_dead_error():
    with ActorSystem(dispatcher="calling_thread") as system:
        ref, futures = system.spawn(Recorder), []

        def fail_then_ask():
            ref.tell(ValueError())
            futures.append(ref.ask("x", block=False))

        ref.tell(fail_then_ask)
        with pytest.raises(ActorDeadError):
            futures[0].get(timeout=0)


def test_a_failing_on_start_calls_on_failure_and_asks_get_actor_dead_error(kind):
    gate = threading.Event()

    born = []

    class Unborn(kind):  # type: ignore[valid-type,misc]
        def on_start(self):
            born.append(self)
            gate.wait(20)
            raise ValueError("unborn")

    if kind.dispatcher == "calling_thread":
        gate.set()
    with ActorSystem() as system:
        ref = system.spawn(Unborn)
        future = ref.ask("x", block=False)
        gate.set()
        with pytest.raises(ActorDeadError):
            future.get(timeout=20)
        eventually(lambda: not system.children())
        (actor,) = born
        assert actor.hooks == ["failure"]
        assert actor.seen == []
        assert ref.stop() is False


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(1), KeyboardInterrupt(), Odd()])
@pytest.mark.parametrize("hook", ["on_start", "on_stop", "on_failure", "__init__"])
def test_an_actor_leaves_its_system_whatever_a_hook_raises(kind, hook, error):
    class Bad(kind):  # type: ignore[valid-type,misc]
        def __init__(self):
            super().__init__()
            if hook == "__init__":
                raise error

        def on_start(self):
            if hook == "on_start":
                raise error

        def on_stop(self):
            if hook == "on_stop":
                raise error

        def on_failure(self, *info):
            if hook == "on_failure":
                raise error

    system = ActorSystem(shutdown_timeout=20)
    try:
        ref = system.spawn(Bad)
    except type(error):
        assert hook == "__init__"
    else:
        stopping = None
        try:
            ref.tell(ValueError("ends it")) if hook == "on_failure" else None
            stopping = ref.stop(block=False)
        except ActorDeadError:
            pass
        assert stopping is None or stopping.get(timeout=20) in (True, False)
    eventually(lambda: not system.children())
    with no_thread_left():
        system.shutdown()


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), Odd()])
@pytest.mark.parametrize("send", ["tell", "ask"])
def test_system_exit_in_a_handler_ends_its_own_system_only(kind, send, error):
    with ActorSystem(name="other") as other:
        survivor = other.spawn(kind)
        with raises_at_the_end(type(error)) as caught, ActorSystem(name="own") as system:
            ref, neighbour = system.spawn(kind), system.spawn(kind)
            if send == "tell":
                ref.tell(error)
            else:
                with pytest.raises(ActorDeadError) as dead:
                    ref.ask(error)
                assert dead.value.__cause__ is error
            assert neighbour.actor_stopped.wait(20)
            eventually(lambda: not system.children())
        assert caught.value is error
        assert survivor.ask("alive") == "alive"


def test_a_system_that_an_exit_ended_starts_nothing_more_and_says_why():
    error = SystemExit(3)
    with raises_at_the_end(SystemExit), ActorSystem(name="own") as system:
        system.spawn(Recorder).tell(error)
        eventually(lambda: not system.children())
        with pytest.raises(InvalidArgumentError, match="'own' was shut down") as refused:
            Recorder.start()
        assert refused.value.__cause__ is error


def test_an_exit_goes_before_an_error_of_the_block_which_is_logged(caplog):
    with raises_at_the_end(SystemExit), ActorSystem() as system:
        with pytest.raises(ActorDeadError):
            system.spawn(Recorder).ask(SystemExit(3))
        raise ValueError("follows from it")
    assert "follows from it" in caplog.text


def test_a_message_that_only_looks_like_an_ask_is_an_ordinary_message():
    class Fake:
        reply_to = None
        message = None

    with ActorSystem() as system:
        fake = Fake()
        assert system.spawn(Recorder).ask(fake) is fake


def test_the_answer_of_an_ask_may_be_an_exception_object(kind):
    class Answering(PooledActor):
        def on_receive(self, message):
            return ValueError("as a value")

    with ActorSystem() as system:
        assert isinstance(system.spawn(Answering).ask(1), ValueError)
