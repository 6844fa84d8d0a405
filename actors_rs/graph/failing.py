"""A stage's failure, as its run and its downstream are told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from actors_rs.errors import ActorsRsError, StageError

if TYPE_CHECKING:
    from actors_rs.graph.run import Run

__all__ = ["note_failed"]


class _Stage(Protocol):
    name: str
    site: str


def note_failed(
    run: Run[Any],
    stage: _Stage,
    error: BaseException,
    position: int | None,
    plain: bool,
    beside: BaseException | None,
) -> BaseException:
    """Tell ``run`` of ``error``; returns it as a ``StageError``, see ``StageContext.failed``."""
    names_itself = plain or (position is None and isinstance(error, ActorsRsError))
    wrapped = error if names_itself else StageError(stage.name, error, position, stage.site)
    if not isinstance(error, Exception):  # SystemExit and the like: the run raises it as it is
        run.abort(error)
    run.note_failure(wrapped)
    if beside is not None:
        run.note_failure(beside)
        if isinstance(wrapped, StageError):
            wrapped.others += (beside,)
    return wrapped
