"""``Handoff``: gives an outlet of a running stage to another stream, once.

The owner of the outlet and the stage that it is to feed are different actors, perhaps of different
runs. The outlet is connected in a turn of its owner. If the owner ends first, the claiming stage
receives the completion or failure of the outlet.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.engine.inner.inner_links import shown_name
from actors_rs.engine.links import MailboxUpstream, Signal
from actors_rs.errors import DefectError, GraphError, StreamError
from actors_rs.runtime._primitives import Lock
from actors_rs.stages.chunks.peers import Downstream, Frame, Upstream
from actors_rs.stages.inner.handoff import OutletOwner
from actors_rs.stages.ports import Inlet, Outlet

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage

__all__ = ["Handoff", "Lines", "PendingHandoff"]

Lines = Callable[[Downstream, Upstream], tuple[Downstream, Upstream]]
"""What may be put on the lines of a link, a monitor for instance."""


class Handoff:
    """An outlet that one other stage may claim, once. ``claim`` may be called from any thread.

    When the last reference to an unclaimed handoff is dropped, the owner's ``lost`` is called, in a
    turn of the owner.
    """

    __slots__ = ("_pending", "_stage", "_unclaimed", "fed")

    def __init__(self, stage: RunningStage, outlet: Outlet, owner: OutletOwner) -> None:
        self._stage = stage
        self._pending = PendingHandoff(outlet, owner)
        self._unclaimed: Lock | None = Lock()  # held by the first claim; None after it
        self.fed: Inlet | None = None
        """The inlet that claimed the outlet."""
        outlet.connect(self._pending)

    def __del__(self) -> None:
        """Only post a message: this may run on any thread, also inside the garbage collector."""
        pending = self._pending
        if not pending.claimed and not pending.outlet.closed:
            self._stage.post(partial(pending.owner.lost, pending.outlet))

    def claim(self, down: Downstream, inlet: Inlet, lines: Lines | None = None) -> None:
        """Feed ``inlet``, to which ``down`` leads; call it where the inlet may be changed.

        Raises ``GraphError`` for a second claim.
        """
        unclaimed = self._unclaimed
        if unclaimed is None or not unclaimed.acquire(blocking=False):
            raise GraphError(
                f"{self.name} runs once, and it was run already: to give its elements to several "
                "streams, use .broadcast(n) on it"
            )
        self._unclaimed = None
        pending, stage = self._pending, self._stage
        pending.claimed = True
        self.fed = inlet
        inlet.feeder, inlet.feeder_outlet = stage.name, pending.outlet.name
        up: Upstream = MailboxUpstream(stage, pending.outlet)
        if lines is not None:
            down, up = lines(down, up)
        if not stage.send_control(_Claimed(pending, down)):
            pending.hand_over(down)
        inlet.connect(up)

    @property
    def name(self) -> str:
        """The name of the outlet in error messages."""
        return self._pending.name

    @property
    def run_scope(self) -> Any:
        """The scope of the run whose stage gives the elements."""
        return self._stage.scope.activity

    @property
    def shown_owner(self) -> str:
        """The name of the owner, or its kind if the owner is in an inner stream."""
        return shown_name(self._stage)

    @property
    def owner_name(self) -> str:
        """The name of the stage that gives the elements."""
        return self._stage.name


class PendingHandoff:
    """The downstream of ``outlet`` until it is claimed; a late claim gets the end of it."""

    __slots__ = ("_ending", "claimed", "outlet", "owner")

    def __init__(self, outlet: Outlet, owner: OutletOwner) -> None:
        self.outlet = outlet
        self.owner = owner
        self.claimed = False
        """Whether the outlet is claimed; set before the owner knows."""
        self._ending: Callable[[Downstream], None] | None = None

    @property
    def name(self) -> str:
        """The name of the outlet in error messages."""
        return self.owner.name_of(self.outlet)

    def hand_over(self, down: Downstream) -> None:
        """Connect ``outlet`` to ``down``, in a turn of the owner or after its end."""
        if not self.outlet.closed:
            self.outlet.connect(down)
            self.owner.claimed(self.outlet)
        elif self._ending is not None:
            self._ending(down)
        else:
            down.fail(StreamError(f"{self.name} is over: the stage that gave it has released it"))

    # Downstream, until the outlet is claimed

    def push(self, frame: Frame, /) -> None:
        raise DefectError(f"{self.name} was given elements that nobody asked for")

    def complete(self) -> None:
        self._ending = lambda down: down.complete()

    def fail(self, error: BaseException, /) -> None:
        self._ending = lambda down: down.fail(error)


class _Claimed(Signal):
    """A message to the owner: the outlet is claimed."""

    __slots__ = ("_down", "_pending")

    def __init__(self, pending: PendingHandoff, down: Downstream) -> None:
        self._pending = pending
        self._down = down

    def deliver(self) -> None:
        self._pending.hand_over(self._down)

    def dropped(self) -> None:
        self._pending.hand_over(self._down)
