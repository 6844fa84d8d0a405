"""Open spans whose events are bounded, and the open spans of one run."""

from __future__ import annotations

from asyncio import CancelledError
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import CancelledError as FutureCancelled
from typing import TYPE_CHECKING, Any

from actors_rs.errors import RunCancelled
from actors_rs.observability.opentelemetry.needs import api
from actors_rs.runtime._primitives import RLock
from actors_rs.texts import class_name_of, text_of

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

__all__ = ["MOST_EVENTS", "OpenSpan", "RunTrace"]

MOST_EVENTS = 32
"""Events of each name that a span gets; the number of further ones is an attribute."""
Place = tuple[str, int]
"""A stage and the index of one of its partitions."""


class OpenSpan:
    """A span that has not ended. All methods may be called from any thread."""

    __slots__ = ("_events", "_lock", "span")

    def __init__(self, span: Span) -> None:
        self.span = span
        self._lock = RLock()
        self._events: Counter[str] | None = Counter()  # by name; none after the end

    def enter(self) -> None:
        """Make it the current span of the caller's context."""
        api("context").attach(api("trace").set_span_in_context(self.span))

    def add_event(self, name: str, attributes: Mapping[str, Any]) -> None:
        """Add the event, unless the span has ``MOST_EVENTS`` of that name."""
        with self._lock:
            if self._events is None:
                return
            self._events[name] += 1
            if self._events[name] <= MOST_EVENTS:
                self.span.add_event(name, attributes)

    def end(self, error: BaseException | None, attributes: Mapping[str, Any]) -> None:
        """End the span, with ``error`` if there is one. Later calls do nothing."""
        with self._lock:
            events, self._events = self._events, None
        if events is None:
            return
        for name, number in events.items():
            if number > MOST_EVENTS:
                self.span.set_attribute(f"actors.omitted.{name}", number - MOST_EVENTS)
        for name, value in attributes.items():
            self.span.set_attribute(f"actors.{name}", value)
        if isinstance(error, CancelledError | FutureCancelled | RunCancelled):
            self.span.set_attribute("actors.cancelled", True)
        elif error is not None:
            self._record(error)
        self.span.end()

    def _record(self, error: BaseException) -> None:
        kind = class_name_of(error)
        try:
            self.span.record_exception(error)
        except Exception:  # its text cannot be made
            attributes = {"exception.type": kind, "exception.message": text_of(error)}
            self.span.add_event("exception", attributes)
        trace = api("trace")
        self.span.set_status(trace.Status(trace.StatusCode.ERROR, kind))


class RunTrace:
    """The span of a run, and the open spans below it. All methods may be called from any thread."""

    __slots__ = ("_lock", "_open", "_places", "_tracer", "run")

    def __init__(self, tracer: Tracer, name: str, attributes: Mapping[str, Any]) -> None:
        self._tracer = tracer
        self.run = OpenSpan(tracer.start_span(name, attributes=dict(attributes)))
        self._lock = RLock()
        self._open: dict[OpenSpan, None] | None = {}  # none after the end
        self._places: dict[Place, OpenSpan] = {}

    @property
    def is_recorded(self) -> bool:
        """Whether the span of the run was sampled by the provider."""
        return self.run.span.is_recording()

    def begin(
        self, name: str, attributes: Mapping[str, Any], place: Place | None = None
    ) -> OpenSpan | None:
        """Begin a span below the span of the run, unless the run has ended.

        It gets the events of the partition in ``place``.
        """
        above = api("trace").set_span_in_context(self.run.span)
        with self._lock:
            if self._open is None:
                return None
            one = OpenSpan(self._tracer.start_span(name, above, attributes=dict(attributes)))
            self._open[one] = None
            if place is not None:
                self._places[place] = one
        return one

    def span_of(self, stage: str | None, partition: int | None) -> OpenSpan:
        """The span of the partition, or else the span of the run."""
        if stage is None or partition is None:
            return self.run
        return self._places.get((stage, partition), self.run)

    def end_part(
        self, one: OpenSpan, error: BaseException | None, attributes: Mapping[str, Any]
    ) -> None:
        """End a span that ``begin`` has given."""
        with self._lock:
            if self._open is not None:
                self._open.pop(one, None)
        one.end(error, attributes)

    def end(self, error: BaseException | None, attributes: Mapping[str, Any]) -> None:
        """End the run's span; spans below it that are still open end before, as unfinished."""
        with self._lock:
            left, self._open = self._open or {}, None
            self._places.clear()
        for one in left:
            one.end(None, {"unfinished": True})
        self.run.end(error, attributes)
