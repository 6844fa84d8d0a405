"""The contracts between the parts of the engine: a running stage, its island, its run.

``Member``, ``Island``, ``RunScope`` and ``SectionScope`` implement these protocols and use the
other parts of the engine, which use only the protocols. So no two modules import each other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from contextvars import Context

    from actors_rs.engine.inner.inner_links import InnerLinks
    from actors_rs.engine.outside import Outside
    from actors_rs.engine.run.end import RunEnd
    from actors_rs.engine.run.snapshot import RunSnapshot
    from actors_rs.engine.timing import StageClock, TurnBudget
    from actors_rs.engine.written import Written
    from actors_rs.errors import RunCancelled
    from actors_rs.graph.spec import OutletRef
    from actors_rs.runtime.actors.mailbox import Mailbox
    from actors_rs.runtime.system.parts import Activity
    from actors_rs.runtime.system.system import ActorSystem
    from actors_rs.stages.inner.handoff import OutletOwner
    from actors_rs.stages.ports import Inlet, Outlet
    from actors_rs.stages.stage import Release, StageLogic

__all__ = ["CallUnderWay", "InnerStreams", "RunningIsland", "RunningStage", "Scope", "WholeRun"]


class CallUnderWay(Protocol):
    """A function that a stage is in; its text names that."""

    @property
    def seconds(self) -> float:
        """How long it has been inside."""
        ...


class RunningIsland(Protocol):
    """The actor that runs one stage or several. Any thread, unless it says "in a turn"."""

    planned: tuple[Any, ...]
    actor_inbox: Mailbox
    timing_clock: Callable[[], float]
    budget: TurnBudget
    _context_: Context

    @property
    def system(self) -> ActorSystem:
        """Where it is an actor."""
        ...

    @property
    def busy(self) -> object | None:
        """The stage that a turn is at, or else one that has not ended."""
        ...

    @property
    def last_turn(self) -> float:
        """When its last turn began, by ``timing_clock``."""
        ...

    @property
    def sends_ahead(self) -> bool:
        """Whether the timers' thread looks at turns that last."""
        ...

    def look_soon(self) -> None:
        """The turn calls functions of the user's from now on: look at it if it lasts."""

    def add(self, member: Any, /) -> None:
        """``member`` joins; in a turn."""

    def add_due(self, member: Any, /) -> None:
        """Advance ``member`` after the stages that are due already; in a turn."""

    def add_first(self, member: Any, /) -> None:
        """Advance ``member`` before the other stages that are due; in a turn."""

    def left_by(self, member: Any, /) -> None:
        """``member`` has ended; in a turn."""

    def thread_in_turn(self) -> int | None:
        """The thread that is in a turn of it, if one is."""
        ...

    def give_up(self, error: BaseException) -> bool:
        """End its stages with ``error`` if a thread is in a turn; whether one is."""
        ...

    def _run_turn_(self) -> bool: ...

    def _turn_was_slow_(self, seconds: float, /) -> None: ...


class RunningStage(Protocol):
    """One stage of a run. Any thread, unless it says "in a turn"."""

    name: str
    kind: str
    site: str
    inner_label: str | None
    inner_links: InnerLinks | None
    start_due: bool
    is_due: bool
    ended: bool
    has_left: bool
    in_hand: int
    cut: bool

    @property
    def logic(self) -> StageLogic:
        """The behaviour of the stage; its ports belong to turns of the island."""
        ...

    @property
    def scope(self) -> Scope:
        """The scope of its run, or of its section."""
        ...

    @property
    def island(self) -> RunningIsland:
        """The actor that runs it."""
        ...

    @property
    def mailbox(self) -> Mailbox:
        """The mailbox of its island."""
        ...

    @property
    def activity(self) -> Activity:
        """The run, which the system ends at a shutdown."""
        ...

    @property
    def system(self) -> ActorSystem:
        """Where its island is an actor."""
        ...

    @property
    def error(self) -> BaseException | None:
        """The error that it failed with."""
        ...

    @property
    def clock(self) -> StageClock:
        """Where its time went."""
        ...

    @property
    def outside(self) -> Outside | None:
        """What will wake it from outside the run."""
        ...

    @property
    def peers(self) -> Sequence[Callable[[], bool]]:
        """For each foreign peer, whether its next call may wake this stage."""
        ...

    @property
    def at_boundary(self) -> bool:
        """Whether an outlet leads to a foreign subscriber."""
        ...

    @property
    def resumed(self) -> int:
        """Elements that its policy passed over, going on as it was."""
        ...

    @property
    def restarted(self) -> int:
        """Elements that its policy passed over, with fresh state."""
        ...

    @property
    def dead_letters(self) -> int:
        """How many it left."""
        ...

    def calls(self) -> Sequence[CallUnderWay]:
        """The functions that it is in at this moment."""
        ...

    def in_turn_for(self) -> float | None:
        """Seconds since the turn began that is at this stage; ``None`` if none is."""
        ...

    def post(self, action: Callable[[], None], /) -> None:
        """Call ``action`` in a turn."""

    def post_drain(self) -> None:
        """Let it take no more from outside."""

    def send_control(self, signal: Any, /) -> bool:
        """Send ``signal`` before the elements that wait; False if its island has ended."""
        ...

    def interrupt(self) -> None:
        """Let calls return that can be made to, for it is to end."""

    def run_blocking(self, job: Callable[[], None], /) -> bool:
        """Run ``job`` on a thread that may block; False at the end of the system."""
        ...

    def report(self, what: object, why: str, error: BaseException | None = None, /) -> None:
        """Publish a dead letter of this stage."""

    def report_late(self, what: object, error: BaseException | None) -> None:
        """Publish a result that came after it was given up."""

    def wake(self) -> None:
        """Be advanced before the turn ends; in a turn."""

    def wake_first(self) -> None:
        """As ``wake``, before the other stages of its island that are due; in a turn."""

    def forgive(self, error: BaseException) -> None:
        """A stream that it had cancelled has failed; in a turn."""


class InnerStreams(Protocol):
    """How a stage begins streams of its own while it runs; in its turn."""

    def attach(self, host: Any, scope: Scope, source: object, inlet: Inlet, /) -> None:
        """Start ``source`` as a part of ``scope``; see ``StageContext.attach``."""

    def at_hand(self, source: object, /) -> Sequence[Any] | None:
        """See ``StageContext.at_hand``."""
        ...

    def handoff(self, stage: Any, outlet: Outlet, owner: OutletOwner, /) -> OutletRef:
        """See ``StageContext.handoff``."""
        ...


class Scope(Protocol):
    """The state that all stages of a run share, or all stages of a section. Any thread."""

    @property
    def name(self) -> str:
        """The name of the run."""
        ...

    @property
    def system(self) -> ActorSystem:
        """Where its stages are actors."""
        ...

    @property
    def activity(self) -> Activity:
        """What its system ends: the run as a whole."""
        ...

    @property
    def end(self) -> RunEnd[Any]:
        """The run's end."""
        ...

    @property
    def inner_streams(self) -> InnerStreams:
        """How its stages begin inner streams."""
        ...

    @property
    def stall_after(self) -> float | None:
        """Seconds without any movement after which it is ended, if nothing can wake it."""
        ...

    @property
    def metered(self) -> bool:
        """Whether stages account for their time."""
        ...

    @property
    def monitored(self) -> bool:
        """Whether the rules of the standard are watched on its links."""
        ...

    @property
    def timing_clock(self) -> Callable[[], float]:
        """What its stages are timed by."""
        ...

    @property
    def grace(self) -> float:
        """Seconds for which the end of the run waits for a call that does not return."""
        ...

    @property
    def draining(self) -> bool:
        """Whether sources that start now are to give nothing from outside."""
        ...

    @property
    def written(self) -> Written:
        """The files that its stages have made."""
        ...

    def join(self, stages: Sequence[RunningStage]) -> None:
        """Take charge of an inner stream's ``stages`` too, before any of them starts.

        Called in a turn of a stage of this run, so the run cannot have ended.
        """

    def stage_ended(self, stage: RunningStage) -> None:
        """``stage`` has stopped; with the last one the run ends."""

    def next_inner(self) -> int:
        """The number of the next inner stream, which makes the names of its stages unique."""
        ...

    def linger(self, stage: RunningStage, release: Release) -> None:
        """``stage`` lives on only for what others do; ``release`` once there are no others."""

    def note_failure(self, error: BaseException, *, late: bool = False) -> None:
        """A stage failed; the first such error is the run's.

        ``late``: it did so before, and does not count if that was recovered from meanwhile.
        """

    def recovered(self, error: BaseException) -> Sequence[BaseException]:
        """``error`` has been handled and is not this run's failure any more.

        Returns the errors that came beside it, which are no failures of the run either.
        """
        ...

    def unheard(self, error: BaseException, why: BaseException) -> bool:
        """``error`` got no further than a stage that has ended with ``why``.

        Whether it is no failure any more, for ``why`` was recovered from; else it goes with that.
        """
        ...

    def cancelled_error(self) -> RunCancelled:
        """The error for a stage that ended without completing or failing."""
        ...

    def cancel(self) -> None:
        """End the run now, as cancelled."""

    def abort(self, error: BaseException) -> None:
        """End the run now, with ``error``."""

    def fatal(self, error: BaseException) -> None:
        """``error`` in a stage is the end of the whole system, in order."""


class WholeRun(Scope, Protocol):
    """A run as a whole, which its system and its handle end. Any thread."""

    number: int
    run: Any
    stop_reason: BaseException | None
    """Why it ends before its time: its cancellation, or what it was aborted with."""

    @property
    def drains_for_long(self) -> bool:
        """Whether it has been drained for longer than that takes as a rule."""
        ...

    def each_stage(self) -> Iterator[RunningStage]:
        """As ``stages``, one after the other: the first few cost no look at a million."""
        ...

    def stages(self) -> Sequence[RunningStage]:
        """All stages; a stage of an inner stream is among them while it lives."""
        ...

    def living(self) -> Collection[RunningStage]:
        """The stages that have not ended."""
        ...

    def waits_for(self) -> str:
        """The stages that have not ended, those in a call of the user's if there are such."""
        ...

    def snapshot(self) -> RunSnapshot:
        """The run at this moment."""
        ...

    def cancel(self, grace: float | None = None) -> None:
        """End it now, as cancelled; calls of the user's have ``grace`` seconds to return."""

    def drain(self) -> None:
        """Let its stages take no more from outside."""

    def wait(self, timeout: float | None) -> bool:
        """Whether it ends within ``timeout`` seconds."""
        ...

    def disown(self) -> None:
        """In a forked child: it goes on in the parent."""
