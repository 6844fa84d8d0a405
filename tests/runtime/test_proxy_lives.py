"""A proxy leads to whoever lives at its address, and keeps no dead actor."""

import gc
import logging
import weakref
from typing import Any, ClassVar

import pykka
import pytest

from actors_rs import ActorSystem, ChildSpec, PooledActor, Supervisor
from tests.runtime.support import behind, eventually


class Part:
    """Reached through its actor."""

    pykka_traversable = True

    def __init__(self, life):
        self.life = life

    def said(self):
        return self.life


class Lives(PooledActor):
    """Another one in each life."""

    lives: ClassVar[list[weakref.ref[Any]]] = []

    def __init__(self):
        super().__init__()
        self.lives.append(weakref.ref(self))
        life = len(self.lives)
        self.part = Part(life)
        setattr(self, f"field_{life}", life)
        setattr(self, f"part_{life}", Part(life))

    def fail(self):
        raise ValueError


@pytest.fixture
def proxied():
    Lives.lives.clear()
    with ActorSystem(workers=2) as system:
        ref = system.supervise(Supervisor(children=[ChildSpec(Lives)])).child("Lives")
        yield ref, ref.proxy()


def test_a_proxy_from_before_a_restart_finds_what_the_next_life_has(proxied):
    ref, proxy = proxied
    assert proxy.field_1.get(timeout=20) == proxy.part.said().get(timeout=20) == 1
    part = proxy.part
    proxy.fail.defer()
    assert part.said().get(timeout=20) == proxy.part.life.get(timeout=20) == 2
    assert proxy.field_2.get(timeout=20) == proxy.part_2.said().get(timeout=20) == 2
    with pytest.raises(AttributeError, match="field_1"):
        _ = proxy.field_1
    assert proxy == ref.proxy()
    assert hash(proxy) == hash(ref.proxy())


def test_a_proxy_keeps_no_dead_actor(proxied, monkeypatch):
    # what pytest shows of the log keeps the traceback
    monkeypatch.setattr(logging.getLogger("actors_rs.runtime"), "disabled", True)
    ref, proxy = proxied
    assert proxy.part.said().get(timeout=20) == 1
    proxy.fail.defer()
    assert ref.ask("x", timeout=20) is None
    assert behind(ref) is Lives.lives[1]()

    def gone():
        gc.collect()
        return Lives.lives[0]() is None

    eventually(gone)


def test_a_proxy_of_the_dead_says_so(proxied):
    ref, proxy = proxied
    behind(ref).supervisor.stop_child("Lives", timeout=20)
    with pytest.raises(pykka.ActorDeadError):
        _ = proxy.never_heard_of
    with pytest.raises(pykka.ActorDeadError):
        ref.proxy()


class Mirror(PooledActor):
    """Has proxies, and a reference, to itself in public fields."""

    def __init__(self):
        super().__init__()
        self.part = Part(1)
        self.me = self.actor_ref.proxy()
        self.me_by_pykka = pykka.ActorProxy(actor_ref=self.actor_ref)
        self.my_ref = self.actor_ref


@pytest.fixture
def mirror():
    with ActorSystem(workers=2) as system:
        yield system.spawn(Mirror)


def test_proxies_of_the_same_actor_and_attribute_are_equal_whoever_made_them(mirror):
    ours, pykkas = mirror.proxy(), pykka.ActorProxy(actor_ref=mirror)
    assert ours == mirror.proxy()
    assert ours == pykkas
    assert pykkas == ours
    assert ours.part == pykkas.part
    assert ours.part != pykkas
    assert ours != pykkas.part
    assert ours != mirror


def test_an_actor_s_proxy_does_not_lead_to_a_proxy_of_itself(mirror, caplog):
    proxy = mirror.proxy()
    for name in ("me", "me_by_pykka"):
        caplog.clear()
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
            getattr(proxy, name)
        assert name not in dir(proxy)
        told = [r.getMessage() for r in caplog.records if r.levelname == "WARNING"]
        assert sorted(text.split("'")[1] for text in told) == ["me", "me_by_pykka"], "each once"
    assert proxy.my_ref.get(timeout=20) == mirror
