# mypy: disable-error-code="var-annotated"
"""Children that wait for their restart when they, or their supervisors, are stopped."""

from dataclasses import replace

import pytest
from pykka import ActorDeadError

from actors_rs import (
    ActorSystem,
    Backoff,
    ChildSpec,
    OneForOne,
    PooledActor,
    RestForOne,
    Supervisor,
)
from tests.runtime.family import STRATEGIES, lives, noting, tree
from tests.runtime.support import eventually

FAR_OFF = Backoff(3600, 3600)


def listened(system):
    """The children that wait for their restart: a list that fills."""
    restarts = []
    system.events.listen(lambda event: restarts.append(event.fields["actor"]))
    return restarts


def test_a_child_that_waits_for_its_restart_can_be_stopped_for_good():
    notes = []
    with ActorSystem() as system:
        restarts = listened(system)
        top = system.supervise(tree(OneForOne(backoff=FAR_OFF), "a", notes))
        top.child("a").tell(ValueError())
        eventually(lambda: restarts)
        assert top.stop_child("a", timeout=20) is True
        assert top.children() == {}
    assert lives(notes, "a") == 1


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_child_that_waits_for_its_restart_handles_its_messages_before_it_is_stopped_for_good(
    strategy,
):
    notes = []
    with ActorSystem() as system:
        restarts = listened(system)
        top = system.supervise(tree(strategy(backoff=FAR_OFF), "a", notes))
        ref = top.child("a")
        ref.tell(ValueError())
        eventually(lambda: restarts)
        waiting = ref.ask("x", block=False)
        assert top.stop_child("a", timeout=20) is True
        assert waiting.get(timeout=20) == 1
        assert top.children() == {}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_children_that_wait_for_their_restart_handle_their_messages_at_an_orderly_stop(strategy):
    notes = []
    with ActorSystem() as system:
        restarts = listened(system)
        top = system.supervise(tree(strategy(backoff=FAR_OFF), "ab", notes))
        top.child("a").tell(ValueError())
        eventually(lambda: restarts)
        waiting = [top.child("a").ask("x", block=False) for _ in range(3)]
    assert [answer.get(timeout=20) for answer in waiting] == [1, 2, 3]
    assert not system.dead_letters.recent()[1:]  # the first one made it fail


def test_a_child_without_messages_is_not_restarted_at_a_stop():
    notes = []
    with ActorSystem() as system:
        restarts = listened(system)
        top = system.supervise(tree(OneForOne(backoff=FAR_OFF), "a", notes))
        top.child("a").tell(ValueError())
        eventually(lambda: restarts)
    assert lives(notes, "a") == 1


def test_a_cancelled_system_restarts_nobody_for_the_messages_left():
    notes = []
    with ActorSystem() as system:
        restarts = listened(system)
        top = system.supervise(tree(OneForOne(backoff=FAR_OFF), "a", notes))
        top.child("a").tell(ValueError())
        eventually(lambda: restarts)
        waiting = top.child("a").ask("x", block=False)
        system.shutdown(drain=False)
    with pytest.raises(ActorDeadError):
        waiting.get(timeout=20)
    assert lives(notes, "a") == 1


def test_a_child_that_fails_again_at_a_stop_is_not_restarted_again():
    notes = []
    with ActorSystem() as system:
        restarts = listened(system)
        top = system.supervise(tree(OneForOne(backoff=FAR_OFF), "a", notes))
        for message in (ValueError(), ValueError(), "x"):
            top.child("a").tell(message)
        eventually(lambda: restarts)
    assert lives(notes, "a") == 2
    assert [letter.what for letter in system.dead_letters.recent()][-1] == "x"


def test_children_of_a_supervisor_that_waits_for_its_restart_handle_their_messages_at_a_stop():
    notes = []
    with ActorSystem() as system:
        restarts = listened(system)
        inner = Supervisor(OneForOne(max_restarts=0), noting("a", notes), name="inner")
        top = system.supervise(Supervisor(OneForOne(backoff=FAR_OFF), [inner], name="top"))
        top.child("inner/a").tell(ValueError())
        eventually(lambda: restarts)
        waiting = top.child("inner/a").ask("x", block=False)
    assert waiting.get(timeout=20) == 1


class CannotBeMade(PooledActor):
    def __init__(self):
        super().__init__()
        raise OSError("no")


def test_a_supervisor_that_was_never_made_gives_its_childrens_messages_back():
    notes, told = [], ["one", "two"]
    with ActorSystem() as system:
        restarts = listened(system)
        inner = replace(tree(OneForOne(), "a", notes), name="inner")
        children = [ChildSpec(CannotBeMade, name="first"), inner]
        top = system.supervise(Supervisor(RestForOne(backoff=FAR_OFF), children, name="top"))
        eventually(lambda: restarts)
        ref = top.child("inner/a")
        for message in told:
            ref.tell(message)
    assert not lives(notes, "a")
    assert not ref.is_alive()
    letters = system.dead_letters.recent()
    assert [letter.what for letter in letters if "read" in letter.why] == told
    assert not [letter for letter in letters if "Supervisor" in str(letter.where)]
