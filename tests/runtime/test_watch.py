# mypy: disable-error-code="var-annotated"
"""Death watch: one notice for each watch, whatever raced."""

import sys
from typing import ClassVar

import pykka
import pytest

from actors_rs import (
    ActorSystem,
    Backoff,
    ChildSpec,
    OneForOne,
    PooledActor,
    Sink,
    Source,
    Supervisor,
)
from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.actors.watch import Terminated
from tests.runtime.family import Noting, shown, tree
from tests.runtime.support import behind, eventually
from tests.runtime.watching import Watcher, race_watch_and_stop, seen_by


@pytest.fixture(params=["pool", "calling_thread", "pinned"])
def kind(request):
    return type("Kind", (Watcher,), {"dispatcher": request.param})


def test_the_watcher_hears_once_that_the_watched_has_stopped(kind):
    with ActorSystem() as system:
        watcher, watched = system.spawn(kind), system.spawn(kind)
        watcher.ask(("watch", watched))
        watched.stop()
        eventually(lambda: seen_by(watcher) == [Terminated(watched, None)])
        assert not watched.is_alive()


def test_the_watcher_hears_what_the_watched_failed_with(kind):
    error = ValueError("x")
    with ActorSystem() as system:
        watcher, watched = system.spawn(kind), system.spawn(kind)
        watcher.ask(("watch", watched))
        watched.tell(error)
        eventually(lambda: seen_by(watcher) == [Terminated(watched, error)])


def test_watching_one_that_is_dead_already_is_heard_at_once_and_once(kind):
    with ActorSystem() as system:
        watcher, watched = system.spawn(kind), system.spawn(kind)
        watched.stop()
        watcher.tell(lambda: [behind(watcher).watch(watched) for _ in range(3)])
        eventually(lambda: seen_by(watcher) == [Terminated(watched, None)])
        assert seen_by(watcher) == [Terminated(watched, None)]


def test_watching_twice_is_watching_once():
    with ActorSystem(dispatcher="calling_thread") as system:
        watcher, watched = system.spawn(Watcher), system.spawn(Watcher)
        for _ in range(3):
            watcher.tell(("watch", watched))
        watched.stop()
        assert seen_by(watcher) == [Terminated(watched, None)]


def test_who_watches_the_dead_anew_after_it_has_heard_of_the_end_hears_of_it_anew():
    with ActorSystem(dispatcher="calling_thread") as system:
        watcher, watched = system.spawn(Watcher), system.spawn(Watcher)
        watcher.tell(("watch", watched))
        watched.stop()
        assert seen_by(watcher) == [Terminated(watched, None)]
        watcher.tell(("watch", watched))
        assert seen_by(watcher) == [Terminated(watched, None)] * 2


def test_many_watchers_hear_each_of_its_own():
    with ActorSystem(dispatcher="calling_thread") as system:
        watchers, watched = [system.spawn(Watcher) for _ in range(5)], system.spawn(Watcher)
        for watcher in watchers:
            watcher.tell(("watch", watched))
        watchers[0].stop()
        watched.stop()
        assert [seen_by(watcher) for watcher in watchers[1:]] == [[Terminated(watched, None)]] * 4


def test_nothing_is_heard_after_unwatch():
    with ActorSystem(dispatcher="calling_thread") as system:
        watcher, watched = system.spawn(Watcher), system.spawn(Watcher)
        watcher.tell(("watch", watched))
        watcher.tell(("unwatch", watched))
        watched.stop()
        assert seen_by(watcher) == []


def test_nothing_is_heard_after_unwatch_also_if_the_notice_was_on_its_way():
    with ActorSystem(dispatcher="calling_thread") as system:
        watcher, watched = system.spawn(Watcher), system.spawn(Watcher)
        watched.stop()

        def watch_the_dead_and_think_better_of_it():
            behind(watcher).watch(watched)
            behind(watcher).unwatch(watched)

        watcher.tell(watch_the_dead_and_think_better_of_it)
        assert seen_by(watcher) == []
        watcher.tell(("watch", watched))
        assert seen_by(watcher) == [Terminated(watched, None)]


class Replacing(Noting):
    """It starts another one for each that has ended."""

    def on_start(self):
        super().on_start()
        self.start_one()

    def start_one(self):
        self.watch(self.system.spawn(Watcher))

    def on_receive(self, message):
        if isinstance(message, Terminated):
            self.start_one()
        return super().on_receive(message)


def test_who_replaces_the_actors_it_watches_stops_in_peace_with_its_system(kind):
    notes = []
    replacing = type("Replacing", (Replacing,), {"dispatcher": kind.dispatcher})
    with ActorSystem() as system:
        ref = system.spawn(replacing, "a", notes)
        ref.ask(lambda actor: [actor.start_one() for _ in range(2)])
    assert shown(notes) == ["start a", "stop a"]
    assert system.dead_letters.total == 0


def test_a_child_that_replaces_the_actors_it_watches_stops_in_peace_with_its_system(kind):
    notes = []
    replacing = type("Replacing", (Replacing,), {"dispatcher": kind.dispatcher})
    with ActorSystem() as system:
        top = system.supervise(tree(OneForOne(max_restarts=0), "a", notes, kind=replacing))
        ref = top.child("a")
        ref.ask(lambda actor: [actor.start_one() for _ in range(2)])
    assert shown(notes) == ["start a", "stop a"]
    assert system.dead_letters.total == 0


def test_a_watcher_in_another_system_hears_of_the_ends_while_that_system_stops(kind):
    with ActorSystem() as system:
        watcher = system.spawn(kind)
        with ActorSystem() as other:
            watched = [other.spawn(kind) for _ in range(3)]
            for ref in watched:
                watcher.ask(("watch", ref))
        assert seen_by(watcher) == [Terminated(ref, None) for ref in reversed(watched)]


def test_who_hears_of_an_end_finds_that_actor_gone_from_its_system():
    class Looks(Watcher):
        def on_receive(self, message):
            if isinstance(message, Terminated):
                message = [actor.actor_ref for actor in self.system.children()]
            return super().on_receive(message)

    with ActorSystem() as system:
        watcher, watched = system.spawn(Looks), system.spawn(Watcher)
        watcher.ask(("watch", watched))
        watched.stop()
        eventually(lambda: seen_by(watcher) == [[watcher]])


class Failing(Watcher):
    """It raises on the first end that it hears of."""

    ends: ClassVar[list[Terminated]] = []

    def on_receive(self, message):
        if isinstance(message, Terminated):
            self.ends.append(message)
            if len(self.ends) == 1:
                raise ValueError(message)
        return super().on_receive(message)


def retrying(system, kind, wait=0.0):
    """A supervisor of one ``kind``, called ``watcher``, which gets again what it fails on."""
    strategy = OneForOne(failed_message="retry", backoff=Backoff(wait, wait))
    return system.supervise(Supervisor(strategy, [ChildSpec(kind, name="watcher")]))


def test_the_end_that_a_watcher_fails_on_is_in_the_dead_letters():
    class Fails(Failing):
        ends: ClassVar[list[Terminated]] = []

    with ActorSystem(dispatcher="calling_thread") as system:
        watcher, watched = system.spawn(Fails), system.spawn(Watcher)
        watcher.tell(("watch", watched))
        watched.stop()
        assert [one.what for one in system.dead_letters.recent()] == [Terminated(watched, None)]
        assert not watcher.is_alive()


def test_the_end_that_a_watcher_fails_on_is_handled_again_where_failed_messages_are():
    class Fails(Failing):
        ends: ClassVar[list[Terminated]] = []

    with ActorSystem(dispatcher="calling_thread") as system:
        supervisor = retrying(system, Fails)
        watcher, watched = supervisor.child("watcher"), system.spawn(Watcher)
        watcher.tell(("watch", watched))
        watched.stop()
        eventually(lambda: Fails.ends == [Terminated(watched, None)] * 2)
        assert system.dead_letters.total == 0


def test_the_end_that_is_handled_again_comes_once_to_a_watcher_that_watches_anew():
    class Fails(Failing):
        ends: ClassVar[list[Terminated]] = []

        def on_start(self):
            self.watch(watched)

    with ActorSystem(dispatcher="calling_thread") as system:
        watched = system.spawn(Watcher)
        supervisor = retrying(system, Fails)
        watcher = supervisor.child("watcher")
        watched.stop()
        eventually(lambda: len(Fails.ends) >= 2)
        watcher.ask(lambda: None)  # behind whatever else was to come
        assert Fails.ends == [Terminated(watched, None)] * 2
        assert system.dead_letters.total == 0


@pytest.mark.parametrize("drain", [True, False])
def test_the_end_that_a_watcher_failed_on_is_handled_at_an_orderly_stop_else_a_dead_letter(drain):
    class Fails(Failing):
        ends: ClassVar[list[Terminated]] = []

    with ActorSystem(dispatcher="calling_thread") as system:
        supervisor = retrying(system, Fails, 1000.0)
        watched = system.spawn(Watcher)
        supervisor.child("watcher").tell(("watch", watched))
        watched.stop()
        if drain:
            supervisor.stop_child("watcher")
        else:
            system.shutdown(drain=False)
    end = Terminated(watched, None)
    assert Fails.ends == [end] * (2 if drain else 1)
    assert [one.what for one in system.dead_letters.recent()] == ([] if drain else [end])


def test_the_end_of_a_watcher_is_no_trouble():
    with ActorSystem(dispatcher="calling_thread") as system:
        watcher, watched = system.spawn(Watcher), system.spawn(Watcher)
        watcher.tell(("watch", watched))
        watcher.stop()
        watched.stop()
        assert system.dead_letters.total == 0


@pytest.mark.parametrize("end", [lambda ref: ref.stop(), lambda ref: ref.tell(ValueError("x"))])
def test_a_watcher_that_has_ended_is_kept_by_nobody(end):
    with ActorSystem(dispatcher="calling_thread") as system:
        watched = [system.spawn(Watcher) for _ in range(3)]
        watcher = system.spawn(Watcher)
        for ref in watched:
            watcher.tell(("watch", ref))
        watcher.tell(("unwatch", watched[0]))
        assert [len(behind(ref)._watchers_) for ref in watched] == [0, 1, 1]
        end(watcher)
        assert [behind(ref)._watchers_ for ref in watched] == [{}] * 3


def test_a_watcher_that_was_restarted_is_kept_by_nobody_until_it_watches_again():
    with ActorSystem(dispatcher="calling_thread") as system:
        supervisor = system.supervise(Supervisor(OneForOne(), [ChildSpec(Watcher, name="child")]))
        watcher, watched = supervisor.child("child"), system.spawn(Watcher)
        watcher.tell(("watch", watched))
        first = behind(watcher)
        watcher.tell(ValueError("x"))
        assert behind(watched)._watchers_ == {}
        eventually(lambda: behind(watcher) is not first)
        watcher.ask(("watch", watched))
        watched.stop()
        eventually(lambda: seen_by(watcher) == [Terminated(watched, None)])


def test_a_stage_of_a_run_can_be_watched():
    with ActorSystem() as system:
        watcher = system.spawn(Watcher)
        run = system.start(Source.never().to(Sink.ignore()))
        stage = next(a for a in system.children() if a.actor_ref != watcher).actor_ref
        watcher.ask(("watch", stage))
        run.cancel()
        eventually(lambda: [one.ref for one in seen_by(watcher)] == [stage])


def test_only_refs_of_pooled_actors_can_be_watched_and_nobody_watches_itself():
    class Foreign(pykka.ThreadingActor):
        pass

    foreign = Foreign.start()
    with ActorSystem() as system:
        watcher = system.spawn(Watcher)
        with pytest.raises(InvalidArgumentError, match="needs the ref of a PooledActor, got"):
            watcher.ask(("watch", foreign))
        with pytest.raises(InvalidArgumentError, match="needs the ref of a PooledActor, got 7"):
            watcher.ask(("watch", 7))
        with pytest.raises(InvalidArgumentError, match="an actor cannot watch itself"):
            watcher.ask(("watch", watcher))
    foreign.stop()


def test_an_actor_that_nobody_watches_has_no_field_for_it():
    with ActorSystem(dispatcher="calling_thread") as system:
        ref = system.spawn(PooledActor)
        assert not {"_watchers_", "_watching_", "_supervisor_link_"} & set(vars(behind(ref)))


def test_watch_and_stop_that_race_lead_to_exactly_one_notice():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        assert race_watch_and_stop(5_000) == 5_000
    finally:
        sys.setswitchinterval(before)
