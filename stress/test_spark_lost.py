"""The JVM killed, or the context stopped by other code, again and again in one night's work."""

import signal
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Sink
from actors_rs.delivery import Ledger, status
from actors_rs.errors import LedgerError
from actors_rs.spark import SparkSessionLost, SparkSource, local_session
from tests.spark.jobs import until
from tests.spark.master import CONF, MASTER

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1800)]

LOSSES = 6
PARTITIONS = 200
ROWS = 10
SECONDS = {"killed": 10.0, "stopped": 5.0}


def graph(spark: SparkSession, folder: Path) -> Any:
    df = spark.range(0, PARTITIONS * ROWS, 1, PARTITIONS)
    source = SparkSource.arrow(df, in_flight=4, ordered=False, max_attempts=3)
    rows = source.resume(Ledger(folder / "night.db")).flat_map(
        lambda batch: [(n,) for n in batch.column(0).to_pylist()]
    )
    setup = "CREATE TABLE IF NOT EXISTS t (n INTEGER)"
    return rows.to(Sink.sqlite(folder / "night.db", "INSERT INTO t VALUES (?)", setup=setup))


def lose(spark: SparkSession, how: str) -> None:
    gateway: Any = spark.sparkContext._gateway
    if how == "killed":
        gateway.proc.send_signal(signal.SIGKILL)
    else:
        spark.stop()


def committed(folder: Path) -> int:
    return status(folder / "night.db").counts["committed"]


def has_done(folder: Path, partitions: int) -> bool:
    try:
        return committed(folder) >= partitions
    except LedgerError:  # there is none yet
        return False


def test_a_night_in_which_the_session_is_lost_again_and_again_is_resumed_each_time(
    tmp_path: Path,
) -> None:
    random = Random()
    slowest = dict.fromkeys(SECONDS, 0.0)
    for number in range(LOSSES):
        how = ("killed", "stopped")[number % 2]
        spark = local_session(master=MASTER, short_lived=True, conf=CONF)
        before = committed(tmp_path) if number else 0
        with ActorSystem() as system:
            run = system.start(graph(spark, tmp_path))
            enough = before + random.randrange(1, PARTITIONS // LOSSES)
            until(partial(has_done, tmp_path, enough), 120)
            began = monotonic()
            lose(spark, how)
            with pytest.raises(SparkSessionLost):
                run.result(60)
            slowest[how] = max(slowest[how], monotonic() - began)
        assert before < committed(tmp_path) < PARTITIONS
    spark = local_session(master=MASTER, short_lived=True, conf=CONF)
    with ActorSystem() as system:
        system.start(graph(spark, tmp_path)).result(600)
    spark.stop()
    with closing(sqlite3.connect(tmp_path / "night.db")) as database:
        rows = [n for (n,) in database.execute("SELECT n FROM t ORDER BY n")]
    assert rows == list(range(PARTITIONS * ROWS))
    print(f"lost {LOSSES} times; the run had failed after {slowest} seconds at most")
    for how, seconds in slowest.items():
        assert seconds <= SECONDS[how]
