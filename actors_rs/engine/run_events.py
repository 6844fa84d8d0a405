"""Emit the events of a run and its stages to the system; see ``runtime/eventing``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from actors_rs.runtime._logging import logger_called
from actors_rs.runtime.eventing.events import Event
from actors_rs.texts import counted

if TYPE_CHECKING:
    from actors_rs.engine.contract import Scope, WholeRun
    from actors_rs.engine.run.snapshot import StageSnapshot

__all__ = ["emit", "run_began", "run_drains", "run_ended"]

logger = logger_called("actors_rs.graph")


def emit(
    scope: Scope,
    name: str,
    *,
    stage: str | None = None,
    partition: int | None = None,
    error: BaseException | None = None,
    fields: Mapping[str, Any] | None = None,
) -> None:
    """Something has happened in the run of ``scope``, or in one of its sections."""
    whole = cast("WholeRun", scope.activity)
    system = whole.system
    system.events.emit(
        Event(
            name,
            system.name,
            whole.name,
            whole.number,
            stage,
            partition,
            error,
            fields or {},
            whole.run,
        )
    )


def run_began(scope: WholeRun) -> None:
    """The stages of ``scope`` are about to start."""
    emit(scope, "run_started", fields={"stages": len(scope.stages())})


def run_drains(scope: WholeRun) -> None:
    """The run takes no more input."""
    emit(scope, "run_draining")


def run_ended(scope: WholeRun, seconds: float) -> None:
    """The run is settled, after ``seconds``."""
    if scope.draining and scope.end.state == "completed":
        _run_drained(scope, seconds)
    fields = {"state": scope.end.state, "seconds": seconds}
    emit(scope, "run_ended", error=scope.end.error, fields=fields)


def _run_drained(scope: WholeRun, seconds: float) -> None:
    stages = scope.snapshot().stages
    cut, not_begun = (_sum_of(name, stages) for name in ("cut", "not_begun"))
    if cut:
        logger.info(
            "run '%s' was drained: that cut %s. What was cut off is not delivered. The next start "
            "reads it again if the elements are acknowledged, see actors_rs.delivery. "
            "run.snapshot() has the numbers as 'cut' and 'not_begun'",
            scope.name,
            _cut_streams(cut - not_begun, not_begun),
            extra={"run": scope.name, "run_id": scope.number},
        )
    emit(scope, "run_drained", fields={"seconds": seconds, "cut": cut})


def _sum_of(detail: str, stages: Iterable[StageSnapshot]) -> int:
    return sum(stage.details.get(detail, 0) for stage in stages)


def _cut_streams(begun: int, not_begun: int) -> str:
    """``2 inner streams, each perhaps before its end, and 3 before their first element``."""
    first = f"{counted(begun, 'inner stream')}, {'each ' * (begun > 1)}perhaps before its end"
    if not not_begun:
        return first
    number = counted(not_begun, "inner stream") if not begun else f"{not_begun:,}"
    last = f"{number} before {'its' if not_begun == 1 else 'their'} first element"
    return f"{first}, and {last}" if begun else last
