"""Orders, in several CSV files, joined with customers and summed up by country."""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

from stress.bench.workloads.cores import CORES

__all__ = ["prepare"]

LINES = 300_000
NAME = "{n:,} rows of CSV in 10 files, joined with 20,000 and summed up by country"
FILES = 10
CUSTOMERS = 20_000
Sums = dict[str, int]


def prepare(folder: Path, n: int) -> None:
    chance = random.Random(1)
    with open(folder / "customers.csv", "w") as customers:
        customers.write("customer,country\n")
        for i in range(CUSTOMERS):
            customers.write(f"{i},C{i % 150}\n")
    (folder / "orders").mkdir()
    for number in range(FILES):
        with open(folder / "orders" / f"{number}.csv", "w") as orders:
            orders.write("order,customer,amount\n")
            for i in range(number * n // FILES, (number + 1) * n // FILES):
                orders.write(f"{i},{chance.randrange(CUSTOMERS)},{chance.randrange(9999)}\n")


@cache
def countries(folder: Path) -> dict[str, str]:
    with open(folder / "customers.csv") as customers:
        return {row["customer"]: row["country"] for row in csv.DictReader(customers)}


def sums_of(folder: Path, orders: Path) -> Sums:
    """The sums of one file."""
    country, sums = countries(folder), Counter[str]()
    with open(orders) as rows:
        for row in csv.DictReader(rows):
            sums[country[row["customer"]]] += int(row["amount"])
    return dict(sums)


def added(parts: Iterable[Sums]) -> Sums:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return dict(total)


def ours(folder: Path) -> Sums:
    from actors_rs import Sink, Source

    files = Source.from_iterable((folder / "orders").iterdir())
    return added(files.map_processes(partial(sums_of, folder), CORES).run(Sink.list()))


def loop(folder: Path) -> Sums:
    return added(sums_of(folder, orders) for orders in (folder / "orders").iterdir())


def executor(folder: Path) -> Sums:
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(CORES) as pool:
        return added(pool.map(partial(sums_of, folder), (folder / "orders").iterdir()))


def pool(folder: Path) -> Sums:
    from multiprocessing import Pool

    with Pool(CORES) as pool:
        files = (folder / "orders").iterdir()
        return added(pool.imap_unordered(partial(sums_of, folder), files))


def joblib(folder: Path) -> Sums:
    from joblib import Parallel, delayed

    files = (folder / "orders").iterdir()
    return added(Parallel(CORES)(delayed(sums_of)(folder, orders) for orders in files))


def dask(folder: Path) -> Sums:
    from dask import bag

    files = bag.from_sequence((folder / "orders").iterdir(), partition_size=1)
    sums = files.map(partial(sums_of, folder))
    return added(sums.compute(scheduler="processes", num_workers=CORES))


def polars(folder: Path) -> Sums:
    import polars as pl

    customers = pl.scan_csv(folder / "customers.csv")
    joined = pl.scan_csv(folder / "orders" / "*.csv").join(customers, on="customer")
    sums = joined.group_by("country").agg(pl.col("amount").sum())
    return dict(sums.collect(engine="streaming").iter_rows())


def ray(folder: Path) -> Sums:
    from ray.data import read_csv

    def with_country(batch: dict[str, Any]) -> dict[str, Any]:
        country = countries(folder)
        return {**batch, "country": [country[str(one)] for one in batch["customer"]]}

    orders = read_csv(str(folder / "orders")).map_batches(with_country)
    rows = orders.groupby("country").sum("amount").take_all()
    return {row["country"]: row["sum(amount)"] for row in rows}
