"""The program of "Keep rejected rows and resume" after a start that was killed."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.docs.test_site import DOCS

TASK = "## Keep rejected rows and resume\n"
KILLED = """
    CREATE TABLE rejects (file, line INT, text, PRIMARY KEY (file, line));
    INSERT INTO rejects VALUES ('a.csv', 2, 'a call failed'), ('old.csv', 7, 'a bad row');
    CREATE TABLE done (file TEXT PRIMARY KEY);
    INSERT INTO done VALUES ('old.csv');
"""


def test_only_rejected_rows_of_unfinished_files_are_deleted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = Path(DOCS / "how-to/data.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)^```", page.partition(TASK)[2], re.S | re.M)[:1]
    program = program.replace('assert query("SELECT * FROM done") == [("a.csv",)]', "")
    with closing(sqlite3.connect("load.db")) as database:
        database.executescript(KILLED)
        exec(compile(program, "data.md", "exec"), {"__name__": "program"})
        rows = database.execute("SELECT file, line FROM rejects ORDER BY file").fetchall()
        files = database.execute("SELECT file FROM done ORDER BY file").fetchall()
    assert rows == [("a.csv", 3), ("old.csv", 7)]
    assert files == [("a.csv",), ("old.csv",)]
