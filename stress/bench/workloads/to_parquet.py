"""Lines of JSON, cleaned, into a Parquet file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from stress.bench.workloads.cores import CORES

__all__ = ["prepare"]

LINES = 100_000
NAME = "{n:,} lines of JSON, cleaned, to Parquet"
Row = dict[str, Any]


def prepare(folder: Path, n: int) -> None:
    with open(folder / "orders.jsonl", "w") as lines:
        for i in range(n):
            items = [{"sku": f"A{i % 97}", "price": i % 1000, "pieces": 1 + i % 3}] * (1 + i % 4)
            order = {
                "id": i,
                "mail": f" User{i % 999}@Example.org ",
                "items": items,
                "note": "x" * 90,
            }
            lines.write(json.dumps(order) + "\n")


def clean(line: str) -> Row:
    order = json.loads(line)
    total = sum(item["price"] * item["pieces"] for item in order["items"])
    return {"id": order["id"], "mail": order["mail"].strip().lower(), "total": total}


def written(folder: Path) -> tuple[int, int]:
    """Rows and the sum of their totals in the files that a contestant has written."""
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    table = ds.dataset(folder / "out", format="parquet").to_table(columns=["total"])
    return table.num_rows, pc.sum(table["total"]).as_py()


def write(folder: Path, rows: Iterable[Row]) -> None:
    """One file, in row groups of 10,000."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    remaining = iter(rows)
    writer = None
    while group := list(islice(remaining, 10_000)):
        table = pa.Table.from_pylist(group)
        writer = writer or pq.ParquetWriter(folder / "out" / "orders.parquet", table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def ours(folder: Path) -> None:
    from actors_rs import Sink, Source

    lines = Source.lines(folder / "orders.jsonl").map_processes(clean, CORES)
    lines.run(Sink.parquet(folder / "out"))


def loop(folder: Path) -> None:
    with open(folder / "orders.jsonl") as lines:
        write(folder, map(clean, lines))


def executor(folder: Path) -> None:
    from concurrent.futures import ProcessPoolExecutor

    with open(folder / "orders.jsonl") as lines, ProcessPoolExecutor(CORES) as pool:
        write(folder, pool.map(clean, lines, chunksize=1000))


def pool(folder: Path) -> None:
    from multiprocessing import Pool

    with open(folder / "orders.jsonl") as lines, Pool(CORES) as pool:
        write(folder, pool.imap(clean, lines, chunksize=1000))


def joblib(folder: Path) -> None:
    from joblib import Parallel, delayed

    parallel = Parallel(CORES, return_as="generator", batch_size=1000)
    with open(folder / "orders.jsonl") as lines:
        write(folder, parallel(delayed(clean)(line) for line in lines))


def dask(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from dask import bag

    def to_file(lines: Iterator[str], number: int) -> list[int]:
        rows = pa.Table.from_pylist([clean(line) for line in lines])
        pq.write_table(rows, folder / "out" / f"{number}.parquet")
        return [rows.num_rows]

    lines = bag.read_text(folder / "orders.jsonl", blocksize="4 MiB")
    numbers = bag.from_sequence(range(lines.npartitions), npartitions=lines.npartitions)
    files = bag.map_partitions(lambda lines, number: to_file(lines, *number), lines, numbers)
    files.compute(scheduler="processes", num_workers=CORES)


def polars(folder: Path) -> None:
    import polars as pl

    item = pl.element().struct
    pl.scan_ndjson(folder / "orders.jsonl").select(
        "id",
        mail=pl.col("mail").str.strip_chars().str.to_lowercase(),
        total=pl.col("items").list.eval(item["price"] * item["pieces"]).list.sum(),
    ).sink_parquet(folder / "out" / "orders.parquet")


def ray(folder: Path) -> None:
    from ray.data import read_text

    def cleaned(row: dict[str, Any]) -> Row:
        return clean(row["text"])

    read_text(str(folder / "orders.jsonl")).map(cleaned).write_parquet(str(folder / "out"))
