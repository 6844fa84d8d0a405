"""The command ``actors-rs``, in processes of its own wherever signals or terminals matter."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from actors_rs import __version__
from actors_rs.cli import _parser, main

ROOT = Path(__file__).resolve().parents[1]

GRAPHS = """
import sys, threading
from itertools import count
from actors_rs import Graph, Sink, Source
from actors_rs.stages.linear import Operator

def slowly():
    for n in count():
        threading.Event().wait(0.005)
        if n == 20:
            print("twenty", file=sys.stderr, flush=True)
        yield {"n": n}

def slow_map(n):
    threading.Event().wait(0.05)
    if n == 5:
        print("five", file=sys.stderr, flush=True)
    return n

total = Source.range(1, 100).to(Sink.sum())
lines = Source.of({"n": 1}, {"n": 2}).to(Sink.jsonl("lines.jsonl"))
nothing = Source.of(1, 2).to(Sink.ignore())
failing = Source.of(1, 0).map(lambda n: 1 // n).named("divide").to(Sink.list())
endless = Source.from_iterable(slowly).to(Sink.jsonl("out.jsonl"))
long = Source.range(0, 100_000).map(slow_map).to(Sink.jsonl("out.jsonl"))
stuck = Source.of(5).map(slow_map).map(lambda n: threading.Event().wait(600)).to(Sink.list())
leaving = Source.of(1).map(lambda n: sys.exit(0)).to(Sink.jsonl("left.jsonl"))
number = 42

class Passing(Operator):
    def transform(self, elements):
        for n in elements:
            if n > 10:
                what = {"partition": n, "error": ValueError(f"no such day: {n}"), "attempt": 3}
                what["attempts_in_all"] = 3
                self.context.event("partition_given_up", **what)
            yield n

holes = Source.range(1, 20).then("spark", Passing).to(Sink.count())
hole = Source.range(11, 1).then("spark", Passing).to(Sink.count())

def make():
    a, b = Source.range(0, 10).broadcast(2)
    return Graph(a.to(Sink.sum()), b.to(Sink.count()))

def makes_a_number():
    return 42

def wants_an_argument(path):
    return total

def _helper():
    return total

def counts() -> int:
    return 42

def raises():
    raise OSError("no such table")

class Jobs:
    nightly = total
"""

COMMAND = [sys.executable, "-m", "actors_rs", "run"]
SETTINGS = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "120"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, holding the module ``graphs``, which no other test has imported."""
    (tmp_path / "graphs.py").write_text(GRAPHS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def start(folder):
    """Start the command."""
    started = []

    def start(*arguments, **options):
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=folder,
            env=SETTINGS,
            text=True,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def wait_for(stream, word):
    """Read lines until one holds ``word``; it fails when the stream ends before that."""
    for line in stream:
        if word in line:
            return
    raise AssertionError(f"the stream ended without {word!r}")


@pytest.mark.parametrize(
    ("target", "printed"),
    [
        ("graphs:total", "5050\n"),
        ("graphs.py:total", "5050\n"),
        ("./graphs.py:total", "5050\n"),
        ("graphs:Jobs.nightly", "5050\n"),
        ("graphs:make", "45\n10\n"),
        ("graphs:lines", "2 rows in lines.jsonl\n"),
        ("graphs:nothing", ""),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_graph_runs_and_its_results_are_printed(target, printed, capsys):
    assert main(["run", target, "--workers", "1"]) == 0
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("graphs", "expected package.module:graph or path/to/file.py:graph, got 'graphs'"),
        ("graphs:", "expected package.module:graph or path/to/file.py:graph, got 'graphs:'"),
        ("missing:graph", "expected missing to be a module, got ModuleNotFoundError: No module"),
        ("missing.py:graph", "expected a Python file, but there is no file missing.py"),
        ("graphs:totl", "expected a graph named 'totl' in graphs, which has no such name (graphs"),
        ("graphs:number", "a function without arguments that gives one, got 42"),
        ("graphs:makes_a_number", "that gives one, got a function that gave 42"),
        ("graphs:wants_an_argument", "without arguments that gives one, got <function wants_an"),
        ("graphs:raises", "expected graphs:raises() to give a graph, got OSError: no such table"),
        ("broken:graph", "expected broken to be a module, got SyntaxError"),
        ("broken.py:graph", "expected broken.py to be a module, got SyntaxError"),
        ("leaving:graph", "expected leaving to be a module, got SystemExit: 0"),
    ],
)
def test_a_bad_target_is_answered_in_one_sentence_with_code_2(folder, target, said, capsys):
    (folder / "broken.py").write_text("graph = (")
    (folder / "leaving.py").write_text("import sys; sys.exit(0)")
    assert main(["run", target]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("actors-rs: ")
    assert said in printed.err
    assert (printed.err.count("\n"), printed.out) == (1, "")


@pytest.mark.parametrize("command", ["run", "explain", "draw", "tck", "status", "report"])
def test_the_help_of_a_command_has_a_sentence_for_each_argument_and_the_default_of_each_option(
    command,
):
    (commands,) = (one for one in _parser()._actions if one.dest == "command")
    choices: Any = commands.choices
    parser = choices[command]
    assert parser.description.endswith(".")
    for argument in parser._actions:
        if argument.dest != "help":
            assert len(argument.help) > 20, argument.dest
            assert ("default" in argument.help) == bool(argument.option_strings), argument.dest


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("module", ["graphs", "graphs.py"])
@pytest.mark.parametrize("name", ["total", "lines", "make", "raises"])
def test_a_wrong_name_is_answered_with_the_graph_of_a_name_like_it(module, name, capsys):
    assert main(["run", f"{module}:{name}_"]) == 2
    err = capsys.readouterr().err
    assert err.endswith(f"did you mean '{name}'?\n")
    assert len(err.rpartition("(graphs in it: ")[2].split(", ")) == 9


@pytest.mark.usefixtures("folder")
def test_the_help_of_run_says_how_parameters_come_to_a_graph(capsys):
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    assert "DAY=2026-11-27 actors-rs run orders.jobs:nightly" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["wants_an_argument", "slow_map", "_helper", "counts", "number"])
def test_a_wrong_name_is_not_answered_with_what_cannot_be_run(name, capsys):
    assert main(["run", f"graphs:{name}_"]) == 2
    assert f"'{name}'" not in capsys.readouterr().err


@pytest.mark.parametrize("workers", ["0", "-1", "two"])
def test_a_number_of_workers_below_one_is_refused_with_code_2(workers, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["run", "graphs:total", f"--workers={workers}"])
    assert ended.value.code == 2
    assert f"expected a number of threads from 1 up, got '{workers}'" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_a_failed_run_is_one_sentence_with_code_1(capsys):
    assert main(["run", "graphs:failing"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("actors-rs: stage 'divide' failed at element 1: ZeroDivisionError")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("graph", "error"),
    [
        ("failing", "ZeroDivisionError: integer division or modulo by zero"),
        ("leaving", "SystemExit: 0"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_traceback_is_shown_if_asked_for(graph, error, capsys):
    assert main(["run", f"graphs:{graph}", "--verbose"]) == 1
    assert f"{error}\n" in capsys.readouterr().err


def test_a_function_that_exits_fails_the_run_and_does_not_choose_the_exit_code(folder, capsys):
    assert main(["run", "graphs:leaving"]) == 1
    assert capsys.readouterr().err == (
        "actors-rs: expected a result or an error, got SystemExit: 0\n"
    )
    assert not (folder / "left.jsonl").exists()


def test_the_graph_is_not_started_when_the_table_cannot_be_shown(folder, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "rich", None)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["run", "graphs:lines", "--live"]) == 2
    assert "actors-rs[live]" in capsys.readouterr().err
    assert not (folder / "lines.jsonl").exists()


@pytest.mark.parametrize(
    ("argument", "printed"), [("--version", f"actors-rs {__version__}\n"), ("--help", "examples:")]
)
def test_version_and_help_are_printed(argument, printed, capsys):
    with pytest.raises(SystemExit) as ended:
        main([argument])
    assert ended.value.code == 0
    assert printed in capsys.readouterr().out


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_first_signal_completes_the_files_with_what_is_in_hand(start, folder, number, code):
    process = start("graphs:endless")
    wait_for(process.stderr, "twenty")
    process.send_signal(number)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == code
    written = [json.loads(line)["n"] for line in (folder / "out.jsonl").read_text().splitlines()]
    assert len(written) >= 20
    assert written == list(range(len(written)))
    assert printed == f"{len(written)} rows in out.jsonl\n"


def test_a_second_ctrl_c_ends_the_run_at_once_and_leaves_no_half_file(start, folder):
    process = start("graphs:long")  # what is in hand would take a minute
    wait_for(process.stderr, "five")
    process.send_signal(signal.SIGINT)
    wait_for(process.stderr, "stopping")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.endswith("actors-rs: run 'long' was cancelled\n")
    assert list(folder.glob("*.jsonl*")) + list(folder.glob(".*.tmp")) == []


def test_a_function_that_does_not_return_cannot_keep_the_command_from_ending(start):
    process = start("graphs:stuck")
    for word in ("five", "stopping"):
        wait_for(process.stderr, word)
        process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    *_, given_up, last = said.splitlines()
    assert given_up.startswith("stage 'map-2' (")
    assert "graphs.py" in given_up
    assert "is abandoned" in given_up
    assert last == "actors-rs: run 'stuck' was cancelled"


def test_without_a_terminal_the_live_table_is_lines(start):
    process = start("graphs:total", "--live")
    printed, said = process.communicate(timeout=60)
    assert (process.returncode, printed) == (0, "5050\n")
    assert said.startswith("total completed after ")


def test_on_a_terminal_that_cannot_be_painted_the_live_table_is_lines(start, monkeypatch):
    monkeypatch.setitem(SETTINGS, "TERM", "dumb")
    master, slave = pty.openpty()
    process = start("graphs:total", "--live", stdout=slave, stderr=slave)
    os.close(slave)
    screen = read_until(master, None)
    os.close(master)
    assert process.wait(60) == 0
    assert screen.startswith(b"total completed after ")
    assert screen.endswith(b"\r\n5050\r\n")


def test_on_a_terminal_the_table_is_painted_until_ctrl_c_and_the_result_follows(start):
    master, slave = pty.openpty()
    process = start("graphs:endless", "--live", stdout=slave, stderr=slave)
    os.close(slave)
    screen = read_until(master, b"twenty")
    process.send_signal(signal.SIGINT)
    screen += read_until(master, None)
    os.close(master)
    assert process.wait(60) == 130
    for word in (
        b"endless running",
        b"from_iterable",
        b"buffered",
        b"endless completed",
        b"rows in out",
    ):
        assert word in screen
    assert screen.endswith(b"rows in out.jsonl\r\n")


def read_until(terminal, word):
    """What a terminal shows until ``word`` appears, or to its end."""
    shown = b""
    while word is None or word not in shown:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # how Linux tells that nobody writes to it any more
            piece = b""
        if not piece:
            break
        shown += piece
    return shown


def test_explain_and_draw_say_what_a_graph_is_and_run_nothing(folder, capsys):
    assert main(["explain", "graphs:total"]) == 0
    said = capsys.readouterr().out
    assert "island 1: range" in said
    assert "When an element fails" in said
    assert main(["draw", "graphs:total"]) == 0
    assert capsys.readouterr().out.startswith("flowchart")
    assert main(["draw", "graphs:total", "-o", "graph.dot"]) == 0
    assert (folder / "graph.dot").read_text().startswith("digraph")
    assert main(["draw", "graphs:total", "-o", "graph.jpg"]) == 2
    assert "ends in .svg, .dot, .mmd" in capsys.readouterr().err


def test_a_run_that_gave_partitions_up_has_a_code_of_its_own_and_names_the_first_few(
    folder, capsys
):
    assert main(["run", "graphs:holes"]) == 3
    printed, said = capsys.readouterr()
    assert printed == "20\n"
    (line,) = said.splitlines()
    assert line.startswith(
        "actors-rs: 10 partitions were given up, their rows are missing: partition 11 of stage "
        "'spark' (3 attempts): ValueError: no such day: 11; partition 12 of"
    )
    assert line.endswith(
        "partition 15 of stage 'spark' (3 attempts): ValueError: no such day: 15; ... and 5 more"
    )


def test_one_partition_that_was_given_up_is_named_in_the_singular(folder, capsys):
    assert main(["run", "graphs:hole"]) == 3
    assert "1 partition was given up" in capsys.readouterr().err
