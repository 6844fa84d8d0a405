# mypy: disable-error-code="arg-type, union-attr, var-annotated"
"""The pinned and the calling-thread dispatcher, and how an actor chooses."""

import threading
from functools import partial

import pytest

from actors_rs import ActorSystem, PooledActor, Sink, Source
from actors_rs.errors import BlockingError, InvalidArgumentError
from actors_rs.runtime.dispatch.calling_thread import CallingThreadDispatcher
from actors_rs.testing.faults import threads_refused
from tests.runtime.support import Recorder, eventually, no_thread_left


class Pinned(Recorder):
    dispatcher = "pinned"


class Inline(Recorder):
    dispatcher = "calling_thread"


def test_a_pinned_actor_has_the_same_thread_each_time_and_no_one_elses():
    with ActorSystem(workers=1) as system:
        one, two, pooled = system.spawn(Pinned), system.spawn(Pinned), system.spawn(Recorder)
        idents = [{ref.ask(threading.get_ident) for _ in range(50)} for ref in (one, two, pooled)]
    assert [len(ident) for ident in idents] == [1, 1, 1]
    assert len(set.union(*idents)) == 3


def test_the_hooks_of_a_pinned_actor_run_on_its_thread():
    idents = []

    class Hooked(Pinned):
        def on_start(self):
            idents.append(threading.get_ident())

        def on_stop(self):
            idents.append(threading.get_ident())

    with ActorSystem() as system:
        ref = system.spawn(Hooked)
        idents.append(ref.ask(threading.get_ident))
        ref.stop()
    assert len(idents) == 3
    assert len(set(idents)) == 1


def test_a_pinned_actor_may_wait_for_another_actor():
    with ActorSystem(workers=1) as system:
        asked, asking = system.spawn(Recorder), system.spawn(Pinned)
        assert asking.ask(lambda: asked.ask("answer")) == "answer"


def test_the_thread_of_a_stopped_pinned_actor_ends_while_the_system_lives():
    with ActorSystem() as system:
        ref = system.spawn(Pinned)
        thread = ref.ask(threading.current_thread)
        assert thread.is_alive()
        ref.stop()
        eventually(lambda: not thread.is_alive())


def test_pinned_actors_that_come_and_go_pile_nothing_up():
    with no_thread_left(), ActorSystem() as system:
        for _ in range(50):
            ref = system.spawn(Pinned)
            assert ref.ask(1) == 1
            ref.stop()
        eventually(lambda: (system.spawn(Pinned).stop(), len(system._pinned) < 10)[1])


def test_a_calling_thread_actor_is_done_when_tell_returns():
    with ActorSystem() as system:
        ref, seen = system.spawn(Inline), []
        ref.tell(lambda: seen.append(threading.get_ident()))
        assert seen == [threading.get_ident()]
        assert ref.stop(block=False).get(timeout=0) is True


def test_a_calling_thread_system_does_everything_a_tell_sets_off_before_it_returns():
    with no_thread_left(), ActorSystem(dispatcher="calling_thread") as system:
        refs = [system.spawn(kind) for kind in (Recorder, Pinned, Inline)]
        seen = []
        chain = lambda: refs[1].tell(lambda: refs[2].tell(lambda: seen.append(1)))  # noqa: E731
        refs[0].tell(chain)
        assert seen == [1]


@pytest.mark.parametrize("kind", ["calling_thread", "pool"])
def test_a_long_chain_of_calling_thread_actors_does_not_recurse(kind):
    class Link(Inline):
        def __init__(self, behind):
            super().__init__()
            self.behind = behind

        def on_receive(self, message):
            if self.behind is not None:
                self.behind.tell(message)
            else:
                message.append("end")

    with ActorSystem(dispatcher=kind) as system:
        ref = None
        for _ in range(3000):
            ref = system.spawn(Link, ref)
        seen = []
        ref.tell(seen)
        assert seen == ["end"]


def test_a_calling_thread_actor_that_would_wait_for_a_turn_behind_its_own_is_told_so():
    with ActorSystem(dispatcher="calling_thread") as system:
        asked, asking = system.spawn(Recorder), system.spawn(Recorder)
        with pytest.raises(BlockingError):
            asking.ask(lambda: asked.ask("never"))
        assert asked.ask("from outside") == "from outside"


def test_turns_behind_an_interrupt_run_though_nothing_is_scheduled_any_more():
    dispatcher, ran = CallingThreadDispatcher(), []

    def first():
        for n in range(3):
            dispatcher.schedule(partial(ran.append, n))
        raise KeyboardInterrupt

    with no_thread_left():
        with pytest.raises(KeyboardInterrupt):
            dispatcher.schedule(first)
        assert dispatcher.close(20) == ()
        assert ran == [0, 1, 2]
        dispatcher.schedule(lambda: ran.append(threading.get_ident()))
    assert ran[3:] == [threading.get_ident()]


def test_where_no_further_thread_begins_the_turns_behind_an_interrupt_run_all_the_same():
    dispatcher, ran = CallingThreadDispatcher(), []

    def first():
        dispatcher.schedule(lambda: ran.append(1))
        raise KeyboardInterrupt

    with threads_refused("actors-calling-thread"), pytest.raises(KeyboardInterrupt):
        dispatcher.schedule(first)
    assert dispatcher.close(20) == ()
    assert ran == [1]


@pytest.mark.parametrize("turn", range(1, 8))
def test_a_run_that_an_interrupt_left_in_between_ends_when_it_is_cancelled(monkeypatch, turn):
    begun, turns = CallingThreadDispatcher._begun, []

    def begin(*of):
        turns.append(turn)
        if len(turns) == turn:
            raise KeyboardInterrupt  # where the handler of the signal would
        return begun(*of)

    monkeypatch.setattr(CallingThreadDispatcher, "_begun", begin)
    with (
        no_thread_left(),
        ActorSystem(dispatcher="calling_thread") as system,
    ):
        with pytest.raises(KeyboardInterrupt):
            system.start(Source.range(0, 10).map(str).to(Sink.list()))
        for run in system._living_activities():
            run.cancel()
            assert run.wait(20)


def test_an_unknown_dispatcher_is_refused_and_leaves_nothing_behind():
    class Odd(PooledActor):
        dispatcher = "odd"

    with no_thread_left(), ActorSystem(shutdown_timeout=5) as system:
        with pytest.raises(InvalidArgumentError, match="'pinned' or 'calling_thread', got 'odd'"):
            system.spawn(Odd)
        assert system.children() == ()
    with pytest.raises(InvalidArgumentError, match="'pool' or 'calling_thread', got 'odd'"):
        ActorSystem(dispatcher="odd")


def test_a_thread_runs_the_turns_that_it_handed_in_itself():
    dispatcher, ran = CallingThreadDispatcher(), []

    def hand_in(name):
        dispatcher.enqueue(lambda: ran.append((name, threading.current_thread().name)))

    def other():
        hand_in("other")
        dispatcher.enqueued()

    hand_in("main")
    thread = threading.Thread(target=other, name="other")
    thread.start()
    thread.join()
    assert ran == [("other", "other")]
    dispatcher.enqueued()
    assert ran[1:] == [("main", threading.current_thread().name)]
