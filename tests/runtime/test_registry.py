# mypy: disable-error-code="type-arg, union-attr, var-annotated"
"""``ActorRegistry``: what pykka's users find, stop and address, whatever system it lives in."""

import threading
import uuid

import pykka
import pytest
from pykka import ActorDeadError

from actors_rs import (
    ActorRegistry,
    ActorSystem,
    ChildSpec,
    OneForOne,
    PooledActor,
    Sink,
    Source,
    Supervisor,
)
from actors_rs.runtime.actors.actor_ref import number_of_urn, urn_of
from tests.runtime.processes import run
from tests.runtime.support import DEADLINE, eventually


class Noting(PooledActor):
    def __init__(self, notes=None, name=""):
        super().__init__()
        self.notes, self.name = [] if notes is None else notes, name

    def on_receive(self, message):
        if isinstance(message, BaseException):
            raise message
        self.notes.append(message)
        return self.notes

    def on_stop(self):
        self.notes.append(f"stop {self.name}")


class Kind(Noting):
    """One more class, below the other."""


class Plain(pykka.ThreadingActor):
    def on_receive(self, message):
        return message


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=DEADLINE) as system:
        yield system


def test_actors_of_all_systems_and_pykkas_own_are_listed_from_start_to_stop(system):
    before = set(ActorRegistry.get_all())
    with ActorSystem(workers=1) as other:
        refs: set[pykka.ActorRef] = {system.spawn(Noting), other.spawn(Noting)}
        refs |= {Plain.start(), Noting.start()}
        assert set(ActorRegistry.get_all()) - before == refs
        for ref in refs:
            assert ActorRegistry.get_by_urn(ref.actor_urn) is ref
            ref.stop()
            assert ref not in ActorRegistry.get_all()
            assert ActorRegistry.get_by_urn(ref.actor_urn) is None


def test_an_actor_is_listed_in_its_on_start_and_not_in_its_last_hook(system):
    seen = []

    class Looking(PooledActor):
        def look(self):
            seen.append(self.actor_ref in ActorRegistry.get_all())

        on_start = on_stop = look

    system.spawn(Looking).stop()
    assert seen == [True, False]


def test_actors_are_found_by_class_superclass_and_class_name(system):
    first, second = system.spawn(Noting), system.spawn(Kind)
    assert ActorRegistry.get_by_class(Noting) == [first, second]
    assert ActorRegistry.get_by_class(Kind) == [second]
    assert ActorRegistry.get_by_class_name("Noting") == [first]
    assert ActorRegistry.get_by_class_name("Guardian") == []


def test_a_broadcast_goes_to_all_or_to_a_class_and_to_no_stage_of_a_stream(system):
    first, second = system.spawn(Noting), system.spawn(Kind)
    stream = system.start(Source.never().to(Sink.list()))
    ActorRegistry.broadcast(1)
    ActorRegistry.broadcast(2, target_class=Kind)
    ActorRegistry.broadcast(3, "Noting")
    assert (first.ask("end"), second.ask("end")) == ([1, 3, "end"], [1, 2, "end"])
    assert not system.dead_letters.total
    stream.cancel()


def test_all_are_stopped_the_last_one_first_and_their_system_stays_open(system):
    notes = []
    for name in "abc":
        system.spawn(Noting, notes, name)
    assert ActorRegistry.stop_all(timeout=DEADLINE) == [True] * 3
    assert notes == ["stop c", "stop b", "stop a"]
    ref = system.spawn(Noting)
    [answer] = ActorRegistry.stop_all(block=False)
    assert answer.get(timeout=DEADLINE)
    assert not ref.is_alive()


def test_children_are_listed_and_stop_with_their_supervisor(system):
    notes = []
    specs = [ChildSpec(Noting, (notes, name), name=name) for name in "ab"]
    top = system.supervise(Supervisor(OneForOne(), specs))
    eventually(lambda: len(ActorRegistry.get_by_class(Noting)) == 2)
    ActorRegistry.broadcast("x")
    assert top in ActorRegistry.get_all()
    assert ActorRegistry.stop_all(timeout=DEADLINE) == [True]
    assert sorted(notes) == ["stop a", "stop b", "x", "x"]
    assert not ActorRegistry.get_by_class(Noting)


def test_an_actor_can_be_taken_from_the_list_and_put_back(system):
    ref, plain = system.spawn(Noting), Plain.start()
    for one in (ref, plain):
        ActorRegistry.unregister(one)
        ActorRegistry.unregister(one)
        assert one not in ActorRegistry.get_all()
        assert ActorRegistry.get_by_urn(one.actor_urn) is None
        ActorRegistry.register(one)
        assert one in ActorRegistry.get_all()
        assert one.ask(1)
    plain.stop()


def test_urns_are_those_of_random_uuids_and_lead_back_to_their_numbers(system):
    urns = {system.spawn(Noting).actor_urn for _ in range(20)}
    assert len(urns) == 20
    for urn in urns:
        parsed = uuid.UUID(urn)
        assert (parsed.version, parsed.variant) == (4, uuid.RFC_4122)
        assert parsed.urn == urn
    for number in (0, 1, 2**62 - 1, 2**62, 2**74 - 1, 2**74, 2**122 - 1, 0x123456789ABCDEF << 60):
        assert number_of_urn(urn_of(number)) == number


@pytest.mark.parametrize(
    "urn", ["", "x", None, 5, "urn:uuid:" + "0" * 32, "830427f6-e8f1-11f1-a013-02fc00000001"]
)
def test_what_is_no_urn_of_an_actor_finds_none(urn):
    assert ActorRegistry.get_by_urn(urn) is None


def test_a_forked_child_makes_other_urns_than_its_parent():
    lines, _ = run("""
        from actors_rs.runtime.actors.actor_ref import next_urn_number, urn_of
        assert in_child(lambda: say(urn_of(next_urn_number()))) == 0
        say(urn_of(next_urn_number()))
    """)
    assert len(set(lines)) == 2


def test_a_lookup_by_urn_looks_at_no_other_actor(system, monkeypatch):
    refs = [system.spawn(Noting) for _ in range(50)]
    monkeypatch.setattr(ActorSystem, "children", lambda self: 1 / 0)
    assert ActorRegistry.get_by_urn(refs[25].actor_urn) is refs[25]


def test_an_actor_that_nobody_supervises_stops_when_a_told_message_raises(system):
    failed = threading.Event()

    class Failing(Noting):
        def on_failure(self, kind, error, traceback):
            self.notes.append((kind, self.actor_ref.is_alive()))
            failed.set()

    notes = []
    ref = system.spawn(Failing, notes)
    with pytest.raises(ValueError, match="asked"):
        ref.ask(ValueError("asked"))
    assert ref.is_alive()
    ref.tell(ValueError("told"))
    ref.tell("behind")
    assert failed.wait(DEADLINE)
    assert notes == [(ValueError, False)]
    with pytest.raises(ActorDeadError):
        ref.tell("late")
