"""The table of events, which ``docs/events.md`` shows."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["EVENTS", "EventKind"]

_ERROR = ("error", "error_type")


@dataclass(frozen=True, slots=True)
class EventKind:
    """A row of the table of events: when it comes, and its own fields."""

    when: str
    fields: tuple[str, ...] = ()
    of_elements: bool = False
    """Whether it may come for each element: then lines are counted together for a second."""
    level: int = logging.INFO
    """Of its line in the log."""


EVENTS: Mapping[str, EventKind] = {
    "run_started": EventKind("A run has begun.", ("stages",)),
    "run_draining": EventKind("A run began to drain: its sources stop."),
    "run_drained": EventKind(
        "A drained run has delivered all elements in flight; it `cut` so many inner streams.",
        ("seconds", "cut"),
    ),
    "run_ended": EventKind(
        "A run has ended: `state` is `completed`, `failed` or `cancelled`. The text of the line of "
        "a cancelled run leaves the error out.",
        ("state", "seconds", *_ERROR),
    ),
    "stage_failed": EventKind(
        "A stage has failed, at the element in `position` if it was one.", ("position", *_ERROR)
    ),
    "stage_restarted": EventKind(
        "A section that failed begins anew after `wait_seconds`.",
        ("restarts", "wait_seconds", *_ERROR),
    ),
    "actor_restarted": EventKind(
        "A child of a supervisor has ended and is restarted after `wait_seconds`, with its siblings"
        " if the strategy says so. `restarts` of `max_restarts` count at this moment.",
        ("actor", "restarts", "max_restarts", "wait_seconds", *_ERROR),
    ),
    "element_resumed": EventKind(
        "A stage goes on after an element that failed, which is a dead letter.",
        ("position", "count", *_ERROR),
        of_elements=True,
    ),
    "element_restarted": EventKind(
        "A stage goes on with fresh state after an element that failed, which is a dead letter.",
        ("position", "count", *_ERROR),
        of_elements=True,
    ),
    "partition_retried": EventKind(
        "An attempt at a partition has failed, and the next one begins after `wait_seconds`: "
        "`reason` is `failed`. Or it gave nothing for `partition_timeout`, and the next one begins "
        "beside it: `late`, with that time as `timeout_seconds`. `attempt` counts "
        "in this start, `attempts_in_all` in all starts.",
        ("reason", "attempt", "attempts_in_all", "wait_seconds", "timeout_seconds", *_ERROR),
        level=logging.WARNING,
    ),
    "partition_given_up": EventKind(
        "A partition has failed at its last attempt and is passed over.",
        ("attempt", "attempts_in_all", *_ERROR),
    ),
}
"""All events by name. Every line has ``system``, ``run``, ``run_id``, ``stage``, ``partition``."""
