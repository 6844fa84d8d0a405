"""Several foreign subscribers behind one outlet, which come and go while the stream runs.

All of them get what is emitted from their first moment on, at the pace of the slowest. Everything
here happens in the turns of the outlet's actor, but for what follows its end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.errors import IllegalStateError
from actors_rs.graph.foreign import ForeignSubscriber
from actors_rs.graph.shell import Signal, StageActor
from actors_rs.protocol.interfaces import Subscriber
from actors_rs.stages.ports import Frame, Outlet

__all__ = ["FanOut"]


class FanOut:
    """The ``Downstream`` of an outlet that serves any number of subscribers."""

    def __init__(self, actor: StageActor, outlet: Outlet) -> None:
        self._actor = actor
        self._outlet = outlet
        self._members: list[_Member] = []
        self._end: Callable[[Outlet], None] | None = None
        outlet.connect(self)

    def join(self, subscriber: Subscriber[Any]) -> None:
        """Serve ``subscriber`` from now on; called on any thread once the actor was started."""
        joins = _Joins(self, subscriber)
        if not self._actor.actor_inbox.offer_control(joins):
            joins.dropped()

    def admit(self, subscriber: Subscriber[Any]) -> None:
        """Serve ``subscriber``, in the actor's turn; behind the end it is told that end (1.4)."""
        member = _Member(self, self._actor, subscriber)
        if self._outlet.closed:
            self.turn_away(member)
            return
        self._members.append(member)
        self.settle()
        member.begin()

    def turn_away(self, member: _Member) -> None:
        """Let one that came too late hear ``on_subscribe`` and how the stream ended."""
        member.begin()
        (self._end or _refuse)(member.outlet)

    # Downstream

    def push(self, frame: Frame, /) -> None:
        for member in self._members:
            member.outlet.emit(frame)

    def complete(self) -> None:
        self._tell(Outlet.complete)

    def fail(self, error: BaseException, /) -> None:
        self._tell(lambda outlet: outlet.fail(error))

    def settle(self) -> None:
        """Let the outlet have the demand of the slowest member, or cancel it behind the last one.

        A newcomer that has asked for nothing takes demand back, which nobody has used yet.
        """
        outlet = self._outlet
        self._members = [member for member in self._members if not member.outlet.closed]
        if outlet.closed:
            return
        if not self._members:
            outlet.cancel()
            return
        ends = [member.outlet for member in self._members]
        outlet.demand = min(end.demand for end in ends)
        outlet.foreseen = min(end.demand + end.foreseen for end in ends) - outlet.demand

    def _tell(self, end: Callable[[Outlet], None]) -> None:
        self._end = end
        members, self._members = self._members, []
        for member in members:
            end(member.outlet)


class _Member(ForeignSubscriber):
    """One subscriber, behind an outlet of its own."""

    def __init__(self, fan: FanOut, actor: StageActor, subscriber: Subscriber[Any]) -> None:
        self.outlet = Outlet()
        self._fan = fan
        super().__init__(actor, self.outlet, subscriber)

    def _grant(self) -> None:
        super()._grant()
        self._fan.settle()

    def _cancelled(self) -> None:
        super()._cancelled()
        self._fan.settle()


class _Joins(Signal):
    """A further subscriber, as a message."""

    __slots__ = ("_fan", "_subscriber")

    def __init__(self, fan: FanOut, subscriber: Subscriber[Any]) -> None:
        self._fan = fan
        self._subscriber = subscriber

    def deliver(self) -> None:
        self._fan.admit(self._subscriber)

    def dropped(self) -> None:
        """The actor has ended, and with it whatever could be joined."""
        self._fan.admit(self._subscriber)


def _refuse(outlet: Outlet) -> None:
    """The end that one hears whose processor was cancelled by all the others."""
    outlet.fail(IllegalStateError("all subscribers of this processor cancelled: it has ended"))
