"""Bytes that each path of an access log was answered with."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stress.bench.workloads.cores import CORES

__all__ = ["prepare"]

LINES = 150_000
NAME = "access log of {n:,} lines, bytes by path"
_LINE = re.compile(r'(\S+) \S+ (\S+) \[([^\]]+)\] "(\S+) (\S+) ([^"]*)" (\d{3}) (\d+) "([^"]*)"')
Bytes = dict[str, int]


def prepare(folder: Path, n: int) -> None:
    chance = random.Random(1)
    with open(folder / "access.log", "w") as log:
        for _ in range(n):
            path, size = f"/shop/{int(chance.paretovariate(1)) % 500}", chance.randrange(40_000)
            day = chance.randrange(1, 29)
            log.write(
                f"10.0.{day}.{chance.randrange(256)} - - [{day:02}/Nov/2026:10:00:00"
                f' +0000] "GET {path} HTTP/1.1" 200 {size} "https://example.org/from?page={day}"\n'
            )


def parse(line: str) -> tuple[str, int]:
    """The path that was asked for, and the bytes of the answer."""
    found = _LINE.match(line)
    assert found is not None, line
    return found[5], int(found[8])


def summed(answers: Iterable[tuple[str, int]]) -> Bytes:
    total: Counter[str] = Counter()
    for path, size in answers:
        total[path] += size
    return dict(total)


def ours(folder: Path) -> Bytes:
    from actors_rs import Sink, Source

    lines = Source.lines(folder / "access.log").map_processes(parse, CORES)
    sums = lines.aggregate_by(lambda answer: answer[0], 0, lambda total, answer: total + answer[1])
    return dict(sums.run(Sink.list()))


def loop(folder: Path) -> Bytes:
    with open(folder / "access.log") as lines:
        return summed(map(parse, lines))


def executor(folder: Path) -> Bytes:
    from concurrent.futures import ProcessPoolExecutor

    with open(folder / "access.log") as lines, ProcessPoolExecutor(CORES) as pool:
        return summed(pool.map(parse, lines, chunksize=1000))


def pool(folder: Path) -> Bytes:
    from multiprocessing import Pool

    with open(folder / "access.log") as lines, Pool(CORES) as pool:
        return summed(pool.imap_unordered(parse, lines, chunksize=1000))


def joblib(folder: Path) -> Bytes:
    from joblib import Parallel, delayed

    parallel = Parallel(CORES, return_as="generator_unordered", batch_size=1000)
    with open(folder / "access.log") as lines:
        return summed(parallel(delayed(parse)(line) for line in lines))


def dask(folder: Path) -> Bytes:
    from dask import bag

    lines = bag.read_text(folder / "access.log", blocksize="4 MiB")
    sums = lines.map(parse).foldby(
        lambda answer: answer[0], lambda total, answer: total + answer[1], 0, int.__add__, 0
    )
    return dict(sums.compute(scheduler="processes", num_workers=CORES))


def polars(folder: Path) -> Bytes:
    import polars as pl

    lines = pl.scan_csv(
        folder / "access.log",
        separator="\x01",
        quote_char=None,
        has_header=False,
        schema={"line": pl.String},
    ).select(
        path=pl.col("line").str.extract(r'"\S+ (\S+) '),
        size=pl.col("line").str.extract(r'" \d{3} (\d+) ').cast(pl.Int64),
    )
    return dict(lines.group_by("path").sum().collect(engine="streaming").iter_rows())


def ray(folder: Path) -> Bytes:
    from ray.data import read_text

    def parsed(batch: dict[str, Any]) -> dict[str, Any]:
        paths, sizes = zip(*map(parse, batch["text"]), strict=True)
        return {"path": list(paths), "size": list(sizes)}

    lines = read_text(str(folder / "access.log")).map_batches(parsed)
    rows = lines.groupby("path").sum("size").take_all()
    return {row["path"]: row["sum(size)"] for row in rows}
