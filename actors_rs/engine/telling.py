"""Tells the events of a run and of its stages to the system; see ``runtime/eventing``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from actors_rs.runtime.eventing.events import Event

if TYPE_CHECKING:
    from actors_rs.engine.contract import Life, WholeRun

__all__ = ["run_began", "run_drains", "run_ended", "tell"]


def tell(
    life: Life,
    name: str,
    *,
    stage: str | None = None,
    partition: int | None = None,
    error: BaseException | None = None,
    fields: Mapping[str, Any] | None = None,
) -> None:
    """Something has happened in the run of ``life``, or in one of its sections."""
    whole = cast("WholeRun", life.activity)
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


def run_began(life: WholeRun) -> None:
    """The stages of ``life`` are about to start."""
    tell(life, "run_started", fields={"stages": len(life.stages())})


def run_drains(life: WholeRun) -> None:
    """The run was told to take no more."""
    tell(life, "run_draining")


def run_ended(life: WholeRun, seconds: float) -> None:
    """The run is settled, after ``seconds``."""
    if life.draining and life.end.state == "completed":
        tell(life, "run_drained", fields={"seconds": seconds})
    fields = {"state": life.end.state, "seconds": seconds}
    tell(life, "run_ended", error=life.end.error, fields=fields)
