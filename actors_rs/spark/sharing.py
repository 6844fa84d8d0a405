"""A session that is shared with other code: how its jobs wait for each other."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from weakref import WeakSet

from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import Lock

__all__ = ["hint_at_fair_scheduling"]

_MODE = "spark.scheduler.mode"
logger = logger_called("actors_rs.spark")
_lock = Lock()
_seen: WeakSet[Any] = WeakSet()


def hint_at_fair_scheduling(context: Any) -> None:
    """Log, once for each Spark context, that its jobs are scheduled first in, first out.

    Then a small job of other code waits until all partitions in flight have their cores. Blocks for
    one call of the JVM. Thread-safe; never raises.
    """
    with suppress(Exception):
        with _lock:
            if context in _seen:
                return
            _seen.add(context)
        if context.getConf().get(_MODE, "FIFO").upper() != "FAIR":
            logger.warning(
                "this Spark session runs its jobs first in, first out, so a small job of yours "
                "waits for all partitions in flight: make the session with %s=FAIR, as "
                "actors_rs.spark.local_session does, or lower in_flight",
                _MODE,
            )
