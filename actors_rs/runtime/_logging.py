"""Loggers that never raise: an error in a handler does not reach the code that logs."""

from __future__ import annotations

import logging
import sys
import traceback
from contextlib import suppress
from typing import Any

__all__ = ["logger_called"]


class _Unfailing(logging.LoggerAdapter[logging.Logger]):
    """Logs like its logger. An exception of a handler or filter is printed to standard error.

    ``logging`` does the same for errors in the handlers of the standard library.
    """

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        """As ``Logger.log``; any thread."""
        if not self.logger.isEnabledFor(level):
            return
        try:
            self.logger.log(level, msg, *args, stacklevel=2, **kwargs)
        except (Exception, SystemExit):  # of what is logged, whose truth is asked for
            if logging.raiseExceptions and sys.stderr is not None:
                self._tell_on_stderr()

    def _tell_on_stderr(self) -> None:
        try:
            traceback.print_exc()
        except (Exception, SystemExit):  # even the traceback module trips over what it raised
            with suppress(Exception):
                print(f"{self.logger.name}: an error that cannot be shown", file=sys.stderr)


def logger_called(name: str) -> logging.LoggerAdapter[logging.Logger]:
    """The logger ``name``, whose handlers cannot fail us."""
    return _Unfailing(logging.getLogger(name))
