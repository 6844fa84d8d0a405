"""Boundaries: stages as standard Publishers; as Subscribers they are in ``subscriber_end``.

A foreign peer is called in the turns of one actor, so its signals are serial (1.3). Its own calls,
from inside a signal or from any other thread, become messages (3.3, 3.4). A peer that is a
``FrameSubscriber`` is one of ours and receives whole frames.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from actors_rs.engine.boundary.subscriber_end import SubscriberEnd
from actors_rs.engine.calls import hand_over
from actors_rs.engine.links import Signal
from actors_rs.engine.member import Member
from actors_rs.protocol.checks import FrameSubscriber, check_subscriber, takes_frames
from actors_rs.protocol.demand import check_request, less_demand, more_demand
from actors_rs.protocol.interfaces import Subscriber
from actors_rs.stages.chunks.chunk import ELEMENTS, ChunkSize
from actors_rs.stages.ports import Frame, Outlet
from actors_rs.stages.stage import StageLogic

if TYPE_CHECKING:
    from actors_rs.engine.contract import WholeRun

__all__ = ["ForeignSubscriber", "SubscriberEnd", "check_subscriber", "serve", "serve_all"]


def serve(stage: Member, outlet: Outlet) -> None:
    """Lead ``outlet`` of ``stage`` to foreign subscribers; call it before ``stage`` starts.

    The run waits for subscribers that have requested nothing. Subscribers that have requested
    elements wait for the run: further requests give the stage nothing new to do.
    """
    stage.at_boundary = True
    stage.peers += (lambda: not outlet.closed and not outlet.demand,)


def serve_all(stage: Member, hub: StageLogic) -> None:
    """All outlets of ``hub`` lead to foreign subscribers, and more subscribers may come."""

    def may_wake() -> bool:
        demands = [outlet.demand for outlet in hub.outlets if not outlet.closed]
        return not demands or not all(demands)

    stage.at_boundary = True
    stage.peers += (may_wake,)


class ForeignSubscription:
    """The Subscription of a foreign subscriber. Both methods may be called from any thread."""

    __slots__ = ("_peer",)

    def __init__(self, peer: ForeignSubscriber) -> None:
        self._peer = peer

    def request(self, n: int, /) -> None:
        """Ask for ``n`` more; below 1 the stream ends with ``on_error`` (3.9)."""
        self._peer.request(n)

    def cancel(self) -> None:
        """Ask for no more (3.5 to 3.7)."""
        self._peer.cancel()

    @property
    def drains(self) -> bool:
        """Whether the publisher ends the stream by itself, after what it holds: its run drains."""
        return self._peer.drains


class _Asked(Signal):
    """A request of a foreign subscriber, as a message."""

    __slots__ = ("_n", "_peer")

    def __init__(self, peer: ForeignSubscriber, n: int) -> None:
        self._peer = peer
        self._n = n

    def deliver(self) -> None:
        self._peer.requested(self._n)


class ForeignSubscriber:
    """The ``Downstream`` of an outlet that feeds a foreign subscriber.

    Demand of the subscriber reaches the outlet in portions, each in a turn of its own. So a
    subscriber that is slow, or requests without bound, leaves room for a cancellation.
    """

    def __init__(self, stage: Member, outlet: Outlet, subscriber: Subscriber[Any]) -> None:
        self._stage = stage
        self._outlet = outlet
        self._subscriber: Any = subscriber
        self._on_frame: Callable[[Frame], None] | None = None
        if takes_frames(subscriber):
            self._on_frame = cast(FrameSubscriber, subscriber).on_frame
        self._demand = 0  # requested and not yet granted
        self._chunk = ChunkSize(ELEMENTS)
        self._over = False  # cancelled, or told the end: no further signal
        self._signals = False  # is in a signal that is not the last one
        self._last: list[BaseException] = []  # the errors to send last, once given up
        outlet.connect(self)

    def begin(self) -> None:
        """The first signal; in the actor's first turn, before anything else."""
        self._signals = True
        self._guarded(self._subscriber.on_subscribe, ForeignSubscription(self))
        self._signalled()

    def request(self, n: int) -> None:
        """Called by the subscriber, on any thread."""
        if self._over:
            return
        if type(n) is not int or n < 1:  # all others need no words, which take their time
            try:
                check_request(n, f"subscriber of {self._stage}")
            except (TypeError, ValueError) as error:
                self._stage.post(partial(self._reject, error))
                return
        self._stage.send_control(_Asked(self, n))

    def cancel(self) -> None:
        """Called by the subscriber, on any thread."""
        if not self._over:
            if (before := self._stage.scope.system.before_foreign_cancel) is not None:
                before(self)
            self._over = True
            self._stage.post(self._cancelled)
            self._stage.interrupt()  # it may be in a call

    @property
    def drains(self) -> bool:
        """Whether the stage's run is drained, or its whole system."""
        whole = cast("WholeRun", self._stage.activity)
        return whole.draining or bool(whole.system._draining)

    # Downstream, called in the actor's turn

    def push(self, frame: Frame, /) -> None:
        self._signals = True  # before a look at whether it is over: one of both sees the other
        self._push(frame)
        self._signalled()

    def _push(self, frame: Frame) -> None:
        if self._over:
            return
        if self._on_frame is not None:
            self._guarded(self._on_frame, frame)
            return
        timed = len(frame) > 1 or self._demand > 0
        began = self._stage.island.timing_clock() if timed else 0.0
        on_next = self._subscriber.on_next
        for element in frame:
            if self._over:
                return
            if element is None:
                self._reject_none()
                return
            self._guarded(on_next, element)
        if timed:
            self._chunk.record(len(frame), self._stage.island.timing_clock() - began)
        # Elements sent ahead of their frame are not counted yet, and must stay the last ones.
        if self._demand and (not self._outlet.demand or self._outlet.making is not None):
            self._stage.post(self._grant)

    def complete(self) -> None:
        if not self._over:
            self._over = True
            self._guarded(self._subscriber.on_complete)
        self._forget_subscriber()

    def fail(self, error: BaseException, /) -> None:
        if not self._over:
            self._over = True
            self._guarded(self._subscriber.on_error, error)
        self._forget_subscriber()

    def given_up(self, error: BaseException) -> None:
        """The actor is given up: the last signal is ``error``. Called outside of its turns.

        Signals are serial (1.3): if the subscriber is in one, the thread that returns from it sends
        the error.
        """
        over, self._over = self._over, True
        if not over:
            self._last.append(error)
            if not self._signals:
                hand_over(self._stage.system, self._say_last)

    def _signalled(self) -> None:
        self._signals = False
        if self._last:
            self._say_last()

    def _say_last(self) -> None:
        with suppress(IndexError):  # another thread has sent it
            self._guarded(self._subscriber.on_error, self._last.pop())
            self._forget_subscriber()

    def requested(self, n: int) -> None:
        """The subscriber's request has arrived in the actor's turn."""
        self._demand = more_demand(self._demand, n)
        self._grant()

    def _grant(self) -> None:
        """Let the outlet have demand for the next portion, once it has used up the last one.

        Who takes whole frames is one of ours and never slow: all that is asked for is granted.
        """
        whole = self._on_frame is not None
        if self._demand and (whole or not self._outlet.demand):
            portion = self._demand if whole else min(self._demand, self._chunk.size)
            self._demand = less_demand(self._demand, portion)
            self._outlet.request(portion)
        self._outlet.foreseen = self._demand

    def _cancelled(self) -> None:
        self._outlet.cancel()
        self._forget_subscriber()

    def _forget_subscriber(self) -> None:
        """Nothing keeps a subscriber alive whose stream has ended (3.13)."""
        self._subscriber = self._on_frame = None

    def _reject(self, error: Exception) -> None:
        """The peer broke a rule: end its stream with the error (3.9)."""
        if not self._over:
            self.fail(error)
            self._stage.post(self._cancelled)  # in the next turn, which takes notice of it

    def _reject_none(self) -> None:
        self._reject(TypeError(f"rule 2.13: {self._stage} gave None, which no Subscriber takes"))

    def _guarded(self, signal: Callable[..., None], *args: Any) -> None:
        """Call the peer; one that raises counts as cancelled, and the error is reported (2.13)."""
        try:
            signal(*args)
        except BaseException as error:  # any exception ends this stream and nothing else
            self._stage.report(self._subscriber, "rule 2.13: a subscriber raised", error)
            self.cancel()
