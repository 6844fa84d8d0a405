"""The shared pool: few threads for any number of actors, and no starvation.

It starts with one worker per core. When turns are ready but none began between two looks, blocking
user code holds the workers. The pool then grows by one, at most ``STARVED_AFTER`` seconds later, up
to ``cap``, and shrinks again when workers are idle. So a blocking function slows only its own
stage. While turns begin, it does not grow, however many are ready: threads would only compete for
the interpreter lock.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import Lock, forbid_blocking, start_thread
from actors_rs.runtime.dispatch.dispatcher import DispatcherStatistics, Turn
from actors_rs.runtime.dispatch.timers import Timers
from actors_rs.runtime.dispatch.workers import Workers
from actors_rs.runtime.settings import check_count

__all__ = ["STARVED_AFTER", "PoolDispatcher"]

STARVED_AFTER = 0.05
"""Seconds that a ready turn waits, at most, while nothing moves, before the pool grows."""
_LOOK_EVERY = STARVED_AFTER / 2
logger = logger_called("actors_rs.runtime")


class PoolDispatcher:
    """Runs turns on a shared pool of threads. All methods may be called from any thread."""

    kind = "pool"

    def __init__(
        self,
        timers: Timers,
        *,
        workers: int | None = None,
        cap: int = 256,
        name: str = "actors",
    ) -> None:
        size = workers if workers is not None else os.cpu_count() or 1
        check_count("workers", size)
        check_count("max_workers", cap)
        self._cap = max(cap, size)
        self._timers = timers
        self._workers = Workers(name, keep=size, on_thread_start=forbid_blocking)
        self._queued = self._workers.enqueued
        self.enqueue = self._workers.enqueue
        """See ``Dispatcher.enqueue``."""
        self.relieve = self._workers.hint
        """See ``Dispatcher.relieve``; kept by each stage, so it is one object for all."""
        # Held from the first ready turn until nothing is ready. Two watches at a time would look
        # in quick succession and take a busy pool for a stuck one.
        self._watched = Lock()
        self._watch_now: object = None  # of all that were begun, the one that looks
        self._begun_before = -1
        self._reported_unwatched = False
        for _ in range(size):
            self._workers.spawn(size)

    def schedule(self, turn: Turn, /) -> None:
        """Run ``turn`` soon. Never blocks."""
        self.enqueue(turn)
        self.enqueued()

    def enqueued(self) -> None:
        """A turn was handed in: wake a thread for it, if one is needed, and look in a while."""
        try:
            self._queued()
            if self._watched.acquire(False):
                self._watch()
        except BaseException:  # Ctrl-C, perhaps between these two
            start_thread(self._watch, ())
            raise

    def take_over(self, _: Callable[[Turn], object], /) -> None:
        """Wake a thread for what was handed in: any thread runs it."""
        self.enqueued()

    def thread_of(self, owner: object) -> int | None:
        """The thread that is in a turn of ``owner``."""
        return self._workers.thread_of(owner)

    def abandon(self, owner: object) -> bool:
        """Leave the thread that is in a turn of ``owner`` to itself; whether there is one."""
        return self._workers.abandon(owner)

    def grow_if_starved(self) -> None:
        """If turns are ready and none begins, wake a worker, or add one if all are busy."""
        if self._workers.is_stuck():
            self._grow()

    def close(self, timeout: float) -> tuple[str, ...]:
        """Run what is scheduled, end the threads; names of those still busy after ``timeout`` s."""
        return self._workers.close(timeout)

    def statistics(self) -> DispatcherStatistics:
        """A snapshot; cheap, from any thread."""
        workers = self._workers
        return DispatcherStatistics(len(workers), workers.waiting, workers.begun)

    def _grow(self) -> None:
        if not self._workers.wake() and self._workers.waiting:
            self._workers.spawn(self._cap)

    def _watch(self) -> None:
        """Look in a while, in place of any watch before; by who has got hold of ``_watched``."""
        watch = self._watch_now = object()
        try:
            self._timers.after(_LOOK_EVERY, partial(self._look, watch))
        except RecursionError:
            raise
        except RuntimeError as error:  # no thread for it: the next turn tries again
            self._watched.release()
            if not self._reported_unwatched:
                self._reported_unwatched = True
                logger.error(
                    "no thread could be started to watch the pool, the next turn tries again: %s",
                    error,
                )

    def _look(self, watch: object) -> None:
        """Grow if nothing moved since the last look although a turn is ready."""
        if watch is not self._watch_now:
            return
        for owner, look in self._workers.lasting():
            if (turn_lasts := getattr(owner, "_turn_lasts_", None)) is not None:
                turn_lasts(look)
        begun = self._workers.begun
        moved = begun != self._begun_before
        self._begun_before = begun
        if moved:
            self._workers.hint()
        else:
            self._grow()
        # Released before the queue is looked at: a turn scheduled in between is seen here or there.
        with suppress(RuntimeError):  # nobody had it: an interrupted ``enqueued`` began this one
            self._watched.release()
        if (moved or self._workers.waiting) and self._watched.acquire(blocking=False):
            self._watch()
