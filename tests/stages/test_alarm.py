# mypy: disable-error-code="var-annotated"
"""The alarm of a stage: it rings once, and never for a time that it was not set to."""

from actors_rs.stages.alarm import Alarm
from actors_rs.stages.passing import PassThrough
from tests.stages.harness import Alone


def alarm():
    stage, rings = Alone(PassThrough()), []
    return stage, Alarm(stage.logic, lambda: rings.append(stage.time)), rings


def test_it_rings_once_when_its_time_has_come():
    stage, one, rings = alarm()
    one.set(3)
    assert one.pending
    stage.elapse(9)
    assert (rings, one.pending) == ([103.0], False)


def test_it_rings_at_the_time_it_was_set_to_last():
    stage, one, rings = alarm()
    one.set(3)
    one.set(5)
    stage.elapse(9)
    assert rings == [105.0]


def test_a_ring_that_is_on_its_way_is_not_heard_once_it_is_set_anew_or_cancelled():
    for change in (lambda one: one.set(5), Alarm.cancel):
        stage, one, rings = alarm()
        one.set(3)
        (timer,) = stage.pending
        timer.fired = True  # its action lies in the mailbox
        change(one)
        stage.turn(timer.action)
        assert rings == []
        assert one.pending == bool(stage.pending)


def test_a_wait_of_nothing_is_still_a_wait():
    stage, one, rings = alarm()
    one.set(-1)
    assert rings == []
    stage.elapse(0.001)
    assert len(rings) == 1
