"""Links under a ``RuleMonitor``: links of a run, and links between foreign peers.

A run is monitored if its system is (``ActorSystem(monitor=True)``) or its graph is
(``graph.monitored()``). A violation then ends that run with the ``ProtocolViolation``, and no other
run. Links without a monitor use nothing of this module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from actors_rs.engine.contract import Scope
from actors_rs.errors import ProtocolViolation
from actors_rs.protocol.interfaces import Subscriber
from actors_rs.protocol.link import Kind, Signal
from actors_rs.protocol.monitor import RuleMonitor
from actors_rs.runtime._primitives import Lock, current_thread_id
from actors_rs.stages.chunks.peers import Downstream, Frame, Upstream
from actors_rs.texts import class_name_of, text_of

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage

__all__ = ["link_monitor", "monitored_end", "monitored_lines", "monitored_subscriber"]


def link_monitor(
    publisher: str,
    subscriber: str,
    on_violation: Callable[[ProtocolViolation], None] | None = None,
) -> RuleMonitor:
    """A monitor for one link between real threads, with the names of its two ends.

    See ``RuleMonitor`` for ``on_violation``. Put it on a link with
    ``publisher.subscribe(monitor.wrap_subscriber(subscriber))``.
    """
    return RuleMonitor(
        publisher,
        subscriber,
        lock=Lock(),
        thread=current_thread_id,
        on_violation=on_violation,
    )


def monitored_lines(
    scope: Scope, names: tuple[str, str], down: Downstream, up: Upstream
) -> tuple[Downstream, Upstream]:
    """``down`` and ``up`` of one link, watched; ``names`` are the stages at its ends.

    A signal that breaks a rule goes no further. A deterministic world watches in a way of its own.
    """
    if (watch := getattr(scope.system, "watch_links", None)) is not None:
        return watch(scope, names, down, up)  # type: ignore[no-any-return]
    monitor = link_monitor(*names, scope.abort)
    subscribed = Signal(Kind.ON_SUBSCRIBE)
    monitor.begin(subscribed)  # stages are connected before they start, without a signal
    monitor.end(subscribed)
    return _WatchedDownstream(monitor, down), _WatchedUpstream(monitor, up)


def monitored_subscriber(
    scope: Scope, stage: RunningStage, subscriber: Subscriber[Any]
) -> Subscriber[Any]:
    """``subscriber``, watched, as the peer of the last stage of ``scope``.

    Nobody may be waiting for such a run, so a violation becomes a dead letter too.
    """
    kind = class_name_of(subscriber)  # not itself: the subscription would keep it alive (3.13)

    def broken(violation: ProtocolViolation) -> None:
        stage.report(kind, text_of(violation), violation)
        if violation.rule == "3.9":  # the boundary answers it, and ends the stream
            scope.note_failure(violation)
        else:
            scope.abort(violation)

    monitor = link_monitor(stage.name, kind, broken)
    return monitor.wrap_subscriber(subscriber)


def monitored_end(stage: RunningStage, publisher: str, end: Subscriber[Any]) -> Subscriber[Any]:
    """A monitored ``end``, which feeds ``stage``, for a foreign publisher of class ``publisher``.

    A violation ends the link, after all earlier signals. Here it also fails the run, even if a
    stage recovers from it or it comes late.
    """
    run: Any = stage.activity  # a section would have its own idea of failures
    peer: Any = link_monitor(publisher, stage.name, run.note_failure).wrap_subscriber(end)
    peer.activity = run
    return peer  # type: ignore[no-any-return]


class _Watched:
    """What both directions share: a signal goes on if it is legal."""

    __slots__ = ("_monitor",)

    def __init__(self, monitor: RuleMonitor) -> None:
        self._monitor = monitor

    def _pass_on(self, signal: Signal, send: Callable[..., None], *args: Any) -> None:
        legal, entered = self._monitor.begin(signal)
        try:
            if legal:
                send(*args)
        finally:
            if entered:
                self._monitor.end(signal)


class _WatchedDownstream(_Watched):
    """Elements and ends, on their way to an inlet. A frame of n counts as n ``on_next``."""

    __slots__ = ("_down",)

    def __init__(self, monitor: RuleMonitor, down: Downstream) -> None:
        super().__init__(monitor)
        self._down = down

    def push(self, frame: Frame, /) -> None:
        self._pass_on(Signal(Kind.ON_NEXT, len(frame)), self._down.push, frame)

    def complete(self) -> None:
        self._pass_on(Signal(Kind.ON_COMPLETE), self._down.complete)

    def fail(self, error: BaseException, /) -> None:
        signal = Signal(Kind.ON_ERROR, note=class_name_of(error))
        self._pass_on(signal, self._down.fail, error)


class _WatchedUpstream(_Watched):
    """Requests and cancellation, on their way to an outlet."""

    __slots__ = ("_up",)

    def __init__(self, monitor: RuleMonitor, up: Upstream) -> None:
        super().__init__(monitor)
        self._up = up

    def request(self, n: int, /) -> None:
        self._pass_on(Signal(Kind.REQUEST, n), self._up.request, n)

    def cancel(self, cause: BaseException | None = None, /) -> None:
        self._pass_on(Signal(Kind.CANCEL), self._up.cancel, cause)
