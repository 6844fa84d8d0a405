"""The resources of a system: the dispatcher, timers, threads that may block, and clocks.

``threads`` makes real ones. A deterministic world passes ``Resources`` of its own, and everything
above them, from the mailbox to the last stage, is the production code.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from contextvars import Context
from typing import Any, Literal, NamedTuple, Protocol

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime._primitives import chance, monotonic, wall_clock
from actors_rs.runtime.dispatch.dispatcher import Dispatcher
from actors_rs.runtime.dispatch.event_loop import EventLoopThread
from actors_rs.runtime.dispatch.pool import PoolDispatcher
from actors_rs.runtime.dispatch.timers import Timer, Timers
from actors_rs.runtime.dispatch.workers import Workers
from actors_rs.runtime.processes.pool import ProcessService
from actors_rs.runtime.processes.pools import WorkerPools
from actors_rs.runtime.settings import (
    check_count,
    check_flag,
    check_grace,
    check_seconds,
    check_text,
)
from actors_rs.texts import repr_of

__all__ = [
    "BlockingPool",
    "CoroutineRunner",
    "Resources",
    "TimerService",
    "check_settings",
    "threads",
]


class TimerService(Protocol):
    """Calls back when the time has come. See ``Timers``."""

    def __len__(self) -> int:
        """Timers that are kept."""
        ...

    def after(self, seconds: float, callback: Callable[[], None], /) -> Timer:
        """Call ``callback`` once, ``seconds`` from now."""
        ...

    def close(self, timeout: float, /) -> tuple[str, ...]:
        """Drop all timers; names of threads still busy."""
        ...


class BlockingPool(Protocol):
    """Runs jobs that may block. See ``Workers``."""

    @property
    def in_steps(self) -> bool:
        """Whether each is one step of a single thread."""
        ...

    def __len__(self) -> int:
        """Threads there are."""
        ...

    def put_growing(self, job: Callable[[], None], up_to: int, /) -> bool:
        """Run ``job``; False after ``close``."""
        ...

    def thread_of(self, owner: object, /) -> int | None:
        """The thread that runs a method of ``owner`` as its job."""
        ...

    def abandon(self, owner: object, /) -> bool:
        """Expect no return of that; whether a thread was left to itself for it."""
        ...

    def close(self, timeout: float, /) -> tuple[str, ...]:
        """Finish what was handed in; names of threads still busy."""
        ...


class CoroutineRunner(Protocol):
    """Runs coroutines. See ``EventLoopThread``."""

    def run(
        self,
        coroutine: Coroutine[Any, Any, Any],
        context: Context | None = None,
        ended: Callable[[], None] | None = None,
        /,
    ) -> Future[Any]:
        """Start ``coroutine`` in ``context``, by default in a copy of the caller's."""
        ...

    def give_up(self, future: Future[Any], /) -> bool:
        """Expect no end of the coroutine of ``future``, which was cancelled; whether it runs."""
        ...

    def is_current_thread(self) -> bool:
        """Whether coroutines stand still as long as the calling thread waits."""
        ...

    def close(self, timeout: float, /) -> tuple[str, ...]:
        """Cancel what runs; names of threads still busy."""
        ...

    def hurry(self, seconds: float, /) -> None:
        """Let ``close``, under way or to come, wait for ``seconds`` at most."""


class Resources(NamedTuple):
    """What one system runs on.

    ``now`` orders and delays, in seconds; ``timing_clock`` only measures how long turns and user
    code take; ``wall_clock`` gives seconds since the epoch. ``chance`` is the dice: a number from 0
    to 1.

    With ``serves_all`` the dispatcher runs every actor, also one that asks for another dispatcher
    by name.
    """

    dispatcher: Dispatcher
    timers: TimerService
    blocking: BlockingPool
    event_loop: CoroutineRunner
    processes: ProcessService
    serves_all: bool = False
    now: Callable[[], float] = monotonic
    timing_clock: Callable[[], float] = monotonic
    wall_clock: Callable[[], float] = wall_clock
    chance: Callable[[], float] = chance


def threads(
    name: str, *, workers: int | None, cap: int, dispatcher: Dispatcher | None = None
) -> Resources:
    """Real threads and real time; ``dispatcher``, which runs all then, in place of a pool."""
    timers = Timers(f"{name}-timers")
    return Resources(
        dispatcher or PoolDispatcher(timers, workers=workers, cap=cap, name=name),
        timers,
        Workers(f"{name}-blocking", keep=1),
        EventLoopThread(f"{name}-asyncio"),
        WorkerPools(),
        serves_all=dispatcher is not None,
    )


def check_settings(
    window: int | Literal["auto"],
    throughput: int | None,
    stall_after: float | None,
    dispatcher: str,
    times: tuple[float, float],
    name: str,
    flags: Mapping[str, bool],
) -> None:
    """Raise ``InvalidArgumentError`` for what no system can be set to."""
    if window != "auto":
        check_count("window", window)
    if throughput is not None:
        check_count("throughput", throughput)
    if stall_after is not None:
        check_seconds("stall_after", stall_after, some=True)
    shutdown_timeout, cancel_grace = times
    check_seconds("shutdown_timeout", shutdown_timeout)
    check_grace("cancel_grace", cancel_grace)
    check_text("name", name)
    for what, flag in flags.items():
        check_flag(what, flag)
    if dispatcher not in ("pool", "calling_thread"):
        raise InvalidArgumentError(
            f"dispatcher must be 'pool' or 'calling_thread', got {repr_of(dispatcher)}"
        )
