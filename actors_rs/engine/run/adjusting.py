"""Changes of a running graph: the pause of a source, a rate, a parallelism.

All functions may be called from any thread. A change takes effect with the stage's next turn.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from actors_rs.engine.member import Member
from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.rate.rate_limit import RateLimit
from actors_rs.stages.operators.map_async import MapAsync
from actors_rs.stages.operators.throttle import Throttle
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage, WholeRun

__all__ = ["MOST_PARALLEL", "adjustable", "is_source", "pause", "set_parallelism", "set_rate"]

MOST_PARALLEL = 10_000
"""The highest parallelism that can be set: a slip of the finger takes no million threads."""


def is_source(stage: RunningStage) -> bool:
    """Whether ``stage`` gives elements and takes none."""
    return bool(stage.logic.outlets) and not stage.logic.inlets


def adjustable(stage: RunningStage) -> dict[str, float]:
    """The settings of ``stage`` that can be changed, with their values: ``rate`` is per second."""
    logic = stage.logic
    if isinstance(logic, MapAsync):
        return {"parallelism": logic.details()["parallelism"]}
    limit = logic.limit if isinstance(logic, Throttle) else None
    return {"rate": limit.n / limit.per} if isinstance(limit, RateLimit) else {}


def pause(scope: WholeRun, name: str, paused: bool) -> None:
    """Let the source ``name`` give no more elements, or go on if ``paused`` is ``False``.

    A source that waits in a call of the user's pauses when the call returns. Draining or
    cancelling the run ends the pause. Raises ``InvalidArgumentError`` if there is no such source.
    """
    stage = _stage(scope, name)
    if not is_source(stage) or not isinstance(stage, Member):
        raise InvalidArgumentError(
            f"pause: expected the name of a source of run {repr_of(scope.name)}, got "
            f"{repr_of(name)}, which takes elements of other stages: pause its source"
        )
    stage.post(partial(stage.pause, paused))


def set_rate(scope: WholeRun, name: str, per_second: float) -> None:
    """Change the ``RateLimit`` of the stage ``name``, for all stages that share the limit.

    Raises ``InvalidArgumentError`` for a rate that is not above 0 and for a stage without a
    ``RateLimit``.
    """
    logic = _stage(scope, name).logic
    limit = logic.limit if isinstance(logic, Throttle) else None
    if not isinstance(limit, RateLimit):
        raise InvalidArgumentError(f"rate: stage {repr_of(name)} has no RateLimit")
    limit.change(per_second * limit.per)


def set_parallelism(scope: WholeRun, name: str, parallelism: int) -> None:
    """Let ``map_async`` in the stage ``name`` have as many calls under way from now on.

    Calls under way go on. Raises ``InvalidArgumentError`` for a number that is not from 1 to
    ``MOST_PARALLEL`` and for a stage without a parallelism.
    """
    stage = _stage(scope, name)
    logic = stage.logic
    if not isinstance(logic, MapAsync) or not isinstance(stage, Member):
        raise InvalidArgumentError(f"parallelism: stage {repr_of(name)} makes no parallel calls")
    whole = type(parallelism) is int
    if not whole or not 1 <= parallelism <= MOST_PARALLEL:
        raise InvalidArgumentError(
            f"parallelism: expected a whole number from 1 to {MOST_PARALLEL}, "
            f"got {repr_of(parallelism)}"
        )
    stage.post(partial(logic.change_parallelism, parallelism))


def _stage(scope: WholeRun, name: str) -> RunningStage:
    for stage in scope.stages():
        if stage.name == name and not stage.ended:
            return stage
    raise InvalidArgumentError(
        f"expected a stage of run {repr_of(scope.name)} that has not ended, got {repr_of(name)}"
    )
