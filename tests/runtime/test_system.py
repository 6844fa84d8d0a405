# mypy: disable-error-code="func-returns-value, index, var-annotated"
"""The system: leaving it leaves nothing behind."""

import contextvars
import logging
import threading

import pykka
import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem
from actors_rs.errors import BlockingError, InvalidArgumentError
from actors_rs.runtime._primitives import monotonic
from tests.runtime.support import (
    Dawdling,
    Recorder,
    behind,
    eventually,
    in_threads,
    no_thread_left,
    raises_at_the_end,
)


class Pinned(Recorder):
    dispatcher = "pinned"


class FakeRun:
    """An activity that notes what it is told and ends when it is told to."""

    def __init__(self, ends_on):
        self.ends_on = ends_on
        self.told = []
        self.ended = threading.Event()

    def _tell(self, what):
        self.told.append(what)
        if what == self.ends_on:
            self.ended.set()

    def drain(self):
        self._tell("drain")

    def cancel(self, grace=None):
        self._tell("cancel")

    def abort(self, error):
        self.error = error
        self._tell("abort")

    def disown(self):
        self._tell("disown")

    def wait(self, timeout):
        return self.ended.wait(timeout)

    def __str__(self):
        return "the fake run"


def test_after_the_block_no_thread_of_ours_is_alive():
    gate = threading.Event()

    async def answer():
        return 1

    with no_thread_left(), ActorSystem(workers=2) as system:
        for kind in (Recorder, Pinned):
            for _ in range(5):
                system.spawn(kind).ask("x")
        for _ in range(4):
            system.spawn(Recorder).tell(gate.wait)
        eventually(lambda: system.statistics().workers > 2)
        system.timers.after(3600, lambda: None)
        assert system.blocking.put_growing(lambda: None, 10)
        assert system.event_loop.run(answer()).result(20) == 1
        gate.set()


def test_a_system_that_never_did_anything_leaves_nothing_behind_either():
    with no_thread_left(), ActorSystem():
        pass


def test_leaving_the_block_stops_all_actors_and_handles_what_they_were_told_before():
    with ActorSystem(workers=2) as system:
        actors = [behind(system.spawn(Recorder)) for _ in range(50)]
        for actor in actors:
            for number in range(20):
                actor.actor_ref.tell(number)
    assert all(actor.seen == list(range(20)) for actor in actors)
    assert all(actor.hooks == ["start", "stop"] for actor in actors)


def test_leaving_the_block_by_an_error_stops_all_actors_and_lets_the_error_through():
    with no_thread_left(), raises_at_the_end(ZeroDivisionError), ActorSystem() as system:
        ref = system.spawn(Recorder)
        raise ZeroDivisionError
    assert not ref.is_alive()


def test_actors_are_told_to_stop_in_the_reverse_of_their_start():
    order = []

    class Noting(Recorder):
        def on_stop(self):
            order.append(self.seen[0])

    with ActorSystem(dispatcher="calling_thread") as system:
        for number in range(10):
            system.spawn(Noting).tell(number)
    assert order == list(range(9, -1, -1))


def test_an_actor_stuck_in_user_code_is_named_and_left_behind_in_time(caplog):
    class Stuck(Recorder):
        pass

    gate, begun = threading.Event(), threading.Event()
    system = ActorSystem(workers=1, name="own")
    ref = system.spawn(Stuck)
    pinned = system.spawn(type("StuckPinned", (Stuck,), {"dispatcher": "pinned"}))
    for one in (ref, pinned):
        one.tell(lambda: (begun.set(), gate.wait()))
    assert begun.wait(20)
    started = monotonic()
    system.shutdown(timeout=0.2)
    assert monotonic() - started < 30
    (line,) = [record.message for record in caplog.records if "shutdown of 'own'" in record.message]
    assert "Stuck (" in line
    assert "StuckPinned (" in line
    assert "own-1" in line
    gate.set()
    eventually(lambda: not system.children())


def test_asks_to_a_stuck_actor_fail_at_the_end_of_the_shutdown_or_when_it_comes_back():
    gate, begun = threading.Event(), threading.Event()
    system = ActorSystem(workers=2)
    ref = system.spawn(Recorder)
    ref.tell(lambda: (begun.set(), gate.wait()))
    assert begun.wait(20)
    before = ref.ask("before", block=False)
    system.shutdown(timeout=0.05)
    behind_the_stop = ref.ask("after", block=False)
    with pytest.raises(ActorDeadError):
        before.get(timeout=20)
    gate.wait(0.01)  # the turn has used up its time, so the rest comes in another turn
    gate.set()
    with pytest.raises(ActorDeadError):
        behind_the_stop.get(timeout=20)


def test_the_time_for_the_shutdown_can_be_set_for_the_system(caplog):
    gate = threading.Event()
    with ActorSystem(shutdown_timeout=0.05) as system:
        system.spawn(Recorder).tell(gate.wait)
    assert "still busy" in caplog.text
    gate.set()
    eventually(lambda: not system.children())


def test_shutting_down_twice_is_harmless_and_starting_afterwards_is_refused():
    system = ActorSystem(name="own")
    system.shutdown()
    system.shutdown()
    with pytest.raises(InvalidArgumentError, match="'own' was shut down"):
        system.spawn(Recorder)


def test_start_in_a_block_whose_system_has_ended_is_refused_and_starts_no_other_system():
    with ActorSystem() as system:
        system.shutdown()
        with no_thread_left(), pytest.raises(InvalidArgumentError, match="was shut down"):
            Recorder.start()


def test_a_pool_thread_cannot_wait_for_the_shutdown_of_its_own_system():
    with ActorSystem() as system:
        ref = system.spawn(Recorder)
        with pytest.raises(BlockingError, match=r"shutdown\(\) would block a thread that actors"):
            ref.ask(system.shutdown)
        assert ref.ask("alive") == "alive"


def test_a_pool_thread_enters_no_block_whose_end_it_could_not_wait_for():
    def block():
        with ActorSystem() as inner:
            inner.spawn(Recorder)

    with no_thread_left(), ActorSystem() as system:
        ref = system.spawn(Recorder)
        with pytest.raises(BlockingError, match=r"leaving `with ActorSystem\(\)` would block a th"):
            ref.ask(block)


def test_runs_are_drained_when_the_block_ends_well_and_cancelled_when_not():
    calm, hurried = FakeRun("drain"), FakeRun("cancel")
    with ActorSystem() as system:
        system.register(calm)
    with raises_at_the_end(ZeroDivisionError), ActorSystem() as system:
        system.register(hurried)
        raise ZeroDivisionError
    assert calm.told == ["drain"]
    assert hurried.told == ["cancel"]


def test_a_run_that_does_not_drain_in_time_is_cancelled_and_one_that_does_not_end_is_named(caplog):
    slow, stuck = FakeRun("cancel"), FakeRun("never")
    system = ActorSystem()
    system.register(slow)
    system.register(stuck)
    system.shutdown(timeout=0.05)
    assert slow.told == ["drain", "cancel"]
    assert stuck.told == ["drain", "cancel"]
    assert caplog.text.count("the fake run") == 1


def test_a_run_that_ends_while_the_threads_are_joined_is_not_named(caplog, monkeypatch):
    late = FakeRun("never")
    system = ActorSystem()
    system.register(late)
    monkeypatch.setattr(system.event_loop, "close", lambda seconds: (late.ended.set(), ())[1])
    system.shutdown(timeout=0.05)
    assert late.told == ["drain", "cancel"]
    assert "the fake run" not in caplog.text


def test_the_thread_of_a_pinned_actor_is_waited_for_though_others_came_after_it(monkeypatch):
    monkeypatch.setattr("actors_rs.runtime.dispatch.workers.Thread", Dawdling)
    with no_thread_left(), ActorSystem(workers=1) as system:
        system.spawn(Pinned).stop()
        eventually(lambda: system.statistics().pinned == 0)
        system.spawn(Pinned).stop()


def test_a_run_that_has_ended_is_not_told_anything():
    run = FakeRun("drain")
    with ActorSystem() as system:
        system.register(run)
        system.unregister(run)
    assert run.told == []


def test_an_exit_in_an_actor_ends_the_runs_of_its_system_with_it():
    run = FakeRun("abort")
    with raises_at_the_end(SystemExit), ActorSystem() as system:
        system.register(run)
        system.spawn(Recorder).tell(SystemExit(1))
        assert run.wait(20)


def test_systems_in_several_threads_do_not_see_each_other():
    def own(_):
        with ActorSystem(workers=1) as system:
            refs = [Recorder.start() for _ in range(5)]
            assert set(refs) == {actor.actor_ref for actor in system.children()}

    in_threads(4, own)


def test_the_context_of_the_starter_is_the_one_of_a_pinned_and_of_an_inline_actor():
    who = contextvars.ContextVar("who", default="nobody")
    who.set("me")
    with ActorSystem() as system:
        inline = type("Inline", (Recorder,), {"dispatcher": "calling_thread"})
        assert [system.spawn(kind).ask(who.get) for kind in (Recorder, Pinned, inline)] == [
            "me"
        ] * 3


@pytest.mark.parametrize("window", [0, -1])
def test_a_window_of_nothing_is_refused_in_a_sentence(window):
    with pytest.raises(InvalidArgumentError, match=f"window must be at least 1, got {window}"):
        ActorSystem(window=window)


NO_COUNT = ["3", 1.5, True, float("nan")]
NO_SECONDS = ["3", True, float("nan")]
REFUSED = [
    *[
        (what, wrong)
        for what in ("workers", "max_workers", "window")
        for wrong in [None, *NO_COUNT]
    ],
    *[("throughput", wrong) for wrong in NO_COUNT],
    *[("stall_after", wrong) for wrong in NO_SECONDS],
    *[("shutdown_timeout", wrong) for wrong in [None, *NO_SECONDS]],
    *[(what, wrong) for what in ("metrics", "monitor") for wrong in ("no", 1, None)],
    *[("name", wrong) for wrong in (5, None)],
]
REFUSED.remove(("workers", None))  # as many as there are cores


@pytest.mark.parametrize(("what", "wrong"), REFUSED)
def test_a_setting_of_another_kind_is_refused_by_its_name(what, wrong):
    with pytest.raises(InvalidArgumentError, match=f"^{what} must be .*, got {wrong!r}$"):
        ActorSystem(**{what: wrong})


@pytest.mark.parametrize(
    ("what", "wrong"),
    [*[("timeout", wrong) for wrong in NO_SECONDS], ("drain", "no"), ("drain", None)],
)
def test_a_shutdown_that_is_asked_for_wrongly_is_refused_and_has_not_begun(what, wrong):
    with ActorSystem() as system:
        with pytest.raises(InvalidArgumentError, match=f"^{what} must be .*, got {wrong!r}$"):
            system.shutdown(**{what: wrong})
        assert system.spawn(Recorder).ask(1)


class Threaded(pykka.ThreadingActor):
    """An actor of pykka's own kind."""


@pytest.mark.parametrize(
    ("start", "says"),
    [
        (lambda s: s.spawn(int), "^spawn needs a PooledActor class, got <class 'int'>$"),
        (lambda s: s.spawn(None), "^spawn needs a PooledActor class, got None$"),
        (lambda s: s.spawn(Threaded), "Threaded'>, which is pykka's own kind: derive it from P"),
        (
            lambda s: s.spawn(Recorder()),
            r"^spawn needs a PooledActor class, .*: adopt\(actor\) starts an",
        ),
        (
            lambda s: s.adopt(Recorder),
            r"^adopt needs a PooledActor, got .*: spawn\(ActorClass\) makes one of a",
        ),
        (lambda s: s.adopt(7), "^adopt needs a PooledActor, got 7$"),
    ],
)
def test_what_is_no_actor_of_a_system_is_refused_in_a_sentence(start, says):
    with ActorSystem() as system:
        with pytest.raises(TypeError, match=says):
            start(system)
        assert system.children() == ()


def test_an_actor_that_was_started_is_not_adopted_again_here_or_elsewhere():
    with ActorSystem(name="first") as first, ActorSystem() as second:
        actor = Recorder()
        ref = first.adopt(actor)
        for system in (first, second):
            with pytest.raises(
                InvalidArgumentError,
                match=f"^adopt starts an actor once, and Recorder .* was started in '{first.name}'",
            ):
                system.adopt(actor)
        assert ref.ask("goes on") == "goes on"
        assert second.children() == ()
        ref.stop()
        with pytest.raises(InvalidArgumentError, match="adopt starts an actor once"):
            first.adopt(actor)
        assert first.children() == ()


def test_a_quiet_system_logs_nothing(caplog):
    caplog.set_level(logging.INFO)
    with ActorSystem() as system:
        system.spawn(Recorder).ask(1)
    assert not [record for record in caplog.records if record.name.startswith("actors_rs")]
