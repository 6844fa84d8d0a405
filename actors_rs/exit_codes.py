"""The exit codes of the command ``actors-rs``, and which failure has which.

A supervisor decides by the code alone whether to start the command again, so "the same command
helps" has a code of its own: 75, ``EX_TEMPFAIL`` of ``sysexits.h``.
"""

from __future__ import annotations

from actors_rs.errors import ActorsRsError

__all__ = ["BAD_TARGET", "FAILED", "GAVE_UP", "INTERRUPTED", "START_AGAIN", "TABLE", "code_after"]

FAILED, BAD_TARGET, GAVE_UP, START_AGAIN, INTERRUPTED = 1, 2, 3, 75, 130

TABLE = """\
exit codes:
  0    the command has done its work
  1    the run failed, a rule is broken, or the result could not be written
  2    nothing was started: a name, a file or an option is wrong
  3    the run has completed without partitions that were given up: their rows are missing
  75   a run with a ledger has lost its session of Spark: the same command goes on from there
  130  stopped by Ctrl-C; 143 by SIGTERM, also if partitions were given up
"""

_PASSING = frozenset({"ARS-033"})
"""Codes of errors whose cause is gone when the process is: the session of Spark was lost."""


def code_after(error: ActorsRsError, *, has_ledger: bool) -> int:
    """The exit code of a run that failed with ``error``.

    Without a ledger, a second start would do everything again, so it is no remedy.
    """
    return START_AGAIN if has_ledger and error.code in _PASSING else FAILED
