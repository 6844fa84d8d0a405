"""Messages that are told later: in a world's time where an order counts, else in real time."""

import threading

import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem, ChildSpec, PooledActor, Supervisor
from actors_rs.errors import IllegalStateError, InvalidArgumentError
from actors_rs.testing.world import World
from tests.runtime.support import behind, eventually


class Notes(PooledActor):
    """Notes what comes, and when."""

    def __init__(self, notes):
        super().__init__()
        self.notes = notes

    def on_receive(self, message):
        if message == "fail":
            raise ValueError(message)
        self.notes.append((self.system.now(), message))


def test_a_message_comes_after_its_time_and_a_cancelled_one_never():
    notes: list[tuple[float, str]] = []
    with World() as world:
        ref = world.system.spawn(Notes, notes)
        begun = world.system.now()
        ref.tell_after(5, "five")
        ref.tell_after(2, "two")
        cancelled = ref.tell_after(3, "three")
        cancelled.cancel()
        cancelled.cancel()
        world.sleep(10)
        assert [(at - begun, message) for at, message in notes] == [(2, "two"), (5, "five")]
        assert cancelled.cancelled


def test_a_message_that_is_told_again_and_again_comes_until_it_is_cancelled():
    notes: list[tuple[float, str]] = []
    with World() as world:
        ref = world.system.spawn(Notes, notes)
        begun = world.system.now()
        every = ref.tell_every(2, "tick")
        world.sleep(7)
        assert [at - begun for at, _ in notes] == [2, 4, 6]
        assert not every.cancelled
        every.cancel()
        world.sleep(7)
        assert len(notes) == 3


@pytest.mark.parametrize("restart", ["permanent", "temporary"])
def test_delayed_messages_are_of_the_address_and_end_with_it(restart):
    notes: list[tuple[float, str]] = []
    with World() as world:
        spec = ChildSpec(Notes, args=(notes,), name="child", restart=restart)
        ref = world.system.supervise(Supervisor(children=[spec])).child("child")
        ref.tell_after(100, "late")
        every = ref.tell_every(30, "tick")
        world.sleep(1)
        ref.tell("fail")
        world.sleep(150)
        came = [message for _, message in notes]
        letters = [letter.what for letter in world.system.dead_letters.recent()]
        if restart == "permanent":
            assert came == ["tick", "tick", "tick", "late", "tick", "tick"]
            assert letters == ["fail"]
        else:
            assert came == []
            assert letters == ["fail", "late"]
        assert every.cancelled is (restart == "temporary")


def test_a_message_that_is_still_to_come_at_the_end_of_its_system_is_a_dead_letter():
    notes: list[tuple[float, str]] = []
    with ActorSystem(workers=1) as system:
        ref = system.spawn(Notes, notes)
        after, every = ref.tell_after(3600, "never"), ref.tell_every(3600, "never again")
    assert [letter.what for letter in system.dead_letters.recent()] == ["never"]
    assert after.cancelled
    assert every.cancelled
    for tell in (ref.tell_after, ref.tell_every):
        with pytest.raises(ActorDeadError):
            tell(1, "x")
    assert not system.delayed


def test_it_is_told_in_real_time_by_the_actor_itself_too():
    came = threading.Event()

    class Later(PooledActor):
        def on_start(self):
            self.actor_ref.tell_after(0, "now")
            self.every = self.actor_ref.tell_every(0.001, "again")
            self.count = 0

        def on_receive(self, message):
            self.count += message == "again"
            if self.count == 5:
                self.every.cancel()
                came.set()

    with ActorSystem(workers=1) as system:
        system.spawn(Later)
        assert came.wait(20)
        eventually(lambda: not system.delayed)


@pytest.mark.parametrize("seconds", ["1", None, float("nan")])
def test_a_time_that_is_none_is_refused(seconds):
    with ActorSystem(workers=1) as system:
        ref = system.spawn(Notes, [])
        for tell in (ref.tell_after, ref.tell_every):
            with pytest.raises(InvalidArgumentError):
                tell(seconds, "x")
        with pytest.raises(InvalidArgumentError):
            ref.tell_every(0, "x")
        assert not system.delayed


def test_an_actor_that_was_not_started_tells_nothing_later():
    with pytest.raises(IllegalStateError, match="on_start"):
        Notes([]).actor_ref.tell_after(1, "x")


def test_a_supervised_constructor_may_tell_its_own_address_later():
    notes: list[tuple[float, str]] = []

    class Own(Notes):
        def __init__(self):
            super().__init__(notes)
            self.actor_ref.tell_after(1, "mine")

    with World() as world:
        world.system.supervise(Supervisor(children=[ChildSpec(Own)]))
        world.sleep(2)
        assert [message for _, message in notes] == ["mine"]


def tree():
    readers = Supervisor(children=[ChildSpec(Notes, args=([],), name="one")], name="readers")
    store = ChildSpec(Notes, args=([],), name="store")
    return Supervisor(children=[store, readers], name="intake")


def test_an_actor_is_found_by_its_path_and_finds_those_above_it():
    with ActorSystem(workers=2) as system:
        top = system.supervise(tree())
        assert system.actor("/intake") is top
        assert system.actor("/intake/store") is top.child("store")
        one = system.actor("intake/readers/one")
        assert one is top.child("readers/one")
        one.ask("x", timeout=20)
        assert behind(one).supervisor is system.actor("/intake/readers")
        assert behind(one).supervisor.parent is top
        assert top.parent is None


def test_a_path_that_leads_nowhere_is_refused_with_the_nearest_ones():
    with ActorSystem(workers=2) as system:
        with pytest.raises(InvalidArgumentError, match=r"system\.supervise"):
            system.actor("/intake")
        top = system.supervise(tree())
        for path in ("/intake/stroe", "/intaek/store", "store", "/intake/store/x"):
            with pytest.raises(InvalidArgumentError, match="/intake/store"):
                system.actor(path)
        system.supervise(tree())
        with pytest.raises(InvalidArgumentError, match="2 supervisors are called 'intake'"):
            system.actor("/intake/store")
        top.stop(timeout=20)
        assert system.actor("/intake/store").is_alive()
