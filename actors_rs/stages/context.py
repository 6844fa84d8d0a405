"""``StageContext``: the surroundings of a stage's logic."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager as ContextManager
from contextvars import Context
from typing import Any, Literal, Protocol, TypeAlias

from actors_rs.stages.chunks.auto_window import MemoryShare
from actors_rs.stages.failure import Policy
from actors_rs.stages.inner.handoff import OutletOwner
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.processes.surroundings import ProcessCalls, Written

__all__ = ["Cancellable", "Followed", "Kind", "Release", "StageContext"]

Release: TypeAlias = Callable[[BaseException | None], None]
"""Called at the end of a stage that lingers, with the run's failure if it has one; see there."""
Kind: TypeAlias = Literal["call", "partition"]
"""The kinds of operations."""


class Followed(Protocol):
    """An operation that goes on, such as a call, and that a trace follows."""

    def enter(self) -> None:
        """The caller's context belongs to the operation from now on: user code may be called."""

    def end(self, error: BaseException | None, /, **figures: Any) -> None:
        """It has ended, with ``error`` if it failed. Later calls do nothing. Any thread."""


class Cancellable(Protocol):
    """A timer that is running."""

    def cancel(self) -> None:
        """Stop it; later calls do nothing."""


class StageContext(Protocol):
    """The requests of a logic to its surroundings; from any thread only ``post`` and ``report``."""

    name: str

    def post(self, action: Callable[[], None], /) -> None:
        """Run ``action`` in the stage's own turn, then ``advance``. Dropped once it stopped."""

    def now(self) -> float:
        """The system's monotonic seconds: the only clock a logic may ask. Any thread."""
        ...

    def chance(self) -> float:
        """A number from 0 to 1, at random: the only dice a logic may throw. Any thread."""
        ...

    def after(self, seconds: float, action: Callable[[], None], /) -> Cancellable:
        """Post ``action`` after ``seconds``."""
        ...

    def filling(self, outlet: Outlet, frame: list[Any], /) -> bool:
        """``frame`` will be emitted at ``outlet`` once it is filled, by code that may wait.

        Its elements are sent ahead when that takes long, and ``outlet`` is ``overdue`` then: only
        append to it. False where nobody is there to send it.
        """
        ...

    def memory_share(self) -> MemoryShare | None:
        """A new share of the system's ``memory_limit``, for elements in the stage. Any thread.

        ``None`` without a limit. The stage releases it at its end.
        """
        ...

    def run_blocking(self, job: Callable[[], None], /) -> bool:
        """Run ``job``, which must not raise, on a thread that may block; one is added if needed.

        False if the system has shut down and the job will not run. How many run at a time is
        for the stage to bound.
        """
        ...

    def run_coroutine(
        self,
        coroutine: Coroutine[Any, Any, Any],
        done: Callable[[Any], None] | None = None,
        context: Context | None = None,
        /,
    ) -> None:
        """Run it on the event loop; ``done`` gets its future, unless it waits for this stage.

        It runs in ``context``, by default in a copy of the stage's.
        """

    def process_calls(self, f: Callable[[Any], Any], /, **how: Any) -> ProcessCalls:
        """Call ``f`` in worker processes of the system, see ``Settings`` there."""
        ...

    def committing(self) -> ContextManager[None]:
        """In its block a file gets its name; ``OSError`` if the run has ended without it."""
        ...

    def begins_call(self) -> object:
        """A job that makes several calls begins the next one; in that job, which it gives."""

    def abandon(self, job: object, /) -> None:
        """Expect no return of ``job`` from its call: give up its thread."""

    def late(self, value: object, error: BaseException | None, /) -> None:
        """A job gave ``value``, or raised, after ``stop``: a dead letter if it was given up."""

    def failed(
        self,
        error: BaseException,
        /,
        position: int | None = None,
        *,
        plain: bool = False,
        beside: BaseException | None = None,
    ) -> BaseException:
        """Note that this stage failed because of ``error``; returns what to send downstream.

        That is a ``StageError`` around it, unless it is ``plain`` or names its origin itself.
        ``beside`` is a second failure, which came of dealing with the first.
        """
        ...

    def abort(self, error: BaseException, /) -> None:
        """End the run now, with ``error`` as a failure of this stage. Any thread."""

    def passed_over(
        self, element: Any, error: Exception, position: int | None, policy: Policy, /
    ) -> None:
        """The stage goes on after ``element``, which raised ``error``: it is a dead letter."""

    def report(
        self,
        what: object,
        why: str,
        error: BaseException | None = None,
        /,
        *,
        partition: int | None = None,
    ) -> None:
        """Put ``what`` into the dead letters; the line in the log has the ``partition``."""

    def warn(self, text: str, /) -> None:
        """Log ``text`` about this stage at WARNING; the stage sees to it that it is rare."""

    def attach(self, source: object, inlet: Inlet, /) -> None:
        """Start ``source`` as a part of this run; its elements come to ``inlet``.

        ``source`` is a ``Stream`` whose input is closed, or an iterable; raises ``GraphError`` or
        ``TypeError`` for anything else. The inlet is new, and among ``inlets`` already; its window
        is the most that is kept requested. Cancelling it ends the inner stream; take the inlet of
        an ended stream out of ``inlets``.
        """

    def at_hand(self, source: object, /) -> Sequence[Any] | None:
        """All elements of ``source``, if it is, or would give, a sequence that exists already."""
        ...

    def handoff(self, outlet: Outlet, owner: OutletOwner, /) -> object:
        """The description of a stream that gives what this stage emits to ``outlet``, once.

        ``outlet`` is new. It is cancelled, asked and ends like any other outlet.
        """

    @property
    def written(self) -> Written:
        """The files that stages of this run have made."""
        ...

    def linger(self, release: Release, /) -> None:
        """This stage lives on only to see what others do with what it gave.

        ``release`` is called in its turn when all others of the run have ended, or linger as well,
        with what the run has failed with by then, a ``RunCancelled`` if it was cancelled.
        """

    def recovered(self, error: BaseException, /) -> None:
        """``error``, which arrived at an inlet, was dealt with and is no failure of the run."""

    def stop_reason(self) -> BaseException | None:
        """Why the run ends before its time, if it does: ``RunCancelled``, or a failure."""
        ...

    def event(self, name: str, /, **what: Any) -> None:
        """Tell the log and who listens, see ``runtime/eventing``."""

    def operation(self, kind: Kind, number: int, attempt: int = 1, /) -> Followed | None:
        """An operation begins, see ``Followed``; ``None`` if no trace follows it. Any thread.

        ``number``: the position of the element of a ``"call"``, the index of a ``"partition"``.
        """
        ...
