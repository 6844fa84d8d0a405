"""Kinds of failures, from the exceptions of Java that they consist of."""

import pytest

from actors_rs.spark.failure_kinds import FailureKind, JavaError, kind_of
from actors_rs.spark.failures import one_line

SPARK = "org.apache.spark.SparkException"
ABORTED = JavaError(SPARK, None, "Job aborted due to stage failure: Task 0 in stage 0.0 failed")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (JavaError("ExecutorLostFailure", None, "(executor 0 exited)"), FailureKind.EXECUTOR_LOST),
        (JavaError("FetchFailed", None, "(BlockManagerId(1))"), FailureKind.FETCH_FAILED),
        (
            JavaError("org.apache.spark.shuffle.MetadataFetchFailedException", None, "gone"),
            FailureKind.FETCH_FAILED,
        ),
        (
            JavaError(
                SPARK,
                None,
                "ResultStage 4 has failed the maximum allowable number of times: 4. Most recent "
                "failure reason: org.apache.spark.shuffle.FetchFailedException: no such file",
            ),
            FailureKind.FETCH_FAILED,
        ),
        (
            JavaError("org.apache.spark.sql.AnalysisException", "UNRESOLVED_COLUMN", "x"),
            FailureKind.PLAN,
        ),
        (JavaError(SPARK, "FAILED_EXECUTE_UDF", "x"), FailureKind.USER_CODE),
        (
            JavaError(SPARK, None, "Total size is bigger than spark.driver.maxResultSize"),
            FailureKind.TOO_LARGE,
        ),
        (
            JavaError("TaskResultLost", None, "(result lost from block manager)"),
            FailureKind.RESULT_LOST,
        ),
        (
            JavaError("java.lang.OutOfMemoryError", None, "Java heap space"),
            FailureKind.OUT_OF_MEMORY,
        ),
        (JavaError("java.io.EOFException", None, ""), FailureKind.OTHER),
    ],
)
def test_the_first_exception_that_says_more_than_that_a_job_failed_decides(
    error: JavaError, kind: FailureKind
) -> None:
    assert kind_of([ABORTED, error]) is kind


def test_a_cancellation_that_names_the_jobs_tag_is_ours() -> None:
    error = JavaError(SPARK, "SPARK_JOB_CANCELLED", "Job 9 cancelled part of job group night-3")
    assert kind_of([error], "night-3") is FailureKind.CANCELLED
    assert kind_of([error], "night-4") is FailureKind.CANCELLED_BY_OTHERS
    assert kind_of([error]) is FailureKind.CANCELLED_BY_OTHERS


def test_the_crash_of_a_worker_is_told_without_sparks_advice_at_each_attempt():
    crash = (
        "Python worker exited unexpectedly (crashed). Consider setting "
        "'spark.sql.execution.pyspark.udf.faulthandler.enabled' or"
        "'spark.python.worker.faulthandler.enabled' configuration to 'true' for the better Python "
        "traceback."
    )
    assert one_line(crash) == "Python worker exited unexpectedly (crashed)."
