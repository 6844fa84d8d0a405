"""Boundaries: our stages as standard Publishers, Subscribers and Processors.

A foreign peer is called from the turn of one actor, so its signals are serial (1.3) and what it
calls back, from inside a signal or from any other thread, is a message (3.3, 3.4). A peer that
is a ``FrameSubscriber`` is one of ours and gets whole frames.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar, cast

from actors_rs.errors import ProtocolViolation
from actors_rs.graph.shell import Signal, StageActor
from actors_rs.protocol.checks import FrameSubscriber, check_subscriber, shown, takes_frames
from actors_rs.protocol.demand import check_request, less_demand, more_demand
from actors_rs.protocol.interfaces import Subscriber, Subscription, is_subscription
from actors_rs.runtime._primitives import Lock, current_thread_id
from actors_rs.stages.pace import Pace
from actors_rs.stages.ports import Frame, Inlet, Outlet

__all__ = ["ForeignSubscriber", "SubscriberEnd", "check_subscriber"]

T = TypeVar("T")


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


class _Asked(Signal):
    """A request of a foreign subscriber, as a message."""

    __slots__ = ("_n", "_peer")

    def __init__(self, peer: ForeignSubscriber, n: int) -> None:
        self._peer = peer
        self._n = n

    def deliver(self) -> None:
        self._peer.requested(self._n)


class ForeignSubscriber:
    """The ``Downstream`` of an outlet behind which there is somebody else's subscriber.

    What the subscriber requests is granted to the outlet piece by piece, each in a turn of its
    own, so that one that is slow, or asks without bound, leaves room for a cancellation.
    """

    def __init__(self, actor: StageActor, outlet: Outlet, subscriber: Subscriber[Any]) -> None:
        self._actor = actor
        self._outlet = outlet
        self._subscriber: Any = subscriber
        self._on_frame: Callable[[Frame], None] | None = None
        if takes_frames(subscriber):
            self._on_frame = cast(FrameSubscriber, subscriber).on_frame
        self._demand = 0  # requested and not yet granted
        self._pace = Pace()
        self._over = False  # cancelled, or told the end: no further signal
        outlet.connect(self)

    def begin(self) -> None:
        """The first signal; in the actor's first turn, before anything else."""
        self._guarded(self._subscriber.on_subscribe, ForeignSubscription(self))

    def request(self, n: int) -> None:
        """Called by the subscriber, on any thread."""
        if self._over:
            return
        if type(n) is not int or n < 1:  # all others need no words, which take their time
            try:
                check_request(n, f"subscriber of {self._actor}")
            except (TypeError, ValueError) as error:
                self._actor.post(partial(self._reject, error))
                return
        self._actor.actor_inbox.offer_control(_Asked(self, n))

    def cancel(self) -> None:
        """Called by the subscriber, on any thread."""
        if not self._over:
            self._over = True
            self._actor.post(self._cancelled)

    # Downstream, called in the actor's turn

    def push(self, frame: Frame, /) -> None:
        if self._over:
            return
        if self._on_frame is not None:
            self._guarded(self._on_frame, frame)
            return
        timed = len(frame) > 1 or self._demand > 0
        began = self._actor.stopwatch() if timed else 0.0
        on_next = self._subscriber.on_next
        for element in frame:
            if self._over:
                return
            if element is None:
                self._reject_none()
                return
            self._guarded(on_next, element)
        if timed:
            self._pace.record(len(frame), self._actor.stopwatch() - began)
        # What went ahead of its frame is not counted yet, and nothing may come behind it.
        if self._demand and (not self._outlet.demand or self._outlet.making is not None):
            self._actor.post(self._grant)

    def complete(self) -> None:
        if not self._over:
            self._over = True
            self._guarded(self._subscriber.on_complete)
        self._let_go()

    def fail(self, error: BaseException, /) -> None:
        if not self._over:
            self._over = True
            self._guarded(self._subscriber.on_error, error)
        self._let_go()

    def requested(self, n: int) -> None:
        """The subscriber's request has arrived in the actor's turn."""
        self._demand = more_demand(self._demand, n)
        self._grant()

    def _grant(self) -> None:
        """Let the outlet have demand for the next piece, once it has used up the last one.

        Who takes whole frames is one of ours and never slow: all that is asked for is granted.
        """
        whole = self._on_frame is not None
        if self._demand and (whole or not self._outlet.demand):
            piece = self._demand if whole else min(self._demand, self._pace.size)
            self._demand = less_demand(self._demand, piece)
            self._outlet.request(piece)
        self._outlet.foreseen = self._demand

    def _cancelled(self) -> None:
        self._outlet.cancel()
        self._let_go()

    def _let_go(self) -> None:
        """Nothing keeps a subscriber alive whose stream has ended (3.13)."""
        self._subscriber = self._on_frame = None

    def _reject(self, error: Exception) -> None:
        """The peer broke a rule: end its stream with the error (3.9)."""
        if not self._over:
            self.fail(error)
            self._actor.post(self._cancelled)  # in the next turn, which takes notice of it

    def _reject_none(self) -> None:
        stage = self._actor.name
        self._reject(TypeError(f"rule 2.13: stage '{stage}' gave None, which no Subscriber takes"))

    def _guarded(self, signal: Callable[..., None], *args: Any) -> None:
        """Call the peer; one that raises counts as cancelled, and the error is reported (2.13)."""
        try:
            signal(*args)
        except BaseException as error:  # whatever it was, it ends this stream and nothing else
            self._actor.report(self._subscriber, "rule 2.13: a subscriber raised", error)
            self.cancel()


class SubscriberEnd(FrameSubscriber, Generic[T]):
    """A standard Subscriber that feeds an inlet. Its methods may be called from any thread.

    The link ends with the first terminal signal, with a violation of the publisher's, or when the
    run is drained. A violation is an element that is none (2.13) or was not asked for (1.1), a
    signal that comes on one thread while another is under way on a second one (1.3), or one behind
    a terminal signal (1.7) while the stage has not come to its end. Later ones are reported.
    """

    def __init__(self, actor: StageActor, inlet: Inlet) -> None:
        self._actor = actor
        self._inlet = inlet
        self._subscribed = Lock()  # held from the first on_subscribe on
        self._signalling = Lock()  # never waited for: held means that a signal is under way
        self._signaller = 0  # its thread, which may signal again inside of it (3.3)
        self._ended = False  # by a terminal signal
        self._drains = False  # asks for no more; what is under way is still taken
        self._drained = False
        inlet.name = actor.name
        actor.drain_boundary = self._drain

    @property
    def activity(self) -> object:
        """The run it is part of. Who publishes to the end of a system's life asks for it."""
        return self._actor.activity

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Take the subscription; a second one is cancelled (2.5) and reported."""
        if not is_subscription(subscription):
            self._break_off("2.13", f"on_subscribe({shown(subscription)})")
            raise TypeError(
                f"rule 2.13: on_subscribe needs a Subscription, got {shown(subscription)}"
            )
        upstream = _ForeignPublisher(subscription, self._actor)
        if not self._subscribed.acquire(blocking=False):
            upstream.cancel()
            self._report(subscription, "2.12", "a second on_subscribe")
        elif not self._actor.actor_inbox.offer_control(_Subscribed(self._connect, upstream)):
            upstream.cancel()  # the stage has ended already

    def on_next(self, element: T, /) -> None:
        """One element, not ``None`` (2.13)."""
        if element is None:
            self._break_off("2.13", "on_next(None)")
            raise TypeError(f"rule 2.13: on_next needs an element, got None ({self._actor})")
        self._offer(partial(self._arrived, (element,)))

    def on_frame(self, frame: Frame, /) -> None:
        """Several elements at once, from a publisher of ours."""
        self._offer(partial(self._arrived, frame))

    def on_error(self, error: BaseException, /) -> None:
        """The stream failed; ``error`` is an exception (2.13)."""
        if not isinstance(error, BaseException):
            self._break_off("2.13", f"on_error({shown(error)})")
            raise TypeError(f"rule 2.13: on_error needs an exception, got {shown(error)}")
        self._offer(partial(self._end, error))

    def on_complete(self) -> None:
        """The stream ended."""
        self._offer(partial(self._end, None))

    def _offer(self, signal: Callable[[], None]) -> None:
        """Hand ``signal`` to the stage, behind all that came before it; not two at a time (1.3)."""
        me = current_thread_id()
        if self._signalling.acquire(blocking=False):
            self._signaller = me
            try:
                self._hand_over(signal)
            finally:
                self._signaller = 0
                self._signalling.release()
        elif self._signaller == me:
            self._hand_over(signal)
        else:
            self._break_off("1.3", "a signal while another one was under way on another thread")

    def _hand_over(self, signal: Callable[[], None]) -> None:
        if not self._actor.actor_inbox.offer(_FromPeer(signal)) and self._ended:
            self._report(None, "1.7", "a signal after the end")

    def _break_off(self, rule: str, happened: str) -> None:
        """The publisher broke ``rule`` in a way that leaves nothing to hand over."""
        self._actor.actor_inbox.offer_control(_FromPeer(partial(self._broken, rule, happened)))

    # In the stage's turn

    def _connect(self, upstream: _ForeignPublisher) -> None:
        """The publisher's subscription has come."""
        if self._drains:
            upstream.cancel()
        else:
            self._inlet.connect(upstream)

    def _broken(self, rule: str, happened: str) -> None:
        """End the link with the violation, unless the stage wants no more."""
        if self._inlet.cancelled or self._drained:
            self._report(None, rule, happened)
        else:
            raise ProtocolViolation(rule, f"{happened} to {self._actor}")

    def _arrived(self, frame: Frame) -> None:
        if self._ended:
            self._broken("1.7", "an element after the end")
        elif not self._drained:  # else it was under way when the publisher was cancelled (2.8)
            self._inlet.push(frame)

    def _end(self, error: BaseException | None) -> None:
        if self._ended:
            self._broken("1.7", "a second terminal signal")
            return
        self._ended = True
        if error is not None:
            self._actor.upstream_failed(error)
        if not self._drained:
            self._inlet.complete(error)

    def _drain(self) -> None:
        """Cancel the publisher; what it sent so far is taken, then the stream completes."""
        self._drains = True
        self._inlet.cancel_upstream()
        self._actor.actor_inbox.offer(_FromPeer(self._close_drained))

    def _close_drained(self) -> None:
        if not self._ended and not self._drained:
            self._drained = True
            self._inlet.complete()

    def _report(self, what: object, rule: str, happened: str) -> None:
        error = ProtocolViolation(rule, f"{happened} to {self._actor}")
        self._actor.report(what, str(error), error)


class _FromPeer(Signal):
    """A signal of a foreign publisher, as a message."""

    __slots__ = ("_apply",)

    def __init__(self, apply: Callable[[], None]) -> None:
        self._apply = apply

    def deliver(self) -> None:
        self._apply()


class _Subscribed(_FromPeer):
    """The subscription that a foreign publisher gives, as a message."""

    __slots__ = ("_upstream",)

    def __init__(
        self, connect: Callable[[_ForeignPublisher], None], upstream: _ForeignPublisher
    ) -> None:
        super().__init__(partial(connect, upstream))
        self._upstream = upstream

    def dropped(self) -> None:
        """The stage ended before it came to this: nobody else would tell the publisher."""
        self._upstream.cancel()


class _ForeignPublisher:
    """The ``Upstream`` of an inlet before which there is somebody else's publisher."""

    __slots__ = ("_actor", "_subscription")

    def __init__(self, subscription: Subscription, actor: StageActor) -> None:
        self._subscription = subscription
        self._actor = actor

    def request(self, n: int, /) -> None:
        try:
            self._subscription.request(n)
        except BaseException as error:
            raise ProtocolViolation("3.16", f"request raised {error!r} to {self._actor}") from error

    def cancel(self, cause: BaseException | None = None, /) -> None:
        try:
            self._subscription.cancel()
        except BaseException as error:  # the stream has ended for us: nobody else would hear of it
            self._actor.report(self._subscription, "rule 3.15: cancel raised", error)
