"""What kind of failure a job's exception is: by the exact classes of Java that it consists of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

__all__ = ["CANCELLED", "FailureKind", "JavaError", "kind_of"]

CANCELLED = "SPARK_JOB_CANCELLED"

_SPARK = "org.apache.spark.SparkException"
_USER_CODE = frozenset(
    {
        "org.apache.spark.api.python.PythonException",
        "org.apache.spark.SparkArithmeticException",
        "org.apache.spark.SparkArrayIndexOutOfBoundsException",
        "org.apache.spark.SparkDateTimeException",
        "org.apache.spark.SparkNoSuchElementException",
        "org.apache.spark.SparkNumberFormatException",
        "org.apache.spark.SparkRuntimeException",
        "org.apache.spark.SparkUnsupportedOperationException",
    }
)
_PLAN = frozenset(
    {
        "org.apache.spark.sql.AnalysisException",
        "org.apache.spark.sql.catalyst.ExtendedAnalysisException",
        "org.apache.spark.sql.catalyst.parser.ParseException",
    }
)
_FETCH = frozenset(
    {
        "org.apache.spark.shuffle.FetchFailedException",
        "org.apache.spark.shuffle.MetadataFetchFailedException",
        "FetchFailed",
    }
)
_LAST_REASON = "Most recent failure reason: "
"""A stage that was tried too often says this before the text of the last exception."""
_WORKER_ENDED = "Python worker exited unexpectedly"
_TOO_LARGE = "spark.driver.maxResultSize"
_BY_NAME = {
    "ExecutorLostFailure": "EXECUTOR_LOST",
    "TaskResultLost": "RESULT_LOST",
    "java.lang.OutOfMemoryError": "OUT_OF_MEMORY",
    "org.apache.spark.memory.SparkOutOfMemoryError": "OUT_OF_MEMORY",
}
"""Kinds that the class alone tells."""


class FailureKind(Enum):
    """Why a partition's job failed, or why the session is gone.

    >>> from actors_rs.spark import FailureKind
    >>> FailureKind.TIMED_OUT.value
    'nothing came in time'
    """

    USER_CODE = "user code raised, or the data did not fit it"
    PLAN = "the plan itself is wrong"
    WORKER_LOST = "a Python worker died"
    EXECUTOR_LOST = "an executor died"
    FETCH_FAILED = "what a shuffle had written was gone"
    CANCELLED = "we cancelled the job"
    CANCELLED_BY_OTHERS = "somebody else cancelled the job"
    TOO_LARGE = "the result is larger than the driver takes"
    RESULT_LOST = "the result was gone before the driver had read it"
    OUT_OF_MEMORY = "a JVM had no memory left"
    TIMED_OUT = "nothing came in time"
    CONTEXT_STOPPED = "the Spark context was stopped"
    JVM_GONE = "the JVM ended"
    JVM_FROZEN = "the JVM did not answer"
    OTHER = "something else"


@dataclass(frozen=True, slots=True)
class JavaError:
    """One exception of a chain: its class, Spark's condition where it has one, its message."""

    name: str
    condition: str | None
    message: str


def _last_reason(error: JavaError) -> str:
    return error.message.partition(_LAST_REASON)[2] if error.name == _SPARK else ""


def kind_of(chain: Sequence[JavaError], tag: str | None = None) -> FailureKind:
    """The kind of the failure with the exceptions ``chain``, the outermost first.

    ``tag``: the tag of the job; if our own cancellation ended it, the message names the tag.
    """
    for error in chain:
        if error.condition == CANCELLED:
            ours = tag is not None and tag in error.message
            return FailureKind.CANCELLED if ours else FailureKind.CANCELLED_BY_OTHERS
        if error.name in _PLAN:
            return FailureKind.PLAN
        if error.name in _USER_CODE or error.condition == "FAILED_EXECUTE_UDF":
            return FailureKind.USER_CODE
        if error.name in _FETCH or _last_reason(error).startswith(tuple(_FETCH)):
            return FailureKind.FETCH_FAILED
        if error.name in _BY_NAME:
            return FailureKind[_BY_NAME[error.name]]
        if error.name == _SPARK and error.message.startswith(_WORKER_ENDED):
            return FailureKind.WORKER_LOST
        if error.name == _SPARK and _TOO_LARGE in error.message:
            return FailureKind.TOO_LARGE
    return FailureKind.OTHER
