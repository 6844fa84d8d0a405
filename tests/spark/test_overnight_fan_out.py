"""The overnight job, small, with all of its faults at once, in the session of all tests."""

import os
import signal
import sqlite3
from argparse import Namespace
from contextlib import closing

import pyarrow.parquet as pq
import pytest

from actors_rs.spark import SparkSessionLost
from stress import overnight_fan_out
from stress.overnight_fan_out import chosen, lines_of, main, parse

pytestmark = pytest.mark.timeout(180)

PARTITIONS = 16
OPTIONS = Namespace(rows=20, malformed=0.2, huge=0.1, huge_factor=10, poison=0.1)


def as_options(values):
    return [f"--{name.replace('_', '-')}={value}" for name, value in vars(values).items()]


@pytest.mark.spark
def test_every_fault_is_survived_but_poison_which_the_report_names(
    spark, tmp_path, monkeypatch, capsys
):
    poison = [n for n in range(PARTITIONS) if chosen(n, "poison", OPTIONS.poison)]
    assert poison, "the test needs a poison partition"
    session = spark.newSession()
    session.stop = lambda: None  # other tests go on with it
    monkeypatch.setattr(overnight_fan_out, "local_session", lambda *_, **__: session)
    arguments = [f"--out={tmp_path}", f"--partitions={PARTITIONS}", "--max-attempts=4"]
    arguments += ["--error=0.05", "--kill=0.05", "--slow=0.05", "--slow-seconds=0.1"]
    assert main([*arguments, *as_options(OPTIONS)]) == 1
    printed = capsys.readouterr().out
    for partition in poison:
        assert f"partition {partition} poison (4 attempts)" in printed
        assert f"the input of partition {partition} is damaged" in printed
    good = [n for n in range(PARTITIONS) if n not in poison]
    wanted = [line for partition in good for line in lines_of(partition, OPTIONS)]
    rows = pq.read_table(tmp_path / "rows").to_pylist()
    with closing(sqlite3.connect(tmp_path / "night.db")) as database:
        rejected = [line for (line,) in database.execute("SELECT line FROM rejected")]
    found = [f"{row['partition']};{row['number']};{row['value']:.9f}" for row in rows]
    assert sorted(found + rejected) == sorted(wanted)
    assert all(line.endswith("not a number") for line in rejected)


def test_a_huge_partition_has_more_lines_and_each_is_the_same_whenever_it_is_asked():
    sizes = {
        chosen(n, "huge", OPTIONS.huge): len({*lines_of(n, OPTIONS)}) for n in range(PARTITIONS)
    }
    assert sizes[True] > 5 * sizes[False]
    assert list(lines_of(3, OPTIONS)) == list(lines_of(3, OPTIONS))


def test_lines_that_cannot_be_read_are_rejected_one_by_one():
    import pyarrow as pa

    rows, rejected = parse(pa.record_batch([pa.array(["1;2;3.5", "nonsense", "1;3;x"])], ["line"]))
    assert rows.to_pylist() == [{"partition": 1, "number": 2, "value": 3.5}]
    assert rejected == ["nonsense", "1;3;x"]


def test_a_session_that_was_lost_because_all_is_stopped_is_not_replaced(tmp_path, monkeypatch):
    sessions = []

    def lost(options, stop):
        sessions.append(options)
        if len(sessions) == 2:
            os.kill(os.getpid(), signal.SIGTERM)  # as a service is stopped: the JVM is, too
        raise SparkSessionLost("the JVM was killed by SIGTERM")

    monkeypatch.setattr(overnight_fan_out, "work", lost)
    assert main([f"--out={tmp_path}"]) == 128 + signal.SIGTERM
    assert len(sessions) == 2


def test_help_explains_every_option(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    assert "attempts whose worker is killed" in capsys.readouterr().out
