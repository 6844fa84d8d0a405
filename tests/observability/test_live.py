"""The live table on real runs: painted on a terminal, logged elsewhere, and gone afterwards."""

import io
import logging
import sys
import threading
from typing import Any

import pytest
from rich.console import Console

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import InvalidArgumentError, MissingExtraError, StageError
from actors_rs.observability import live_table, terminal_console


class Screen(io.StringIO):
    """A terminal's file that sets ``watched`` when "running" has been painted ``times`` times."""

    def __init__(self, times=3):
        super().__init__()
        self.watched = threading.Event()
        self._left = times

    def write(self, text):
        self._left -= "running" in text
        if self._left <= 0:
            self.watched.set()
        return super().write(text)


class BreakingOnce(Screen):
    """A terminal that fails at its second picture."""

    def write(self, text):
        if "running" in text and self._left == 2:
            self._left = 1
            raise OSError("the terminal went away")
        return super().write(text)


class Lines(logging.Handler):
    """Keeps the lines, and sets ``watched`` at the third."""

    def __init__(self):
        super().__init__()
        self.lines, self.watched = [], threading.Event()

    def emit(self, record):
        self.lines.append(record.getMessage())
        if len(self.lines) == 3:
            self.watched.set()


@pytest.fixture
def log():
    logger, handler = logging.getLogger("actors_rs.live"), Lines()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


@pytest.fixture
def system():
    with ActorSystem() as system:
        yield system


def console_on(screen, term="xterm"):
    return Console(file=screen, force_terminal=True, width=120, _environ={"TERM": term})


def once(event):
    """A source of one element that comes when ``event`` is set."""

    def elements():
        assert event.wait(30)
        yield "element"

    return Source.from_iterable(elements).map(str).named("upper")


def live_threads():
    return [thread for thread in threading.enumerate() if thread.name == "actors-live"]


def test_the_table_is_painted_anew_while_the_run_goes_on(system):
    screen = Screen(times=3)
    run = system.start(once(screen.watched).to(Sink.list()))
    with live_table(run, console=console_on(screen), refresh_per_second=100):
        assert run.result(30) == ["element"]


def test_the_table_shows_every_stage_and_how_the_run_ended(system):
    screen = Screen()
    run = system.start(Source.range(0, 12_345).map(str).named("text").to(Sink.count()))
    with live_table(run, console=console_on(screen)):
        run.result(30)
    last = screen.getvalue().rpartition("run completed")[2]
    assert all(word in last for word in ("range", "text", "count", "ended", "12.3k", "busy"))


def test_a_run_that_has_ended_before_is_shown(system):
    screen = Screen()
    run = system.start(Source.empty().to(Sink.list()))
    run.result(30)
    with live_table(run, console=console_on(screen)):
        pass
    assert "run completed" in screen.getvalue()


def test_a_failing_run_is_shown_and_its_error_passes_through(system):
    screen = Screen()
    run = system.start(Source.of(0).map(lambda n: 1 // n).named("divide").to(Sink.list()))
    with pytest.raises(StageError, match="divide"):
        with live_table(run, console=console_on(screen)):
            run.result(30)
    assert "run failed" in screen.getvalue()


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("on_terminal", [True, False])
def test_no_thread_and_no_redirected_output_is_left_behind(system, on_terminal, error):
    def leave_by(error):
        with live_table(run, console=console_on(Screen()) if on_terminal else None):
            assert live_threads()
            raise error

    before = sys.stdout
    run = system.start(Source.never().to(Sink.list()))
    with pytest.raises(error):
        leave_by(error)
    assert not live_threads()
    assert sys.stdout is before
    run.cancel()


@pytest.mark.parametrize("on_terminal", [True, False])
def test_a_display_that_breaks_at_the_end_does_not_hide_what_ended_the_block(
    system, log, on_terminal, monkeypatch
):
    def leave():
        with live_table(run, console=console_on(Screen()) if on_terminal else None):
            monkeypatch.setattr(run, "snapshot", lambda: 1 / 0)
            raise KeyError("the user's")

    run = system.start(Source.never().to(Sink.list()))
    with pytest.raises(KeyError):
        leave()
    assert "the display of the run ended early; the run goes on" in log.lines
    run.cancel()


def test_a_display_that_breaks_is_logged_and_does_not_touch_the_run(system, log):
    screen, seen = BreakingOnce(), threading.Event()
    log.emit = lambda record: seen.set()
    run = system.start(once(seen).to(Sink.list()))
    with live_table(run, console=console_on(screen), refresh_per_second=100):
        assert run.result(30) == ["element"]


def test_a_handler_that_raises_ends_the_lines_and_does_not_touch_the_run(system, log, monkeypatch):
    def emit(record):
        log.watched.set()
        raise RuntimeError("the log went away")

    monkeypatch.setattr(log, "emit", emit)
    run = system.start(once(log.watched).to(Sink.list()))
    with live_table(run, log_every=0.01):
        result = run.result(30)
    assert result == ["element"]


def test_without_a_terminal_lines_are_logged_while_the_run_goes_on_and_at_its_end(system, log):
    run = system.start(once(log.watched).to(Sink.list()))
    with live_table(run, log_every=0.01):
        run.result(30)
    assert log.lines[0].startswith("run running after ")
    assert log.lines[-1].startswith("run completed after ")
    assert "upper: 1 in, 1 out" in log.lines[-1]


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(system, log):
    screen = Screen()
    run = system.start(Source.empty().to(Sink.list()))
    with live_table(run, console=console_on(screen, term="dumb")):
        run.result(30)
    assert len(log.lines) == 1
    assert screen.getvalue() == ""


@pytest.fixture
def no_rich(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich", None)
    monkeypatch.setitem(sys.modules, "rich.console", None)


@pytest.mark.usefixtures("no_rich")
def test_lines_need_no_rich(system, log):
    run = system.start(Source.empty().to(Sink.list()))
    with live_table(run):
        run.result(30)
    assert len(log.lines) == 1


@pytest.mark.usefixtures("no_rich")
def test_a_terminal_without_rich_is_told_which_extra_to_install(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    with pytest.raises(MissingExtraError, match=r"rich library.*actors-rs\[live\]"):
        terminal_console()


@pytest.mark.parametrize("option", ["refresh_per_second", "log_every"])
def test_a_rate_that_is_not_above_zero_is_refused(system, option):
    run = system.start(Source.empty().to(Sink.list()))
    rates: dict[str, Any] = {option: 0}
    with pytest.raises(InvalidArgumentError, match=f"{option} must be above 0, got 0"):
        with live_table(run, **rates):
            pass


@pytest.mark.parametrize("option", ["refresh_per_second", "log_every"])
@pytest.mark.parametrize("wrong", ["x", None, True, 10**400])
def test_a_rate_that_is_no_number_is_refused(system, option, wrong):
    run = system.start(Source.empty().to(Sink.list()))
    rates: dict[str, Any] = {option: wrong}
    with pytest.raises(InvalidArgumentError, match=f"{option} must be a (finite )?number, got"):
        with live_table(run, **rates):
            pass


def test_what_is_no_run_has_no_table():
    nothing: Any = "abc"
    with pytest.raises(TypeError, match="live_table needs a Run, got 'abc'"):
        with live_table(nothing):
            pass


def test_the_table_of_a_run_with_a_memory_limit_shows_the_bytes_that_links_hold():
    go_on, screen = threading.Event(), Screen(times=2)
    loads = Source.range(0, 50).map(lambda _: bytes(2**20)).map(lambda x: go_on.wait(30) and len(x))
    with ActorSystem(memory_limit="16 MiB") as system:
        run = system.start(loads.to(Sink.count()))
        with live_table(run, console=console_on(screen), refresh_per_second=100):
            assert screen.watched.wait(30)
            go_on.set()
            assert run.result(30) == 50
    assert "of 16.0MiB" in screen.getvalue()
    assert "bytes" in screen.getvalue()
