# mypy: disable-error-code="var-annotated, func-returns-value"
"""Statistics: frozen records that can be read from any thread while everything runs."""

import dataclasses
import threading

import pytest

from actors_rs import ActorSystem, Sink, Source
from tests.runtime.support import Recorder, behind, eventually


def test_a_system_tells_of_its_pool_its_actors_its_runs_and_its_dead_letters():
    with ActorSystem(workers=2, max_workers=2, name="own") as system:
        ref = system.spawn(Recorder)
        pinned = system.spawn(type("Pinned", (Recorder,), {"dispatcher": "pinned"}))
        run = system.start(Source.never().to(Sink.list()))
        ref.ask("x")
        ref.ask("y")  # the stages may not have had a turn yet
        pinned.ask("x")
        system.dead_letters.record(1, where="here", why="because")
        seen = system.statistics()
        run.cancel()
    assert (seen.name, seen.state, seen.workers, seen.pinned) == ("own", "running", 2, 1)
    assert (seen.actors, seen.runs) == (4, 1)
    assert seen.turns >= 3
    assert (seen.dead_letters.total, seen.dead_letters.kept, seen.dead_letters.causes) == (1, 1, 1)
    after = system.statistics()
    assert (after.state, after.actors, after.runs, after.workers) == ("shut down", 0, 0, 0)


def test_an_actor_tells_what_it_has_not_read_and_when_it_has_stopped():
    gate, inside = threading.Event(), threading.Event()
    with ActorSystem(workers=1) as system:
        ref = system.spawn(Recorder)
        actor = behind(ref)
        ref.tell(lambda: (inside.set(), gate.wait(20)))
        assert inside.wait(20)
        for number in range(3):
            ref.tell(number)
        busy = actor.statistics()
        gate.set()
        ref.stop()
        eventually(lambda: actor.statistics().state == "stopped")
    assert (busy.name, busy.state, busy.dispatcher) == (str(actor), "running", "pool")
    assert (busy.mailbox.control, busy.mailbox.data, busy.mailbox.closed) == (0, 3, False)
    assert (actor.statistics().mailbox.data, actor.statistics().mailbox.closed) == (0, True)


def test_an_orderly_stop_waits_among_the_messages_of_users_and_counts_as_one():
    gate, inside = threading.Event(), threading.Event()
    with ActorSystem(workers=1) as system:
        ref = system.spawn(Recorder)
        ref.tell(lambda: (inside.set(), gate.wait(20)))
        assert inside.wait(20)
        ref.tell("message")
        ref.stop(block=False)
        seen = ref.statistics().mailbox
        gate.set()
    assert (seen.control, seen.data) == (0, 2)


def test_every_record_is_frozen():
    with ActorSystem() as system:
        actor = behind(system.spawn(Recorder))
        records = [
            system.statistics(),
            system.dead_letters.statistics(),
            actor.statistics(),
            actor.actor_inbox.statistics(),
            system._dispatcher.statistics(),
        ]
    for record in records:
        name = dataclasses.fields(record)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, name, None)
