# mypy: disable-error-code="var-annotated,arg-type"
"""How a stream is ended from outside, and who is told of its end; stages alone."""

import gc
import weakref

import pytest

from actors_rs.engine.run.kill_switch import KillSwitch
from actors_rs.errors import StageError
from actors_rs.stages.operators.kill_switch import KillSwitchStage
from actors_rs.stages.operators.monitor import Monitor, StreamState
from actors_rs.stages.operators.on_termination import OnTermination
from tests.stages.harness import Alone

ERROR = KeyError("an error")


def switched(switch):
    return Alone(KillSwitchStage(switch))


def test_a_shutdown_completes_all_streams_and_cancels_upstream():
    switch = KillSwitch()
    stages = [switched(switch).request(2).push(n) for n in range(3)]
    switch.shutdown()
    for n, stage in enumerate(stages):
        stage.turn()
        assert (stage.down.elements, stage.down.completed, stage.up.cancelled) == ([n], True, True)
        assert stage.logic.finished


def test_an_abort_fails_all_streams_with_the_error_itself():
    switch = KillSwitch()
    stages = [switched(switch).request(1) for _ in range(2)]
    switch.abort(ERROR)
    for stage in stages:
        stage.turn()
        assert (stage.down.error, stage.up.cause) == (ERROR, ERROR)


def test_a_stream_that_starts_behind_the_use_ends_at_once():
    switch = KillSwitch()
    switch.shutdown()
    assert switched(switch).down.completed


def test_a_switch_is_used_once():
    switch = KillSwitch()
    assert switch.state == "open"
    switch.shutdown()
    switch.abort(ERROR)
    assert (switch.state, switch.error) == ("shut_down", None)
    other = KillSwitch()
    other.abort(ERROR)
    other.shutdown()
    assert (other.state, repr(other)) == ("aborted", "<KillSwitch aborted>")
    with pytest.raises(TypeError, match="needs an exception"):
        KillSwitch().abort("no")


def test_a_use_behind_the_end_of_a_stream_wakes_nobody():
    switch = KillSwitch()
    stage = switched(switch).request(1).complete().drop()
    assert len(switch._listeners) == 0
    switch.abort(ERROR)
    assert not stage.posted
    assert stage.down.completed


def test_a_switch_keeps_no_stream_alive():
    switch = KillSwitch()
    streams = [weakref.ref(switched(switch).logic) for _ in range(50)]  # dropped without an end
    gc.collect()
    assert not any(stream() for stream in streams)
    switch.shutdown()


# on_termination


@pytest.mark.parametrize(
    ("end", "told"),
    [
        (lambda stage: stage.complete(), None),
        (lambda stage: stage.fail(ERROR), ERROR),
        (lambda stage: stage.cancel(), None),
        (lambda stage: stage.cancel(cause=ERROR), ERROR),
    ],
)
def test_the_end_is_told_once_however_it_came(end, told):
    ends = []
    stage = Alone(OnTermination(ends.append)).request(5).push(1, 2)
    end(stage)
    assert stage.logic.finished
    assert ends == [], "the stage's last act tells it"
    stage.logic.stop(stage.logic.inlet.error)
    assert ends == [told]
    assert stage.down.elements == [1, 2]


# monitor


def test_a_monitor_tells_of_start_news_and_end():
    states = []
    stage = Alone(Monitor(states.append, 2.0)).request(9).push(1, 2).elapse(1).push(3).elapse(9)
    stage.push(4).complete()
    stage.logic.stop(None)
    seen = [(s.state, s.elements, s.seconds) for s in states]
    assert seen == [("running", 0, 0), ("running", 3, 2), ("completed", 4, 10)]
    assert states[0] == StreamState("alone", "running", 0, 0.0)
    assert stage.pending == []


@pytest.mark.parametrize(
    ("end", "state", "error"),
    [
        (lambda stage: stage.fail(ERROR), "failed", ERROR),
        (lambda stage: stage.cancel(), "cancelled", None),
        (lambda stage: stage.cancel(cause=ERROR), "cancelled", ERROR),
    ],
)
def test_a_monitor_knows_how_the_stream_ended(end, state, error):
    states = []
    stage = Alone(Monitor(states.append, 2.0)).request(9).push(1)
    end(stage)
    stage.logic.stop(stage.logic.inlet.error)
    assert (states[-1].state, states[-1].elements, states[-1].error) == (state, 1, error)
    assert stage.pending == []


def test_a_monitor_that_raises_is_not_called_again_for_the_failure_it_caused():
    states = []

    def raises(state):
        states.append(state.state)
        raise ERROR

    stage = Alone(Monitor(raises, 2.0))
    stage.logic.stop(stage.down.error)
    assert states == ["running"]


def test_a_monitor_that_raises_fails_the_stage():
    stage = Alone(Monitor(lambda s: 1 // s.elements, 2.0))
    assert isinstance(stage.down.error, StageError)
