"""The trace context of a run in Spark's tasks: what runs in a Python worker to see it.

This module travels to the executors as it is, so that they need not have this package: it imports
nothing of ours. Where ``opentelemetry-api`` is not installed, functions are called without a trace.

The driver puts the context on its jobs as local properties, under the names that OpenTelemetry's
propagator gives them (``traceparent``), and lists the names in the property ``FIELDS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

__all__ = ["FIELDS", "in_trace"]

FIELDS = "actors_rs.trace_fields"
"""The local property of a job that names the properties of its trace, with commas."""


def in_trace(f: Callable[..., Any]) -> Callable[..., Any]:
    """``f``, which sees the trace of the task's job as OpenTelemetry's current context.

    So does the iterator that it returns, if it returns one.
    """

    @wraps(f, assigned=("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"))
    def called(*args: Any, **kwargs: Any) -> Any:
        found = _of_task()
        if found is None:
            return f(*args, **kwargs)
        from opentelemetry import context

        token = context.attach(found)
        try:
            made = f(*args, **kwargs)
        finally:
            context.detach(token)
        return _attached(found, made) if isinstance(made, Iterator) else made

    return called


def _attached(found: Any, elements: Iterator[Any]) -> Iterator[Any]:
    """``elements``, made in the context ``found``."""
    from opentelemetry import context

    token = context.attach(found)
    try:
        yield from elements
    finally:
        context.detach(token)


def _of_task() -> Any:
    """The context of the task that this thread runs; ``None`` if there is none to be had."""
    try:
        from pyspark import TaskContext

        task: Any = TaskContext.get()
        fields = None if task is None else task.getLocalProperty(FIELDS)
        if not fields:
            return None
        from opentelemetry import propagate

        return propagate.extract({one: task.getLocalProperty(one) for one in fields.split(",")})
    except Exception:  # it is not installed here, or set up for another format
        return None
