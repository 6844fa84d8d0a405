"""The partitions that the runs of a system have given up, for a line at the end of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from actors_rs.runtime._primitives import Lock
from actors_rs.runtime.eventing.events import Event
from actors_rs.texts import attempts_text, counted, named, repr_of

if TYPE_CHECKING:
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["GivenUp"]

MOST_NAMED = 5
"""Partitions that the line names."""


class GivenUp:
    """Counts the partitions that are given up on ``system`` from now on. Any thread."""

    def __init__(self, system: ActorSystem) -> None:
        self._count = 0
        self._first: list[Event] = []
        self._lock = Lock()
        system.events.listen(self._heard)

    def _heard(self, event: Event) -> None:
        if event.name == "partition_given_up":
            with self._lock:
                self._count += 1
                self._first = sorted((*self._first, event), key=_place)[:MOST_NAMED]

    def said(self) -> str:
        """How many there are, and the first few with their errors; empty if there are none."""
        with self._lock:
            count, first = self._count, self._first
        if not first:
            return ""
        number = f"{counted(count, 'partition')} {'was' if count == 1 else 'were'} given up"
        whose = "its" if count == 1 else "their"
        more = [f"... and {count - len(first)} more"] if count > len(first) else []
        return f"{number}, {whose} rows are missing: {'; '.join([*map(_named, first), *more])}"


def _place(event: Event) -> tuple[object, ...]:
    return event.run_id, event.stage, event.partition


def _named(event: Event) -> str:
    tries = attempts_text(event.fields["attempt"], event.fields["attempts_in_all"])
    why = named(event.error) if event.error else "no error"
    return f"partition {event.partition} of stage {repr_of(event.stage)} ({tries}): {why}"
