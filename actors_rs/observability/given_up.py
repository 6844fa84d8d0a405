"""The partitions that the runs of a system have given up, for a line at the end of a command."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from actors_rs.runtime.eventing.events import Event
from actors_rs.texts import named, repr_of

if TYPE_CHECKING:
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["GivenUp"]

MOST_NAMED = 5
"""Partitions that the line names."""


class GivenUp:
    """Counts the partitions that are given up on ``system`` from now on. Any thread."""

    def __init__(self, system: ActorSystem) -> None:
        self._events: deque[Event] = deque()
        system.events.listen(self._heard)

    def _heard(self, event: Event) -> None:
        if event.name == "partition_given_up":
            self._events.append(event)

    def said(self) -> str:
        """How many there are, and the first few with their errors; empty if there are none."""
        if not self._events:
            return ""
        events = sorted(self._events, key=lambda one: (one.run_id, one.stage, one.partition))
        first = [
            f"partition {one.partition} of stage {repr_of(one.stage)} "
            f"({one.fields['attempt']} attempts): {named(one.error) if one.error else 'no error'}"
            for one in events[:MOST_NAMED]
        ]
        more = [f"... and {len(events) - MOST_NAMED} more"] if len(events) > MOST_NAMED else []
        number = f"{len(events)} partition{'s were' if len(events) > 1 else ' was'} given up"
        return "; ".join([f"{number}, their rows are missing: {first[0]}", *first[1:], *more])
