"""A text of a user's object, whatever it does, breaks nothing."""

import logging
import threading

import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem, ChildSpec, PooledActor, Supervisor
from actors_rs.texts import MOST, repr_of, text_of
from tests.runtime.support import behind, eventually


class Endless(str):
    def __len__(self):
        raise ValueError("no length")

    def __getitem__(self, key):
        raise ValueError("no part")

    __str__ = __repr__ = __getitem__  # type: ignore[assignment]


def deep(self):
    return deep(self)


def raising(error):
    def method(self):
        raise error

    return method


BROKEN = {
    "ValueError": raising(ValueError("mine")),
    "KeyboardInterrupt": raising(KeyboardInterrupt()),
    "SystemExit": raising(SystemExit(3)),
    "RecursionError": deep,
    "no text": lambda self: 3,
    "odd text": lambda self: Endless("odd"),
    "much text": lambda self: "x" * 1_000_000,
    "a field that is not there": lambda self: self.set_in_on_start,
}


@pytest.mark.parametrize("method", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("give", [text_of, repr_of])
def test_a_text_is_one_with_an_end(give, method):
    kind = type("Broken", (), {"__str__": method, "__repr__": method})
    text = give(kind())
    assert type(text) is str
    assert len(text) <= MOST + 50
    assert "Broken" in text or text == "odd" or text.startswith("xxx")


@pytest.mark.parametrize("method", BROKEN.values(), ids=BROKEN)
def test_an_actor_without_a_text_ends_as_any_other(method):
    gate = threading.Event()

    class Broken(PooledActor):
        __str__ = __repr__ = method

        def on_start(self):
            gate.wait(20)
            raise ValueError("no database")

    with ActorSystem(workers=2) as system:
        ref = system.spawn(Broken)
        answer = ref.ask("x", block=False)
        gate.set()
        with pytest.raises(ActorDeadError):
            answer.get(timeout=20)
        eventually(lambda: not system.children())
        assert system.is_open
        assert system.dead_letters.total == 1


@pytest.mark.parametrize("method", BROKEN.values(), ids=BROKEN)
def test_a_child_without_a_text_is_restarted_asked_and_told(method):
    class Broken(PooledActor):
        __str__ = __repr__ = method

        def on_receive(self, message):
            if message == "fail":
                raise ValueError(message)
            return super().on_receive(message)

    with ActorSystem(workers=2) as system:
        ref = system.supervise(Supervisor(children=[ChildSpec(Broken)])).child("Broken")
        for _ in range(2):
            with pytest.raises(ValueError, match="fail"):
                ref.ask("fail", timeout=20)
            ref.tell("fail")
            assert ref.ask(Broken, timeout=20) is None
            assert behind(ref).statistics().state == "running"
        assert system.dead_letters.total == 2


@pytest.mark.parametrize("method", BROKEN.values(), ids=BROKEN)
def test_a_message_without_a_text_and_an_error_without_one_break_nothing(method, caplog):
    kind = type("Broken", (ValueError,), {"__str__": method, "__repr__": method})

    class Raises(PooledActor):
        def on_receive(self, message):
            if message == "fail":
                raise kind
            return super().on_receive(message)

    with caplog.at_level(logging.INFO), ActorSystem(workers=2) as system:
        ref = system.supervise(Supervisor(children=[ChildSpec(Raises)])).child("Raises")
        with pytest.raises(kind):
            ref.ask("fail", timeout=20)
        ref.tell("fail")
        assert ref.ask(kind(), timeout=20) is None
        assert system.dead_letters.total == 1
    assert "Unexpected message received by Raises" in caplog.text
