# mypy: disable-error-code="var-annotated"
"""How many messages a turn takes."""

import threading

import pytest

from actors_rs import ActorSystem, PooledActor
from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.dispatch.resources import threads


class Scribe(PooledActor):
    """Writes its name for each message; the first one of all may wait for a gate."""

    def __init__(self, name, notes):
        super().__init__()
        self.name = name
        self.notes = notes

    def on_receive(self, message):
        if isinstance(message, threading.Event):
            message.wait(20)
        else:
            self.notes.append(self.name)


def written(count, **options):
    """What two actors write that share one thread and have ``count`` messages each.

    Whatever the machine does meanwhile, no turn ends for having taken long.
    """
    notes, gate = [], threading.Event()
    resources = threads("actors", workers=1, cap=1)._replace(timing_clock=lambda: 0.0)
    with ActorSystem(resources=resources, **options) as system:
        system.spawn(Scribe, "gate", notes).tell(gate)
        refs = [system.spawn(Scribe, name, notes) for name in "ab"]
        for ref in refs:
            for n in range(count):
                ref.tell(n)
        gate.set()
    return "".join(notes)


def test_with_a_throughput_of_1_actors_take_turns_message_by_message():
    assert written(4, throughput=1) == "abababab"


def test_a_throughput_of_3_gives_the_thread_back_after_3_messages():
    assert written(5, throughput=3) == "aaabbbaabb"


def test_without_one_a_hundred_messages_are_a_turn():
    assert written(120) == "a" * 100 + "b" * 100 + "a" * 20 + "b" * 20


@pytest.mark.parametrize("throughput", [0, -1])
def test_a_throughput_of_nothing_is_refused_in_a_sentence(throughput):
    said = f"throughput must be at least 1, got {throughput}"
    with pytest.raises(InvalidArgumentError, match=said):
        ActorSystem(throughput=throughput)
