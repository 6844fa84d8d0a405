"""Web-log ETL: compressed access logs become a table, two reports and a file of rejected lines.

    python examples/web_log.py

The program first writes three days of logs into a temporary folder, compressed and with some broken
lines. One graph reads them once. Good lines go to a table of SQLite and to both reports at the
same time. Broken lines go to a file, so that you can correct and load them later.
"""

import gzip
import re
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from actors_rs import Flow, Graph, Sink, Source, WriteReport

DAYS = ("2026-03-01", "2026-03-02", "2026-03-03")
LINE = re.compile(r'(\S+) \[(\S+) (\S+)\] "(GET|POST) (\S+)" (\d{3}) (\d+)')
CREATE = """CREATE TABLE IF NOT EXISTS hits
    (host TEXT, day TEXT, time TEXT, method TEXT, page TEXT, status INTEGER, size INTEGER)"""
INSERT = "INSERT INTO hits VALUES (?, ?, ?, ?, ?, ?, ?)"


class Hit(NamedTuple):
    """One request, with the columns of the table."""

    host: str
    day: str
    time: str
    method: str
    page: str
    status: int
    size: int


def parse(line: str) -> Hit | None:
    """The request that a line describes, or None for a broken line."""
    found = LINE.fullmatch(line)
    if found is None:
        return None
    host, day, time, method, page, status, size = found.groups()
    return Hit(host, day, time, method, page, int(status), int(size))


PAGES_SEEN = Flow[Hit]().aggregate_by(lambda hit: hit.page, 0, lambda n, _: n + 1).to(Sink.list())
FAILURES = (
    Flow[Hit]()
    .filter(lambda hit: hit.status >= 500)
    .aggregate_by(lambda hit: hit.day, 0, lambda n, _: n + 1)
    .to(Sink.list())
)

Counts = list[tuple[str, int]]


def etl(folder: Path) -> Graph[tuple[tuple[int, Counts, Counts], WriteReport]]:
    """The whole job as a value. Nothing runs yet."""
    lines = Source.lines(folder / "*.log.gz").map(lambda line: (line, parse(line)))
    good, bad = lines.partition(2, lambda pair: pair[1] is None)
    table = Sink.sqlite(folder / "hits.db", INSERT, batch=500, setup=CREATE)
    rejected = Sink.jsonl(folder / "rejected.jsonl")
    return Graph(
        good.map_not_none(lambda pair: pair[1]).to(Sink.fan(table, PAGES_SEEN, FAILURES)),
        bad.map(lambda pair: {"line": pair[0]}).to(rejected),
    )


def write_logs(folder: Path) -> None:
    """Three days of logs, the same in each run of this program; one line in 100 is broken."""
    dice = Random(7)
    for day in DAYS:
        lines = []
        for number in range(1_000):
            time = f"{number * 86 // 3600:02}:{number * 86 // 60 % 60:02}:{number * 86 % 60:02}"
            page = dice.choice(("/", "/", "/", "/cart", "/pay", "/help"))
            status = 503 if dice.random() < 0.02 else 200
            request = f'"GET {page}" {status} {dice.randrange(200, 9_000)}'
            lines.append(f"10.0.0.{dice.randrange(30)} [{day} {time}] {request}")
            if number % 100 == 50:
                lines[-1] = lines[-1][:25]  # the server was killed while it wrote this line
        with gzip.open(folder / f"{day}.log.gz", "wt") as log:
            log.writelines(f"{line}\n" for line in lines)


def main(folder: Path) -> None:
    """Write the logs, run the job, print the reports."""
    write_logs(folder)
    (rows, pages, failures), rejected = etl(folder).run()
    print(f"{rows} requests in the table, {rejected.rows} lines rejected")
    for page, hits in sorted(pages, key=lambda pair: -pair[1]):
        print(f"{page:6} {hits:5}")
    print("failed requests:", ", ".join(f"{day}: {count}" for day, count in failures))


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        main(Path(folder))
