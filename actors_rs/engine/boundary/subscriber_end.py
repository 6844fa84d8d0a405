"""The boundary to a foreign Publisher: a standard Subscriber that feeds an inlet.

Each signal of the publisher, on any thread, becomes a message to one actor, and so does each
violation. Elements that came before a violation are treated as before any failure.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

from actors_rs.engine.links import Signal
from actors_rs.engine.member import Member
from actors_rs.errors import ProtocolViolation
from actors_rs.protocol.checks import FrameSubscriber, shown
from actors_rs.protocol.interfaces import Subscription, is_subscription
from actors_rs.runtime._primitives import Lock, current_thread_id
from actors_rs.stages.ports import Frame, Inlet
from actors_rs.texts import repr_of, text_of

__all__ = ["SubscriberEnd"]

T = TypeVar("T")


class SubscriberEnd(FrameSubscriber, Generic[T]):
    """A standard Subscriber that feeds an inlet. Its methods may be called from any thread.

    The link ends with the first terminal signal, with a violation by the publisher, or when the run
    is drained; in each case after the elements that came before. These are violations:

    - ``None`` as an element (2.13), or an element that was not requested (1.1);
    - a signal on one thread during a signal on another (1.3);
    - a signal after a terminal signal (1.7) while the stage has not reached its end;
    - a signal before ``on_subscribe`` (1.9);
    - a ``request`` that raises (3.16).

    Later ones are reported.
    """

    def __init__(self, stage: Member, inlet: Inlet) -> None:
        self._stage = stage
        self._inlet = inlet
        self._subscribed = Lock()  # held from the first on_subscribe on
        self._signalling = Lock()  # never waited for: held means that a signal is under way
        self._signaller = 0  # its thread, which may signal again inside of it (3.3)
        self._ended = False  # by a terminal signal
        self._violated = False  # and so ended by us: what comes now may have been under way
        self._drains = False  # requests no more; elements in flight are still taken
        self._drained = False
        self._upstream: _ForeignPublisher | None = None
        inlet.name = stage.name
        stage.drain_boundary = self._drain
        stage.peers += (self._may_wake,)

    def __repr__(self) -> str:
        return f"<Subscriber: {self._stage} of run {repr_of(self._stage.scope.name)}>"

    @property
    def activity(self) -> object:
        """The run it is part of. Who publishes to the end of a system's life asks for it."""
        return self._stage.activity

    def _may_wake(self) -> bool:
        """Whether a signal of the publisher may give the stage something to do. Any thread.

        None does when elements are held and no further one is requested: the held ones are not
        taken, and the end of the stream comes after them.
        """
        inlet = self._inlet
        return not inlet.closed and (inlet.outstanding > 0 or not inlet.buffered)

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Take the subscription; a second one is cancelled (2.5) and reported."""
        if not is_subscription(subscription):
            self._break_off("2.13", f"on_subscribe({shown(subscription)})")
            raise TypeError(
                f"rule 2.13: on_subscribe needs a Subscription, got {shown(subscription)}"
            )
        upstream = _ForeignPublisher(subscription, self._stage, self._break_off)
        if not self._subscribed.acquire(blocking=False):
            upstream.cancel()
            self.report(self._violation("2.12", "a second on_subscribe"), subscription)
        elif not self._stage.send_control(_Subscribed(self._connect, upstream)):
            upstream.cancel()  # the stage has ended already

    def on_next(self, element: T, /) -> None:
        """One element, not ``None`` (2.13)."""
        if element is None:
            self._break_off("2.13", "on_next(None)")
            raise TypeError(f"rule 2.13: on_next needs an element, got None ({self._stage})")
        self._offer(partial(self._arrived, (element,)))

    def on_frame(self, frame: Frame, /) -> None:
        """Several elements at once, from a publisher of ours."""
        self._offer(partial(self._arrived, frame))

    def on_error(self, error: BaseException, /) -> None:
        """The stream failed; ``error`` is an exception (2.13)."""
        if not isinstance(error, BaseException):
            self._break_off("2.13", f"on_error({shown(error)})")
            raise TypeError(f"rule 2.13: on_error needs an exception, got {shown(error)}")
        self._offer(partial(self._end, error), error)

    def on_complete(self) -> None:
        """The stream ended."""
        self._offer(partial(self._end, None))

    def _offer(self, signal: Callable[[], None], cause: BaseException | None = None) -> None:
        """Send ``signal`` to the stage, after all earlier ones; not two at a time (1.3).

        ``cause`` is an error of the signal, which a violation must not hide.
        """
        me = current_thread_id()
        if not self._subscribed.locked():
            self._break_off("1.9", "a signal before on_subscribe", cause)
        elif self._signalling.acquire(blocking=False):
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
        if not self._stage.send(_FromPeer(signal)) and self._ended:
            self.report(self._violation("1.7", "a signal after the end"))

    def _break_off(self, rule: str, happened: str, cause: BaseException | None = None) -> None:
        """The publisher broke ``rule``: end the link after all earlier signals."""
        violation = _Violation(self, self._violation(rule, happened, cause))
        if not self._stage.send(violation):
            violation.dropped()

    def _violation(
        self, rule: str, happened: str, cause: BaseException | None = None
    ) -> ProtocolViolation:
        violation = ProtocolViolation(rule, f"{happened} to {self._stage}")
        violation.__cause__ = cause
        return violation

    def report(self, violation: ProtocolViolation, what: object = None) -> None:
        """Say what was broken where that ends nothing."""
        self._stage.report(what, text_of(violation), violation)

    # In the stage's turn

    def _connect(self, upstream: _ForeignPublisher) -> None:
        """The publisher's subscription has come."""
        if self._drains:
            upstream.cancel()
        else:
            self._upstream = upstream
            self._inlet.connect(upstream)

    def broken(self, violation: ProtocolViolation) -> None:
        """Cancel the publisher, and fail after its elements, as any link that fails.

        If the link has ended already or the stage needs no more, the violation is only reported.
        """
        if self._inlet.cancelled or self._drained or self._violated:
            self.report(violation)
            return
        self._violated = True
        error, inlet = self._stage.failed(violation), self._inlet
        inlet.cancel_upstream()
        if not inlet.done:
            inlet.complete(error)
        elif inlet.error is None:
            inlet.error = error

    def _arrived(self, frame: Frame) -> None:
        if self._violated:
            self._inlet.drop(frame)
        elif self._ended:
            self.broken(self._violation("1.7", "an element after the end"))
        elif not self._drained:  # else it was under way when the publisher was cancelled (2.8)
            try:
                self._inlet.push(frame)
            except ProtocolViolation as violation:
                self.broken(violation)

    def _end(self, error: BaseException | None) -> None:
        if self._ended:
            self.broken(self._violation("1.7", "a second terminal signal"))
            return
        self._ended = True
        if error is not None:
            self._stage.upstream_failed(error)
        if not self._drained and not self._violated:
            self._inlet.complete(error)

    def _drain(self) -> None:
        """Cancel the publisher; take the elements that it sent so far, then complete.

        A publisher of ours that drains as well is not cancelled: the elements that it still holds
        are in flight, and the stream ends after them.
        """
        if self._upstream is not None and self._upstream.drains:
            return
        self._drains = True
        self._inlet.cancel_upstream()
        self._stage.send(_FromPeer(self._close_drained))

    def _close_drained(self) -> None:
        if not self._inlet.done and not self._drained:
            self._drained = True
            self._inlet.complete()


class _FromPeer(Signal):
    """A signal of a foreign publisher, as a message."""

    __slots__ = ("_apply",)

    def __init__(self, apply: Callable[[], None]) -> None:
        self._apply = apply

    def deliver(self) -> None:
        self._apply()


class _Violation(Signal):
    """A violation by a foreign publisher, as a message."""

    __slots__ = ("_end", "_violation")

    def __init__(self, end: SubscriberEnd[Any], violation: ProtocolViolation) -> None:
        self._end = end
        self._violation = violation

    def deliver(self) -> None:
        self._end.broken(self._violation)

    def dropped(self) -> None:
        self._end.report(self._violation)


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
    """The ``Upstream`` of an inlet that a foreign publisher feeds."""

    __slots__ = ("_break_off", "_stage", "_subscription")

    def __init__(
        self,
        subscription: Subscription,
        stage: Member,
        break_off: Callable[[str, str, BaseException], None],
    ) -> None:
        self._subscription = subscription
        self._stage = stage
        self._break_off = break_off

    @property
    def drains(self) -> bool:
        """Whether it ends the stream by itself, since its run drains; no foreign one says so."""
        return bool(getattr(self._subscription, "drains", False))

    def request(self, n: int, /) -> None:
        try:
            self._subscription.request(n)
        except BaseException as error:  # not raised here: elements in flight would be lost
            self._break_off("3.16", f"request raised {repr_of(error)}", error)

    def cancel(self, cause: BaseException | None = None, /) -> None:
        try:
            self._subscription.cancel()
        except BaseException as error:  # the stream has ended for us: nobody else would hear of it
            self._stage.report(self._subscription, "rule 3.15: cancel raised", error)
