"""A system's runs as traces of OpenTelemetry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from actors_rs.observability.opentelemetry.needs import api
from actors_rs.runtime._primitives import RLock
from actors_rs.runtime.eventing.events import Event
from actors_rs.runtime.settings import check_kind
from actors_rs.texts import class_name_of, text_of

if TYPE_CHECKING:
    from opentelemetry.trace import Span, TracerProvider

    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["Tracing"]


class Tracing:
    """A span for each run of ``system``, from now on until ``close()``.

    The span is a child of the caller's current span. What happens to stages, elements and
    partitions is an event of it, and a run that fails records its error. ``provider`` is a
    ``TracerProvider`` (default: the global one). All methods may be called from any thread. Raises
    ``MissingExtraError`` without ``opentelemetry-api``, ``ArgumentTypeError`` for no system.

    >>> from actors_rs import ActorSystem, Sink, Source
    >>> with ActorSystem() as system:
    ...     tracing = Tracing(system)
    ...     system.start(Source.of(1, 2).to(Sink.sum())).result()
    3
    """

    def __init__(self, system: ActorSystem, provider: TracerProvider | None = None) -> None:
        trace = api("trace")
        check_kind(system, "events", "Tracing needs an ActorSystem")
        self._trace = trace
        self._tracer = trace.get_tracer("actors_rs", tracer_provider=provider)
        self._lock = RLock()
        self._spans: dict[int, Span] = {}
        self.close = system.events.listen(self._heard)
        """Trace no further events."""

    def _heard(self, event: Event) -> None:
        if event.name == "run_started":
            self._begin(event)
            return
        with self._lock:
            ends = event.name == "run_ended"
            span = (self._spans.pop if ends else self._spans.get)(event.run_id, None)
        if span is None:
            return
        if not ends:
            span.add_event(event.name, _attributes(event))
            return
        span.set_attribute("actors.run.state", event.fields["state"])
        if event.error is not None:
            span.record_exception(event.error)
            status = self._trace.StatusCode.ERROR
            span.set_status(self._trace.Status(status, class_name_of(event.error)))
        span.end()

    def _begin(self, event: Event) -> None:
        span = self._tracer.start_span(
            f"run {event.run}",
            attributes={
                "actors.system": event.system,
                "actors.run": event.run,
                "actors.run.id": event.run_id,
                "actors.run.stages": event.fields["stages"],
            },
        )
        with self._lock:
            self._spans[event.run_id] = span


def _attributes(event: Event) -> dict[str, Any]:
    known = {"stage": event.stage, "partition": event.partition, **event.fields}
    if event.error is not None:
        known |= {"error": text_of(event.error), "error_type": class_name_of(event.error)}
    return {f"actors.{name}": value for name, value in known.items() if value is not None}
