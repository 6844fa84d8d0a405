"""What a result that is too large is told as, from the texts of Spark's own exceptions."""

import gc
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Sink
from actors_rs.spark import FailureKind, SparkPartitionError, SparkSource
from actors_rs.spark.failures import describe_failure

CALL = "An error occurred while calling z:org.apache.spark.api.python.PythonRDD.runJob.\n"
ABORTED = f"{CALL}: org.apache.spark.SparkException: Job aborted due to stage failure: "
LOST = f"{ABORTED}Task 0 in stage 0.0 failed 1 times, most recent failure: Lost task 0.0 in stage "
AT = "0.0 (TID 0) (localhost executor driver): "
LARGE = "Total size of serialized results of 1 tasks (3.8 MiB) is bigger than "
PIECES = "read it in pieces with max_partition_bytes=... (DataFrames), make more partitions"


def told(text: str, partition: int | None) -> SparkPartitionError:
    running = SimpleNamespace(sc=lambda: SimpleNamespace(isStopped=lambda: False))
    session: Any = SimpleNamespace(_gateway=None, _jsc=running)
    error = describe_failure(Exception(text), partition, session, what=None)
    assert isinstance(error, SparkPartitionError)
    return error


@pytest.mark.parametrize(
    ("text", "kind", "advice"),
    [
        pytest.param(
            f"{ABORTED}{LARGE}spark.driver.maxResultSize (1024.0 KiB)\n\tat org.apache",
            FailureKind.TOO_LARGE,
            f"(1024.0 KiB); {PIECES}, or raise spark.driver.maxResultSize",
            id="maxResultSize",
        ),
        pytest.param(
            f"{LOST}{AT}TaskResultLost (result lost from block manager)\nDriver stacktrace:",
            FailureKind.RESULT_LOST,
            "TaskResultLost: (result lost from block manager); if no executor died, the result "
            f"was too large for the memory: {PIECES}, or raise spark.driver.memory",
            id="TaskResultLost",
        ),
        pytest.param(
            f"{LOST}{AT}java.lang.OutOfMemoryError: Java heap space\n\tat java.base/java.util",
            FailureKind.OUT_OF_MEMORY,
            "OutOfMemoryError: Java heap space; if the result was too large for the memory, "
            f"{PIECES}, or raise spark.driver.memory",
            id="OutOfMemoryError",
        ),
    ],
)
def test_a_result_that_is_too_large_says_what_to_do(
    text: str, kind: FailureKind, advice: str
) -> None:
    error = told(text, 3)
    assert error.kind is kind
    assert str(error).startswith("partition 3 failed: ")
    assert str(error).endswith(advice)


def test_what_is_no_partition_is_not_told_to_be_read_in_pieces() -> None:
    error = told(f"{ABORTED}{LARGE}spark.driver.maxResultSize (1024.0 KiB)", None)
    assert str(error).endswith("; ask for less at a time, or raise spark.driver.maxResultSize")


def test_other_failures_say_nothing_of_sizes() -> None:
    error = told(f"{LOST}{AT}java.io.IOException: no disk", 3)
    assert str(error) == "partition 3 failed: java.io.IOException: no disk"


@pytest.mark.spark
def test_the_jvm_keeps_no_result_that_was_read(spark: SparkSession, system: ActorSystem) -> None:
    df = spark.range(0, 8, 1, 8).selectExpr("repeat('x', 16777216) text")
    jvm: Any = spark.sparkContext._jvm

    def used() -> int:
        jvm.java.lang.System.gc()
        runtime = jvm.java.lang.Runtime.getRuntime()
        return int(runtime.totalMemory() - runtime.freeMemory())

    gc.collect()
    gc.disable()  # as in a program that makes few objects
    try:
        assert system.start(SparkSource.arrow(df).to(Sink.count())).result(60.0) == 8
        kept = min(used() for _ in range(20))  # Spark removes its copies a moment later
    finally:
        gc.enable()
    gc.collect()  # lets go of what a cycle in Python kept in the JVM
    freed = kept - min(used() for _ in range(20))
    assert freed < 32 * 2**20


@pytest.mark.spark
def test_a_session_of_ours_limits_a_result_by_its_heap(spark: SparkSession) -> None:
    jvm, context = spark.sparkContext._jvm, spark.sparkContext
    heap = int(jvm.java.lang.Runtime.getRuntime().maxMemory())  # type: ignore[union-attr]
    limit = int(context._jsc.sc().conf().get("spark.driver.maxResultSize"))
    assert limit == (heap - 300 * 2**20) // 8
