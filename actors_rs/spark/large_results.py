"""What to do about a result that is more than the driver can take."""

from __future__ import annotations

from actors_rs.spark.failure_kinds import FailureKind

__all__ = ["LESS_MEMORY", "advice_on_size"]

_SETTINGS = {
    FailureKind.TOO_LARGE: "spark.driver.maxResultSize",
    FailureKind.RESULT_LOST: "spark.driver.memory",
    FailureKind.OUT_OF_MEMORY: "spark.driver.memory",
}
_SUPPOSED = {
    FailureKind.RESULT_LOST: "if no executor died, the result was too large for the memory: ",
    FailureKind.OUT_OF_MEMORY: "if the result was too large for the memory, ",
}
LESS_MEMORY = (
    "make smaller partitions, read them in pieces with max_partition_bytes=..., "
    "lower in_flight, or raise spark.driver.memory"
)
"""What to do after a JVM that ran out of memory is gone."""


def advice_on_size(kind: FailureKind, *, of_partition: bool) -> str | None:
    """What to do about a failure of ``kind``, if it may be one of size.

    ``of_partition``: one partition failed, and not a query or a job of several.
    """
    setting = _SETTINGS.get(kind)
    if setting is None:
        return None
    less = (
        "read it in pieces with max_partition_bytes=... (DataFrames), make more partitions"
        if of_partition
        else "ask for less at a time"
    )
    return f"{_SUPPOSED.get(kind, '')}{less}, or raise {setting}"
