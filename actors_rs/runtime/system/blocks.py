"""The blocks of a system: ``with ActorSystem()`` and ``async with ActorSystem()``.

At the end of the block the system shuts down. ``with`` waits for that on the thread, ``async with``
lets a thread of its own wait, and the event loop goes on.
"""

from __future__ import annotations

import asyncio
from functools import partial
from types import TracebackType
from typing import Any, Self

from actors_rs.errors import BlockingError
from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import SLICE, Event, Thread, blocking_allowed, check_may_block
from actors_rs.runtime.actors.awaiting import RUN_ELSEWHERE, Awaiting, Until, check_no_running_loop
from actors_rs.runtime.system.signals import NOW_SECONDS, SystemSignals

__all__ = ["Blocks"]

LEAVING = (
    "leaving `with ActorSystem()`",
    "`async with ActorSystem()`",
    "`with ActorSystem(): trio.run(main)`",
)
"""What would block an event loop, and what to write instead on asyncio and on trio."""

logger = logger_called("actors_rs.runtime")


class Blocks:
    """The behaviour of a system at the beginning and the end of its block."""

    name: str
    cancel_grace: float
    shutdown_timeout: float
    _blocks: list[Any]
    """Entered, and not left yet."""
    _fatal: BaseException | None
    _signals: SystemSignals | None

    def __enter__(self) -> Self:
        self._check_may_enter()
        self._enter_block()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self._leave_block()
            self._check_may_leave()
            self.shutdown(drain=error is None, timeout=self._hurried(error))
        except (KeyboardInterrupt, SystemExit):
            self.shutdown(drain=False, timeout=NOW_SECONDS)  # it may not have begun
            raise
        finally:
            self._release_signals()
        self._raise_what_ended_it(error)

    async def __aenter__(self) -> Self:
        self._enter_block()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leave_block()
        try:
            await self.shutdown_async(drain=error is None, timeout=self._hurried(error))
        finally:
            self._release_signals()
        self._raise_what_ended_it(error)

    def handle_signals(self, grace: float = 30.0) -> SystemSignals:
        """Let SIGTERM and SIGINT (Ctrl-C) end this system in order, until it has shut down.

        The first signal drains all runs, and no new runs start. Actors continue until the block of
        the system ends: a program without runs leaves the block when ``received`` of the result is
        above 0. At its end the block raises ``SystemExit`` with 143 or 130. After ``grace`` seconds
        (30), or with a second signal, everything is cancelled, and the main thread gets that
        ``SystemExit`` wherever it is.

        Raises ``InvalidArgumentError`` off the main thread, or if a system of this process handles
        signals already, or for a ``grace`` that is no number from 0 on.

        >>> with ActorSystem() as system:
        ...     signals = system.handle_signals(grace=10)
        ...     system.start(Source.of(2, 3).to(Sink.sum())).result()
        5
        """
        self._check_open()
        signals = SystemSignals(self, grace)
        try:
            signals.take()
            self._signals = signals
        except BaseException:
            signals.release()
            raise
        return signals

    async def shutdown_async(self, *, drain: bool = True, timeout: float | None = None) -> None:
        """As ``shutdown``, for a coroutine of any event loop of asyncio, which goes on meanwhile.

        ``drain`` and ``timeout`` (seconds) are as in ``shutdown``. If its task is cancelled, runs
        are cancelled too, and their end is awaited.

        >>> import asyncio
        >>> asyncio.run(ActorSystem().shutdown_async(timeout=5))
        """
        end = partial(self.shutdown, drain=drain, timeout=timeout)
        over, awaiting, failed = Event(), Awaiting(), list[BaseException]()

        def work() -> None:
            try:
                end()
            except BaseException as error:
                failed.append(error)
            finally:
                over.set()
                awaiting.wake()

        thread = Thread(target=work, name=f"{self.name}-shutdown", daemon=True)

        async def wait() -> None:
            while not over.is_set():  # in slices: a signal may come just before the loop sleeps
                await Until(awaiting, over.is_set, SLICE)

        thread.start()
        try:
            await wait()
        except asyncio.CancelledError:
            self.stop_soon(self.cancel_grace)
            await wait()
            raise
        finally:
            if over.is_set():  # the thread has nothing left to do: this waits for its last steps
                thread.join()
        if failed:
            raise failed[0]

    def _check_may_enter(self) -> None:
        """Raise ``BlockingError`` where this thread must not wait for the end of the block.

        A system that was never used is shut down first, so that it leaves no idle threads.
        """
        try:
            check_no_running_loop(*LEAVING)
            check_may_block(LEAVING[0], RUN_ELSEWHERE)
        except BlockingError:
            if not self.children() and not self._living_activities():
                with blocking_allowed():
                    self.shutdown(drain=False)
            raise

    def _check_may_leave(self) -> None:
        """Raise ``BlockingError`` on a thread with a running event loop; runs are cancelled then.

        The block was entered elsewhere, or that would have been refused.
        """
        try:
            check_no_running_loop(*LEAVING)
        except BlockingError:
            self.stop_soon(self.cancel_grace)
            raise

    def _leave_block(self) -> None:
        if self._blocks:
            self._blocks.pop().leave()

    def _hurried(self, error: BaseException | None) -> float | None:
        """How long the shutdown may take."""
        return None if error is None else min(self.shutdown_timeout, self.cancel_grace)

    def _release_signals(self) -> None:
        if self._signals is not None:
            self._signals.release()

    def _raise_what_ended_it(self, error: BaseException | None) -> None:
        if self._fatal is not None:
            if error is not None and error is not self._fatal:
                logger.error("the block of '%s' raised as well:", self.name, exc_info=error)
            raise self._fatal
        if self._signals is not None:
            self._signals.exit_after(error)

    # Other parts of a system

    def _check_open(self) -> None:
        raise NotImplementedError

    def _enter_block(self) -> None:
        raise NotImplementedError

    def children(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def _living_activities(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def shutdown(self, *, drain: bool = True, timeout: float | None = None) -> None:
        raise NotImplementedError

    def stop_soon(self, within: float | None = None) -> None:
        raise NotImplementedError

    def drain(self, why: str = "") -> None:
        raise NotImplementedError
