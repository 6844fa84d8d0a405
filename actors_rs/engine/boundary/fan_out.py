"""Several foreign subscribers of one outlet, which come and go while the stream runs.

All of them get what is emitted from their first moment on, at the pace of the slowest. Everything
here happens in the turns of the outlet's actor, but for what follows its end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.engine.boundary.foreign import ForeignSubscriber
from actors_rs.engine.links import Signal
from actors_rs.engine.member import Member
from actors_rs.errors import IllegalStateError, ProtocolViolation
from actors_rs.protocol.interfaces import Subscriber
from actors_rs.stages.ports import Frame, Outlet

__all__ = ["FanOut"]


class FanOut:
    """The ``Downstream`` of an outlet that serves any number of subscribers."""

    def __init__(self, stage: Member, outlet: Outlet) -> None:
        self._stage = stage
        self._outlet = outlet
        self._served: dict[_Member, Subscriber[Any]] = {}  # with whom they stand for
        self._settles = False  # soon
        self._end: Callable[[Outlet], None] | None = None
        outlet.connect(self)

    def join(self, subscriber: Subscriber[Any], peer: Subscriber[Any]) -> None:
        """Serve ``subscriber`` from now on; call it after the actor was started, on any thread.

        ``peer`` receives its signals: the subscriber itself, or a monitor around it.
        """
        joins = _Joins(self, subscriber, peer)
        if not self._stage.send_control(joins):
            joins.dropped()

    def admit(self, subscriber: Subscriber[Any], peer: Subscriber[Any]) -> None:
        """Serve ``subscriber``, in the actor's turn; after the end, signal that end to it (1.4).

        If it is served already, its one stream ends with an error, as at a hub.
        """
        for served, whom in self._served.items():
            if whom is subscriber and not served.over:
                again = "subscribed twice to the same processor (rule 1.10)"
                served.outlet.fail(ProtocolViolation("2.12", again))
                self.leave(served)
                return
        member = _Member(self, self._stage, peer)
        if self._outlet.closed or self._end is not None:
            self.turn_away(member)
            return
        self._served[member] = subscriber
        self.settle()
        member.begin()

    def turn_away(self, member: _Member) -> None:
        """Let one that came too late hear ``on_subscribe`` and how the stream ended."""
        member.begin()
        (self._end or _refuse)(member.outlet)

    # Downstream

    def push(self, frame: Frame, /) -> None:
        for member in tuple(self._served):
            member.outlet.emit(frame)

    def complete(self) -> None:
        self._tell(Outlet.complete)

    def fail(self, error: BaseException, /) -> None:
        self._tell(lambda outlet: outlet.fail(error))

    def given_up(self, error: BaseException) -> None:
        """The actor is given up, see ``ForeignSubscriber``."""
        self._end = lambda outlet: outlet.fail(error)
        for member in tuple(self._served):
            member.given_up(error)

    # What members do

    def asked(self) -> None:
        """A member has asked for more; where there are others, those may just do so as well."""
        if len(self._served) > 1:
            self._settle_soon()
        else:
            self.settle()

    def leave(self, member: _Member) -> None:
        """``member`` takes nothing more."""
        self._served.pop(member, None)
        if self._served:
            self._settle_soon()
        else:
            self.settle()

    def _settle_soon(self) -> None:
        """Once, after the requests that all members have made by then: it looks at each member."""
        if not self._settles:
            self._settles = True
            self._stage.post(self.settle)

    def settle(self) -> None:
        """Give the outlet the demand of the slowest member, or cancel it after the last member.

        A newcomer that has asked for nothing takes demand back, which nobody has used yet.
        """
        self._settles = False
        outlet = self._outlet
        if outlet.closed:
            return
        if not self._served:
            outlet.cancel()
            return
        ends = [member.outlet for member in self._served]
        outlet.demand = min(end.demand for end in ends)
        outlet.foreseen = min(end.demand + end.foreseen for end in ends) - outlet.demand

    def _tell(self, end: Callable[[Outlet], None]) -> None:
        self._end = end
        members, self._served = self._served, {}
        for member in members:
            end(member.outlet)


class _Member(ForeignSubscriber):
    """One subscriber with its outlet."""

    def __init__(self, fan: FanOut, stage: Member, subscriber: Subscriber[Any]) -> None:
        self.outlet = Outlet()
        self._fan = fan
        super().__init__(stage, self.outlet, subscriber)

    @property
    def over(self) -> bool:
        """Whether it has cancelled, or has received a terminal signal."""
        return self._over

    def _grant(self) -> None:
        super()._grant()
        self._fan.asked()

    def _cancelled(self) -> None:
        super()._cancelled()
        self._fan.leave(self)


class _Joins(Signal):
    """A further subscriber, as a message."""

    __slots__ = ("_fan", "_peer", "_subscriber")

    def __init__(self, fan: FanOut, subscriber: Subscriber[Any], peer: Subscriber[Any]) -> None:
        self._fan = fan
        self._subscriber = subscriber
        self._peer = peer

    def deliver(self) -> None:
        self._fan.admit(self._subscriber, self._peer)

    def dropped(self) -> None:
        """The actor has ended, so there is nothing to join."""
        self.deliver()


def _refuse(outlet: Outlet) -> None:
    """The end that one hears whose processor was cancelled by all the others."""
    outlet.fail(IllegalStateError("all subscribers of this processor cancelled: it has ended"))
