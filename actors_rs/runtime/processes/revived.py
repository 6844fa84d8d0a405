"""Exceptions of calls in worker processes, put together again."""

from __future__ import annotations

import pickle
from contextlib import suppress

from actors_rs.raised import as_failure, note_once
from actors_rs.runtime.processes.worker import Failure

__all__ = ["revived"]


def revived(failure: Failure, worker: str) -> Exception:
    """The exception that a call in ``worker`` raised; its traceback is a note.

    Its class is kept wherever it can travel, so that deciders can tell by it. Of another one only
    the text is left, in a ``RuntimeError``.
    """
    _, whole, parts, line, trace = failure
    error = _loaded(whole)
    if not isinstance(error, BaseException):
        error = _made_of(_loaded(parts)) or RuntimeError(line)
    failed = as_failure(error)
    note_once(failed, f"in {worker}: {trace}")
    return failed


def _made_of(parts: object) -> BaseException | None:
    """An exception of that class, without its ``__init__``: it may want other arguments."""
    if isinstance(parts, tuple):
        kind, args = parts
        with suppress(Exception):
            error = kind.__new__(kind, *args)
            error.args = args
            return error if isinstance(error, BaseException) else None
    return None


def _loaded(pickled: bytes | None) -> object:
    if pickled is not None:
        with suppress(Exception):
            return pickle.loads(pickled)
    return None
