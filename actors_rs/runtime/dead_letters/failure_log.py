"""Failures of actors in the log: in full once a minute for each kind, else the user's own lines.

An actor that its supervisor restarts may fail a hundred times in a minute for the same reason.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import RLock
from actors_rs.runtime.dead_letters.brief import brief
from actors_rs.texts import class_name_of

__all__ = ["FailureLog"]

IN_FULL_EVERY = 60.0
"""Seconds between two tracebacks of one cause."""
MOST_CAUSES = 1_000
"""Causes whose last traceback is remembered."""
_OURS = str(Path(__file__).parents[2])
logger = logger_called("actors_rs.runtime")


class FailureLog:
    """The failures of one system's actors in the log. Any thread."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._lock = RLock()  # the collector may run a ``__del__`` in here whose actor fails
        self._last: dict[tuple[str, str], float] = {}

    def add(self, what: str, kind: str, error: BaseException) -> None:
        """Log ``error`` at ERROR after the text ``what``; never raises.

        The first in a minute has its traceback; the others have it at DEBUG. Those count together
        whose ``kind``, the class of the actor, and whose class of exceptions are the same.
        """
        try:
            if self._is_due((kind, class_name_of(error))):
                logger.error("%s:", what, exc_info=_without_ours(error))
            else:
                logger.error("%s: %s", what, brief(error), extra={"error": error})
                logger.debug("%s, in full:", what, exc_info=error)
        except (Exception, SystemExit):  # of an attribute of the user's exception
            logger.error("%s: a %s that cannot be shown", what, class_name_of(error))

    def _is_due(self, cause: tuple[str, str]) -> bool:
        now = self._now()
        with self._lock:
            last = self._last.get(cause)
            if last is not None and now - last < IN_FULL_EVERY:
                return False
            if last is None and len(self._last) >= MOST_CAUSES:
                del self._last[next(iter(self._last))]
            self._last[cause] = now
        return True


def _without_ours(error: BaseException) -> Any:
    """``error`` for a log, without this library's frames above the user's own code."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_OURS):
        trace = trace.tb_next
    return type(error), error, trace or error.__traceback__
