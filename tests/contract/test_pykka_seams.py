# mypy: disable-error-code="var-annotated"
"""The seams of pykka that the runtime plugs into; each test fails when one of them moves."""

import inspect
import queue
import threading
from importlib.metadata import version
from typing import ClassVar

import pykka
import pytest
from pykka import ActorRef, ActorRegistry, messages

from actors_rs import PooledActor
from actors_rs.runtime.actors.actor import PooledActorRef
from actors_rs.runtime.actors.future import PooledFuture
from actors_rs.runtime.actors.mailbox import Mailbox
from actors_rs.runtime.actors.stop_flag import StopFlag


class Plain(pykka.ThreadingActor):
    """Never started; its fields are looked at."""


def parameters(function):
    return list(inspect.signature(function).parameters)


def test_the_version_of_pykka_is_one_we_know():
    assert version("pykka").split(".")[0] == "4"


def test_an_actor_is_made_of_the_fields_that_our_constructor_sets():
    assert set(vars(Plain())) == {"actor_urn", "actor_inbox", "actor_stopped", "_actor_ref"}
    for field in ("actor_urn", "actor_inbox", "actor_stopped", "actor_ref"):
        assert hasattr(type("Ours", (PooledActor,), {})(), field)


def test_a_reference_is_made_of_the_fields_that_ours_sets():
    fields = {"_actor_weakref", "actor_class", "actor_urn", "actor_inbox", "actor_stopped"}
    assert set(vars(Plain()._actor_ref)) == fields
    ours = type("Ours", (PooledActor,), {})()
    assert all(hasattr(ours.actor_ref, field) for field in fields)
    assert isinstance(ours.actor_ref, ActorRef)


def test_pykka_asks_exactly_three_seams_of_an_implementation():
    assert pykka.Actor.__abstractmethods__ == {
        "_create_actor_inbox",
        "_create_future",
        "_start_actor_loop",
    }
    assert isinstance(inspect.getattr_static(pykka.Actor, "_create_actor_inbox"), staticmethod)
    assert isinstance(inspect.getattr_static(pykka.Actor, "_create_future"), staticmethod)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("_handle_receive", ["self", "message"]),
        ("_stop", ["self"]),
        ("_handle_failure", ["self", "exception_type", "exception_value", "traceback"]),
        ("on_failure", ["self", "exception_type", "exception_value", "traceback"]),
        ("on_start", ["self"]),
        ("on_stop", ["self"]),
        ("on_receive", ["self", "message"]),
        ("stop", ["self"]),
    ],
)
def test_the_methods_we_override_or_call_keep_their_parameters(name, expected):
    assert parameters(getattr(pykka.Actor, name)) == expected
    assert parameters(getattr(PooledActor, name)) == expected


@pytest.mark.parametrize(
    "name", [name for name in vars(ActorRef) if inspect.isfunction(vars(ActorRef)[name])]
)
def test_our_reference_takes_what_pykkas_takes(name):
    if name != "__init__":
        assert parameters(getattr(PooledActorRef, name)) == parameters(getattr(ActorRef, name))


@pytest.mark.parametrize(
    "name",
    ["get", "set", "set_exception", "set_get_hook", "map", "filter", "join", "reduce"],
)
def test_our_future_takes_what_pykkas_takes(name):
    assert parameters(getattr(PooledFuture, name)) == parameters(getattr(pykka.Future, name))


def test_the_future_of_pykka_keeps_its_hook_where_we_look_for_it():
    future = pykka.ThreadingFuture()
    assert future._get_hook is None
    future.set_get_hook(lambda timeout: 5)
    assert future._get_hook is not None
    assert future.map(str).get() == "5"


def test_a_second_result_is_refused_with_queue_full_as_ours_is():
    for future in (pykka.ThreadingFuture(), PooledFuture()):
        future.set(1)
        with pytest.raises(queue.Full):
            future.set(2)


def test_our_inbox_and_flag_have_the_methods_of_pykkas():
    assert {"put", "get", "empty"} <= set(dir(Mailbox))
    assert isinstance(Plain().actor_inbox, queue.Queue)
    assert isinstance(Plain().actor_stopped, threading.Event)
    assert {"is_set", "set", "wait"} <= set(dir(StopFlag))


def test_the_messages_of_proxies_and_of_stop_are_the_ones_we_know():
    fields = {
        "_ActorStop": (),
        "ProxyCall": ("attr_path", "args", "kwargs"),
        "ProxyGetAttr": ("attr_path",),
        "ProxySetAttr": ("attr_path", "value"),
    }
    kinds = {name for name, kind in vars(messages).items() if hasattr(kind, "_fields")}
    assert kinds == set(fields)
    for name, expected in fields.items():
        assert getattr(messages, name)._fields == expected


class Handler(pykka.Actor):
    """A pykka actor without a loop, to see what its `_handle_receive` does."""

    value = 1
    stopped = False

    @staticmethod
    def _create_actor_inbox():
        return queue.Queue()

    @staticmethod
    def _create_future():
        return pykka.ThreadingFuture()

    def _start_actor_loop(self):
        pass

    def _stop(self):
        self.stopped = True

    def double(self, number):
        return number * 2


def test_pykka_handles_its_own_messages_in_handle_receive():
    actor = Handler()
    call = messages.ProxyCall(attr_path=("double",), args=(4,), kwargs={})
    assert actor._handle_receive(call) == 8
    actor._handle_receive(messages.ProxySetAttr(attr_path=("value",), value=7))
    assert actor._handle_receive(messages.ProxyGetAttr(attr_path=("value",))) == 7
    actor._handle_receive(messages._ActorStop())
    assert actor.stopped


def test_the_registry_stops_and_broadcasts_through_the_references_it_is_given():
    class Noting(ActorRef):
        calls: ClassVar[list[tuple[object, ...]]] = []

        def stop(self, *, block=True, timeout=None):
            self.calls.append(("stop", block, timeout))
            return True

        def tell(self, message):
            self.calls.append(("tell", message))

    ref = Noting(Handler())
    ActorRegistry.register(ref)
    try:
        assert ref in ActorRegistry.get_all()
        ActorRegistry.broadcast("hello", target_class=Handler)
        assert ref.calls == [("tell", "hello")]
        assert ActorRegistry.stop_all(block=True, timeout=3)[0] is True
        assert ref.calls[-1] == ("stop", True, 3)
    finally:
        ActorRegistry.unregister(ref)
    assert ref not in ActorRegistry.get_all()
    ActorRegistry.unregister(ref)  # twice is harmless


def test_a_proxy_asks_and_tells_its_reference_and_looks_at_the_actor_behind_it():
    class Noting(ActorRef):
        calls: ClassVar[list[tuple[object, ...]]] = []

        def ask(self, message, *, block=True, timeout=None):
            self.calls.append((type(message).__name__, block))

        def tell(self, message):
            self.calls.append((type(message).__name__, "tell"))

    actor = Handler()
    proxy = pykka.ActorProxy(actor_ref=Noting(actor))
    proxy.double(1)
    proxy.double.defer(1)
    _ = proxy.value
    proxy.value = 2
    assert Noting.calls == [
        ("ProxyCall", False),
        ("ProxyCall", "tell"),
        ("ProxyGetAttr", False),
        ("ProxySetAttr", True),
    ]
