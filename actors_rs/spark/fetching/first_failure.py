"""The failure of the first attempt at a task, which Spark's own retries hide.

Spark reports only the failure of a job's last attempt. A partition that is sent to the driver while
it is computed can succeed in the first attempt only, so the later failures are consequences.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from actors_rs.spark.failure_kinds import JavaError, kind_of
from actors_rs.spark.failures import SparkPartitionError, one_line, split_condition
from actors_rs.spark.liveness import watch

__all__ = ["first_failure"]

_CLASS = re.compile(r"([\w.$]+):? ?(.*)", re.DOTALL)
_MOST_TASKS = 1000


def first_failure(context: Any, tag: str, partition: int) -> SparkPartitionError | None:
    """The failure of the first attempt of ``partition``'s job, which runs under ``tag``.

    ``None`` if no attempt failed, or if the failure is not known. By names that are private to
    Spark. Blocks.
    """
    failed: list[tuple[int, str]] = []
    with suppress(Exception), watch(context._gateway):
        spark = context._jsc.sc()
        store = spark.statusStore()
        for job in spark.statusTracker().getJobIdsForTag(tag):
            stages = store.job(job).stageIds()
            for at in range(stages.length()):
                failed += _failed_tasks(store, stages.apply(at))
    if not failed:
        return None
    found = _CLASS.match(min(failed)[1])
    assert found is not None
    name, text = found.groups()
    condition, message = split_condition(text)
    kind = kind_of([JavaError(name, condition, text)])
    named = f"{name} [{condition}]" if condition else name
    return SparkPartitionError(partition, named, one_line(message), kind)


def _failed_tasks(store: Any, stage: int) -> list[tuple[int, str]]:
    """When each attempt that failed was launched, and what Spark says of it."""
    tasks = store.taskList(stage, 0, _MOST_TASKS)
    failed = []
    for at in range(tasks.length()):
        task = tasks.apply(at)
        if task.errorMessage().isDefined():
            failed.append((task.launchTime().getTime(), task.errorMessage().get()))
    return failed
