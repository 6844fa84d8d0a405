"""A ledger of another plan is refused with what differs: the query, a file, a setting, a cache."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from actors_rs import ActorSystem, Sink
from actors_rs.delivery import Ledger
from actors_rs.delivery.ledger import Plan
from actors_rs.errors import LedgerError
from actors_rs.spark import SparkSource
from actors_rs.spark.resuming.other_plan import SparkPlan
from tests.spark.test_fingerprint import set_to, wide

pytestmark = pytest.mark.spark

SECONDS = 240.0
Make = Callable[[SparkSession], DataFrame]

QUERIES: dict[str, tuple[Make, Make, str]] = {
    "a condition": (
        lambda spark: spark.range(0, 9, 1, 2).where("id > 5"),
        lambda spark: spark.range(0, 9, 1, 2).where("id > 6"),
        r"the query in the ledger has `Filter \(id#0L > cast\(5 as bigint\)\)`, "
        r"that of this run `Filter \(id#0L > cast\(6 as bigint\)\)`",
    ),
    "a step more": (
        lambda spark: spark.range(0, 9, 1, 2),
        lambda spark: spark.range(0, 9, 1, 2).where("id > 6"),
        r"the query in the ledger has `Range .*`, that of this run `Filter \(id#0L > ",
    ),
    "the last of many columns": (
        lambda spark: wide(spark, 1),
        lambda spark: wide(spark, 2),
        r"the query in the ledger has `\.\.\..{1,160}cast\(1 as bigint\).*`, "
        r"that of this run `\.\.\..{1,160}cast\(2 as bigint\)",
    ),
}


def night(system: ActorSystem, df: DataFrame, path: Path) -> Any:
    source = SparkSource.arrow(df).resume(Ledger(path))
    return system.start(source.to(Sink.ignore())).result(SECONDS)


@pytest.mark.parametrize("what", QUERIES)
def test_of_another_query_the_first_step_that_differs_is_told(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, what: str
) -> None:
    one, other, said = QUERIES[what]
    night(system, one(spark), tmp_path / "l")
    with pytest.raises(LedgerError, match=f"another plan: {said}") as refused:
        night(system, other(spark), tmp_path / "l")
    assert "setting" not in str(refused.value)


def test_a_setting_is_told_with_both_its_values(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    night(system, spark.range(0, 9, 1, 2), tmp_path / "l")
    was = spark.conf.get("spark.sql.files.openCostInBytes")
    said = (
        f"another plan: spark.sql.files.openCostInBytes was {was} and is 1000 now: set it back; "
        "to begin again, give the ledger another path"
    )
    with set_to(spark, "spark.sql.files.openCostInBytes", "1000"):
        with pytest.raises(LedgerError, match=said):
            night(system, spark.range(0, 9, 1, 2), tmp_path / "l")


def test_a_file_more_is_told(spark: SparkSession, system: ActorSystem, tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    spark.range(9).coalesce(1).write.parquet(data)
    night(system, spark.read.parquet(data), tmp_path / "l")
    spark.range(9).coalesce(1).write.mode("append").parquet(data)
    with pytest.raises(LedgerError, match=r"this run reads file:/.*parquet, which the plan in the"):
        night(system, spark.read.parquet(data), tmp_path / "l")


@pytest.mark.parametrize("cached_first", [True, False])
def test_a_cache_that_came_or_went_is_named(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, cached_first: bool
) -> None:
    df = spark.range(0, 900, 1, 3).selectExpr("id % 7 AS k").groupBy("k").count()
    where = df.where("k < 5")
    if cached_first:
        df.cache()
    night(system, where, tmp_path / "l")
    df.unpersist() if cached_first else df.cache()
    change = "was cached and is not now: cache it" if cached_first else "is cached now and was not"
    try:
        with pytest.raises(LedgerError, match=rf"`Aggregate \[k#0L\], .*` {change}"):
            night(system, where, tmp_path / "l")
    finally:
        df.unpersist()


def test_a_ledger_that_is_older_than_remarks_is_gone_on_with(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    night(system, spark.range(0, 9, 1, 2), tmp_path / "l")
    with closing(sqlite3.connect(tmp_path / "l")) as database, database:
        database.execute("ALTER TABLE ledger_runs DROP COLUMN remarks")
    night(system, spark.range(0, 9, 1, 2), tmp_path / "l")
    with pytest.raises(LedgerError, match="the query in the ledger has"):
        night(system, spark.range(0, 9, 1, 2).where("id > 6"), tmp_path / "l")


def test_what_nothing_is_known_of_is_told_in_general() -> None:
    text = "Range\nSpark 4\ndefault parallelism 2\nspark.a 1"
    plan = SparkPlan("id long", 2, text)
    assert plan.difference(Plan("id long", 3, text)) == (
        "the plan in the ledger has 3 partitions, and this run has 2"
    )
    said = plan.difference(Plan("id long", 2, f"\n{text}"))
    assert said.endswith("number of partitions, query, files and settings read the same")


def test_how_the_rows_were_dealt_is_told_where_nothing_else_differs() -> None:
    text = "Range\nSpark 4\ndefault parallelism 2\nspark.a 1\npartitions read together "
    plan = SparkPlan("id long", 2, text + "(0, 3)")
    said = plan.difference(Plan("id long", 2, text + "(0, 2)"))
    assert (
        "`partitions read together (0, 2)` then and `partitions read together (0, 3)` now" in said
    )


def test_a_setting_that_another_version_did_not_note_is_told() -> None:
    text = "Range\nSpark 4\ndefault parallelism 2\nspark.a 1"
    plan = SparkPlan("id long", 2, f"{text}\nspark.b 1")
    assert "notes other settings" in plan.difference(Plan("id long", 2, text))
