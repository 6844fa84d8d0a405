"""Room for results in the heap of Spark's driver, which the runs of one JVM share.

A partition's result lies in the driver's JVM as a whole, several times while it is handed on, until
Python has read it. Too many at a time end the JVM. So a run begins another job only while what all
runs have in flight fits, each partition counted as the largest of the run's latest ones. The first
partition of a run never waits: runs that wait for each other cannot stand still.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import Lock

__all__ = [
    "ASSUMED_BYTES",
    "MAX_RESULT",
    "DriverRoom",
    "Share",
    "bytes_for_results",
    "limit_one_result",
    "most_of_one",
    "share_of",
]

ASSUMED_BYTES = 16 * 2**20
"""The assumed size of a partition, at most, until one of its run has been read."""
_LATEST = 16
_AT_LEAST = 4
"""Jobs that may begin before a size is known, on however few cores and however small a heap."""
_OF_SPARK = 300 * 2**20
"""Of the heap: Spark keeps that much from storage and execution."""
_COPIES = 8
"""Bytes of heap for a byte of results while they are handed on, as measured with one result: of
1 GiB, 120 MiB are too many and 100 are not."""

MAX_RESULT = "spark.driver.maxResultSize"

logger = logger_called("actors_rs.spark")
_lock = Lock()
_rooms: WeakKeyDictionary[Any, DriverRoom] = WeakKeyDictionary()


def bytes_for_results(heap: int) -> int:
    """How many bytes of results a driver's heap of so many bytes takes at a time."""
    return _bytes_of(heap, _COPIES)


def limit_one_result(context: Any) -> None:
    """Have a job fail whose result is more than the heap of ``context``'s JVM takes. Blocks.

    Call it for a session of ours whose user has set no limit. Spark's own limit is 1 GiB for any
    size of heap, and a JVM that runs out of memory ends, or leaves the job without an end. Never
    raises.
    """
    with suppress(Exception):
        heap = int(context._jvm.java.lang.Runtime.getRuntime().maxMemory())
        context._jsc.sc().conf().set(MAX_RESULT, str(_bytes_of(heap, _COPIES)))


class DriverRoom:
    """``size`` bytes of results. Thread-safe."""

    def __init__(self, size: int, heap: int = 0) -> None:
        self.size = size
        self.heap = heap
        self._lock = Lock()
        self._shares: set[Share] = set()
        self._warned = False

    def share(self, *, cores: int | None = None, limit: int | None = None) -> Share:
        """A run's share. ``cores``: of a driver that computes itself, more jobs than that would
        wait. ``limit``: partitions of more bytes do not pass through the JVM as a whole."""
        share = Share(self, cores, limit)
        with self._lock:
            self._shares.add(share)
        return share

    def enter(self, share: Share, count: int, *, first: bool) -> bool:
        """Whether ``share`` may begin ``count`` partitions; they count from now on if so."""
        with self._lock:
            used = sum(one.running * one.each for one in self._shares)
            fits = used + count * share.each <= self.size and share.fits_cores(count)
            if first or fits:
                share.running += count
                share.waits = False
                self._shares.add(share)
                return True
            share.waits = True
            return False

    def leave(self, share: Share, count: int) -> None:
        """``count`` partitions of ``share`` are no longer in the JVM; waiting jobs are woken."""
        with self._lock:
            share.running = max(0, share.running - count)
            woken = [one for one in self._shares if one.waits]
            for one in woken:
                one.waits = False
        for one in woken:
            one.wake()

    def remove(self, share: Share) -> None:
        """The run of ``share`` is over."""
        self.leave(share, share.running)
        with self._lock:
            self._shares.discard(share)

    def warn(self, size: int) -> None:
        """Log, once, that a partition of ``size`` bytes is more than the heap has room for."""
        with self._lock:
            warned, self._warned = self._warned, True
        if not warned:
            logger.warning(
                "a partition has %d MiB, and the heap of Spark's driver (%d MiB) has room for "
                "results of %d MiB at a time: the JVM may run out of memory; read it in "
                "pieces with max_partition_bytes=..., make smaller partitions, or raise "
                "spark.driver.memory",
                size >> 20,
                self.heap >> 20,
                self.size >> 20,
            )


class Share:
    """What one run has in the JVM. ``wake`` is called, on any thread, when there may be room."""

    def __init__(self, room: DriverRoom, cores: int | None, limit: int | None) -> None:
        self.running = 0
        self.waits = False
        self.wake: Callable[[], None] = lambda: None
        self._room = room
        self._cores = cores
        self._limit = limit
        self._latest: deque[int] = deque(maxlen=_LATEST)

    @property
    def each(self) -> int:
        """What one partition counts for."""
        latest = list(self._latest)  # the threads of other jobs add to it
        assumed = min(ASSUMED_BYTES, self._room.size // _AT_LEAST)
        known = max(latest) if latest else assumed
        return known if self._limit is None else min(known, self._limit)

    def fits_cores(self, count: int) -> bool:
        """Until a size is known, no more begin than are computed side by side."""
        return self._cores is None or bool(self._latest) or self.running + count <= self._cores

    def enter(self, count: int, *, first: bool = False) -> bool:
        """Begin ``count`` partitions if there is room, which there is for the ``first``."""
        return self._room.enter(self, count, first=first)

    def leave(self, count: int) -> None:
        """``count`` partitions have been read, or their job has failed."""
        self._room.leave(self, count)

    def weighed(self, size: int) -> None:
        """A partition of ``size`` bytes was read."""
        self._latest.append(size)
        if size > self._room.size and (self._limit is None or size <= self._limit):
            self._room.warn(size)

    def close(self) -> None:
        """Give all of it back."""
        self._room.remove(self)


def most_of_one(context: Any, otherwise: int) -> int:
    """Bytes of the largest result that the heap of ``context``'s JVM takes. Blocks.

    ``otherwise`` where the JVM does not tell.
    """
    with suppress(Exception):
        heap = int(context._jvm.java.lang.Runtime.getRuntime().maxMemory())
        return bytes_for_results(heap)
    return otherwise


def share_of(context: Any, limit: int | None = None) -> Share | None:
    """A share of the heap of ``context``'s JVM; ``None`` where it does not tell. Blocks."""
    with suppress(Exception):
        with _lock:
            room = _rooms.get(context)
        if room is None:
            heap = int(context._jvm.java.lang.Runtime.getRuntime().maxMemory())
            with _lock:
                room = _rooms.setdefault(context, DriverRoom(bytes_for_results(heap), heap))
        local = str(context.master).startswith("local[") or context.master == "local"
        cores = max(_AT_LEAST, context.defaultParallelism) if local else None
        return room.share(cores=cores, limit=limit)
    return None


def _bytes_of(heap: int, copies: int) -> int:
    return max(ASSUMED_BYTES, (heap - _OF_SPARK) // copies)
