# mypy: disable-error-code="arg-type, list-item, var-annotated"
"""A system's actors stop one after the other, the last one first."""

import threading

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.runtime.system.stopping import StopLine
from tests.runtime.support import (
    Recorder,
    asked_on_another_thread,
    behind,
    eventually,
    raises_at_the_end,
)


class Noting(Recorder):
    """Notes when its last hook begins and ends, which takes several turns of other actors."""

    def __init__(self, number, notes, ref=None):
        super().__init__()
        self.number, self.notes, self.ref = number, notes, ref

    def on_stop(self):
        self.notes.append(("begins", self.number))
        threading.Event().wait(0.001)
        if self.ref is not None:
            self.ref.tell(self.number)
        self.notes.append(("ends", self.number))


@pytest.fixture(params=["pool", "pinned", "calling_thread"])
def kind(request):
    return type("Kind", (Noting,), {"dispatcher": request.param})


def in_reverse(count):
    return [(what, n) for n in range(count - 1, -1, -1) for what in ("begins", "ends")]


def test_no_on_stop_begins_before_the_one_of_the_actor_started_later_has_ended(kind):
    notes = []
    with ActorSystem(workers=4) as system:
        for number in range(20):
            system.spawn(kind, number, notes)
    assert notes == in_reverse(20)


def test_what_an_actor_tells_an_earlier_one_while_it_stops_arrives(kind):
    notes = []
    with ActorSystem(workers=4) as system:
        first = system.spawn(kind, 0, notes)
        actor = behind(first)
        for number in range(1, 10):
            system.spawn(kind, number, notes, first)
    assert actor.seen == list(range(9, 0, -1))
    assert system.dead_letters.total == 0


def test_an_exit_stops_the_actors_in_order_too():
    notes = []
    with raises_at_the_end(SystemExit), ActorSystem(workers=4) as system:
        refs = [system.spawn(Noting, number, notes) for number in range(10)]
        refs[4].tell(SystemExit(1))
        eventually(lambda: not system.children())
    assert notes == [note for note in in_reverse(10) if note[1] != 4]


def test_one_that_does_not_end_keeps_the_others_no_longer_than_the_shutdown_may_take(caplog):
    notes, gate = [], threading.Event()
    system = ActorSystem(workers=4)
    for number in range(10):
        system.spawn(Noting, number, notes)
    stuck = system.spawn(type("Stuck", (Recorder,), {}))
    stuck.tell(gate.wait)
    system.shutdown(timeout=4)  # a fifth of it for those behind the stuck one
    assert sorted(number for what, number in notes if what == "ends") == list(range(10))
    (line,) = [r.message for r in caplog.records if "still busy" in r.message]
    assert "Stuck (" in line
    assert "Noting" not in line
    gate.set()
    eventually(lambda: not system.children())


def test_a_stage_that_does_not_end_keeps_no_actor_from_stopping():
    notes, gate = [], threading.Event()
    system = ActorSystem(workers=4)
    system.spawn(Noting, 0, notes)
    system.start(Source.of(1).map(lambda _: gate.wait()).to(Sink.ignore()))
    system.stop_soon()
    eventually(lambda: notes == in_reverse(1))
    gate.set()
    system.shutdown()


def test_being_told_again_to_stop_changes_nothing_about_the_order():
    notes, gate = [], threading.Event()

    class Gated(Noting):
        def on_stop(self):
            gate.wait(20)
            super().on_stop()

    system = ActorSystem(workers=4)
    for kind, number in ((Noting, 0), (Noting, 1), (Gated, 2)):
        system.spawn(kind, number, notes)
    for _ in range(3):
        system.stop_soon()
    gate.set()
    eventually(lambda: not system.children())
    system.shutdown()
    assert notes == in_reverse(3)


class InLine:
    """An actor; a look at it calls ``look()``, as the collector might call a ``__del__``."""

    _supervisor_link_ = _has_slot_ = None

    def __init__(self, look=lambda: None):
        self.look, self.stops = look, 0

    @property
    def _stops_in_order_(self):
        self.look()
        return True

    def _stop_when_read_(self):
        self.stops += 1
        return True


def test_what_is_collected_while_the_line_forms_may_end_the_actor_it_waits_for():
    line, told, last = StopLine(), InLine(), InLine()
    line.form([told], at_once=False)
    looks = iter([lambda: None, lambda: line.ended(told)])  # the second one is under the lock
    ends = InLine(lambda: next(looks)())
    assert asked_on_another_thread(lambda: line.form([ends, last], at_once=False)) == [None]
    assert (last.stops, ends.stops) == (1, 0)
