"""Random plans, begun in one process that is killed and gone on with in another.

``python -m tests.spark.repeating begin FOLDER SEED COUNT`` begins the plans of COUNT seeds, holds
each one up after some partitions, writes what became of them, and waits to be killed. ``finish``
makes other RDDs first, goes on with each run, and compares what its sink has in the end with what
Spark gives. A plan is refused or exact; everything else is a fault. With ``unjudged`` no plan is
refused for what it is, and tables are so large that Spark samples them to sort them: so the
checksums alone stand between a plan and a fault.
"""

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession, Window, functions

from actors_rs import ActorSystem, Run, Sink
from actors_rs.delivery import Ledger, status
from actors_rs.errors import LedgerError
from actors_rs.spark import SparkSource, local_session
from actors_rs.spark.repeat import fixing
from tests.spark.jobs import until
from tests.spark.master import MASTER

SECONDS = 300.0
SETTINGS: dict[str, tuple[str, ...]] = {
    "spark.sql.adaptive.enabled": ("true", "false"),
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": ("4k", "64m"),
    "spark.sql.adaptive.coalescePartitions.minPartitionSize": ("1k",),
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": ("false",),
    "spark.sql.autoBroadcastJoinThreshold": ("-1", "10485760"),
    "spark.sql.shuffle.partitions": ("3", "7", "12"),
}


def table(spark: SparkSession, random: Random) -> DataFrame:
    """Some thousand rows with a key of few values, one of many, numbers and a text."""
    rows, parts = random.choice([400, 3000, 9000]) * Plan.size, random.randrange(2, 6)
    return spark.range(0, rows, 1, parts).selectExpr(
        "id",
        f"id % {random.choice([7, 40, 300])} AS k",
        "hash(id) AS h",
        "CAST(hash(id, 1) AS double) / 7 AS d",
        "concat('row ', CAST(id % 97 AS string)) AS s",
    )


class Plan:
    """The plan of a seed: the same calls in every process."""

    size = 1
    """The tables are that many times as large."""

    def __init__(self, spark: SparkSession, seed: int) -> None:
        self.seed = seed
        self.random = Random(seed)
        self.spark = spark
        self.settings = {name: self.random.choice(some) for name, some in SETTINGS.items()}
        self.steps: list[str] = []
        self.share = self.random.random()
        """Of the partitions, how many are done when it is held up; less than half, or none."""

    def frame(self) -> DataFrame:
        """The DataFrame. With `applied` settings."""
        df = table(self.spark, self.random)
        for _ in range(self.random.randrange(1, 5)):
            step = self.random.choice(STEPS)
            self.steps.append(step)
            df = getattr(self, step)(df)
        return df

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The session with the plan's settings."""
        for name, value in self.settings.items():
            self.spark.conf.set(name, value)
        try:
            yield
        finally:
            for name in self.settings:
                self.spark.conf.unset(name)

    def filter(self, df: DataFrame) -> DataFrame:
        return df.filter(functions.col("h") % self.random.randrange(2, 5) != 0)

    def project(self, df: DataFrame) -> DataFrame:
        return df.withColumn("h", functions.hash("h", "k"))

    def repartition(self, df: DataFrame) -> DataFrame:
        return df.repartition(self.random.randrange(2, 9))

    def repartition_by(self, df: DataFrame) -> DataFrame:
        return df.repartition(self.random.randrange(2, 9), self.random.choice(["k", "h", "d"]))

    def rebalance(self, df: DataFrame) -> DataFrame:
        return df.hint("rebalance", "k")

    def by_range(self, df: DataFrame) -> DataFrame:
        return df.repartitionByRange(self.random.randrange(2, 9), self.random.choice(["k", "h"]))

    def order(self, df: DataFrame) -> DataFrame:
        return df.orderBy(*self.random.sample(["h", "k", "s"], 2))

    def order_within(self, df: DataFrame) -> DataFrame:
        return df.sortWithinPartitions("h")

    def group(self, df: DataFrame) -> DataFrame:
        how = self.random.choice([functions.sum, functions.max, functions.first, functions.avg])
        grouped = df.groupBy(*self.random.choice([("k",), ("k", "s"), ("h", "k")]))
        return grouped.agg(
            functions.max("id").alias("id"), how("d").alias("e"), functions.count("*").alias("n")
        ).selectExpr(*_completed("k", "e AS d", "n"))

    def distinct(self, df: DataFrame) -> DataFrame:
        return df.dropDuplicates(["k", "h"]) if self.random.random() < 0.5 else df.distinct()

    def join(self, df: DataFrame) -> DataFrame:
        other = table(self.spark, self.random).filter("id < 300")
        other = other.selectExpr("k AS k2", "h AS h2").distinct()
        hint = self.random.choice(["merge", "broadcast", "shuffle_hash", "none"])
        other = other if hint == "none" else other.hint(hint)
        how = self.random.choice(["inner", "left", "left_semi", "left_anti"])
        joined = df.join(other, functions.col("k") == functions.col("k2"), how)
        return joined.drop("k2", "h2")

    def window(self, df: DataFrame) -> DataFrame:
        window = Window.partitionBy("k").orderBy(*self.random.choice([("h",), ("h", "id")]))
        how = self.random.choice(
            [functions.row_number(), functions.rank(), functions.sum("id"), functions.lag("id")]
        )
        df = df.withColumn("w", how.over(window))
        return (df.filter("w < 20") if self.random.random() < 0.5 else df).drop("w")

    def union(self, df: DataFrame) -> DataFrame:
        return df.unionByName(table(self.spark, self.random))

    def limit(self, df: DataFrame) -> DataFrame:
        return df.limit(self.random.randrange(50, 500))

    def top(self, df: DataFrame) -> DataFrame:
        return df.orderBy("h").limit(self.random.randrange(50, 500))

    def sample(self, df: DataFrame) -> DataFrame:
        return df.sample(fraction=0.6, seed=self.random.randrange(100))

    def cache(self, df: DataFrame) -> DataFrame:
        return df.cache()

    def coalesce(self, df: DataFrame) -> DataFrame:
        return df.coalesce(self.random.randrange(2, 4))

    def by_place(self, df: DataFrame) -> DataFrame:
        """A value that depends on where a row is."""
        values = [
            functions.monotonically_increasing_id(),
            functions.spark_partition_id(),
            functions.rand(3) * 1000,
        ]
        return df.withColumn("h", functions.hash("h", self.random.choice(values)))

    def in_arrow(self, df: DataFrame) -> DataFrame:
        return df.mapInArrow(lambda batches: batches, df.schema)

    def checkpoint(self, df: DataFrame) -> DataFrame:
        return df.localCheckpoint()


STEPS = [
    name
    for name in vars(Plan)
    if name not in ("applied", "frame", "size") and not name.startswith("_")
]


def _completed(*columns: str) -> list[str]:
    """The columns of `table` again, behind a group."""
    return [*columns[:2], "id", "hash(id, n) AS h", "concat('row ', CAST(n AS string)) AS s"]


class Held:
    """Lets a share of the partitions pass and holds up the next one, for good.

    Of a plan with one partition that is the first one: it has to come again as a whole.
    """

    def __init__(self, ledger: Path, share: float) -> None:
        self.reached = threading.Event()
        self.allowed = 0
        self._ledger = ledger
        self._share = share
        self._passed = 0

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        if not self._passed:
            total = len(status(self._ledger).partitions)
            self.allowed = min(total - 1, 1 + int(self._share * (total - 1) / 2))
        if self._passed == self.allowed:
            self.reached.set()
            threading.Event().wait()
        self._passed += 1
        return batch


def _night(folder: Path, seed: int, df: DataFrame, **options: Any) -> Any:
    source = SparkSource.arrow(df, in_flight=1, **options)
    return source.resume(Ledger(folder / f"{seed}.ledger"))


def begin(plan: Plan, folder: Path, system: ActorSystem) -> str:
    """What became of the run: "held", "done" or why it was refused."""
    seed = plan.seed
    held = Held(folder / f"{seed}.ledger", plan.share)
    with plan.applied():
        graph = _night(folder, seed, plan.frame()).map(held).to(Sink.parquet(folder / str(seed)))
        run = system.start(graph)
        until(lambda: held.reached.is_set() or run.done(), SECONDS)
    if run.done():
        return _outcome(run)
    until(lambda: status(folder / f"{seed}.ledger").counts["committed"] >= held.allowed, SECONDS)
    return "held"


def finish(plan: Plan, folder: Path, system: ActorSystem) -> str:
    """Whether the sink has each row of the plan once: "exact", why it was refused, or a fault."""
    seed = plan.seed
    with plan.applied():
        df = plan.frame()
        run = system.start(_night(folder, seed, df).to(Sink.parquet(folder / str(seed))))
        until(lambda: run.done(), SECONDS)
        outcome = _outcome(run)
        if outcome != "done":
            return outcome
        expected = _rows(df.toArrow())
    got = _rows(pq.read_table(folder / str(seed)))
    if got == expected:
        return "exact"
    lost, extra = expected - got, got - expected
    return f"FAULT: {sum(lost.values())} lost, {sum(extra.values())} too many"


def _outcome(run: Run[Any]) -> str:
    try:
        run.result(SECONDS)
    except LedgerError as error:
        return f"refused: {error}"
    except Exception as error:
        return f"FAULT: {error!r}"
    return "done"


def _rows(rows: pa.Table) -> Counter[Any]:
    """The rows, with floating point numbers to ten digits: the order of additions is not fixed."""
    digits = [
        [f"{value:.9e}" if isinstance(value, float) else value for value in column.to_pylist()]
        for column in rows.columns
    ]
    return Counter(zip(*digits, strict=True))


def killed_and_gone_on_with(folder: Path, first: int, count: int, *options: str) -> Counter[str]:
    """What became of the plans of the seeds from ``first`` on; see `outcomes`."""
    begun = _killed(folder, "begin", first, count, *options)
    return outcomes(begun, _killed(folder, "finish", first, count, *options))


def outcomes(begun: str, finished: str) -> Counter[str]:
    """How many plans were "exact", "refused" or a "FAULT", from what the two processes wrote.

    "held" are those that were killed within a partition; the others had ended, or were refused.
    "resumed" counts the plans that were killed within a partition and are exact afterwards.
    """
    held = {
        plan["seed"] for plan in map(json.loads, begun.splitlines()) if plan["outcome"] == "held"
    }
    found = Counter(held=len(held))
    for line in finished.splitlines():
        plan = json.loads(line)
        kind = plan["outcome"].partition(":")[0]
        found[kind] += 1
        found["resumed"] += kind == "exact" and plan["seed"] in held
        if kind == "FAULT":
            print(f"seed {plan['seed']}: {plan['steps']}, {plan['settings']}: {plan['outcome']}")
    return found


def _killed(folder: Path, what: str, first: int, count: int, *options: str) -> str:
    """What a process that did ``what`` has written, killed when it had."""
    ended, said = folder / f"{what}-{first}.json", folder / f"{what}-{first}.log"
    command = [sys.executable, "-m", "tests.spark.repeating", what, folder, first, count]
    command += options
    with said.open("w") as log:
        process = subprocess.Popen([*map(str, command)], stdout=log, stderr=log)
    try:
        until(lambda: ended.exists() or process.poll() is not None, count * SECONDS)
    finally:
        process.kill()
        process.wait()
    assert ended.exists(), said.read_text()
    return ended.read_text()


def work_on(what: str, folder: Path, first: int, count: int, *options: str) -> None:
    """``begin`` or ``finish`` the plans, and write what became of them; the session stays."""
    if "unjudged" in options:
        mock.patch.multiple(fixing, judge_plan=mock.DEFAULT, _judge_time=mock.DEFAULT).start()
        Plan.size = 30
    whole = {"spark.sql.execution.arrow.maxRecordsPerBatch": 10**7}  # a batch is a partition
    spark = local_session("repeating", master=MASTER, short_lived=True, conf=whole)
    spark.sparkContext.setLogLevel("ERROR")
    if what == "finish":
        for number in range(Random(first).randrange(1, 9)):
            spark.sparkContext.parallelize(range(10 + number), 3).count()
            spark.range(100).repartition(3).count()
    work = begin if what == "begin" else finish
    with (folder / f"{what}-{first}").open("w") as out:
        for seed in range(first, first + count):
            plan = Plan(spark, seed)
            start = monotonic()
            outcome = work(plan, folder, ActorSystem())  # of its own: it may be held up for good
            spark.catalog.clearCache()
            result = {"seed": seed, "steps": plan.steps, "settings": plan.settings}
            result |= {"outcome": outcome, "seconds": round(monotonic() - start, 1)}
            print(json.dumps(result), file=out, flush=True)
    (folder / f"{what}-{first}").rename(folder / f"{what}-{first}.json")


if __name__ == "__main__":
    work_on(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:])
    threading.Event().wait()  # to be killed
