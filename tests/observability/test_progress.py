"""How far a run has come, in one line."""

import io
import re
import threading
from dataclasses import replace

import pytest
from rich.console import Console

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.observability.progress import progress_bar, progress_line
from tests.graph.helpers import SECONDS, wait_until


def line_when_stuck(source, after):
    """The line of a run whose map stands still at element ``after``."""
    gate = threading.Event()

    def wait(n):
        if n == after:
            gate.wait(SECONDS)
        return n

    with ActorSystem(workers=2) as system:
        run = system.start(source.map(wait).with_attributes(window=1).to(Sink.count()))
        try:
            wait_until(lambda: run.snapshot().stages[1].busy > 0.9)
            return progress_line(run.snapshot())
        finally:
            gate.set()
            run.result(SECONDS)


def test_a_range_knows_its_total_and_the_line_names_the_bottleneck():
    line = line_when_stuck(Source.range(0, 100), 40)
    assert line.startswith("run: 4")
    assert "of 100)" in line
    assert line.endswith("bottleneck map")
    assert " left" in line


def test_with_total_says_what_a_source_cannot_know():
    source = Source.from_iterable(lambda: iter(range(10))).with_total(10)
    assert "of 10)" in line_when_stuck(source, 5)


def test_with_total_wins_over_the_total_that_a_source_knows():
    source = Source.of("a", "b").flat_map(lambda _: range(300)).with_total(600)
    with ActorSystem(workers=2) as system:
        run = system.start(source.to(Sink.count()))
        assert run.result(SECONDS) == 600
        assert progress_line(run.snapshot()).startswith("run: 100% (600 of 600)")


def test_with_total_wins_over_the_bytes_of_its_own_file(tmp_path):
    (tmp_path / "orders.txt").write_text("1\n2\n3\n")
    lines = Source.lines(tmp_path / "orders.txt").with_total(3)
    with ActorSystem(workers=2) as system:
        run = system.start(lines.to(Sink.count()))
        assert run.result(SECONDS) == 3
        assert progress_line(run.snapshot()).startswith("run: 100% (3 of 3), ")


def test_the_total_is_in_the_snapshot():
    with ActorSystem(workers=2) as system:
        run = system.start(Source.repeat("x", 3).to(Sink.count()))
        assert run.result(SECONDS) == 3
        assert run.snapshot().stages[0].total == 3
        assert progress_line(run.snapshot()).startswith("run: 100% (3 of 3)")


def test_a_run_that_completes_ends_at_all_of_it_though_a_stage_needed_fewer():
    with ActorSystem(workers=2) as system:
        run = system.start(Source.range(0, 1_000_000).take(5).to(Sink.count()))
        assert run.result(SECONDS) == 5
        assert progress_line(run.snapshot()).startswith("run: 100% (")
        kept = Source.range(0, 10).filter(lambda n: n < 3).map(str).with_total(10)
        run = system.start(kept.to(Sink.count()))
        assert run.result(SECONDS) == 3
        assert progress_line(run.snapshot()).startswith("run: 100% (")
        run = system.start(Source.from_iterable(lambda: iter(())).with_total(10).to(Sink.count()))
        assert run.result(SECONDS) == 0
        assert progress_line(run.snapshot()).startswith("run: 0 of 0, ")


def test_a_run_that_was_drained_ends_where_it_was():
    with ActorSystem(workers=2) as system:
        source = Source.queue(5).with_total(10)
        run = system.start(source.to(Sink.count()))
        run.queue().put(1, SECONDS)
        assert run.drain(SECONDS)
        line = progress_line(run.snapshot())
    assert line.startswith("run: 10% (1 of 10), ")
    assert ", completed (drained) after 0:00:" in line


def test_the_rate_of_a_run_that_has_ended_is_its_average():
    with ActorSystem(workers=2) as system:
        run = system.start(Source.range(0, 6).to(Sink.count()))
        run.result(SECONDS)
        ended = replace(run.snapshot(), seconds=2.0)
    assert ", 3/s, completed after" in progress_line(ended, replace(ended, seconds=1.0))


def test_the_rate_is_that_of_the_elements_that_the_total_counts():
    with ActorSystem(workers=2) as system:
        rows = Source.range(0, 60).map(abs).with_total(60)
        run = system.start(rows.batch(30).to(Sink.count()))
        run.result(SECONDS)
        ended = replace(run.snapshot(), seconds=2.0)
    assert ", 30/s, completed after" in progress_line(ended)


def test_without_a_total_the_line_counts_what_the_sink_took_whatever_inner_streams_ran():
    def inner(n):
        return Source.of(n) if n % 2 else Source.range(0, 1_000).map(str)

    with ActorSystem(workers=2) as system:
        run = system.start(
            Source.from_iterable(lambda: iter((2, 1))).flat_map(inner, 1).to(Sink.count())
        )
        run.result(SECONDS)
        ended = replace(run.snapshot(), seconds=7.0)
    assert progress_line(ended) == "run: 1001 elements, 143/s, completed after 0:00:07"


def test_without_a_total_the_line_of_a_running_run_has_the_time_since_its_start():
    line = line_when_stuck(Source.from_iterable(lambda: iter(range(10))), 4)
    assert re.fullmatch(r"run: 4 elements, [\d.]+k?/s, 0:00:\d\d, bottleneck map", line)


def test_without_a_terminal_plain_lines_are_written():
    out = io.StringIO()
    with ActorSystem(workers=2) as system:
        run = system.start(Source.range(0, 5).to(Sink.sum()))
        with progress_bar(run, console=Console(file=io.StringIO()), stream=out):
            run.result(SECONDS)
    assert out.getvalue().startswith("run: 100% (5 of 5), ")
    assert "completed after 0:00:00" in out.getvalue()


def test_on_a_terminal_there_is_one_bar():
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100)
    with ActorSystem(workers=2) as system:
        run = system.start(Source.range(0, 5).to(Sink.sum()))
        with progress_bar(run, console=console):
            run.result(SECONDS)
    assert "━" in screen.getvalue()
    assert "100% (5 of 5)" in screen.getvalue()


@pytest.mark.parametrize("width", [30, 60, 80])
def test_the_bar_is_one_line_in_a_narrow_terminal_too(width):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=width, color_system=None)
    with ActorSystem(workers=2) as system:
        run = system.start(Source.range(0, 5).to(Sink.sum()))
        run.result(SECONDS)
        with progress_bar(run, console=console):
            pass
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())
    rows = [row for row in re.split(r"[\r\n]+", shown) if row.strip()]
    assert rows
    assert all("━ run: 100%" in row for row in rows), "the words stand beside the bar"


def test_graph_run_shows_its_progress_on_standard_error(capsys):
    assert Source.range(0, 5).to(Sink.sum()).run(progress=True) == 10
    assert "run: 100% (5 of 5)" in capsys.readouterr().err


def test_wrong_arguments_are_refused():
    with pytest.raises(InvalidArgumentError, match="with_total: n"):
        Source.of(1).with_total(-1)
    with pytest.raises(ArgumentTypeError, match="progress_bar needs a Run"), progress_bar(1):  # type: ignore[arg-type]
        pass
