"""Links: what connects an outlet to an inlet, and the signals that cross between islands.

Three kinds, with one interface (``Downstream`` and ``Upstream`` of ``stages/chunks/peers.py``):

- *local*, between two members of one island: a call, which makes the peer due;
- *mailbox*, to a member of another island: a message, from any thread;
- *boundary*, to a foreign Publisher or Subscriber: ``subscriber_end.py`` and ``foreign.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from actors_rs.engine.monitored import monitored_lines
from actors_rs.stages.chunks.peers import Downstream, Frame, Upstream
from actors_rs.stages.ports import Inlet, Outlet

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage

__all__ = [
    "Arrived",
    "ForgivingDownstream",
    "LocalDownstream",
    "LocalUpstream",
    "MailboxDownstream",
    "MailboxUpstream",
    "Posted",
    "Requested",
    "Signal",
    "connect",
    "member_behind",
]


def connect(feeder: RunningStage, outlet: Outlet, fed: RunningStage, inlet: Inlet) -> None:
    """Make the link from ``outlet`` of ``feeder`` to ``inlet`` of ``fed``."""
    inlet.feeder, inlet.feeder_outlet = feeder.name, outlet.name
    down: Downstream
    up: Upstream
    if feeder.island is fed.island:
        outlet.is_local = True
        down, up = LocalDownstream(fed, inlet), LocalUpstream(feeder, outlet)
    elif inlet.forgiving:
        down, up = ForgivingDownstream(fed, inlet), MailboxUpstream(feeder, outlet)
    else:
        down, up = MailboxDownstream(fed, inlet), MailboxUpstream(feeder, outlet)
    if feeder.scope.monitored:
        down, up = monitored_lines(feeder.scope, (feeder.name, fed.name), down, up)
    outlet.connect(down)
    inlet.connect(up)


class LocalDownstream:
    """The way from an outlet to an inlet of the same island.

    The stage that gets something goes first: else its feeder calls a slow function once more before
    the results of the last call have left the island.
    """

    __slots__ = ("_fed", "_inlet")

    def __init__(self, fed: RunningStage, inlet: Inlet) -> None:
        self._fed = fed
        self._inlet = inlet

    def push(self, frame: Frame, /) -> None:
        self._inlet.push(frame)
        self._fed.wake_first()

    def complete(self) -> None:
        self._inlet.complete(None)
        self._fed.wake_first()

    def fail(self, error: BaseException, /) -> None:
        self._inlet.complete(error)
        self._fed.wake_first()


class LocalUpstream:
    """The way from an inlet to an outlet of the same island."""

    __slots__ = ("_feeder", "_outlet")

    def __init__(self, feeder: RunningStage, outlet: Outlet) -> None:
        self._feeder = feeder
        self._outlet = outlet

    def request(self, n: int, /) -> None:
        self._outlet.request(n)
        self._feeder.wake()

    def cancel(self, cause: BaseException | None = None, /) -> None:
        self._outlet.cancel(cause)
        self._feeder.wake_first()


class Signal:
    """A message in the mailbox of an island, for ``member``, which is due once it is delivered."""

    __slots__ = ("member",)

    member: RunningStage
    goes_first = False
    """Whether its member is advanced before the other members that are due."""

    def deliver(self) -> None:
        """Apply it; in a turn of the island."""
        raise NotImplementedError

    def dropped(self) -> None:
        """The member ended before it came to this; the standard allows that for most signals."""


# The sender sets the fields of these two: there is one for each frame and each request, and an
# ``__init__`` would double the time that it takes to send one.


class Arrived(Signal):
    """A frame for an inlet."""

    __slots__ = ("frame", "inlet")

    frame: Frame
    inlet: Inlet

    def deliver(self) -> None:
        self.inlet.push(self.frame)

    def dropped(self) -> None:
        self.inlet.drop(self.frame)


class Requested(Signal):
    """Demand for an outlet."""

    __slots__ = ("n", "outlet")

    n: int
    outlet: Outlet

    def deliver(self) -> None:
        self.outlet.request(self.n)


class _Ended(Signal):
    __slots__ = ("error", "inlet")

    def __init__(self, member: RunningStage, inlet: Inlet, error: BaseException | None) -> None:
        self.member = member
        self.inlet = inlet
        self.error = error

    def deliver(self) -> None:
        self.inlet.complete(self.error)

    def dropped(self) -> None:
        if self.error is not None and self.inlet.on_unheard is not None:
            self.inlet.on_unheard(self.error)


class _Failed(_Ended):
    """The failure of a stream that may have been cancelled meanwhile."""

    __slots__ = ()

    def deliver(self) -> None:
        if self.inlet.cancelled:
            self.dropped()
        else:
            super().deliver()

    def dropped(self) -> None:
        assert self.error is not None
        self.member.forgive(self.error)


class _Cancelled(Signal):
    __slots__ = ("cause", "outlet")
    goes_first = True

    def __init__(self, member: RunningStage, outlet: Outlet, cause: BaseException | None) -> None:
        self.member = member
        self.outlet = outlet
        self.cause = cause

    def deliver(self) -> None:
        self.outlet.cancel(self.cause)


class Posted(Signal):
    """Something to do in a turn of the member's."""

    __slots__ = ("action",)
    goes_first = True

    def __init__(self, member: RunningStage, action: Callable[[], None]) -> None:
        self.member = member
        self.action = action

    def deliver(self) -> None:
        self.action()


class MailboxDownstream:
    """The way to an inlet of another island. Any thread."""

    __slots__ = ("_inlet", "_mailbox", "_member")
    any_thread = True

    def __init__(self, member: RunningStage, inlet: Inlet) -> None:
        self._mailbox = member.island.actor_inbox
        self._member = member
        self._inlet = inlet

    def push(self, frame: Frame, /) -> None:
        arrived = Arrived()
        arrived.member, arrived.inlet, arrived.frame = self._member, self._inlet, frame
        if not self._mailbox.offer(arrived):
            self._inlet.drop(frame)

    def complete(self) -> None:
        self._mailbox.offer(_Ended(self._member, self._inlet, None))

    def fail(self, error: BaseException, /) -> None:
        ended = _Ended(self._member, self._inlet, error)
        if not self._mailbox.offer(ended):
            ended.dropped()


class ForgivingDownstream(MailboxDownstream):
    """As ``MailboxDownstream``, to an inlet whose stream may fail after its cancellation."""

    __slots__ = ()

    def fail(self, error: BaseException, /) -> None:
        failed = _Failed(self._member, self._inlet, error)
        if not self._mailbox.offer(failed):
            failed.dropped()


class MailboxUpstream:
    """The way to an outlet of another island. Any thread."""

    __slots__ = ("_mailbox", "_member", "_outlet")
    any_thread = True

    def __init__(self, member: RunningStage, outlet: Outlet) -> None:
        self._mailbox = member.island.actor_inbox
        self._member = member
        self._outlet = outlet

    def request(self, n: int, /) -> None:
        requested = Requested()
        requested.member, requested.outlet, requested.n = self._member, self._outlet, n
        self._mailbox.offer_control(requested)

    def cancel(self, cause: BaseException | None = None, /) -> None:
        if self._mailbox.offer_control(_Cancelled(self._member, self._outlet, cause)):
            self._member.interrupt()  # it may be in a call


def member_behind(line: Any) -> RunningStage | None:
    """The stage that ``line`` leads to, under a monitor or not; ``None``: a foreign peer."""
    for inner in ("_up", "_down"):
        line = getattr(line, inner, line)
    for name in ("_member", "_fed", "_feeder"):
        if (member := getattr(line, name, None)) is not None:
            return member  # type: ignore[no-any-return]
    return None
