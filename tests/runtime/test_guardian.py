# mypy: disable-error-code="index"
"""What stands for a system in pykka's registry, which reaches all of its actors through it."""

import pytest
from pykka import ActorDeadError, ActorRegistry

from actors_rs import ActorSystem
from actors_rs.runtime.system.guardian import GuardianRef
from tests.runtime.support import Recorder, behind, no_thread_left


class Pinned(Recorder):
    dispatcher = "pinned"


def guardian_of(system):
    """What stands for ``system`` in pykka's list."""
    refs = (ref for ref in ActorRegistry.get_all() if isinstance(ref, GuardianRef))
    (ref,) = (ref for ref in refs if ref._guardian.system is system)
    return ref


def test_stop_all_stops_a_system_and_its_actors():
    with ActorSystem() as system:
        refs, guardian = [system.spawn(kind) for kind in (Recorder, Pinned)], guardian_of(system)
        assert ActorRegistry.stop_all(timeout=20)[0] is True
        assert not any(ref.is_alive() for ref in refs)
        assert guardian not in ActorRegistry.get_all()


def test_stop_all_without_blocking_may_be_called_by_an_actor():
    with no_thread_left(), ActorSystem() as system:
        refs = [system.spawn(Recorder) for _ in range(5)]
        answers = refs[0].ask(lambda: ActorRegistry.stop_all(block=False))
        assert answers[0].get(timeout=0) is True
        for ref in refs:
            assert ref.actor_stopped.wait(20)


def test_the_guardian_of_an_ended_system_is_dead():
    with ActorSystem() as system:
        guardian = guardian_of(system)
        assert guardian.is_alive()
    assert not guardian.is_alive()
    assert guardian.stop() is False
    assert guardian.stop(block=False).get(timeout=0) is False
    assert system.children() == ()


def test_asking_a_guardian_is_answered_with_actor_dead_error():
    with ActorSystem() as system, pytest.raises(ActorDeadError):
        guardian_of(system).ask("hello", timeout=20)


def test_broadcast_reaches_every_actor_of_every_system():
    with ActorSystem() as one, ActorSystem() as two:
        refs = [system.spawn(Recorder) for system in (one, two) for _ in range(3)]
        refs[0].stop()
        ActorRegistry.broadcast("hello")
        assert [ref.ask(behind(ref).seen.copy) for ref in refs[1:]] == [["hello"]] * 5
