# mypy: disable-error-code="var-annotated"
"""Every time that can be given to wait for may be as long as one likes, up to infinity."""

import signal
import threading

import pytest

from actors_rs import ActorSystem, Run, Sink, Source
from actors_rs.errors import RunCancelled, Stalled
from actors_rs.runtime._primitives import Event, Thread, drive_until
from actors_rs.runtime.actors.future import PooledFuture
from actors_rs.runtime.condition import Condition
from actors_rs.testing.world import World
from tests.runtime.processes import Program
from tests.runtime.support import Recorder, eventually, no_thread_left

LONG = [float("inf"), 1e10, 10**30]
every_length = pytest.mark.parametrize("seconds", LONG)


@every_length
def test_the_block_of_a_system_with_all_the_time_leaves_no_thread(seconds):
    with no_thread_left(), ActorSystem(workers=2, window=16, shutdown_timeout=seconds) as system:
        run = system.start(Source.range(0, 10).map_async(str, 2).to(Sink.count()))
        system.spawn(Recorder).ask(1)
    assert run.result() == 10


@every_length
@pytest.mark.parametrize("drain", [True, False])
def test_a_shutdown_may_take_all_the_time(seconds, drain):
    with no_thread_left():
        system = ActorSystem(workers=2)
        system.start(Source.never().to(Sink.list()))
        system.spawn(Recorder).ask(1)
        system.shutdown(drain=drain, timeout=seconds)


@every_length
def test_a_queue_may_wait_for_room_for_all_the_time(seconds):
    held, told = threading.Event(), []
    with ActorSystem() as system:
        sink = Sink.for_each(lambda _: held.wait()).with_attributes(window=1)
        run = system.start(Source.queue(1).to(sink))

        def fill():
            try:
                while True:
                    run.queue().put(1, seconds)
            except Exception as error:
                told.append(error)

        thread = threading.Thread(target=fill)
        thread.start()
        eventually(lambda: len(run.queue()) or told)
        assert not told
        held.set()
        run.queue().complete()
        thread.join()
    assert "takes nothing more" in str(told[0])


@every_length
@pytest.mark.parametrize("wait", [Run.result, Run.wait, Run.drain])
def test_a_run_may_be_waited_for_all_the_time(seconds, wait):
    with ActorSystem() as system:
        wait(system.start(Source.of(1).to(Sink.list())), seconds)


@every_length
def test_what_a_thread_waits_for_may_take_all_the_time(seconds):
    event, condition, told = Event(), Condition(), []

    def notify(what):
        with condition.lock:
            condition.notify_all()
            told.append(what)

    setter = Thread(target=event.set)
    setter.start()
    assert event.wait(seconds)
    setter.join(seconds)
    notifier = Thread(target=notify, args=(1,))
    notifier.start()
    assert condition.wait_for(lambda: told, seconds) == [1]
    notifier.join(seconds)


@every_length
def test_a_world_that_cannot_move_says_so_and_does_not_wait_to_the_end_of_its_time(seconds):
    with World() as world:
        condition = Condition()
        waits = [
            lambda: drive_until(lambda: False, seconds),
            lambda: Event().wait(seconds),
            lambda: condition.wait_for(lambda: False, seconds),
            lambda: condition.wait(seconds),
        ]
        for wait in waits:
            with pytest.raises(Stalled):
                wait()
        assert world.system.now() < 1e9


def test_a_program_may_take_all_the_time_to_drain_and_stops_with_the_second_signal():
    program = Program("""
        with ActorSystem() as system:
            system.handle_signals(grace=float("inf"))
            def sleeps(n):
                say("asleep")
                time.sleep(60)
            system.start(Source.of(1).map(sleeps).to(Sink.list())).result()
    """)
    assert program.next_line() == "asleep"
    program.send(signal.SIGTERM)
    while "a second signal" not in (line := program.error_line()):
        assert line
    program.send(signal.SIGTERM)
    code, _, errors = program.wait(30)
    assert code == 143, errors


def test_what_is_cancelled_behind_a_wait_with_all_the_time_is_told_to_who_waits():
    with ActorSystem() as system:
        run = system.start(Source.never().to(Sink.list()))
        thread = threading.Thread(target=run.cancel)
        thread.start()
        with pytest.raises(RunCancelled):
            run.result(float("inf"))
        thread.join()


@every_length
def test_an_answer_may_be_waited_for_all_the_time(seconds):
    future, begun = PooledFuture(), threading.Event()
    got = []

    def wait():
        begun.set()
        got.append(future.get(timeout=seconds))

    waiting = threading.Thread(target=wait)
    waiting.start()
    begun.wait()
    future.set(1)
    waiting.join()
    assert got == [1]
