"""``actors-rs run`` after a lost session of Spark: how a run with a ledger goes on."""

import sys

import pytest

from actors_rs.cli import main

GRAPHS = """
from actors_rs import Sink, Source
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
    """Run the command over a stage with these details that fails; the lines of its complaints."""
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(details, error):
        (tmp_path / "losing.py").write_text(GRAPHS.format(details=details, error=error))
        assert main(["run", f"{tmp_path}/losing.py:lost"]) == 1
        return [one for one in capsys.readouterr().err.splitlines() if one.startswith("actors-rs:")]

    yield run
    del sys.modules["losing"]


def test_a_lost_session_is_told_with_what_the_ledger_has_and_with_what_to_do(run):
    error, advice = run({"committed": 5}, LOST)
    assert advice == (
        "actors-rs: start the same command again: the ledger has 5 committed partitions, which "
        "it skips"
    )
    assert "the JVM is gone" in error


@pytest.mark.parametrize(
    ("details", "error"), [({}, LOST), ({"committed": 5}, "ValueError('no number')")]
)
def test_without_a_ledger_or_after_another_failure_no_restart_is_advised(run, details, error):
    (said,) = run(details, error)
    assert "start the same command" not in said
