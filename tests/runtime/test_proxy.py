"""Pykka's proxies work on pooled actors as its own documentation says."""

import asyncio
import threading

import pykka
import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem, ChildSpec, OneForOne, PooledActor, Supervisor
from tests.runtime.family import SOON
from tests.runtime.support import behind, eventually


class Tape:
    """What hangs below the actor, reached through it."""

    pykka_traversable = True

    def __init__(self):
        self.position = 0

    def wind(self, by):
        self.position += by
        return self.position


class Player(PooledActor):
    _secret = "hidden"
    kind = "player"

    def __init__(self):
        super().__init__()
        self.volume = 3
        self.tape = Tape()
        self.told = []
        self._me = self.actor_ref.proxy()

    def add(self, a, b=1):
        return a + b

    def fail(self, text):
        raise ValueError(text)

    def note(self, one):
        self.told.append(one)

    def on_receive(self, message):
        return ("received", message)

    def later(self):
        self._me.note("later")
        self.told.append("now")

    @property
    def double(self):
        return self.volume * 2


@pytest.fixture(params=["pool", "calling_thread"])
def proxy(request):
    with ActorSystem(dispatcher=request.param) as system:
        yield system.spawn(Player).proxy()


def test_a_method_answers_in_a_future(proxy):
    assert isinstance(proxy.add(1), pykka.Future)
    assert proxy.add(1, b=2).get(timeout=20) == 3


def test_a_method_that_raises_does_so_at_get_and_the_actor_lives(proxy):
    future = proxy.fail("no")
    with pytest.raises(ValueError, match="no"):
        future.get(timeout=20)
    assert proxy.add(1).get(timeout=20) == 2


def test_attributes_and_properties_are_read_through_futures(proxy):
    assert proxy.volume.get(timeout=20) == 3
    assert proxy.kind.get(timeout=20) == "player"
    assert proxy.double.get(timeout=20) == 6


def test_setting_an_attribute_has_happened_when_it_returns(proxy):
    proxy.volume = 5
    assert behind(proxy.actor_ref).volume == 5


def test_private_and_unknown_attributes_are_refused(proxy):
    with pytest.raises(AttributeError, match="has no attribute '_secret'"):
        _ = proxy._secret
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = proxy.nothing


def test_a_traversable_attribute_is_reached_through_the_actor(proxy):
    assert proxy.tape.wind(4).get(timeout=20) == 4
    assert proxy.tape.position.get(timeout=20) == 4
    proxy.tape.position = 9
    assert proxy.tape.wind(1).get(timeout=20) == 10


def test_defer_is_told_and_answers_nothing(proxy):
    assert proxy.note.defer("x") is None
    assert proxy.told.get(timeout=20) == ["x"]


def test_a_deferred_method_that_raises_ends_the_actor(proxy):
    proxy.fail.defer("nobody waits")
    assert proxy.actor_ref.actor_stopped.wait(20)


def test_a_proxy_to_oneself_does_its_work_after_the_current_message(proxy):
    proxy.later().get(timeout=20)
    assert proxy.told.get(timeout=20) == ["now", "later"]


def test_messages_and_proxies_mix(proxy):
    assert proxy.actor_ref.ask("x") == ("received", "x")


def test_pykkas_optimization_by_messages_works(proxy):
    ask = proxy.actor_ref.ask
    assert ask(pykka.messages.ProxyCall(attr_path=("add",), args=(1,), kwargs={"b": 5})) == 6
    ask(pykka.messages.ProxySetAttr(attr_path=("volume",), value=8))
    assert ask(pykka.messages.ProxyGetAttr(attr_path=("volume",))) == 8


def test_a_call_can_be_awaited(proxy):
    async def wait():
        return await proxy.add(2)

    assert asyncio.run(wait()) == 3


def test_two_proxies_to_the_same_place_are_equal(proxy):
    assert proxy == proxy.actor_ref.proxy()
    assert hash(proxy) == hash(proxy.actor_ref.proxy())
    assert "add" in dir(proxy)
    assert "Player" in repr(proxy)


def test_a_proxy_to_the_dead_raises_at_get(proxy):
    assert proxy.actor_ref.stop() is True
    with pytest.raises(ActorDeadError):
        proxy.add(1).get(timeout=20)
    with pytest.raises(ActorDeadError):
        proxy.volume = 1
    with pytest.raises(ActorDeadError):
        proxy.note.defer(1)
    with pytest.raises(ActorDeadError):
        proxy.actor_ref.proxy()


def test_stop_through_a_proxy_stops_the_actor(proxy):
    proxy.stop().get(timeout=20)
    assert proxy.actor_ref.actor_stopped.wait(20)


@pytest.mark.parametrize("dispatcher", ["pool", "pinned", "calling_thread"])
def test_a_supervised_actor_may_make_a_proxy_of_itself_in_its_constructor_in_every_life(dispatcher):
    kind = type("Kind", (Player,), {"dispatcher": dispatcher})
    with ActorSystem() as system:
        top = system.supervise(Supervisor(OneForOne(backoff=SOON), [ChildSpec(kind, name="a")]))
        ref = top.child("a")
        proxy = ref.proxy()
        assert proxy.volume.get(timeout=20) == 3
        first = behind(ref)
        proxy.fail.defer("once")
        eventually(lambda: behind(ref) is not first)
        for scope in (first, behind(ref)):  # the proxy of the first one leads to the next one
            assert scope._me._actor is behind(ref)
        proxy.later().get(timeout=20)
        assert proxy.told.get(timeout=20) == ["now", "later"]


def test_others_that_make_a_proxy_of_a_child_wait_for_its_constructor():
    begun, gate = threading.Event(), threading.Event()

    class Slow(PooledActor):
        def __init__(self):
            super().__init__()
            begun.set()
            gate.wait(20)
            self.late = "here"

    proxies = []
    with ActorSystem(workers=2) as system:
        ref = system.supervise(Supervisor(OneForOne(), [ChildSpec(Slow, name="a")])).child("a")
        assert begun.wait(20)
        other = threading.Thread(target=lambda: proxies.append(ref.proxy()), daemon=True)
        other.start()
        eventually(lambda: ref.actor_inbox.data or proxies)  # it waits by asking
        assert not proxies
        gate.set()
        other.join(20)
        assert proxies[0].late.get(timeout=20) == "here"
