"""A system's runs as traces of OpenTelemetry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from actors_rs.errors import InvalidArgumentError
from actors_rs.observability.opentelemetry.needs import api
from actors_rs.observability.opentelemetry.spans import OpenSpan, RunTrace
from actors_rs.runtime._primitives import RLock
from actors_rs.runtime.eventing.events import Event
from actors_rs.runtime.eventing.operations import Operation
from actors_rs.runtime.settings import check_kind, is_number
from actors_rs.texts import class_name_of, repr_of, text_of

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["Tracing"]

_GOLDEN = 0.6180339887498949
"""Multiples of it, without their whole part, are spread evenly over 0 to 1."""


class Tracing:
    """A span for each run of ``system``, from now on until ``close()``.

    The span is a child of the caller's current span. It is the current span in all functions of the
    run. Below it are a span for each partition of a Spark source, and spans for calls of
    ``map_async``. A run, a call or a partition that fails records its error. Other events of stages
    and elements are events of the run's span, at most 32 of each name; ``actors.omitted.<name>`` is
    the number of further ones.

    ``provider`` is a ``TracerProvider`` (default: the global one). ``call_ratio`` is the share of
    calls of ``map_async`` that get a span, from 0 to 1 (default: 0.01). The first call of a stage
    is one of them, and all attempts at an element are treated alike. All methods may be called from
    any thread. Raises ``MissingExtraError`` without ``opentelemetry-api``, ``ArgumentTypeError``
    for no system, ``InvalidArgumentError`` for a ``call_ratio`` that is no share.

    >>> from actors_rs import ActorSystem, Sink, Source
    >>> with ActorSystem() as system:
    ...     tracing = Tracing(system, call_ratio=1)
    ...     system.start(Source.of(1, 2).map_async(abs).to(Sink.sum())).result()
    3
    """

    def __init__(
        self,
        system: ActorSystem,
        provider: TracerProvider | None = None,
        *,
        call_ratio: float = 0.01,
    ) -> None:
        trace = api("trace")
        check_kind(system, "events", "Tracing needs an ActorSystem")
        self._ratio = _checked(call_ratio)
        self._tracer = trace.get_tracer("actors_rs", tracer_provider=provider)
        self._lock = RLock()
        self._runs: dict[int, RunTrace] = {}
        self._closed = False
        self._stop = (
            system.events.listen(self._heard),
            system.events.operations.follow(self._operation),
        )

    def close(self) -> None:
        """Trace no further runs, and end the spans of runs that go on: their state is "running"."""
        for stop in self._stop:
            stop()
        with self._lock:
            self._closed = True
            left, self._runs = list(self._runs.values()), {}
        for one in left:
            one.end(None, {"run.state": "running"})

    def _heard(self, event: Event) -> None:
        if event.name == "run_started":
            self._begin(event)
            return
        ends = event.name == "run_ended"
        with self._lock:
            run = (self._runs.pop if ends else self._runs.get)(event.run_id, None)
        if run is None:
            return
        if ends:
            run.end(event.error, {"run.state": event.fields["state"]})
        else:
            run.span_of(event.stage, event.partition).add_event(event.name, _attributes(event))

    def _begin(self, event: Event) -> None:
        attributes = {
            "actors.system": event.system,
            "actors.run": event.run,
            "actors.run.id": event.run_id,
            "actors.run.stages": event.fields["stages"],
        }
        with self._lock:
            if self._closed:
                return
            run = self._runs[event.run_id] = RunTrace(self._tracer, f"run {event.run}", attributes)
        run.run.enter()

    def _operation(self, operation: Operation) -> _Part | None:
        kind, run_id, stage, number, attempt = operation
        is_call = kind == "call"
        if is_call and number * _GOLDEN % 1.0 >= self._ratio:
            return None
        run = self._runs.get(run_id)
        if run is None or not run.is_recorded:
            return None
        attributes: dict[str, Any] = {"actors.stage": stage}
        if is_call:
            attributes |= {"actors.position": number, "actors.attempt": attempt}
        else:
            attributes["actors.partition"] = number
        place = None if is_call else (stage, number)
        one = run.begin(f"{kind} {stage}", attributes, place)
        return None if one is None else _Part(run, one)


class _Part:
    """The span of an operation. See ``Followed``."""

    __slots__ = ("_run", "_span", "enter")

    def __init__(self, run: RunTrace, span: OpenSpan) -> None:
        self._run = run
        self._span = span
        self.enter = span.enter

    def end(self, error: BaseException | None, /, **figures: Any) -> None:
        self._run.end_part(self._span, error, figures)


def _checked(ratio: Any) -> float:
    if not is_number(ratio) or not 0 <= ratio <= 1:
        raise InvalidArgumentError(
            f"Tracing: call_ratio must be a share from 0 to 1, got {repr_of(ratio)}"
        )
    return float(ratio)


def _attributes(event: Event) -> Mapping[str, Any]:
    known = {"stage": event.stage, "partition": event.partition, **event.fields}
    if event.error is not None:
        known |= {"error": text_of(event.error), "error_type": class_name_of(event.error)}
    return {f"actors.{name}": value for name, value in known.items() if value is not None}
