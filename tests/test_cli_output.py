"""What ``actors-rs`` prints, where it cannot be written as it is: pipes, encodings, bad values."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from actors_rs.delivery.ledger import Ledger, Plan

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}  # a pipe has a buffer

TARGETS = """
from actors_rs import Sink, Source
from actors_rs.testing.misbehaving.publishers import NeverCompletes
from actors_rs.testing.reference import ReferencePublisher
from actors_rs.testing.tck import Environment, PublisherVerification

class Shy:
    def __repr__(self):
        raise ValueError("not for you")

small = Source.of("one").to(Sink.first())
large = Source.of("a" * 200_000).to(Sink.first())  # more than a pipe holds
printing = Source.of("one").map(print).to(Sink.ignore())
failing = Source.of(0).map(lambda n: 1 // n).to(Sink.list())
printing_first = Source.of("one").map(print).map(len).named("measure").to(Sink.list())
snowman = Source.of("a \\u2603").to(Sink.first())
half = Source.of("a \\ud83d").to(Sink.list())
half_text = Source.of("a \\ud83d").to(Sink.first())
shy = Source.of(Shy()).to(Sink.list())

def feed(elements):
    return ReferencePublisher(range(elements))

class Broken(PublisherVerification):
    def create_environment(self):
        return Environment(0.2, 0.02)

    def create_publisher(self, elements):
        return NeverCompletes(range(elements))
"""


@pytest.fixture
def command(tmp_path):
    """Run the command to its end in a folder that holds the module ``targets`` and a ledger."""
    (tmp_path / "targets.py").write_text(TARGETS)
    Ledger(tmp_path / "night.ledger").open(Plan("id: int64", 4, "Range")).finish("done")

    def command(*arguments, encoding="utf-8", **options):
        return subprocess.run(
            [sys.executable, "-m", "actors_rs", *arguments],
            cwd=tmp_path,
            env={**SETTINGS, "PYTHONIOENCODING": encoding},
            check=False,
            encoding="utf-8",
            timeout=60,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options,
        )

    return command


@pytest.fixture
def nobody():
    """The writing end of a pipe that nobody reads from any more."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("run", "targets:large"), 0),
        (("run", "targets:printing"), 0),
        (("tck", "targets:feed"), 0),
        (("tck", "targets:Broken"), 1),
        (("status", "night.ledger"), 0),
        (("status", "night.ledger", "--json"), 0),
    ],
)
def test_a_reader_that_has_gone_changes_no_exit_code_and_is_no_error(
    command, nobody, arguments, code
):
    ended = command(*arguments, stdout=nobody)
    assert (ended.returncode, ended.stderr) == (code, "")


def test_a_failed_run_whose_prints_nobody_reads_is_told_of_as_every_other(command, nobody):
    ended = command("run", "targets:printing_first", stdout=nobody)
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert ended.stderr.startswith("actors-rs: stage 'measure' failed at element 0: TypeError")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("run", "targets:failing"), 1), (("run", "targets:none", "--verbose"), 2)],
)
def test_a_complaint_that_nobody_reads_keeps_its_exit_code(command, nobody, arguments, code):
    ended = command(*arguments, stderr=nobody)
    assert (ended.returncode, ended.stdout) == (code, "")


@pytest.mark.parametrize(
    ("name", "encoding", "printed"),
    [
        ("snowman", "utf-8", "a \u2603\n"),
        ("snowman", "ascii", "a \\u2603\n"),
        ("half", "utf-8", "['a \\ud83d']\n"),
        ("half_text", "utf-8", "a \\ud83d\n"),
    ],
)
def test_what_the_encoding_lacks_is_escaped_and_the_run_is_done(command, name, encoding, printed):
    ended = command("run", f"targets:{name}", encoding=encoding)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, printed, "")


def test_a_result_that_cannot_be_shown_says_why_and_the_run_is_done(command):
    ended = command("run", "targets:shy")
    said = "<list that cannot be shown, got ValueError: not for you>\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, said, "")


@pytest.mark.parametrize("arguments", [("run", "targets:small"), ("status", "night.ledger")])
def test_a_result_that_cannot_be_written_is_one_sentence_with_code_1(command, arguments, tmp_path):
    with (tmp_path / "targets.py").open() as only_for_reading:
        ended = command(*arguments, stdout=only_for_reading)
    said = "actors-rs: the result could not be written: [Errno 9] Bad file descriptor\n"
    assert (ended.returncode, ended.stderr) == (1, said)


def test_with_log_json_every_line_of_the_log_is_json(command):
    ended = command("run", "targets:failing", "--log-json")
    *lines, said = ended.stderr.splitlines()
    assert said.startswith("actors-rs: stage 'map' failed")
    events = [json.loads(line) for line in lines]
    assert [one["event"] for one in events] == ["run_started", "stage_failed", "run_ended"]
    assert {one["run"] for one in events} == {"failing"}
    assert [one["stage"] for one in events] == [None, "map", None]
    assert [one["partition"] for one in events] == [None, None, None]
