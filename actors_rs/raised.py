"""Exceptions of users' code turned into failures of a stage, and notes on them."""

from __future__ import annotations

from contextlib import suppress

from actors_rs.errors import (
    ActorsRsError,
    CallExitError,
    ReadError,
    RunCancelled,
    StageError,
    WriteError,
)
from actors_rs.texts import class_name_of

__all__ = ["as_failure", "askable", "comes_of", "named_by", "names_itself", "note_once"]


def note_once(error: BaseException, note: str) -> None:
    """Add ``note`` to ``error`` once, also if its methods raise or it is raised again.

    A frozen one, which takes no attributes, gets it all the same.
    """
    with suppress(BaseException):
        if note in (notes := getattr(error, "__notes__", ())):
            return
        if not isinstance(notes, list):
            BaseException.__setattr__(error, "__notes__", [])
        BaseException.add_note(error, note)


def askable(error: BaseException) -> BaseException:
    """``error``, or a ``TypeError`` in its place if it does not even let its class be asked."""
    try:
        isinstance(error, ActorsRsError)
    except BaseException as broken:
        kind, why = class_name_of(error), class_name_of(broken)
        return TypeError(f"a {kind} was raised, whose __class__ raised {why}")
    return error


def comes_of(first: BaseException | None, error: BaseException) -> bool:
    """Whether ``error`` is ``first``, or was caused by it, as ``map_error`` says of its own."""
    chain: list[BaseException] = []  # compared by identity: a user's __eq__ has no say
    cause: BaseException | None = error
    while cause is not None and all(cause is not one for one in chain):
        if cause is first:
            return True
        chain.append(cause)
        cause = cause.__cause__
    return False


def names_itself(error: BaseException, position: int | None) -> bool:
    """Whether ``error`` of a stage goes downstream as it is: it can say where it comes from.

    One of a file names the file only, and is given the stage and its line as others are.
    """
    ours = isinstance(error, ActorsRsError) and not isinstance(error, WriteError | ReadError)
    return position is None and ours


def named_by(
    stage: str, site: str, error: BaseException, position: int | None = None
) -> BaseException:
    """``error`` as the failure of ``stage``: itself if it is one of ours, which names it then.

    One that names a stage already goes on as it is, for it was that stage's.
    """
    if not names_itself(error, position):
        return StageError(stage, error, position, site)
    names = vars(error)  # not by setting attributes: a subclass of the user's may forbid it
    is_new = not names.get("site") and names.get("stage", stage) == stage
    if is_new and not isinstance(error, StageError | RunCancelled):
        names.update(stage=stage, site=site)
    return error


def as_failure(error: BaseException) -> Exception:
    """``error`` of a call made away from its stage, as something its element can fail with."""
    return error if isinstance(error, Exception) else CallExitError(error)
