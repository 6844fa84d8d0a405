"""Stage logic: what a stage does, apart from threads.

A logic sees its inlets and outlets, and a ``StageContext`` for the few things that reach beyond
its own actor. It is told to ``advance`` whenever something may have changed (elements, demand, an
end), does what it can within its ``Budget``, and returns. That is all: a logic can be tested with
recorders on its ports, without an actor.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from actors_rs.stages.ports import Inlet, Outlet

__all__ = ["Budget", "Cancellable", "StageContext", "StageLogic"]


class Budget(Protocol):
    """How long a logic may go on within one turn."""

    def lap(self) -> float:
        """Seconds since the last call, or since the turn began."""
        ...

    def spent(self) -> bool:
        """Whether to return now; the stage is then called again soon.

        To be asked before going on with another piece, not behind the last one.
        """
        ...


class Cancellable(Protocol):
    """A timer that is running."""

    def cancel(self) -> None:
        """Stop it; later calls do nothing."""


class StageContext(Protocol):
    """What a logic may ask of its surroundings. Only ``post`` may be called from any thread."""

    name: str

    def post(self, action: Callable[[], None], /) -> None:
        """Run ``action`` in the stage's own turn, then ``advance``. Dropped once it stopped."""

    def now(self) -> float:
        """The system's monotonic seconds: the only clock a logic may ask. Any thread."""
        ...

    def after(self, seconds: float, action: Callable[[], None], /) -> Cancellable:
        """Post ``action`` after ``seconds``."""
        ...

    def run_blocking(self, job: Callable[[], None], /) -> bool:
        """Run ``job``, which must not raise, on a thread that may block; one is added if needed.

        False if the system has shut down and the job will not run. How many run at a time is
        for the stage to bound.
        """
        ...

    def run_coroutine(
        self, coroutine: Coroutine[Any, Any, Any], done: Callable[[Any], None], /
    ) -> None:
        """Run ``coroutine`` on the system's event loop; ``done`` gets its future, on any thread."""

    def failed(
        self, error: BaseException, /, position: int | None = None, *, plain: bool = False
    ) -> BaseException:
        """Note that this stage failed because of ``error``; returns what to send downstream.

        That is a ``StageError`` around it, unless it is ``plain`` or names its origin itself.
        """
        ...

    def report(self, what: object, why: str, error: BaseException | None = None, /) -> None:
        """Put ``what`` into the dead letters."""


class StageLogic:
    """Base of all logics. Hooks run in the stage's own turns, hence never two at a time.

    A hook that raises fails the stage: all inlets are cancelled and all outlets fail.
    """

    inlets: tuple[Inlet, ...] = ()
    outlets: tuple[Outlet, ...] = ()
    context: StageContext

    def start(self) -> None:
        """Called once, before anything else: open files, take resources."""

    def advance(self, budget: Budget) -> None:
        """Do what elements, demand and ends allow; return when ``budget`` is spent."""
        raise NotImplementedError

    def drain(self) -> None:
        """Take no more from outside; deliver what is in hand. Only sources have to do anything."""

    def stop(self, error: BaseException | None) -> None:
        """Called once, after everything else: release resources.

        ``error`` is ``None`` only if the stage came to its regular end.
        """

    def details(self) -> dict[str, Any]:
        """Figures of this kind of stage for ``snapshot``; called from any thread."""
        return {}

    @property
    def finished(self) -> bool:
        """Whether the stage has nothing left to do: every port is closed. Asked in every turn."""
        for outlet in self.outlets:
            if not outlet.closed:
                return False
        for inlet in self.inlets:  # noqa: SIM110 - a generator costs more than the answer
            if not inlet.exhausted:
                return False
        return True

    def end(self, error: BaseException | None) -> None:
        """End every port: complete the outlets, or fail them with ``error``."""
        for inlet in self.inlets:
            inlet.cancel(error)
        for outlet in self.outlets:
            if error is not None:
                outlet.fail(error)
            else:
                outlet.complete()

    def downstream_failure(self) -> BaseException | None:
        """Why an outlet was cancelled, if that was because a stage behind it failed."""
        return next((out.cause for out in self.outlets if out.cause is not None), None)

    def fail(self, error: BaseException, position: int | None = None) -> None:
        """Fail the stage: cancel upstream, fail downstream, once."""
        self.end(self.context.failed(error, position))
