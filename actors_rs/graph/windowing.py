"""The options of ``aggregate_by`` over windows of time, checked, as what makes its stage."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from actors_rs.graph.checks import (
    at_least_zero,
    optional_plain_function,
    plain_function,
    positive_seconds,
    wrong_kind,
    wrong_value,
)
from actors_rs.runtime.settings import is_finite, is_number
from actors_rs.stages.operators.aggregate_windows import AggregateWindows, OpenWindows, Timing
from actors_rs.stages.windows.fixed import FixedWindows
from actors_rs.stages.windows.sessions import Sessions
from actors_rs.stages.windows.spans import OnTooMany, Session, Sliding
from actors_rs.texts import few, repr_of

__all__ = ["Aggregation", "aggregation_in_windows"]

KINDS = "every=seconds, sliding=(size, step) or session=gap"


class Aggregation(NamedTuple):
    """How the elements of each key are aggregated."""

    key: Callable[[Any], Any]
    make_init: Callable[[], Any]
    fold: Callable[[Any, Any], Any]
    max_keys: int
    on_overflow: OnTooMany


def aggregation_in_windows(
    what: Aggregation,
    inputs: int,
    has_late: bool,
    event_time: Callable[[Any], Any] | None,
    *,
    every: float | None = None,
    sliding: tuple[float, float] | None = None,
    session: float | None = None,
    offset: float = 0.0,
    lateness: float = 0.0,
    idle_after: float | None = None,
    merge: Callable[[Any, Any], Any] | None = None,
) -> Callable[[], AggregateWindows]:
    """Makes the stage with those windows; raises for options that make no sense."""
    kinds = {"every": every, "sliding": sliding, "session": session}
    given = [name for name, one in kinds.items() if one is not None]
    if len(given) != 1:
        raise wrong_kind(f"aggregate_by: expected one kind of windows, {KINDS}, got {few(given)}")
    optional_plain_function(merge, "aggregate_by: merge")
    if session is None and merge is not None:
        raise wrong_value("aggregate_by: merge needs session=gap: other windows never merge")
    timing = _timing(event_time, lateness, idle_after)
    if session is not None:
        if offset:
            raise wrong_value(
                "aggregate_by: offset needs every= or sliding=: a session begins with an element"
            )
        gap = Session(positive_seconds(session, "aggregate_by: session"))
        make: Callable[[], OpenWindows] = partial(Sessions, gap, *what[1:], merge)
    else:
        make = partial(FixedWindows, _span(every, sliding, offset), *what[1:])
    return partial(AggregateWindows, make, what.key, timing, inputs, has_late)


def _span(every: float | None, sliding: Any, offset: float) -> Sliding:
    if not is_number(offset) or not is_finite(offset):
        raise wrong_kind(f"aggregate_by: offset must be seconds, got {repr_of(offset)}")
    if every is not None:
        seconds = positive_seconds(every, "aggregate_by: every")
        return Sliding(seconds, seconds, offset)
    if not isinstance(sliding, tuple) or len(sliding) != 2:
        raise wrong_kind(f"aggregate_by: sliding must be (size, step), got {repr_of(sliding)}")
    size = positive_seconds(sliding[0], "aggregate_by: the size of sliding")
    return Sliding(size, positive_seconds(sliding[1], "aggregate_by: the step of sliding"), offset)


def _timing(event_time: Any, lateness: float, idle_after: float | None) -> Timing:
    at_least_zero(lateness, "aggregate_by: lateness", "seconds")
    if idle_after is not None:
        positive_seconds(idle_after, "aggregate_by: idle_after")
    if event_time is not None:
        plain_function(event_time, "aggregate_by: event_time")
    elif lateness or idle_after is not None:
        given = "lateness" if lateness else "idle_after"
        raise wrong_value(
            f"aggregate_by: {given} needs event_time=f: by the clock no element is late"
        )
    return Timing(event_time, lateness, idle_after)
