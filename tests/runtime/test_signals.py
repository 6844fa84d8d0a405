# mypy: disable-error-code="misc, operator, union-attr"
"""SIGTERM and SIGINT to a running program: drained, or gone at once; the exit code tells which."""

import os
import signal
import threading

import pytest

from actors_rs import ActorSystem
from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime._primitives import monotonic
from actors_rs.runtime.system.signals import SignalWatch
from actors_rs.testing.faults import threads_refused
from actors_rs.testing.leaks import no_leaks
from tests.runtime.processes import Program, run
from tests.runtime.support import eventually, in_threads, no_thread_left

ENDLESS = """
with ActorSystem() as system:
    system.handle_signals(grace={grace})
    def numbers():
        n = 0
        while True:
            produced.append(n)
            yield n
            n += 1
            if n == 50:
                say("running")
            time.sleep(0.001)
    produced = []
    result = system.start(Source.from_iterable(numbers).map(lambda n: n).to(Sink.list())).result()
    say("complete", result == produced)
say("never")
"""

STUCK = """
with ActorSystem() as system:
    system.handle_signals(grace={grace})
    def sleeps(n):
        say("asleep")
        time.sleep(60)
    {wait}
say("never")
"""
RESULT = "system.start(Source.of(1).map(sleeps).to(Sink.list())).result()"
ELSEWHERE = "system.start(Source.of(1).map(sleeps).to(Sink.list())); time.sleep(60)"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_drains_the_program_whose_output_is_complete(number, code):
    program = Program(ENDLESS.format(grace=30))
    assert program.next_line() == "running"
    program.send(number)
    got, lines, errors = program.wait()
    assert (got, lines) == (code, ["complete True"]), errors


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("wait", [RESULT, ELSEWHERE], ids=["waiting_for_it", "elsewhere"])
def test_a_second_signal_stops_now_though_a_stage_sleeps(number, code, wait):
    program = Program(STUCK.format(grace=60, wait=wait))
    assert program.next_line() == "asleep"
    program.send(number)
    while "a second signal" not in (line := program.error_line()):
        assert line, "no word of draining"
    program.send(number)
    began = monotonic()
    got, lines, errors = program.wait()
    assert monotonic() - began < 30  # a second; what sleeps would take 60
    assert (got, lines) == (code, [])
    assert "stage 'map'" in errors


def test_when_the_grace_is_over_the_program_stops_as_by_a_second_signal():
    program = Program(STUCK.format(grace=0.1, wait=ELSEWHERE))
    assert program.next_line() == "asleep"
    program.send(signal.SIGTERM)
    got, _, errors = program.wait(30)
    assert got == 143
    assert errors.count("stage 'map'") == 1


@pytest.mark.parametrize(
    ("begin", "plan"),
    [
        ("", "'actors' has no run to drain, and its actors go on until the program leaves"),
        ("system.start(Source.tick(1.0).to(Sink.list()))", "elements in flight of 1 run;"),
    ],
    ids=["actors", "run"],
)
def test_the_line_about_a_signal_says_what_becomes_of_runs_or_that_there_are_none(begin, plan):
    _, errors = run(
        f"""
        with ActorSystem() as system:
            system.spawn(PooledActor)
            signals = system.handle_signals()
            {begin}
            os.kill(os.getpid(), signal.SIGTERM)
            while not system._draining:
                time.sleep(0.01)
        """,
        code=143,
    )
    assert plan in errors


def test_nothing_is_started_any_more_once_a_signal_has_come():
    lines, _ = run(
        """
        from actors_rs.errors import RunCancelled
        with ActorSystem() as system:
            system.handle_signals()
            os.kill(os.getpid(), signal.SIGTERM)
            while True:
                try:
                    system.start(Source.of(1).to(Sink.list())).result()
                except RunCancelled as error:
                    say(error)
                    raise
        """,
        code=143,
    )
    assert lines == ["'actors' starts no further runs: SIGTERM came"]


def test_an_error_of_the_program_itself_is_not_hidden_by_the_exit_code_of_a_signal():
    _, errors = run(
        """
        with ActorSystem() as system:
            signals = system.handle_signals()
            os.kill(os.getpid(), signal.SIGTERM)
            raise ZeroDivisionError("its own")
        """,
        code=1,
    )
    assert "ZeroDivisionError: its own" in errors


def test_the_handlers_from_before_are_back_when_the_system_has_shut_down():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    for end in (lambda system: None, ActorSystem.shutdown):
        with ActorSystem() as system:
            signals = system.handle_signals()
            assert signal.getsignal(signal.SIGTERM) not in before
            end(system)
        assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)] == before
        assert (signals.exit_code, signals.received) == (0, 0)


def test_a_shutdown_on_another_thread_lets_the_next_signal_through():
    caught = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: caught.append(number))
    try:
        system = ActorSystem()
        system.handle_signals()
        other = threading.Thread(target=system.shutdown)
        other.start()
        other.join(20)
        signal.raise_signal(signal.SIGTERM)
        assert caught == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_block_whose_system_another_thread_shut_down_leaves_handlers_and_descriptors_as_before():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    wakeup = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(wakeup)
    with no_leaks(), no_thread_left(), ActorSystem() as system:
        system.handle_signals()
        in_threads(1, lambda _: system.shutdown())
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)] == before
    assert signal.set_wakeup_fd(wakeup) == wakeup


def test_what_takes_the_wakeup_descriptor_behind_a_release_keeps_it():
    signals = ActorSystem().handle_signals()
    wakeup = signals._wakeup_before
    signals.release()
    ears, mouth = os.pipe()
    os.set_blocking(mouth, False)
    signal.set_wakeup_fd(mouth)
    signals.release()
    assert signal.set_wakeup_fd(wakeup) == mouth
    os.close(ears)
    os.close(mouth)


def test_a_signal_that_comes_while_the_handlers_are_put_back_goes_to_them(monkeypatch):
    caught, coming, put_back = [], [signal.SIGTERM], signal.signal

    def interrupted(number, handler):
        if coming:
            signal.raise_signal(coming.pop())
        return put_back(number, handler)

    before = signal.signal(signal.SIGTERM, lambda number, frame: caught.append(number))
    try:
        watch = SignalWatch()
        watch.take()
        monkeypatch.setattr(signal, "signal", interrupted)
        watch.release()
        assert caught == [signal.SIGTERM]
    finally:
        monkeypatch.undo()
        signal.signal(signal.SIGTERM, before)


@pytest.fixture
def caught():
    """The numbers of the signals that the handlers from before the test's watches got."""
    numbers, taken = [], (signal.SIGINT, signal.SIGTERM)
    before = {n: signal.signal(n, lambda number, frame: numbers.append(number)) for n in taken}
    yield numbers
    for number, handler in before.items():
        signal.signal(number, handler)


def test_whoever_took_the_signals_last_has_them_until_its_own_release(caught):
    handlers, first, last = signal.getsignal(signal.SIGINT), SignalWatch(), SignalWatch()
    first.take()
    last.take()
    first.release()
    signal.raise_signal(signal.SIGINT)
    assert (first.received, last.received, caught) == (0, 1, [])
    last.release()
    assert signal.getsignal(signal.SIGINT) is handlers
    signal.raise_signal(signal.SIGINT)
    assert (first.received, last.received, caught) == (0, 1, [signal.SIGINT])


def test_a_handler_that_is_called_or_put_back_behind_its_release_passes_the_signal_on(caught):
    watch = SignalWatch()
    watch.take()
    theirs = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, lambda number, frame: theirs(number, frame))
    watch.release()
    signal.raise_signal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, theirs)
    signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGTERM)
    assert caught == [signal.SIGTERM] * 3
    assert watch.received == 0


def test_signals_taken_again_behind_a_release_on_another_thread_go_back_to_who_had_them(caught):
    watch = SignalWatch()
    watch.take()
    in_threads(1, lambda _: watch.release())
    watch.take()
    watch.release()
    signal.raise_signal(signal.SIGTERM)
    assert (caught, watch.received) == ([signal.SIGTERM], 0)


def test_a_signal_that_was_ignored_before_stays_ignored_and_the_log_says_so(caught, caplog):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with caplog.at_level("INFO", "actors_rs.interrupt"), ActorSystem() as system:
        signals = system.handle_signals()
        signal.raise_signal(signal.SIGINT)
        assert signals.received == 0
    (record,) = caplog.records
    assert record.levelname == "INFO"
    assert record.getMessage().startswith("this process ignored SIGINT before")
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_signals_off_the_main_thread_are_refused_in_a_sentence():
    refused: list[str] = []

    def work():
        try:
            system.handle_signals()
        except InvalidArgumentError as error:
            refused.append(str(error))

    with ActorSystem() as system:
        other = threading.Thread(target=work)
        other.start()
        other.join(20)
    assert refused == ["signals can be handled on the main thread alone, and this is another one"]


def test_one_system_at_a_time_handles_signals():
    with ActorSystem() as one, ActorSystem() as two:
        one.handle_signals()
        with pytest.raises(InvalidArgumentError, match="another system handles signals already"):
            two.handle_signals()
    with ActorSystem() as three:
        three.handle_signals()


@pytest.mark.parametrize("grace", [-1, "5", None, True, float("nan")])
def test_a_grace_that_is_no_time_is_refused_in_a_sentence_and_nothing_is_taken(grace):
    before = signal.getsignal(signal.SIGTERM)
    with ActorSystem() as system:
        with pytest.raises(InvalidArgumentError, match=f"^grace must be .*, got {grace!r}$"):
            system.handle_signals(grace=grace)
        assert signal.getsignal(signal.SIGTERM) is before


def test_the_first_ctrl_c_in_a_stuck_program_is_answered_and_the_second_ends_it():
    program = Program("""
        def sleeps(n):
            say("asleep")
            time.sleep(60)
        with ActorSystem(cancel_grace=60) as system:  # or it ends by itself after 2 s
            system.start(Source.of(1).map(sleeps).named("parse").to(Sink.list())).result()
    """)
    assert program.next_line() == "asleep"
    program.send(signal.SIGINT)
    while "waits" not in (line := program.error_line()):
        assert line
    assert "stage 'parse'; press Ctrl-C to stop waiting" in line
    program.send(signal.SIGINT)
    code, _, errors = program.wait(25)  # less than the shutdown's time
    assert code == -signal.SIGINT, errors


def test_in_a_forked_child_signals_do_what_they_did_before():
    lines, _ = run("""
        with ActorSystem() as system:
            system.handle_signals()
            ready, tell = os.pipe()
            child = os.fork()
            if child == 0:
                os.write(tell, b"!")
                time.sleep(60)
                os._exit(0)
            os.read(ready, 1)
            os.kill(child, signal.SIGTERM)
            say(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert lines == [str(-signal.SIGTERM)]


def test_signals_that_get_no_thread_leave_nothing_behind():
    before = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(before)
    with ActorSystem(name="refused") as system:
        with no_leaks(), threads_refused("refused-signals"):
            with pytest.raises(RuntimeError, match="new thread"):
                system.handle_signals()
        assert signal.set_wakeup_fd(before) == before
        system.handle_signals().release()


def test_a_sigterm_that_timeout_sends_twice_at_once_is_one_signal():
    watch = SignalWatch()
    watch.take()
    try:
        for _ in range(2):
            signal.raise_signal(signal.SIGTERM)
        assert watch.received == 1
        signal.raise_signal(signal.SIGINT)
        assert watch.received == 2
    finally:
        watch.release()


def test_the_signal_that_wakes_the_main_thread_is_passed_on_to_nobody(caught, monkeypatch):
    sent = threading.Event()
    with ActorSystem() as system:
        signals = system.handle_signals(grace=0)
        monkeypatch.setattr(signal, "pthread_kill", lambda thread, number: sent.set())
        signal.raise_signal(signal.SIGTERM)
        assert sent.wait(20)  # and does not come yet
        in_threads(1, lambda _: signals.release())
        signal.raise_signal(signal.SIGTERM)
        assert caught == []
        signal.raise_signal(signal.SIGTERM)
        assert caught == [signal.SIGTERM]
        signals.signal = None  # its block ends as if none had come


def test_a_signal_whose_handler_runs_after_the_end_of_its_system_is_passed_on_to_nobody(
    caught, monkeypatch
):
    monkeypatch.setattr("actors_rs.runtime.system.signals.LEAVE_SECONDS", 60)
    signals = (system := ActorSystem()).handle_signals(grace=0)
    os.write(signals._mouth, bytes([signal.SIGTERM]))  # the handler itself runs later
    eventually(lambda: not system.is_open)
    in_threads(1, lambda _: system.shutdown())
    signals._handle(signal.SIGTERM, None)
    assert caught == []
    signals._handle(signal.SIGTERM, None)
    assert caught == [signal.SIGTERM], "one that comes later is passed on"
