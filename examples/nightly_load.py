"""A nightly load into a database that may be killed at any moment and started again.

    python examples/nightly_load.py

Each shop delivers a CSV file of its sales. The rows of a file go into the database in one
transaction, and a table says which files are in. The program starts a process that loads six files,
and kills it after the first file, as a crash or a deployment would. A second start loads the other
files. Each sale is in the database once.
"""

import csv
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from actors_rs import ActorSystem, Sink, Source
from actors_rs.delivery import acknowledged

SHOPS = ("basel", "graz", "jena", "lyon", "oslo", "riga")
ROWS = 200
TABLES = """
    CREATE TABLE IF NOT EXISTS sales (id TEXT PRIMARY KEY, shop TEXT, cents INTEGER);
    CREATE TABLE IF NOT EXISTS loaded (file TEXT PRIMARY KEY);
"""
UPSERT = """INSERT INTO sales VALUES (:id, :shop, :cents)
    ON CONFLICT DO UPDATE SET cents = excluded.cents"""


def query(database: Path, sql: str, *values: object) -> list[Any]:
    """The rows that a statement gives, in a transaction of its own."""
    with closing(sqlite3.connect(database)) as connection, connection:
        return connection.execute(sql, values).fetchall()


def rows_of(file: Path, seconds_per_row: float) -> Iterator[dict[str, Any]]:
    """The rows of a file. In the demonstration, rows take their time."""
    with file.open(newline="") as opened:
        for row in csv.DictReader(opened):
            time.sleep(seconds_per_row)
            yield row


def load(folder: Path, seconds_per_row: float = 0.0) -> int:
    """Load the files that are not in the database yet. Returns the number of rows."""
    database = folder / "sales.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(TABLES)
    done = {name for (name,) in query(database, "SELECT file FROM loaded")}

    def is_in(file: Path, outcomes: object) -> None:
        query(database, "INSERT INTO loaded VALUES (?)", file.name)

    def rows(file: Path) -> Source[dict[str, Any]]:  # a Source: Ctrl-C stops inside the file
        return Source.from_iterable(lambda: rows_of(file, seconds_per_row))

    files = Source.files(folder / "*.csv").filter(lambda file: file.name not in done)
    job = acknowledged(files, is_in).flat_map(rows).to(Sink.sqlite(database, UPSERT))
    with ActorSystem() as system:
        system.handle_signals(grace=20)  # SIGTERM and Ctrl-C finish the rows in flight
        return system.start(job).result()


def write_files(folder: Path) -> None:
    """The files of all shops, the same in each run of this program."""
    dice = Random(7)
    for shop in SHOPS:
        sales = [f"{shop}-{n},{shop},{dice.randrange(100, 2_000)}" for n in range(ROWS)]
        (folder / f"{shop}.csv").write_text("\n".join(["id,shop,cents", *sales]) + "\n")


def load_and_be_killed(folder: Path) -> None:
    """Load slowly in another process, and kill it when the first file is in."""
    night = subprocess.Popen([sys.executable, __file__, str(folder)])
    database = folder / "sales.db"
    while not database.exists() or not files_in(database):
        if night.poll() is not None:
            raise RuntimeError("the night ended before it was killed")
        time.sleep(0.01)
    night.kill()
    night.wait()


def files_in(database: Path) -> int:
    """How many files are in the database. None are while it has no tables."""
    try:
        return int(query(database, "SELECT COUNT(*) FROM loaded")[0][0])
    except sqlite3.OperationalError:
        return 0


def main(folder: Path) -> None:
    """A night that is killed, a second start, and what the database has in the end."""
    write_files(folder)
    load_and_be_killed(folder)
    rest = load(folder)
    again = load(folder)
    ((rows, cents),) = query(folder / "sales.db", "SELECT COUNT(*), SUM(cents) FROM sales")
    print("the first start was killed and left files out:", "yes" if rest else "no")
    print(f"{rows} sales of {files_in(folder / 'sales.db')} shops, {cents / 100:.2f} in all")
    print(f"a third start loads {again} rows")


if __name__ == "__main__":
    if sys.argv[1:]:
        load(Path(sys.argv[1]), seconds_per_row=0.002)
    else:
        with TemporaryDirectory() as temporary:
            main(Path(temporary))
