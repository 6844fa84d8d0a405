"""Stop signals, sent for real: first drain, then cancel, then no patience."""

import asyncio
import os
import signal
import threading
from itertools import count

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.engine.run.interrupt import StopSignals
from actors_rs.errors import RunCancelled, StageError


@pytest.fixture(autouse=True)
def handlers():
    """SIGINT as in a shell, also where the tests run in the background and ignore it."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def send(stop, number=signal.SIGINT):
    """Send a signal to this process and wait until it has been counted."""
    expected = stop.received + 1
    os.kill(os.getpid(), number)
    deadline = threading.Event()
    for _ in range(3000):
        if stop.received >= expected:
            return
        deadline.wait(0.01)
    raise AssertionError("the signal was never counted")


def slowly(elements, gate):
    for element in elements:
        gate.wait(0.001)
        yield element


def interrupting(stop, at, number=signal.SIGINT):
    """An endless source that sends the signal before it gives element ``at``."""
    for n in slowly(count(), threading.Event()):
        if n == at:
            send(stop, number)
        yield n


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_first_signal_drains_and_the_result_is_delivered(number, code):
    with StopSignals() as stop, ActorSystem() as system:
        source = Source.from_iterable(interrupting(stop, 5, number))
        run = system.start(source.to(Sink.list()))
        result = stop.result_or_drain(run)
    assert len(result) >= 5
    assert result == list(range(len(result)))
    assert stop.exit_code == code


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (signal.SIGINT, "press Ctrl-C again to cancel it"),
        (signal.SIGTERM, "a second signal cancels it"),
    ],
)
def test_the_line_in_the_log_names_the_signal_that_came(number, advice, caplog):
    with StopSignals() as stop, ActorSystem() as system:
        source = Source.from_iterable(interrupting(stop, 5, number))
        stop.result_or_drain(system.start(source.to(Sink.count())))
    (line,) = [text for text in caplog.messages if text.startswith("stopping: ")]
    assert line.endswith(advice)


def test_the_second_signal_cancels(tmp_path):
    def twice(n):
        if n == 0:
            send(stop)
            send(stop)
        threading.Event().wait(0.01)
        return n

    with StopSignals() as stop, ActorSystem() as system:
        graph = Source.range(0, 1000).map(twice).to(Sink.jsonl(tmp_path / "out.jsonl"))
        run = system.start(graph)
        with pytest.raises(RunCancelled):
            stop.result_or_drain(run, grace=30)
    assert stop.exit_code == 130
    assert list(tmp_path.iterdir()) == []


def test_a_cancelled_run_is_given_up_when_its_function_does_not_return():
    returns = threading.Event()

    def stuck(n):
        send(stop)
        send(stop)
        returns.wait(30)
        return n

    with StopSignals() as stop, ActorSystem() as system:
        run = system.start(Source.of(1).map(stuck).to(Sink.list()))
        with pytest.raises(RunCancelled, match="was cancelled"):
            stop.result_or_drain(run, grace=0.05)
        returns.set()


def test_the_third_signal_raises_at_once():
    with StopSignals() as stop:
        send(stop)
        send(stop)
        with pytest.raises(KeyboardInterrupt):
            send(stop)


def test_without_a_signal_the_result_and_the_failure_pass_through():
    with StopSignals() as stop, ActorSystem() as system:
        assert stop.result_or_drain(system.start(Source.range(0, 5).to(Sink.sum()))) == 10
        with pytest.raises(StageError, match="ZeroDivisionError"):
            stop.result_or_drain(system.start(Source.of(0).map(lambda n: 1 // n).to(Sink.sum())))
    assert (stop.exit_code, stop.received) == (0, 0)


@pytest.mark.parametrize("grace", ["abc", None, float("nan"), 10**400])
def test_a_time_to_give_up_that_is_none_is_refused_before_the_run_is_waited_for(grace):
    with StopSignals() as stop, ActorSystem() as system:
        run = system.start(Source.never().to(Sink.list()))
        with pytest.raises(ValueError, match="grace must be a number of seconds, got"):
            stop.result_or_drain(run, grace=grace)
        run.cancel()


def test_a_signal_before_the_run_was_waited_for_drains_it():
    with StopSignals() as stop, ActorSystem() as system:
        run = system.start(Source.never().to(Sink.list()))
        send(stop)
        assert stop.result_or_drain(run) == []


def test_the_handlers_from_before_come_back():
    with StopSignals():
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_signal_that_is_ignored_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with StopSignals():
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_waiting_for_a_run_can_be_interrupted():
    waiting = threading.Event()

    def interrupt():
        assert waiting.wait(30)
        os.kill(os.getpid(), signal.SIGINT)
        yield from ()

    def wait(run):
        waiting.set()
        run.wait(30)

    with ActorSystem() as system:
        run = system.start(Source.from_iterable(interrupt).merge(Source.never()).to(Sink.list()))
        with pytest.raises(KeyboardInterrupt):
            wait(run)
        run.cancel()


def test_a_task_that_stops_awaiting_a_run_does_not_end_it():
    async def give_up(run):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(run, timeout=0.01)

    gate = threading.Event()
    with ActorSystem() as system:
        source = Source.from_iterable(lambda: [gate.wait(30)])
        run = system.start(source.to(Sink.list()))
        asyncio.run(give_up(run))
        assert (run.done(), run.state) == (False, "running")
        gate.set()
        assert run.result(30) == [True]
