"""Events of a system: what happens to its runs and stages, for logs, metrics and traces.

Every event goes to the logger ``actors_rs.events`` as one line with ``extra`` fields, and to each
listener of ``ActorSystem.events``. ``docs/events.md`` has the table of ``EVENTS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import RLock
from actors_rs.runtime.dead_letters.dead_letters import DeadLetters
from actors_rs.runtime.eventing.kinds import EVENTS, EventKind
from actors_rs.runtime.eventing.operations import Operations
from actors_rs.texts import class_name_of, text_of

__all__ = ["Event", "Events"]

LINES_APART = 1.0
"""Seconds between two lines of a kind of event that may come for each element, for one stage."""
_MOST_STAGES = 1_000
"""Stages whose last line is remembered."""
logger = logger_called("actors_rs.events")


@dataclass(frozen=True, slots=True)
class Event:
    """One event. ``run_id`` counts the runs of a system; ``source`` is the ``Run`` itself.

    An event of an actor belongs to no run: ``run`` is empty, ``run_id`` 0, and ``source`` the
    reference to the actor.
    """

    name: str
    system: str
    run: str
    run_id: int
    stage: str | None = None
    partition: int | None = None
    error: BaseException | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    source: Any = None


class Events:
    """The events of one system. All methods may be called from any thread.

    >>> from actors_rs import ActorSystem, Sink, Source
    >>> with ActorSystem() as system:
    ...     stop = system.events.listen(lambda event: print(event.name))
    ...     system.start(Source.of(1, 2).to(Sink.sum())).result()
    run_started
    run_ended
    3
    """

    def __init__(self, system: str, now: Callable[[], float], dead_letters: DeadLetters) -> None:
        self._system = system
        self._now = now
        self._dead_letters = dead_letters
        self._lock = RLock()
        self._listeners: tuple[Callable[[Event], object], ...] = ()
        self._runs = count(1)
        self.operations = Operations(dead_letters)
        """Calls of ``map_async`` and partitions of Spark, from their begin to their end."""
        self._logged: dict[tuple[str, int, str | None], tuple[float, int]] = {}

    def listen(self, listener: Callable[[Event], object], /) -> Callable[[], None]:
        """Call ``listener`` with each event from now on; returns a function that ends this.

        The listener runs on the thread of the event and delays it, so it must not block. An
        exception of the listener is a dead letter.
        At ``run_started`` the listener may set context variables: all functions of the run see
        them, and the caller of the run does not.
        """
        with self._lock:
            self._listeners = (*self._listeners, listener)

        def stop() -> None:
            with self._lock:
                self._listeners = tuple(one for one in self._listeners if one is not listener)

        return stop

    def next_run(self) -> int:
        """The number of a new run."""
        return next(self._runs)

    def emit(self, event: Event) -> None:
        """Tell the log and all listeners. Never raises."""
        for listener in self._listeners:
            try:
                listener(event)
            except Exception as error:
                why = "a listener raised"
                self._dead_letters.publish(None, where="events", why=why, error=error)
        kind = EVENTS[event.name]
        if logger.isEnabledFor(kind.level) and (number := self._due(event, kind)):
            self._log(event, kind, number)

    def _due(self, event: Event, kind: EventKind) -> int:
        """How many events the next line stands for; 0 if it has to wait."""
        if not kind.of_elements:
            return 1
        key = event.name, event.run_id, event.stage
        with self._lock:
            now = self._now()
            last, waiting = self._logged.get(key, (-LINES_APART, 0))
            due = now - last >= LINES_APART
            if key not in self._logged and len(self._logged) >= _MOST_STAGES:
                del self._logged[next(iter(self._logged))]
            self._logged[key] = (now, 0) if due else (last, waiting + 1)
        return waiting + 1 if due else 0

    def _log(self, event: Event, kind: EventKind, number: int) -> None:
        fields: dict[str, Any] = {
            "stage": event.stage,
            "partition": event.partition,
            **event.fields,
        }
        if event.error is not None:
            fields |= {"error": event.error, "error_type": class_name_of(event.error)}
        if kind.of_elements:
            fields["count"] = number
        hidden = ("error", "error_type") if event.fields.get("state") == "cancelled" else ()
        known = [(k, v) for k, v in fields.items() if v is not None and k not in hidden]
        line = [f"{event.name} run={event.run}#{event.run_id}" if event.run_id else event.name]
        line += [f"{name}={text_of(value)}" for name, value in known]
        where = {"event": event.name, "system": self._system, "run": event.run}
        extra = {**where, "run_id": event.run_id, **fields}
        logger.log(kind.level, "%s", " ".join(line), extra=extra)
