"""``DrainWatch``: says which stages a run waits for that is drained and does not end."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from actors_rs.engine.calls import hand_over
from actors_rs.runtime._logging import logger_called
from actors_rs.texts import few

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage, WholeRun
    from actors_rs.runtime.dispatch.timers import Timer

__all__ = ["DrainWatch", "stages_waited_for"]

PATIENCE = 1.0
"""Seconds after which the log says what a drained run waits for."""
logger = logger_called("actors_rs.graph")


class DrainWatch:
    """One run's; begins when that is drained. Any thread."""

    is_long = False
    """Whether it has been drained for longer than ``PATIENCE``."""
    _timer: Timer | None = None

    def __init__(self, scope: WholeRun) -> None:
        self._scope = scope
        say = partial(hand_over, scope.system, self._say)
        with suppress(RuntimeError):  # no thread for it: nothing is said
            self._timer = scope.system.timers.after(PATIENCE, say)

    def end(self) -> None:
        """The run has ended."""
        if self._timer is not None:
            self._timer.cancel()

    def _say(self) -> None:
        self.is_long = True
        if self._scope.living():
            logger.info(
                "run '%s' is drained and has not ended after %g s: it waits for %s",
                self._scope.name,
                PATIENCE,
                self._scope.waits_for(),
                extra={"run": self._scope.name, "run_id": self._scope.number},
            )


def stages_waited_for(living: Iterable[RunningStage]) -> str:
    """Names the ``living`` stages that are in a call of the user, with the function; else all."""
    stages = tuple(living)
    busy = [_said(stage, str(call)) for stage in stages for call in stage.calls()]
    names = busy or [_said(stage) for stage in stages]
    return few(names) if names else ""


def _said(stage: RunningStage, call: str = "") -> str:
    site = f" ({stage.site})" if stage.site else ""
    return f"{stage}{site}{call and f' {call}'}"
