"""Emit the events of a run and its stages to the system; see ``runtime/eventing``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from actors_rs.runtime._logging import logger_called
from actors_rs.runtime.eventing.events import Event

if TYPE_CHECKING:
    from actors_rs.engine.contract import Scope, WholeRun

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
    cut = sum(stage.details.get("cut", 0) for stage in scope.snapshot().stages)
    if cut:
        logger.info(
            "run '%s' is drained: that ended %d inner stream%s, each perhaps before its end, as a "
            "source reads it from outside (see 'cut' in run.snapshot())",
            scope.name,
            cut,
            "s" * (cut > 1),
            extra={"run": scope.name, "run_id": scope.number},
        )
    emit(scope, "run_drained", fields={"seconds": seconds, "cut": cut})
