"""The failure of a stage, as its run and its downstream receive it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from actors_rs.errors import StageError
from actors_rs.raised import askable, named_by
from actors_rs.runtime.actors.contract import is_fatal
from actors_rs.stages.stage import StageLogic

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage, Scope

__all__ = [
    "cannot_tell",
    "forgive",
    "last_error",
    "mind_unheard",
    "note_failed",
    "recover",
    "release",
    "unheard_failures",
]


BESIDE = "a stage failed together with an error that was recovered"


class _Stage(Protocol):
    name: str
    site: str


def note_failed(
    scope: Scope,
    stage: _Stage,
    error: BaseException,
    position: int | None = None,
    plain: bool = False,
    beside: BaseException | None = None,
) -> BaseException:
    """Tell ``scope`` of ``error``; returns it as the stage's, see ``StageContext.failed``.

    A part of a stage has given it its own name already.
    """
    error = askable(error)
    wrapped = error if plain else named_by(stage.name, stage.site, error, position)
    origin = error.__cause__ if wrapped is error and isinstance(error, StageError) else error
    if origin is not None and is_fatal(origin):  # SystemExit and the like: raised as it is
        scope.abort(origin)
        scope.fatal(origin)
    scope.note_failure(wrapped)
    if beside is not None:
        scope.note_failure(beside)
        scope.unheard(beside, wrapped)  # so it goes with that, should that be recovered from
        if isinstance(wrapped, StageError):
            wrapped.others += (beside,)
    return wrapped


def last_error(own: BaseException | None, logic: StageLogic) -> BaseException | None:
    """The error that a stage has ended with: its ``own``, else the first that came to an inlet.

    Compare it with ``None`` only: an exception of the user may be false.
    """
    if own is None:
        for inlet in logic.inlets:  # a loop, as below: asked whenever a stage ends
            if inlet.error is not None:
                return inlet.error
    return own


def recover(scope: Scope, stage: RunningStage, error: BaseException) -> None:
    """``stage`` has recovered from ``error``, and so from the errors that came beside it."""
    for beside in scope.recovered(error):
        stage.report(None, BESIDE, beside)


def mind_unheard(scope: Scope, stage: RunningStage, own: BaseException | None) -> None:
    """``stage`` has ended, with its ``own`` failure or not: see to errors that nobody hears of.

    It passes on one, if any, or was cancelled because of one. Others have come, or will come.
    """
    why = _why_ended(stage.logic)
    if why is not None:
        _mind(scope, stage, own, why)


def forgive(scope: Scope, stage: RunningStage, error: Exception) -> None:
    """A stream that ``stage`` had cancelled has failed: a dead letter, and no failure.

    If it was cancelled for a failure, the two go together.
    """
    why = _why_ended(stage.logic)
    if why is not None:
        _unheard(scope, stage, why, error)
        return
    recover(scope, stage, error)
    stage.report(None, "a stream failed after its cancellation", error)


def _why_ended(logic: StageLogic) -> BaseException | None:
    """The failure that downstream received, or that the stage had."""
    for outlet in logic.outlets:  # a loop, as above
        why = outlet.cause if outlet.error is None else outlet.error
        if why is not None:
            return why
    return None


def _mind(scope: Scope, stage: RunningStage, own: BaseException | None, why: BaseException) -> None:
    logic = stage.logic
    unheard = partial(_unheard, scope, stage, why)
    for inlet in logic.inlets:
        inlet.on_unheard = unheard
    sent = [outlet.error for outlet in logic.outlets]
    for error in (own, *(inlet.error for inlet in logic.inlets)):
        if error is not None and all(error is not one for one in sent):
            unheard(error)


def _unheard(scope: Scope, stage: RunningStage, why: BaseException, error: BaseException) -> None:
    if scope.unheard(error, why):
        stage.report(None, BESIDE, error)


def unheard_failures(logic: StageLogic) -> list[BaseException]:
    """Errors that reached forgiving inlets of a stage that has ended, and went no further.

    They met a cancellation on its way upstream: both came in one turn, and no error is sent after a
    cancellation.
    """
    for outlet in logic.outlets:
        if not outlet.cancelled:
            return []
    return [inlet.error for inlet in logic.inlets if inlet.forgiving and inlet.error is not None]


def cannot_tell(stage: RunningStage, error: BaseException) -> bool:
    """Whether ``stage``, whose ``finished`` has raised, is over: it is, for it fails like any that
    raises in a hook. It is asked again while its inner streams end: that fails it once.
    """
    if stage.error is None:
        stage.logic.fail(error)
        StageLogic.end(stage.logic, stage.error)  # a logic may mean to end later than that
    else:
        stage.report(None, "it raised in a stage that had failed", error)
    return True


def count_in_hand(stage: RunningStage) -> None:
    """It has ended: note how many elements it had taken that went nowhere."""
    try:
        held = stage.logic.held()
        if held != ():
            stage.in_hand = sum(1 for _ in held)
    except BaseException as error:
        stage.report(None, "it raised in a stage that had ended", error)


def release(stage: RunningStage) -> None:
    """Release the elements of a stage whose end is reported: a hook that raises harms nothing."""
    try:
        stage.logic.drawing = None
        stage.logic.release_held()
    except BaseException as error:
        stage.report(None, "it raised in a stage that had ended", error)
