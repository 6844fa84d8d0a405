"""Tags on the jobs that a thread starts, which identify the jobs and cancel them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from actors_rs.spark.liveness import watch
from actors_rs.spark.tracing import carrier

__all__ = ["are_queued", "cancel_jobs", "group_of", "tagged"]

_GROUP = "spark.jobGroup.id"
_POOL = "spark.scheduler.pool"


@contextmanager
def tagged(
    context: Any, tag: str, pool: str | None = None, *, before: str | None = None
) -> Iterator[None]:
    """Put ``tag`` on the jobs this thread starts, and take it off again.

    ``tag`` is the job tag and the job group: a tag alone does not stop a job that is submitted a
    moment after the cancellation, a cancelled group does. ``pool`` is the scheduler's pool of the
    jobs; ``None`` leaves the thread's own.

    The system's own threads have neither group nor pool, and are pooled, so tag and group are
    removed at the end. To ask first would be two of the twenty calls that a partition takes. Where
    the thread may be a user's, ``before`` is its group (``group_of``), which it gets back.
    """
    context.addJobTag(tag)
    own = carrier() if pool is None else {**carrier(), _POOL: pool}
    for name, value in {_GROUP: tag, **own}.items():
        context.setLocalProperty(name, value)
    try:
        yield
    finally:
        with suppress(Exception):  # a dead JVM remembers nothing; do not hide why we are here
            context.removeJobTag(tag)
            context.setLocalProperty(_GROUP, before)
            for name in own:
                context.setLocalProperty(name, None)


def group_of(context: Any) -> str | None:
    """The job group of this thread."""
    group: str | None = context.getLocalProperty(_GROUP)
    return group


def cancel_jobs(context: Any, tag: str) -> None:
    """Cancel the jobs that run under ``tag`` and jobs that would start; never raises. Blocks."""
    with watch(context._gateway):  # or a frozen JVM would keep the calling thread
        with suppress(Exception):  # the session is gone, and its jobs with it
            context._jsc.sc().cancelJobGroupAndFutureJobs(tag)
        with suppress(Exception):
            context.cancelJobsWithTag(tag)


def are_queued(context: Any, tag: str) -> bool:
    """Whether all that was submitted under ``tag`` waits for a core; never raises. Blocks.

    False if it is not known. By names that are private to Spark: its public figures of running
    tasks are as old as the last heartbeat, which may be ten seconds.
    """
    with suppress(Exception), watch(context._gateway):
        submitted = list(_submitted(context, tag))
        begun = any(tasks.runningTasks() or tasks.tasksSuccessful() for tasks in submitted)
        return bool(submitted) and not begun
    return False


def _submitted(context: Any, tag: str) -> Iterator[Any]:
    """The tasks of each stage that has been submitted under ``tag`` and has not ended."""
    scheduler = context._jsc.sc().taskScheduler()
    tracker = context.statusTracker()
    for job in tracker.getJobIdsForGroup(tag):
        info = tracker.getJobInfo(job)
        for stage in info.stageIds if info is not None else ():
            tasks = scheduler.taskSetManagerForAttempt(stage, 0)
            if tasks.isDefined():
                yield tasks.get()
