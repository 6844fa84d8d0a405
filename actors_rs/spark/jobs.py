"""What is put on the jobs that a thread starts, so that they can be told apart and cancelled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from actors_rs.spark.liveness import watch

__all__ = ["cancel_jobs", "group_of", "tagged"]

_GROUP = "spark.jobGroup.id"
_POOL = "spark.scheduler.pool"


@contextmanager
def tagged(
    context: Any, tag: str, pool: str | None = None, *, before: str | None = None
) -> Iterator[None]:
    """Put ``tag`` on the jobs this thread starts, and take it off again.

    Both as a job tag and as the job group: a tag alone does not stop a job that is submitted a
    moment after the cancellation, a cancelled group does. ``pool`` is the scheduler's pool they
    run in; ``None`` leaves the thread's own. For the system's own threads, which have neither
    group nor pool of theirs: they are pooled, hence the removal, and asking first would be two of
    the twenty calls that a partition takes. Where the thread may be a user's, ``before`` is the
    group it has (``group_of``), which it gets back.
    """
    context.addJobTag(tag)
    context.setLocalProperty(_GROUP, tag)
    if pool is not None:
        context.setLocalProperty(_POOL, pool)
    try:
        yield
    finally:
        with suppress(Exception):  # a dead JVM remembers nothing; do not hide why we are here
            context.removeJobTag(tag)
            context.setLocalProperty(_GROUP, before)
            if pool is not None:
                context.setLocalProperty(_POOL, None)


def group_of(context: Any) -> str | None:
    """The job group of this thread."""
    group: str | None = context.getLocalProperty(_GROUP)
    return group


def cancel_jobs(context: Any, tag: str) -> None:
    """Cancel the jobs that run under ``tag`` and those that would start; never raises. Blocks."""
    with watch(context._gateway):  # or a frozen JVM would keep the calling thread
        with suppress(Exception):  # the session is gone, and its jobs with it
            context._jsc.sc().cancelJobGroupAndFutureJobs(tag)
        with suppress(Exception):
            context.cancelJobsWithTag(tag)
