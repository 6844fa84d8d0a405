# mypy: disable-error-code="var-annotated, func-returns-value"
"""The phases of a shutdown, its deadline, and who gets the last dead letters."""

import asyncio
import logging
import re
import signal
import threading

import pytest

from actors_rs import ActorSystem, ChildSpec, OneForOne, PooledActor, Sink, Source, Supervisor
from actors_rs.errors import RunCancelled
from actors_rs.runtime._primitives import monotonic
from actors_rs.runtime.dispatch.event_loop import EventLoopThread
from actors_rs.runtime.system import shutdown
from tests.runtime.support import DEADLINE, Recorder, eventually, no_thread_left, raises_at_the_end


def test_the_phases_are_logged_by_name(caplog):
    caplog.set_level(logging.DEBUG, "actors_rs.runtime")
    with ActorSystem(name="own") as system:
        system.start(Source.never().to(Sink.list()))
    assert [record.message for record in caplog.records if "shutdown" in record.message] == [
        "shutdown of 'own': stop intake (1 runs)",
        "shutdown of 'own': drain (1 runs)",
        "shutdown of 'own': stop actors (0 actors)",
        "shutdown of 'own': end dead letters (0 runs)",
        "shutdown of 'own': join threads (5 sets of threads and processes)",
    ]


def test_a_stage_asleep_in_user_code_is_named_and_the_shutdown_returns_in_time(caplog):
    asleep, wake = threading.Event(), threading.Event()

    def sleeps(n):
        asleep.set()
        wake.wait()

    system = ActorSystem(name="own")
    run = system.start(Source.of(1).map(sleeps).named("parse").to(Sink.list()))
    assert asleep.wait(20)
    began = monotonic()
    system.shutdown(timeout=1)
    assert monotonic() - began < 10
    (line,) = [record.message for record in caplog.records if "is abandoned" in record.message]
    assert "stage 'parse'" in line
    assert "sleeps" in line
    assert run.state == "cancelled"
    assert not system.children()
    assert system.statistics().abandoned == 1
    wake.set()
    eventually(lambda: system.statistics().dead_letters.total)


def test_leaving_the_block_delivers_what_is_in_hand_and_by_an_exception_does_not():
    def slowly(n):
        pause.wait(0.001)
        return n

    pause = threading.Event()
    delivered: list[int] = []
    with ActorSystem(window=64) as system:
        run = system.start(Source.range(0, 10**9).map(slowly).to(Sink.for_each(delivered.append)))
        eventually(lambda: len(delivered) > 3)
    assert run.state == "completed"
    assert delivered == list(range(len(delivered)))
    with raises_at_the_end(ZeroDivisionError), ActorSystem() as system:
        ended = system.start(Source.repeat(1).map(slowly).to(Sink.ignore()))
        raise ZeroDivisionError
    assert ended.state == "cancelled"


@pytest.mark.parametrize("drain", [True, False])
def test_a_sink_on_the_dead_letters_gets_the_letters_of_the_stopping_too(drain):
    letters = []
    with no_thread_left():
        system = ActorSystem(workers=2)
        sink = system.subscriber(Sink.for_each(lambda letter: letters.append(letter.what)))
        system.dead_letters.subscribe(sink)
        actors = [system.spawn(Recorder) for _ in range(20)]

        def fill(actor):
            actor.stop(block=False)
            actor.tell("unread")

        for actor in actors:
            actor.tell(lambda actor=actor: fill(actor))
        system.shutdown(drain=drain, timeout=20)
    assert len(letters) == 20  # at once: before an actor has filled its own mailbox, perhaps
    assert not drain or letters == ["unread"] * 20
    assert sink.run.state == "completed"


def test_a_sink_that_is_slow_on_the_dead_letters_is_ended_at_last(caplog):
    wake = threading.Event()
    with no_thread_left(), ActorSystem(shutdown_timeout=4) as system:
        sink = system.subscriber(Sink.for_each(lambda letter: wake.wait(0.01)))
        system.dead_letters.subscribe(sink)
        for number in range(1000):
            system.dead_letters.record(number, where="here", why="because")
    assert sink.run.state == "cancelled"
    assert "still busy" not in caplog.text


@pytest.mark.parametrize("restarts", [False, True])
def test_a_graph_can_be_fed_by_the_dead_letters_and_gets_the_last_ones(restarts):
    with no_thread_left(), ActorSystem(workers=2) as system:
        graph = Source.from_publisher(system.dead_letters).map(lambda letter: letter.what)
        graph = graph.restart() if restarts else graph
        run = system.start(graph.to(Sink.list()))
        eventually(lambda: system.statistics().dead_letters.subscribers == 1)
        ref = system.spawn(Recorder)
        ref.tell(lambda: (ref.stop(block=False), ref.tell("unread")))
    assert run.result(20) == ["unread"]


def test_a_system_that_drains_starts_nothing_and_lets_its_runs_end():
    with ActorSystem(name="own") as system:
        run = system.start(Source.never().to(Sink.list()))
        assert system.statistics().state == "running"
        system.drain()
        assert system.statistics().state == "draining"
        with pytest.raises(RunCancelled, match="'own' starts no further runs: it is draining"):
            system.start(Source.of(1).to(Sink.list()))
        assert run.result(20) == []
    assert system.statistics().state == "shut down"


def test_one_that_is_slow_to_drain_leaves_time_for_what_comes_behind_it(caplog):
    wake = threading.Event()
    with no_thread_left():
        system = ActorSystem(workers=2)
        system.start(Source.from_iterable(lambda: iter(wake.is_set, True)).to(Sink.ignore()))
        slow = system.start(Source.range(0, 10**6).map(lambda n: wake.wait(0.01)).to(Sink.count()))
        slow.drain()
        system.shutdown(timeout=4)
    assert slow.done()
    assert "still busy" not in caplog.text


class Patient:
    """An activity that never ends, though no time passes while it is waited for."""

    def __init__(self):
        self.waited = []

    def wait(self, timeout):
        self.waited.append(timeout)
        return False

    def drain(self):
        pass

    def abort(self, error):
        pass

    def cancel(self, grace=None):
        pass

    disown = drain

    def __str__(self):
        return "the patient one"


def waiting_lines(caplog, count, **how):
    system = ActorSystem(name="own")
    for _ in range(count):
        system.register(Patient())
    system.shutdown(**how)
    return [record.message for record in caplog.records if "to stop:" in record.message]


def test_a_wait_after_sigterm_is_not_said_to_end_with_ctrl_c(caplog, monkeypatch):
    monkeypatch.setattr(shutdown, "signal_that_came", lambda: signal.SIGTERM)
    (line,) = waiting_lines(caplog, 1, drain=False, timeout=30)
    assert line.endswith("; another signal stops the wait")


def test_what_was_cancelled_and_does_not_end_is_named_once_while_it_is_waited_for(caplog):
    (line,) = waiting_lines(caplog, 10, drain=False, timeout=30)
    names = ", ".join(["the patient one"] * 8)
    assert f"s for these to stop: {names}, 2 more; press Ctrl-C to" in line
    assert line.startswith("shutdown of 'own' waits for at most 30 s ")


def test_ctrl_c_is_recommended_on_the_thread_that_hears_it_only(caplog):
    thread = threading.Thread(target=lambda: waiting_lines(caplog, 1, drain=False, timeout=30))
    thread.start()
    thread.join()
    assert "to stop: the patient one" in caplog.text
    assert "Ctrl-C" not in caplog.text


@pytest.mark.parametrize("how", [{"drain": True, "timeout": 30}, {"drain": False, "timeout": 0.5}])
def test_what_is_drained_or_waited_for_briefly_is_not_named_before_the_end(caplog, how):
    assert waiting_lines(caplog, 1, **how) == []


def test_an_actor_that_does_not_stop_in_order_is_named_with_what_it_does(caplog, monkeypatch):
    monkeypatch.setattr(shutdown, "ORDERLY_PATIENCE", 0.05)

    class Hanging(PooledActor):
        async def on_receive(self, message):
            await asyncio.Event().wait()

    class Idle(PooledActor):
        pass

    system = ActorSystem(name="own")
    system.spawn(Idle)
    system.spawn(Hanging).tell("a message")
    system.shutdown(timeout=1)
    (line,) = (record.message for record in caplog.records if "to stop:" in record.message)
    what = r"Hanging \(urn:[^)]*\) \(it awaits \S*on_receive \(\S+\) since [^)]*\), Idle"
    assert re.search(f"to stop: {what}", line)


class HangsInItsConstructor(PooledActor):
    def __init__(self, begun, may):
        super().__init__()
        begun.set()
        may.wait(DEADLINE)


def test_for_a_child_that_hangs_in_its_constructor_a_shutdown_names_the_supervisor(may, caplog):
    system, begun = ActorSystem(), threading.Event()
    spec = ChildSpec(HangsInItsConstructor, args=(begun, may))
    system.supervise(Supervisor(OneForOne(), [spec], name="tree"))
    assert begun.wait(DEADLINE)
    system.shutdown(timeout=0.05)
    may.set()
    assert "still busy: SupervisorActor 'tree'" in caplog.text
    assert system.statistics().abandoned == 0


@pytest.mark.parametrize("joins_yet", [True, False], ids=["joins", "is about to join"])
def test_a_shutdown_that_joins_threads_is_over_soon_when_it_is_hurried(
    monkeypatch, caplog, joins_yet
):
    caplog.set_level(logging.DEBUG, "actors_rs.runtime")
    gate, begun, close = threading.Event(), threading.Event(), EventLoopThread.close

    class Waits(PooledActor):
        async def on_receive(self, message):
            begun.set()
            await asyncio.to_thread(gate.wait, 3 * DEADLINE)

    def closes_late(loop, timeout):
        if not joins_yet:
            system.stop_soon(0.3)
        return close(loop, timeout)

    system = ActorSystem(name="own")
    monkeypatch.setattr(EventLoopThread, "close", closes_late)
    system.spawn(Waits).tell("message")
    assert begun.wait(DEADLINE)
    shutdown = threading.Thread(
        target=lambda: system.shutdown(drain=False, timeout=6 * DEADLINE), daemon=True
    )
    shutdown.start()
    eventually(lambda: "join threads" in caplog.text)
    if joins_yet:
        system.stop_soon(0.3)
    shutdown.join(DEADLINE)
    assert not shutdown.is_alive()
    assert "still busy: own-asyncio" in caplog.text
    gate.set()
