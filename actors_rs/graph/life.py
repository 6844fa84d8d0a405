"""``Life``: what the stages of a graph share while they run, as each of them sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from actors_rs.errors import RunCancelled
    from actors_rs.graph.member import Member
    from actors_rs.graph.run_end import RunEnd
    from actors_rs.graph.written import Written
    from actors_rs.runtime.shutdown import Activity
    from actors_rs.runtime.system import ActorSystem
    from actors_rs.stages.stage import LetGo

__all__ = ["Life"]


class Life(Protocol):
    """That of a whole run, or of a section of one, which may fail and begin anew. Any thread."""

    @property
    def name(self) -> str:
        """The run's."""
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
    def stopwatch(self) -> Callable[[], float]:
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

    def join(self, stages: Sequence[Member]) -> None:
        """Take charge of an inner stream's ``stages`` too, before any of them starts.

        Called in a turn of a stage of this run, so the run cannot have ended.
        """

    def stage_ended(self, stage: Member) -> None:
        """``stage`` has stopped; with the last one the run ends."""

    def next_inner(self) -> int:
        """The number of the next inner stream, which makes the names of its stages unique."""
        ...

    def linger(self, stage: Member, let_go: LetGo) -> None:
        """``stage`` lives on only for what others do; ``let_go`` once there are no others."""

    def note_failure(self, error: BaseException, *, late: bool = False) -> None:
        """A stage failed; the first such error is the run's.

        ``late``: it did so before, and does not count if that was recovered from meanwhile.
        """

    def recovered(self, error: BaseException) -> Sequence[BaseException]:
        """``error`` has been dealt with and is not this run's failure any more.

        Nor are those that it kept from being heard of, which are returned.
        """
        ...

    def unheard(self, error: BaseException, why: BaseException) -> bool:
        """``error`` got no further than a stage that has ended with ``why``.

        Whether it is no failure any more, for ``why`` was recovered from; else it goes with that.
        """
        ...

    def cancelled_error(self) -> RunCancelled:
        """What a stage is told that ended without completing or failing."""
        ...

    def cancel(self) -> None:
        """End the run now, as cancelled."""

    def abort(self, error: BaseException) -> None:
        """End the run now, with ``error``."""

    def fatal(self, error: BaseException) -> None:
        """``error`` in a stage is the end of the whole system, in order."""
