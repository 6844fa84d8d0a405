"""``DrainWatch``: says which stages a run waits for that is drained and does not end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

from actors_rs.engine.calls import hand_over
from actors_rs.runtime._logging import logger_called
from actors_rs.texts import counted, few

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage, WholeRun
    from actors_rs.runtime.dispatch.timers import Timer

__all__ = ["DrainWatch", "stages_waited_for"]

T = TypeVar("T", int, float)

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
    """Names the stages that the other ``living`` ones wait for; all if none stands out.

    These are the stages in a call, the longest first. Without a call, they are the stages that hold
    elements. Stages of inner streams come first: the stages that run them wait for them.
    """
    stages = sorted(living, key=lambda stage: stage.inner_links is None)
    names = _in_calls(stages) or _holding(stages) or [_said(stage) for stage in stages]
    return few(names) if names else ""


def _in_calls(stages: Sequence[RunningStage]) -> list[str]:
    """Stages in a function, the longest first, then others with calls, the most first."""
    timed, numbered = list[tuple[float, str]](), list[tuple[int, str]]()
    for stage in stages:
        if calls := stage.calls():
            timed += [(call.seconds, _said(stage, str(call))) for call in calls]
        elif sum(calls_of := _calls_of(stage)):
            numbered.append((sum(calls_of), _said(stage, _with_calls(*calls_of))))
    return [*_most_first(timed), *_most_first(numbered)]


def _calls_of(stage: RunningStage) -> tuple[int, int]:
    """How many calls are under way that others make for it, and how many wait to be repeated."""
    load = stage.logic.load
    return 0 if load is None else load.under_way, stage.logic.details().get("resting", 0)


def _with_calls(under_way: int, resting: int) -> str:
    said = [f"{counted(under_way, 'call')} under way"] if under_way else []
    if resting:
        said.append(f"{counted(resting, 'call')} to be repeated")
    return "with " + " and ".join(said)


def _holding(stages: Sequence[RunningStage]) -> list[str]:
    """Stages of inner streams that hold elements, then others; the most elements first."""
    inner, outer = list[tuple[int, str]](), list[tuple[int, str]]()
    for stage in stages:
        if held := sum(inlet.buffered for inlet in tuple(stage.logic.inlets)):
            some = outer if stage.inner_links is None else inner
            some.append((held, _said(stage, f"with {counted(held, 'element')}")))
    return [*_most_first(inner), *_most_first(outer)]


def _most_first(some: list[tuple[T, str]]) -> list[str]:
    return [said for _, said in sorted(some, key=itemgetter(0), reverse=True)]


def _said(stage: RunningStage, call: str = "") -> str:
    site = f" ({stage.site})" if stage.site else ""
    return f"{stage}{site}{call and f' {call}'}"
