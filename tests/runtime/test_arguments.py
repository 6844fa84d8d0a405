# mypy: disable-error-code="arg-type"
"""What is asked of actors, futures and supervisors wrongly is refused, and nothing is done."""

import pytest

from actors_rs import ActorSystem, ChildSpec, OneForOne, Supervisor
from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.actors.future import PooledFuture
from tests.runtime.support import Recorder, behind

NO_TIMEOUTS = ["1", True, float("nan"), b"", [1]]


def refused(wrong):
    return pytest.raises(
        InvalidArgumentError,
        match=rf"^timeout must be a number of seconds, got {wrong!r}$".replace("[", r"\["),
    )


@pytest.fixture
def system():
    with ActorSystem(dispatcher="calling_thread") as system:
        yield system


@pytest.mark.parametrize("block", [True, False])
@pytest.mark.parametrize("wrong", NO_TIMEOUTS)
def test_a_question_with_a_timeout_that_is_none_is_not_sent(system, wrong, block):
    ref = system.spawn(Recorder)
    with refused(wrong):
        ref.ask("question", block=block, timeout=wrong)
    assert behind(ref).seen == []


@pytest.mark.parametrize("block", [True, False])
@pytest.mark.parametrize("wrong", NO_TIMEOUTS)
def test_a_stop_with_a_timeout_that_is_none_stops_nothing(system, wrong, block):
    ref = system.spawn(Recorder)
    supervisor = system.supervise(Supervisor(OneForOne(), [ChildSpec(Recorder, name="child")]))
    with refused(wrong):
        ref.stop(block=block, timeout=wrong)
    with refused(wrong):
        supervisor.stop_child("child", block=block, timeout=wrong)
    assert ref.ask("alive") == supervisor.child("child").ask("alive") == "alive"


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("wrong", NO_TIMEOUTS)
def test_a_future_refuses_a_timeout_that_is_none(wrong, there):
    future: PooledFuture[str] = PooledFuture()
    if there:
        future.set("answer")
    with refused(wrong):
        future.get(timeout=wrong)
    with refused(wrong):
        future.map(str).get(timeout=wrong)


def test_a_supervisor_is_under_a_run_and_nothing_else(system):
    with pytest.raises(InvalidArgumentError, match=r"^supervise: under must be a Run, got 5$"):
        system.supervise(Supervisor(OneForOne()), under=5)
    assert system.children() == ()


def test_the_name_of_a_child_is_a_text(system):
    supervisor = system.supervise(Supervisor(OneForOne(), [ChildSpec(Recorder)]))
    for ask in (supervisor.child, supervisor.stop_child):
        with pytest.raises(InvalidArgumentError, match=r"^the name of a child must be a text, got"):
            ask(5)
