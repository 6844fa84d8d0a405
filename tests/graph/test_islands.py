# mypy: disable-error-code="var-annotated, arg-type"
"""Islands with several members: who is advanced, in which order, and who is let be."""

import threading

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS, wait_until


def in_groups(f):
    """Groups whose streams join the island of the stage that merges them."""

    def divided(group):
        return group.map(f).named("divide").fuse()

    return Source.range(0, 9).group_by(lambda x: x % 3, 3).flat_map(divided, breadth=3)


def test_members_of_an_island_are_stages_to_everybody_outside():
    held, go_on = threading.Event(), threading.Event()

    def hold(x):
        held.set()
        return go_on.wait(SECONDS) and x

    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        run = system.start(in_groups(hold).to(Sink.list()))
        assert held.wait(SECONDS)
        names = {stage.name for stage in run.snapshot().stages}
        actors = {str(actor) for actor in system.children()}
        go_on.set()
        assert sorted(run.result(SECONDS)) == list(range(9))
    assert "divide#1" in names
    assert "stage 'divide#1'" not in actors, "it is a member of the island of flat_map"


def test_a_member_that_fails_names_itself_and_ends_the_others_of_its_island():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        with pytest.raises(StageError, match=r"stage 'divide#\d' failed at element 1: ZeroDiv"):
            system.start(in_groups(lambda n: 1 // (n - 4)).to(Sink.list())).result(SECONDS)
        wait_until(lambda: not system.children())


def test_a_member_that_has_ended_is_not_advanced_when_a_peer_has_something_for_it():
    with ActorSystem(workers=1, shutdown_timeout=SECONDS) as system:
        assert system.start(in_groups(int).take(1).to(Sink.list())).result(SECONDS) == [0]
        wait_until(lambda: not system.children())
        assert not system.dead_letters.total
