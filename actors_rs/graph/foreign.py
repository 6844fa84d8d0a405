"""Boundaries: our stages as standard Publishers, Subscribers and Processors.

A foreign peer is called from the turn of one actor, so its signals are serial (1.3) and what it
calls back, from inside a signal or from any other thread, is a message (3.3, 3.4). A peer that
offers ``on_frame`` is one of ours and gets whole frames.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from actors_rs.errors import ProtocolViolation
from actors_rs.graph.shell import InletLine, StageActor
from actors_rs.protocol.demand import check_request
from actors_rs.protocol.interfaces import Subscriber, Subscription
from actors_rs.stages.ports import Frame, Inlet, Outlet

__all__ = ["ForeignSubscriber", "SubscriberEnd", "check_subscriber"]

T = TypeVar("T")
_SUBSCRIBER_METHODS = ("on_subscribe", "on_next", "on_error", "on_complete")


def check_subscriber(subscriber: Any) -> None:
    """Raise ``TypeError`` unless ``subscriber`` has a Subscriber's methods (1.9)."""
    if subscriber is None:
        raise TypeError("rule 1.9: subscribe needs a Subscriber, got None")
    missing = [m for m in _SUBSCRIBER_METHODS if not callable(getattr(subscriber, m, None))]
    if missing:
        raise TypeError(
            f"rule 1.9: subscribe needs a Subscriber, got a {type(subscriber).__name__} "
            f"without {', '.join(missing)}"
        )


class ForeignSubscription:
    """What a foreign subscriber holds. Both methods may be called from any thread."""

    __slots__ = ("_peer",)

    def __init__(self, peer: ForeignSubscriber) -> None:
        self._peer = peer

    def request(self, n: int, /) -> None:
        """Ask for ``n`` more; below 1 the stream ends with ``on_error`` (3.9)."""
        self._peer.request(n)

    def cancel(self) -> None:
        """Ask for no more (3.5 to 3.7)."""
        self._peer.cancel()


class ForeignSubscriber:
    """The ``Downstream`` of an outlet behind which there is somebody else's subscriber."""

    def __init__(self, actor: StageActor, outlet: Outlet, subscriber: Subscriber[Any]) -> None:
        self._actor = actor
        self._outlet = outlet
        self._subscriber: Any = subscriber
        self._on_frame: Callable[[Frame], None] | None = getattr(subscriber, "on_frame", None)
        self._cancelled = False
        outlet.connect(self)

    def begin(self) -> None:
        """The first signal; in the actor's first turn, before anything else."""
        self._guarded(self._subscriber.on_subscribe, ForeignSubscription(self))

    def request(self, n: int) -> None:
        """Called by the subscriber, on any thread."""
        if self._cancelled:
            return
        try:
            check_request(n, f"subscriber of {self._actor}")
        except (TypeError, ValueError) as error:
            self._actor.post(lambda error=error: self._reject(error))  # type: ignore[misc]
        else:
            self._actor.post(lambda: self._outlet.request(n))

    def cancel(self) -> None:
        """Called by the subscriber, on any thread."""
        if not self._cancelled:
            self._cancelled = True
            self._actor.post(self._outlet.cancel)

    # Downstream, called in the actor's turn

    def push(self, frame: Frame, /) -> None:
        if self._on_frame is not None:
            self._guarded(self._on_frame, frame)
            return
        on_next = self._subscriber.on_next
        for element in frame:
            if self._cancelled:
                return
            if element is None:
                self._reject_none()
                return
            self._guarded(on_next, element)

    def complete(self) -> None:
        if not self._cancelled:
            self._cancelled = True
            self._guarded(self._subscriber.on_complete)
        self._subscriber = None  # nothing keeps a subscriber alive whose stream ended (3.13)

    def fail(self, error: BaseException, /) -> None:
        if not self._cancelled:
            self._cancelled = True
            self._guarded(self._subscriber.on_error, error)
        self._subscriber = None

    def _reject(self, error: Exception) -> None:
        """The peer broke a rule: end its stream with the error (3.9)."""
        if not self._cancelled:
            self.fail(error)
            self._outlet.cancel()

    def _reject_none(self) -> None:
        stage = self._actor.name
        self._reject(TypeError(f"rule 2.13: stage '{stage}' gave None, which no Subscriber takes"))

    def _guarded(self, signal: Callable[..., None], *args: Any) -> None:
        """Call the peer; one that raises counts as cancelled, and the error is reported (2.13)."""
        try:
            signal(*args)
        except Exception as error:
            self._actor.report(self._subscriber, "rule 2.13: a subscriber raised", error)
            self.cancel()


class SubscriberEnd(Generic[T]):
    """A standard Subscriber that feeds an inlet. Its methods may be called from any thread."""

    def __init__(self, actor: StageActor, inlet: Inlet) -> None:
        self._actor = actor
        self._inlet = inlet
        self._line = InletLine(actor, inlet)
        self._subscribed = False

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Take the subscription; a second one is cancelled (2.5) and reported."""
        if subscription is None:
            raise TypeError("rule 2.13: on_subscribe needs a Subscription, got None")
        if self._subscribed:
            subscription.cancel()
            error = ProtocolViolation("2.12", f"a second on_subscribe to {self._actor}")
            self._actor.report(subscription, str(error), error)
            return
        self._subscribed = True
        upstream = _ForeignPublisher(subscription)
        if not self._actor.actor_inbox.offer_control(_Connect(self._inlet, upstream)):
            subscription.cancel()  # the stage has ended already

    def on_next(self, element: T, /) -> None:
        """One element, not ``None`` (2.13)."""
        if element is None:
            raise TypeError(f"rule 2.13: on_next needs an element, got None ({self._actor})")
        self._line.push((element,))

    def on_frame(self, frame: Frame, /) -> None:
        """Several elements at once, from a publisher of ours."""
        self._line.push(frame)

    def on_error(self, error: BaseException, /) -> None:
        """The stream failed; ``error`` is an exception (2.13)."""
        if not isinstance(error, BaseException):
            raise TypeError(f"rule 2.13: on_error needs an exception, got {error!r}")
        self._line.fail(error)

    def on_complete(self) -> None:
        """The stream ended."""
        self._line.complete()


class _Connect:
    __slots__ = ("inlet", "upstream")

    def __init__(self, inlet: Inlet, upstream: _ForeignPublisher) -> None:
        self.inlet = inlet
        self.upstream = upstream

    def deliver(self) -> None:
        self.inlet.connect(self.upstream)


class _ForeignPublisher:
    """The ``Upstream`` of an inlet before which there is somebody else's publisher."""

    __slots__ = ("_subscription",)

    def __init__(self, subscription: Subscription) -> None:
        self._subscription = subscription

    def request(self, n: int, /) -> None:
        self._subscription.request(n)

    def cancel(self, cause: BaseException | None = None, /) -> None:
        self._subscription.cancel()
