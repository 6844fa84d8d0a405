"""Signals between stages: what lies in a stage's mailbox, and the lines that put it there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from actors_rs.stages.ports import Frame, Inlet, Outlet

if TYPE_CHECKING:
    from actors_rs.runtime.actor import PooledActor

__all__ = [
    "Arrived",
    "ForgivingLine",
    "InletLine",
    "OutletLine",
    "Posted",
    "Requested",
    "Signal",
]


class Signal:
    """A message of a stage's mailbox."""

    __slots__ = ()

    def deliver(self) -> None:
        """Apply it; in the turn of the stage it was sent to."""
        raise NotImplementedError

    def dropped(self) -> None:
        """The stage ended before it came to this; the standard allows that for most signals."""


# Of these two there is one for each frame and each request, so whoever sends one fills it in: an
# ``__init__`` would take as long again as all else that is done to send it.


class Arrived(Signal):
    """A frame for an inlet."""

    __slots__ = ("frame", "inlet")

    frame: Frame
    inlet: Inlet

    def deliver(self) -> None:
        self.inlet.push(self.frame)

    def dropped(self) -> None:
        self.inlet.drop(self.frame)


class _Ended(Signal):
    __slots__ = ("error", "inlet")

    def __init__(self, inlet: Inlet, error: BaseException | None) -> None:
        self.inlet = inlet
        self.error = error

    def deliver(self) -> None:
        self.inlet.complete(self.error)

    def dropped(self) -> None:
        if self.error is not None and self.inlet.on_unheard is not None:
            self.inlet.on_unheard(self.error)


class Requested(Signal):
    """Demand for an outlet."""

    __slots__ = ("n", "outlet")

    n: int
    outlet: Outlet

    def deliver(self) -> None:
        self.outlet.request(self.n)


class _Cancelled(Signal):
    __slots__ = ("cause", "outlet")

    def __init__(self, outlet: Outlet, cause: BaseException | None) -> None:
        self.outlet = outlet
        self.cause = cause

    def deliver(self) -> None:
        self.outlet.cancel(self.cause)


class Posted(Signal):
    """Something to do in the stage's own turn."""

    __slots__ = ("action",)

    def __init__(self, action: Callable[[], None]) -> None:
        self.action = action

    def deliver(self) -> None:
        self.action()


class InletLine:
    """The way to an inlet of another actor; what an outlet is connected to. Any thread."""

    __slots__ = ("_inlet", "_mailbox")
    any_thread = True

    def __init__(self, actor: PooledActor, inlet: Inlet) -> None:
        self._mailbox = actor.actor_inbox
        self._inlet = inlet

    def push(self, frame: Frame, /) -> None:
        arrived = Arrived()
        arrived.inlet, arrived.frame = self._inlet, frame
        if not self._mailbox.offer(arrived):
            self._inlet.drop(frame)

    def complete(self) -> None:
        self._mailbox.offer(_Ended(self._inlet, None))

    def fail(self, error: BaseException, /) -> None:
        ended = _Ended(self._inlet, error)
        if not self._mailbox.offer(ended):
            ended.dropped()


class _Failed(_Ended):
    """The failure of a stream that may have been cancelled meanwhile."""

    __slots__ = ("forgive",)

    def __init__(
        self, inlet: Inlet, error: BaseException, forgive: Callable[[BaseException], None]
    ) -> None:
        super().__init__(inlet, error)
        self.forgive = forgive

    def deliver(self) -> None:
        if self.inlet.cancelled:
            self.dropped()
        else:
            super().deliver()

    def dropped(self) -> None:
        assert self.error is not None
        self.forgive(self.error)


class ForgivingLine(InletLine):
    """As ``InletLine``; ``forgive`` gets the error of a stream that fails unwanted."""

    __slots__ = ("_forgive",)

    def __init__(
        self, actor: PooledActor, inlet: Inlet, forgive: Callable[[BaseException], None]
    ) -> None:
        super().__init__(actor, inlet)
        self._forgive = forgive

    def fail(self, error: BaseException, /) -> None:
        if not self._mailbox.offer(_Failed(self._inlet, error, self._forgive)):
            self._forgive(error)


class OutletLine:
    """The way to an outlet of another actor; what an inlet is connected to. Any thread."""

    __slots__ = ("_mailbox", "_outlet")
    any_thread = True

    def __init__(self, actor: PooledActor, outlet: Outlet) -> None:
        self._mailbox = actor.actor_inbox
        self._outlet = outlet

    def request(self, n: int, /) -> None:
        requested = Requested()
        requested.outlet, requested.n = self._outlet, n
        self._mailbox.offer_control(requested)

    def cancel(self, cause: BaseException | None = None, /) -> None:
        stage: Any = self._mailbox.owner
        if self._mailbox.offer_control(_Cancelled(self._outlet, cause)) and stage is not None:
            stage.interrupt()  # it may be in a call
