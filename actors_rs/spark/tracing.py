"""The trace of a run in Spark: ``traced`` functions, and what the driver puts on its jobs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar, cast

from actors_rs.graph.checks import function
from actors_rs.spark.fetching import task_context
from actors_rs.spark.fetching.shipping import travels

__all__ = ["carrier", "seeing_trace", "traced"]

P = ParamSpec("P")
R = TypeVar("R")


def traced(f: Callable[P, R], /) -> Callable[P, R]:
    """``f`` for a UDF, ``mapInArrow`` or an RDD; in a task it sees the trace of the run.

    The span of the partition, or of the run where one job fetches several partitions, is
    OpenTelemetry's current span while ``f`` runs, and while the iterator runs that it returns.
    ``spark_map`` does this by itself. Executors need ``opentelemetry-api``, but not this package;
    where it is missing, or the job has no trace, ``f`` is called as it is. Not with Spark Connect,
    whose jobs carry no trace. May be called from any thread. Raises ``ArgumentTypeError`` for what
    cannot be called.

    >>> from actors_rs.spark import traced
    >>> @traced
    ... def length(text: str) -> int:
    ...     return len(text)
    >>> length("tea")
    3
    """
    function(f, "traced: f")
    return cast("Callable[P, R]", seeing_trace(f))


def seeing_trace(f: Callable[..., Any]) -> Callable[..., Any]:
    """``f`` in the trace of its task; it travels to executors without this package."""
    travels(task_context)
    return task_context.in_trace(f)


def carrier() -> dict[str, str]:
    """The local properties that give the current trace to a job; none without OpenTelemetry."""
    found: dict[str, str] = {}
    if "opentelemetry.context" in sys.modules:  # or nobody can have a span
        with suppress(Exception):  # a propagator that is set up wrongly
            from opentelemetry import propagate

            propagate.inject(found)
    return {**found, task_context.FIELDS: ",".join(found)} if found else {}
