# mypy: disable-error-code="var-annotated, no-untyped-def, union-attr"
"""Functions that do not return, floods, storms, threads that do not start, and clocks that jump."""

import random
import time

import pytest

from actors_rs import ActorSystem, ChildSpec, Graph, OneForOne, Sink, Source, Supervisor
from actors_rs.errors import RestartLimitError, RunCancelled
from actors_rs.testing.faults import Faults, FaultyActor, JumpingClock, Stuck, threads_refused
from actors_rs.testing.leaks import no_leaks
from tests.faults.policies import AT_ONCE
from tests.graph.helpers import SECONDS, wait_until
from tests.runtime.support import Recorder, raises_at_the_end

COUNT = 12


@pytest.mark.parametrize("seed", range(2))
def test_stuck_stages_are_cancelled_one_by_one_and_let_go_in_another_order(seed):
    """The others go on meanwhile; each ends when its function returns, with one element at most."""
    dice = random.Random(seed)
    with no_leaks(), ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        functions = [Stuck() for _ in range(COUNT)]
        runs = [
            system.start(Source.range(0, 100).map(stuck).to(Sink.list())) for stuck in functions
        ]
        wait_until(lambda: all(stuck.inside for stuck in functions))
        stopped = dice.sample(range(COUNT), COUNT // 2)
        for number in stopped:
            runs[number].cancel()
        assert system.start(Source.range(0, 9).to(Sink.count())).result(SECONDS) == 9
        assert not any(run.done() for run in runs)
        for number in dice.sample(range(COUNT), COUNT):
            functions[number].release()
            assert runs[number].wait(SECONDS)
            cancelled = number in stopped
            assert runs[number].state == ("cancelled" if cancelled else "completed")
            assert functions[number].inside == 0


def test_a_stage_that_never_returns_is_left_behind_by_name(caplog):
    with Stuck() as stuck:
        with ActorSystem(workers=1, shutdown_timeout=0.2) as system:
            system.start(Source.of(1).map(stuck).named("asleep").to(Sink.list()))
            wait_until(lambda: stuck.inside)
        assert "still busy" in caplog.text
        assert "'asleep'" in caplog.text


def test_a_blocked_hook_holds_up_its_own_actor_only():
    with Stuck() as stuck, ActorSystem(workers=1, shutdown_timeout=SECONDS) as system:

        class Slow(Recorder):
            def on_start(self):
                stuck(None)

        slow, quick = system.spawn(Slow), system.spawn(Recorder)
        wait_until(lambda: stuck.inside)
        waiting = slow.ask("slow", block=False)
        assert quick.ask("quick", timeout=SECONDS) == "quick"
        stuck.release()
        assert waiting.get(timeout=SECONDS) == "slow"


def test_a_flooded_mailbox_keeps_order_and_lets_others_through():
    with ActorSystem(workers=1, shutdown_timeout=SECONDS) as system:
        flooded, other = system.spawn(Recorder), system.spawn(Recorder)
        for n in range(50_000):
            flooded.tell(n)
        assert other.ask("through", timeout=SECONDS) == "through"
        assert flooded.ask(lambda: flooded._actor_weakref().seen, timeout=SECONDS) == [
            *range(50_000)
        ]


def test_a_flooded_actor_that_is_stopped_gives_everything_it_did_not_read_to_the_dead_letters():
    with Stuck() as stuck, ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        ref = system.spawn(Recorder)
        actor = ref._actor_weakref()
        ref.tell(lambda: stuck(None))
        for n in range(10_000):
            ref.tell(n)
        answers = [ref.ask(n, block=False) for n in range(100)]
        ref.stop(block=False)
        stuck.release()
        wait_until(lambda: not ref.is_alive())
        answered = sum(1 for answer in answers if answer.get(timeout=SECONDS) is not None)
        assert len(actor.seen) + system.dead_letters.total == 10_000 + answered


def test_a_restart_storm_ends_in_escalation_and_does_not_spin():
    faults = Faults(rate=1.0)
    began = time.monotonic()
    with raises_at_the_end(RestartLimitError), no_leaks():
        with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
            rule = OneForOne(max_restarts=5, within=60, backoff=AT_ONCE)
            system.supervise(Supervisor(rule, [ChildSpec(FaultyActor, (faults,))]))
            wait_until(lambda: not system.is_open)
    assert faults.happened["on_start"] == 6
    assert 6 / (time.monotonic() - began) < 40


def test_a_pool_that_gets_no_further_thread_works_with_those_it_has(caplog):
    with Stuck() as stuck, ActorSystem(workers=2, name="few", shutdown_timeout=SECONDS) as system:
        blocked = system.start(Source.of(1).map(stuck).to(Sink.list()))
        with threads_refused("few-") as refused:
            other = system.start(Source.of(2).map(stuck).to(Sink.list()))
            wait_until(lambda: stuck.inside == 2)
            waiting = system.start(Source.range(0, 9).to(Sink.count()))
            wait_until(lambda: refused)
            stuck.release()
            assert (blocked.result(SECONDS), other.result(SECONDS)) == ([1], [2])
            assert waiting.result(SECONDS) == 9
    assert "goes on with 2: " in caplog.text


def test_a_pool_that_gets_no_thread_for_its_timers_works_and_says_so(caplog):
    with no_leaks(), ActorSystem(workers=2, name="none", shutdown_timeout=SECONDS) as system:
        with threads_refused("none-timers"), Stuck() as stuck:
            slow = [system.start(Source.of(n).map(stuck).to(Sink.list())) for n in range(4)]
            wait_until(lambda: stuck.inside == 2)
        for n, run in enumerate(slow):
            assert run.result(SECONDS) == [n]
    assert caplog.text.count("the next turn tries again: can't start new thread") == 1


def test_blocking_calls_that_get_no_thread_end_their_run_and_no_other():
    with no_leaks(), ActorSystem(workers=2, name="none", shutdown_timeout=SECONDS) as system:
        with threads_refused("none-blocking"):
            run = system.start(Source.range(0, 9).map_async(abs, 4).to(Sink.list()))
            assert run.wait(SECONDS)
            assert run.state == "failed"
            assert "can't start new thread" in repr(run._end.error)
        flow = Source.range(0, 9).map_async(abs, 4)
        assert system.start(flow.to(Sink.count())).result(SECONDS) == 9


def test_a_pinned_stage_that_gets_no_thread_is_an_error_where_it_starts_and_leaves_nothing():
    with no_leaks(), ActorSystem(workers=2, name="none", shutdown_timeout=SECONDS) as system:
        pinned = Source.range(0, 9).map(abs).with_attributes(dispatcher="pinned").to(Sink.list())
        with threads_refused("none-pinned"), pytest.raises(RuntimeError, match="new thread"):
            system.start(pinned)
        wait_until(lambda: not system.statistics().runs and not system.children())
        assert system.start(pinned).result(SECONDS) == list(range(9))


def test_an_inner_stream_that_gets_no_thread_fails_its_run_and_no_other():
    def inner(n):
        return Source.range(0, 9).map(abs).with_attributes(dispatcher="pinned")

    with no_leaks(), ActorSystem(workers=2, name="none", shutdown_timeout=SECONDS) as system:
        with threads_refused("none-pinned"):
            run = system.start(Source.range(0, 3).flat_map(inner, breadth=2).to(Sink.list()))
            assert run.wait(SECONDS)
        assert run.state == "failed"
        assert system.start(Source.range(0, 9).to(Sink.count())).result(SECONDS) == 9


@pytest.mark.parametrize("jump", [3600.0, -3600.0])
def test_a_clock_that_jumps_loses_no_element_and_no_end(jump):
    clock = JumpingClock()
    with no_leaks(), ActorSystem(resources=clock.resources()) as system:
        flow = Source.range(0, 3000).map(lambda n: n).batch(7).flat_map(lambda part: part)
        run = system.start(flow.throttle(1_000_000).to(Sink.list()))
        clock.jump(jump)
        other = system.start(Graph(Source.range(0, 3000).map(lambda n: n).to(Sink.count())))
        clock.jump(-2 * jump)
        assert run.result(SECONDS) == list(range(3000))
        assert other.result(SECONDS) == 3000
        clock.jump(jump)
        endless = system.start(Source.never().to(Sink.list()))
        endless.cancel()
        with pytest.raises(RunCancelled):
            endless.result(SECONDS)
