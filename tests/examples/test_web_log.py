"""examples/web_log.py: each line is in the table or among the rejected ones, and is counted."""

import gzip
import json
import sqlite3
from collections import Counter
from contextlib import closing

import pytest

import web_log as example


@pytest.fixture
def done(tmp_path):
    """The folder, the lines of its logs, and the results of the job."""
    example.write_logs(tmp_path)
    logs = sorted(tmp_path.glob("*.log.gz"))
    lines = [
        line for log in logs for line in gzip.decompress(log.read_bytes()).decode().split("\n")
    ]
    lines = [line for line in lines if line]
    return tmp_path, lines, example.etl(tmp_path).run()


def test_each_line_is_in_the_table_or_rejected(done):
    folder, lines, ((rows, _, _), rejected) = done
    with closing(sqlite3.connect(folder / "hits.db")) as database:
        table = database.execute("SELECT * FROM hits ORDER BY rowid").fetchall()
    assert table == [hit for hit in map(example.parse, lines) if hit]
    bad = [json.loads(line)["line"] for line in (folder / "rejected.jsonl").open()]
    assert bad == [line for line in lines if example.parse(line) is None]
    assert (rows, rejected.rows) == (len(table), len(bad))
    assert len(bad) == 30


def test_both_reports_count_the_hits_of_the_table(done):
    _, lines, ((_, pages, failures), _) = done
    hits = [hit for hit in map(example.parse, lines) if hit]
    assert dict(pages) == Counter(hit.page for hit in hits)
    assert dict(failures) == Counter(hit.day for hit in hits if hit.status >= 500)
    assert len(failures) == len(example.DAYS)


def test_a_line_is_parsed_whole_or_not_at_all():
    line = '10.0.0.1 [2026-03-01 00:00:09] "GET /pay" 200 77'
    assert example.parse(line) == ("10.0.0.1", "2026-03-01", "00:00:09", "GET", "/pay", 200, 77)
    assert example.parse(line + " more") is None
    assert example.parse("") is None
