"""``Lent``: an outlet of a running stage, for the stage that runs its stream.

The stage that owns the outlet and the one that is to be fed from it are different actors, perhaps
of different runs. They meet in the owner's turn: only there the outlet is connected, and if the
owner ends first, whoever comes is told how.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.engine.inner.inner_links import shown_name
from actors_rs.engine.links import MailboxUpstream, Signal
from actors_rs.errors import DefectError, GraphError, StreamError
from actors_rs.runtime._primitives import Lock
from actors_rs.stages.inner.handoff import OutletOwner
from actors_rs.stages.pieces.peers import Downstream, Frame, Upstream
from actors_rs.stages.ports import Inlet, Outlet

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage

__all__ = ["Lending", "Lent", "Lines"]

Lines = Callable[[Downstream, Upstream], tuple[Downstream, Upstream]]
"""What may be put on the lines of a link, a monitor for instance."""


class Lent:
    """What a stream that was lent is known by; whoever holds it may claim it, which one can once.

    When all have dropped it unused nobody can: the owner is told so in its turn.
    """

    __slots__ = ("_lending", "_stage", "_unclaimed", "fed")

    def __init__(self, stage: RunningStage, outlet: Outlet, owner: OutletOwner) -> None:
        self._stage = stage
        self._lending = Lending(outlet, owner)
        self._unclaimed: Lock | None = Lock()  # held by the first claim; gone behind it
        self.fed: Inlet | None = None
        """The inlet of whoever claimed it."""
        outlet.connect(self._lending)

    def __del__(self) -> None:
        """On any thread, and perhaps within the collector: so it does no more than post."""
        lending = self._lending
        if not lending.claimed and not lending.outlet.closed:
            self._stage.post(partial(lending.owner.lost, lending.outlet))

    def claim(self, down: Downstream, inlet: Inlet, lines: Lines | None = None) -> None:
        """Feed ``inlet``, to which ``down`` leads; called by whoever may touch the inlet.

        Raises ``GraphError`` for a second claim.
        """
        unclaimed = self._unclaimed
        if unclaimed is None or not unclaimed.acquire(blocking=False):
            raise GraphError(
                f"{self.name} can be run once, and was: to give its elements to several "
                "streams, use .broadcast(n) on it"
            )
        self._unclaimed = None
        lending, stage = self._lending, self._stage
        lending.claimed = True
        self.fed = inlet
        inlet.feeder = (stage.name, lending.outlet.name)
        up: Upstream = MailboxUpstream(stage, lending.outlet)
        if lines is not None:
            down, up = lines(down, up)
        if not stage.send_control(_Claimed(lending, down)):
            lending.hand_over(down)
        inlet.connect(up)

    @property
    def name(self) -> str:
        """What errors call it."""
        return self._lending.name

    @property
    def run_life(self) -> Any:
        """Of the run of the stage that gives the elements."""
        return self._stage.life.activity

    @property
    def shown_owner(self) -> str:
        """That stage, or its kind if it is itself a part of an inner stream."""
        return shown_name(self._stage)

    @property
    def owner_name(self) -> str:
        """The name of the stage that gives the elements."""
        return self._stage.name


class Lending:
    """Stands behind ``outlet`` until somebody has claimed it, and keeps how it ended for them."""

    __slots__ = ("_ending", "claimed", "outlet", "owner")

    def __init__(self, outlet: Outlet, owner: OutletOwner) -> None:
        self.outlet = outlet
        self.owner = owner
        self.claimed = False
        """Whether somebody runs it, or is about to."""
        self._ending: Callable[[Downstream], None] | None = None

    @property
    def name(self) -> str:
        """What errors call it."""
        return self.owner.name_of(self.outlet)

    def hand_over(self, down: Downstream) -> None:
        """Let ``down`` take this one's place; in the owner's turn, or behind its end."""
        if not self.outlet.closed:
            self.outlet.connect(down)
            self.owner.claimed(self.outlet)
        elif self._ending is not None:
            self._ending(down)
        else:
            down.fail(StreamError(f"{self.name} is over: the stage that gave it let it go"))

    # Downstream, as long as nobody has claimed it

    def push(self, frame: Frame, /) -> None:
        raise DefectError(f"{self.name} was given elements that nobody asked for")

    def complete(self) -> None:
        self._ending = lambda down: down.complete()

    def fail(self, error: BaseException, /) -> None:
        self._ending = lambda down: down.fail(error)


class _Claimed(Signal):
    """Somebody runs the stream: a message to the owner."""

    __slots__ = ("_down", "_lending")

    def __init__(self, lending: Lending, down: Downstream) -> None:
        self._lending = lending
        self._down = down

    def deliver(self) -> None:
        self._lending.hand_over(self._down)

    def dropped(self) -> None:
        self._lending.hand_over(self._down)
