"""``actors-rs run`` after a lost session of Spark: how a run with a ledger goes on."""

import sys

import pytest

from actors_rs.cli import main

GRAPHS = """
from actors_rs import Sink, Source
from actors_rs.errors import LedgerError
from actors_rs.spark import SparkSessionLost
from actors_rs.stages.linear import Operator

class Passing(Operator):
    def transform(self, elements):
        yield from elements

    def details(self):
        return {details}

lost = Source.failed({error}).then("spark", Passing).to(Sink.first())
"""
LOST = "SparkSessionLost('the JVM is gone')"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command over a stage with these details that fails; its code and its complaints."""
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(details, error):
        (tmp_path / "losing.py").write_text(GRAPHS.format(details=details, error=error))
        code = main(["run", f"{tmp_path}/losing.py:lost"])
        said = capsys.readouterr().err.splitlines()
        return code, [one for one in said if one.startswith("actors-rs:")]

    yield run
    del sys.modules["losing"]


def test_a_lost_session_is_told_with_what_the_ledger_has_and_with_what_to_do(run):
    code, (error, advice) = run({"committed": 5, "skipped": 2}, LOST)
    assert advice == (
        "actors-rs: start the same command again: the ledger has 5 committed partitions, which "
        "it skips"
    )
    assert "the JVM is gone" in error
    assert code == 75, "a supervisor starts it again after this code, and after no other failure"


def test_a_session_that_was_lost_before_the_ledger_was_read_is_given_no_count(run):
    code, (_, advice) = run({"committed": 0, "skipped": 0}, LOST)
    assert advice == (
        "actors-rs: start the same command again: the ledger has what is committed, which it skips"
    )
    assert code == 75


@pytest.mark.parametrize(
    ("details", "error"),
    [
        ({}, LOST),
        ({"committed": 5}, LOST),  # a sink of SQLite counts its rows under this name
        ({"committed": 5, "skipped": 2}, "ValueError('no number')"),
        ({"committed": 5, "skipped": 2}, "LedgerError('other rows than before')"),
    ],
)
def test_without_a_ledger_or_after_another_failure_no_restart_is_advised(run, details, error):
    code, (said,) = run(details, error)
    assert "start the same command" not in said
    assert code == 1


def test_the_help_of_the_command_lists_the_code_after_which_a_restart_helps(capsys):
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    line = next(one for one in capsys.readouterr().out.splitlines() if one.startswith("  75"))
    assert "lost its session of Spark: the same command goes on from there" in line
