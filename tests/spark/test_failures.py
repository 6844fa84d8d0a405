"""What failures of a real Spark become."""

import logging
import os
import pickle
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from py4j.protocol import Py4JNetworkError
from pyspark.sql import DataFrame, SparkSession

from actors_rs import ActorSystem, Sink
from actors_rs.errors import ActorsRsError
from actors_rs.spark import SparkSource
from actors_rs.spark.failure_kinds import FailureKind
from actors_rs.spark.failures import (
    SparkPartitionError,
    SparkSessionLost,
    describe_failure,
    ensure_session_alive,
)
from actors_rs.spark.fetching.partitions import ArrowPartitions, RddPartitions, RowPartitions
from actors_rs.spark.large_results import LESS_MEMORY
from tests.spark.jobs import PATIENCE, until

pytestmark = pytest.mark.spark


def sleeping(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    time.sleep(600)
    yield from batches


def plan_and_fetch(plan: Any, partition: int) -> None:
    plan.plan("failing")
    list(plan.fetch(partition, "failing"))


def failure_of(plan: Any, partition: int = 1) -> SparkPartitionError:
    with pytest.raises(SparkPartitionError) as caught:
        plan_and_fetch(plan, partition)
    return caught.value


def two_parts(spark: SparkSession, *columns: str) -> DataFrame:
    return spark.range(0, 4, 1, 2).selectExpr(*columns)


def test_a_failed_partition_names_its_number_and_sparks_class_condition_and_message(
    spark: SparkSession,
) -> None:
    error = failure_of(ArrowPartitions(two_parts(spark, "1 / (id - id) AS x")))
    assert str(error).startswith(
        "partition 1 failed: org.apache.spark.SparkArithmeticException [DIVIDE_BY_ZERO]: "
        "Division by zero. "
    )
    assert "\n" not in str(error)
    assert "SQLSTATE" not in str(error)


@pytest.mark.parametrize(
    ("expression", "condition"),
    [
        ("cast(concat('a', id) AS int)", "[CAST_INVALID_INPUT]"),
        ("raise_error('my own')", "[USER_RAISED_EXCEPTION]: my own"),
        ("array(1)[cast(id + 7 AS int)]", "[INVALID_ARRAY_INDEX]"),
    ],
)
def test_rows_fail_with_the_same_words(
    spark: SparkSession, expression: str, condition: str
) -> None:
    error = failure_of(RowPartitions(two_parts(spark, expression)))
    assert condition in str(error)
    assert error.kind is FailureKind.USER_CODE


def test_what_a_python_worker_raised_is_the_message_and_its_traceback_the_cause(
    spark: SparkSession,
) -> None:
    def explode(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        raise ValueError("no such key")

    error = failure_of(ArrowPartitions(spark.range(0, 4, 1, 2).mapInArrow(explode, "id long")))
    assert error.error_class.endswith("PythonException [PYTHON_EXCEPTION]")
    assert error.message == "ValueError: no such key"
    assert error.kind is FailureKind.USER_CODE
    assert "in explode" in str(error.__cause__)


def test_a_worker_that_died_is_told_from_one_that_raised(spark: SparkSession) -> None:
    def die(part: Iterable[int]) -> Iterable[int]:
        os._exit(3)

    rdd = spark.sparkContext.parallelize(range(4), 2).mapPartitions(die)
    error = failure_of(RddPartitions(rdd), 0)
    assert error.kind is FailureKind.WORKER_LOST
    assert error.error_class == "org.apache.spark.SparkException"
    assert error.message.startswith("Python worker exited unexpectedly (crashed)")


def test_an_arrow_worker_that_died_is_told_from_one_that_raised(spark: SparkSession) -> None:
    def die(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        os._exit(3)
        yield from batches

    df = spark.range(0, 4, 1, 2).mapInArrow(die, "id long")
    assert failure_of(ArrowPartitions(df)).kind is FailureKind.WORKER_LOST


@pytest.mark.parametrize(
    ("cancel", "kind"),
    [
        (lambda spark, plan: plan.cancel("kind-CANCELLED"), FailureKind.CANCELLED),
        (
            lambda spark, plan: spark.sparkContext.cancelAllJobs(),
            FailureKind.CANCELLED_BY_OTHERS,
        ),
    ],
    ids=["by us", "by others"],
)
def test_a_job_that_we_cancelled_is_told_from_one_that_others_did(
    spark: SparkSession, cancel: Callable[[Any, Any], None], kind: FailureKind
) -> None:
    tag = f"kind-{kind.name}"  # a tag that was cancelled stays so
    plan = ArrowPartitions(spark.range(0, 4, 1, 2).mapInArrow(sleeping, "id long"))
    plan.plan(tag)
    with ThreadPoolExecutor(1) as thread:
        fetched = thread.submit(lambda: list(plan.fetch(0, tag)))
        until(lambda: spark.sparkContext.statusTracker().getJobIdsForGroup(tag))
        cancel(spark, plan)
        error = fetched.exception(timeout=PATIENCE)
    assert isinstance(error, SparkPartitionError)
    assert error.cancelled
    assert error.kind is kind


def test_a_plan_that_fails_has_no_partition_number(spark: SparkSession, tmp_path: Any) -> None:
    path = str(tmp_path / "gone")
    spark.range(4).write.parquet(path)
    df = spark.read.parquet(path).groupBy("id").count()
    for file in (tmp_path / "gone").glob("*.parquet"):
        file.unlink()
    error = failure_of(ArrowPartitions(df))
    assert error.partition is None
    assert str(error).startswith("planning failed: org.apache.spark.SparkException [FAILED_READ")


def test_a_partition_that_does_not_exist_says_how_many_there_are(spark: SparkSession) -> None:
    error = failure_of(ArrowPartitions(two_parts(spark, "id")), 77)
    assert "partition 77 failed" in str(error)
    assert "Total number of partitions: 2" in str(error)


def test_the_session_works_after_a_partition_failed(spark: SparkSession) -> None:
    failure_of(ArrowPartitions(two_parts(spark, "raise_error('no')")))
    ensure_session_alive(spark, "a check")
    assert spark.range(3).count() == 3


def test_an_error_that_is_ours_already_is_not_wrapped_again(spark: SparkSession) -> None:
    ours = ActorsRsError("told already")
    assert describe_failure(ours, 3, spark) is ours


def test_a_connection_that_breaks_while_the_session_lives_is_the_partitions_failure(
    spark: SparkSession,
) -> None:
    cause = ConnectionResetError("by peer")
    described = describe_failure(cause, 3, spark)
    assert str(described) == "partition 3 failed: ConnectionResetError: by peer"
    assert described.__cause__ is cause


def test_a_partition_error_survives_pickling() -> None:
    error = SparkPartitionError(7, "java.io.IOException", "no disk", FailureKind.FETCH_FAILED)
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == "partition 7 failed: java.io.IOException: no disk"
    assert copy.kind is FailureKind.FETCH_FAILED


def test_a_session_that_is_just_being_stopped_is_not_taken_for_a_jvm_that_is_gone() -> None:
    """pyspark forgets its context between two looks of ours, on the thread that stops it."""

    class Stopping:
        _gateway = None
        _looks = 0

        @property
        def _jsc(self) -> Any:
            self._looks += 1
            stopped = SimpleNamespace(isStopped=lambda: True)
            return SimpleNamespace(sc=lambda: stopped) if self._looks == 1 else None

    with pytest.raises(SparkSessionLost, match="was stopped by other code during a") as caught:
        ensure_session_alive(Stopping(), "a check")  # type: ignore[arg-type]
    assert caught.value.kind is FailureKind.CONTEXT_STOPPED


def test_a_session_whose_stop_takes_long_is_told_as_stopped_by_other_code() -> None:
    begun, may_end = Event(), Event()

    with subprocess.Popen(["sh", "-c", "read line"], stdin=subprocess.PIPE) as process:

        class Gateway:
            proc = process

        class Stopping:
            _gateway = Gateway()
            _jsc = SimpleNamespace(sc=lambda: SimpleNamespace(isStopped=lambda: True))

            def stop(self) -> None:
                begun.set()
                may_end.wait(60)

        stopping: Any = Stopping()
        thread = Thread(target=stopping.stop)
        thread.start()
        begun.wait(60)
        try:
            with pytest.raises(SparkSessionLost, match="was stopped by other code during a check"):
                ensure_session_alive(stopping, "a check")
        finally:
            may_end.set()
            thread.join(60)


def test_a_jvm_that_stops_its_context_on_its_way_out_is_told_as_gone() -> None:
    with subprocess.Popen(["sh", "-c", "read line; exit 52"], stdin=subprocess.PIPE) as process:

        class Gateway:
            proc = process

        class OutOfMemory:
            _gateway = Gateway()

            @property
            def _jsc(self) -> Any:
                assert process.stdin is not None
                process.stdin.close()  # it is asked while the process still runs
                return SimpleNamespace(sc=lambda: SimpleNamespace(isStopped=lambda: True))

        with pytest.raises(SparkSessionLost) as caught:
            ensure_session_alive(OutOfMemory(), "a check")  # type: ignore[arg-type]
    how = "ended with exit code 52 (out of memory) during a check; start a new session"
    assert str(caught.value) == f"Spark's JVM (process {process.pid}) {how}, and {LESS_MEMORY}"
    assert caught.value.kind is FailureKind.JVM_GONE


def test_a_jvm_that_does_not_answer_and_was_started_by_others_is_lost() -> None:
    class Gone:
        _gateway = None

        @property
        def _jsc(self) -> Any:
            raise Py4JNetworkError("connection refused")

    with pytest.raises(SparkSessionLost, match=r"does not answer \(Py4JNetworkError\) during a"):
        ensure_session_alive(Gone(), "a check")  # type: ignore[arg-type]


def test_a_module_that_the_executors_do_not_find_comes_with_what_to_do(spark: SparkSession) -> None:
    def use(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import module_of_the_driver  # type: ignore[import-not-found]

        yield module_of_the_driver

    text = str(failure_of(ArrowPartitions(two_parts(spark, "id").mapInArrow(use, "id long"))))
    assert "No module named 'module_of_the_driver'; the executors' Python does not find" in text
    assert "addPyFile" in text
    assert "--py-files" in text


def test_the_dead_letter_of_a_poisoned_partition_shows_the_users_part_and_no_stack_of_java(
    spark: SparkSession, system: ActorSystem, caplog: pytest.LogCaptureFixture
) -> None:
    def bad_row(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows:
                raise ValueError("row 3 is bad")
            yield batch

    caplog.set_level(logging.WARNING, "actors_rs")
    df = two_parts(spark, "id")
    source = SparkSource.arrow(df.mapInArrow(bad_row, df.schema), on_poison="dead_letter")
    assert system.start(source.to(Sink.count())).result(60) == 0
    warnings = [record for record in caplog.records if hasattr(record, "error")]
    assert warnings
    for warning in warnings:
        lines = caplog.handler.format(warning).splitlines()
        assert "ValueError: row 3 is bad" in lines[0]
        assert any("in bad_row" in line for line in lines)
        assert not any(line.lstrip().startswith("at org.apache") for line in lines)
        assert len(lines) < 20
