# mypy: disable-error-code="var-annotated"
"""A pooled actor is a pykka actor: messages, answers, hooks, stopping."""

import contextvars
import gc
import threading
from dataclasses import dataclass
from functools import partial

import pykka
import pytest
from pykka import ActorDeadError, ActorRegistry

from actors_rs import ActorSystem, PooledActor
from actors_rs.errors import BlockingError, DefectError, InvalidArgumentError
from tests.runtime.support import DEADLINE, Recorder, behind, eventually


@pytest.fixture(params=["pool", "calling_thread", "pinned"])
def start(request):
    """Start an actor of the given class on each of the dispatchers."""

    def spawn(actor_class, *args, **kwargs):
        chosen = type(actor_class.__name__, (actor_class,), {"dispatcher": request.param})
        return system.spawn(chosen, *args, **kwargs)

    with ActorSystem(workers=2) as system:
        yield spawn


def test_start_hands_its_arguments_to_the_constructor(start):
    class Named(PooledActor):
        def __init__(self, first, *, second):
            super().__init__()
            self.both = (first, second)

    assert start(Named, 1, second=2).proxy().both.get(timeout=20) == (1, 2)


def test_messages_are_handled_one_at_a_time_in_the_order_they_were_told(start):
    ref = start(Recorder)
    for number in range(1000):
        ref.tell(number)
    assert ref.ask("last") == "last"
    assert behind(ref).seen == [*range(1000), "last"]


def test_tell_returns_none_and_ask_the_answer(start):
    ref = start(Recorder)
    assert ref.tell("x") is None
    assert ref.ask("y") == "y"
    assert ref.ask("z", block=False).get(timeout=20) == "z"
    assert isinstance(ref.ask("z", block=False), pykka.Future)


def test_none_may_be_asked_and_answered(start):
    assert start(Recorder).ask(None, timeout=20) is None


def test_ask_gives_up_after_its_timeout():
    with ActorSystem() as system:
        gate = threading.Event()
        ref = system.spawn(Recorder)
        with pytest.raises(pykka.Timeout):
            ref.ask(gate.wait, timeout=0.01)
        gate.set()
        assert ref.ask("alive") == "alive"


def test_an_actor_without_on_receive_logs_and_answers_none(start, caplog):
    class Silent(PooledActor):
        pass

    assert start(Silent).ask("what?") is None
    assert "Unexpected message received by Silent" in caplog.text


def test_the_first_hook_runs_before_the_first_message_and_the_last_after_the_last(start):
    order = []

    class Ordered(PooledActor):
        def on_start(self):
            order.append("start")

        def on_receive(self, message):
            order.append(message)

        def on_stop(self):
            order.append("stop")

    ref = start(Ordered)
    ref.tell(1)
    ref.tell(2)
    assert ref.stop() is True
    assert order == ["start", 1, 2, "stop"]


def test_stop_is_true_once_and_false_for_the_dead(start):
    ref = start(Recorder)
    assert ref.is_alive()
    assert ref.stop() is True
    assert not ref.is_alive()
    assert ref.stop() is False
    assert ref.stop(block=False).get(timeout=0) is False


def test_stop_without_blocking_answers_in_a_future(start):
    ref = start(Recorder)
    actor, future = behind(ref), ref.stop(block=False)
    assert future.get(timeout=20) is True
    assert actor.hooks == ["start", "stop"]


def test_stop_gives_up_after_its_timeout_and_the_actor_stops_nevertheless():
    with ActorSystem() as system:
        gate, ref = threading.Event(), system.spawn(Recorder)
        ref.tell(gate.wait)
        with pytest.raises(pykka.Timeout):
            ref.stop(timeout=0.01)
        gate.set()
        assert ref.actor_stopped.wait(20)


def test_an_actor_may_stop_itself(start):
    ref = start(Recorder)
    actor = behind(ref)
    ref.tell(actor.stop)
    assert ref.actor_stopped.wait(20)
    eventually(lambda: actor.hooks == ["start", "stop"])


def test_an_actor_on_the_pool_that_waits_for_its_own_stop_is_told_so():
    with ActorSystem() as system:
        ref = system.spawn(Recorder)
        with pytest.raises(BlockingError):
            ref.ask(lambda: ref.stop(block=True))


def test_the_dead_get_no_messages(start):
    ref = start(Recorder)
    ref.stop()
    with pytest.raises(ActorDeadError, match=r"Recorder .*not found"):
        ref.tell("x")
    with pytest.raises(ActorDeadError, match=r"Recorder .*not found"):
        ref.ask("x")
    with pytest.raises(ActorDeadError):
        ref.ask("x", block=False).get(timeout=0)
    with pytest.raises(ActorDeadError):
        ref.proxy()


def test_an_error_about_an_actor_that_takes_no_messages_says_why(start):
    ended = start(Recorder)
    ended.stop()
    for send in ended.tell, ended.ask, lambda _: ended.proxy(), partial(ended.tell_after, 1.0):
        with pytest.raises(ActorDeadError, match=r"Recorder .*not found: the actor has ended$"):
            send("x")


def test_an_error_about_an_actor_that_is_in_its_last_hook_does_not_say_that_it_has_ended():
    gate = threading.Event()

    class Stops(PooledActor):
        def on_stop(self):
            gate.wait(DEADLINE)

    with ActorSystem() as system:
        ref = system.spawn(Stops)
        ref.stop(block=False)
        eventually(ref.actor_stopped.is_set)
        with pytest.raises(ActorDeadError, match=r"not found: the actor has stopped, or is about"):
            ref.tell("x")
        gate.set()


def test_asks_behind_a_stop_are_answered_with_actor_dead_error():
    with ActorSystem(dispatcher="calling_thread") as system:
        ref, futures = system.spawn(Recorder), []
        actor = behind(ref)

        def stop_and_ask():
            ref.stop(block=False)
            futures.extend(ref.ask(n, block=False) for n in range(5))

        ref.tell(stop_and_ask)
        assert len(futures) == 5
        for future in futures:
            with pytest.raises(ActorDeadError, match="stopped before handling"):
                future.get(timeout=0)
        assert actor.seen == []


def test_an_actor_told_in_its_last_hook_is_dead_already(start):
    seen = []

    class Talking(PooledActor):
        def on_stop(self):
            try:
                self.actor_ref.tell("x")
            except ActorDeadError as error:
                seen.append(error)

    start(Talking).stop()
    assert len(seen) == 1


def test_a_reference_keeps_its_name_when_the_actor_is_gone(start):
    ref = start(Recorder)
    name, printed = ref.actor_urn, str(ref)
    assert name.startswith("urn:uuid:")
    assert behind(ref).actor_urn == name
    ref.stop()
    eventually(lambda: gc.collect() or ref._actor_weakref() is None)
    assert (ref.actor_urn, str(ref)) == (name, printed)
    assert printed == f"Recorder ({name})"


def test_no_two_actors_share_a_name():
    with ActorSystem() as system:
        assert len({system.spawn(Recorder).actor_urn for _ in range(1000)}) == 1000


def test_an_answer_nobody_can_take_does_not_stop_the_actor(caplog):
    with ActorSystem(dispatcher="calling_thread") as system:
        ref = system.spawn(Recorder)

        def take_the_place_of_the_answer():
            ref.ask("x", block=False).set("mine")
            ref.ask("y", block=False).set_get_hook(lambda timeout: "mine")

        ref.tell(take_the_place_of_the_answer)
        assert ref.ask("alive") == "alive"
    assert caplog.text.count("the future of the ask has a result already") == 2


def test_actors_that_are_equal_are_still_two():
    @dataclass
    class Equal(PooledActor):
        value: int = 1

        def __post_init__(self):
            super().__init__()

    with ActorSystem() as system:
        one, two = system.spawn(Equal), system.spawn(Equal)
        assert one.stop() is True
        assert len(system.children()) == 1
    assert not two.is_alive()


def test_an_actor_that_forgets_super_init_is_refused_in_a_sentence():
    class Forgetful(PooledActor):
        def __init__(self):
            pass

    with ActorSystem(shutdown_timeout=5) as system:
        with pytest.raises(InvalidArgumentError, match=r"Forgetful.__init__ must call super"):
            system.spawn(Forgetful)
        assert system.children() == ()


def test_an_actor_that_was_not_started_has_no_system():
    with pytest.raises(DefectError, match="never started"):
        _ = Recorder().system


def test_handlers_see_the_context_of_whoever_started_the_actor(start):
    who = contextvars.ContextVar("who", default="nobody")
    token = who.set("the starter")
    ref = start(Recorder)
    who.reset(token)
    assert ref.ask(who.get) == "the starter"


def test_what_a_handler_sets_in_its_context_stays_there(start):
    who = contextvars.ContextVar("who", default="nobody")
    ref, other = start(Recorder), start(Recorder)
    ref.ask(lambda: who.set("me"))
    assert ref.ask(who.get) == "me"
    assert other.ask(who.get) == "nobody"
    assert who.get() == "nobody"


def test_actors_started_by_an_actor_live_in_its_system(start):
    ref = start(Recorder)
    system = behind(ref).system
    assert ref.ask(Recorder.start).ask(lambda: None) is None
    assert len(system.children()) == 2


def test_the_innermost_system_is_the_one_that_start_uses():
    with ActorSystem() as outer:
        with ActorSystem() as inner:
            Recorder.start()
            assert (len(outer.children()), len(inner.children())) == (0, 1)
        Recorder.start()
        assert len(outer.children()) == 1


def test_an_actor_is_not_in_pykkas_global_list_but_its_system_is():
    before = set(ActorRegistry.get_all())
    with ActorSystem() as system:
        for _ in range(10):
            system.spawn(Recorder)
        new = set(ActorRegistry.get_all()) - before
        assert len(new) == 1
    assert not new & set(ActorRegistry.get_all())
