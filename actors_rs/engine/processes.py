"""``StageProcesses``: a stage's calls in worker processes, ended within the grace of its run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.runtime.processes.calls import CallResults, Settings

if TYPE_CHECKING:
    from actors_rs.engine.contract import Scope
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["StageProcesses"]

PART_OF_GRACE = 0.8
"""After which workers are killed: the threads that wait for them are back before it is over."""


class StageProcesses:
    """Any thread."""

    def __init__(
        self, stage: Any, system: ActorSystem, f: Callable[[Any], Any], how: Mapping[str, Any]
    ) -> None:
        self._scope: Scope = stage.scope
        self._system = system
        self._calls = system.processes.calls(Settings(stage.name, f, **how))

    def call(self, elements: Sequence[Any], ahead: bool = False, /) -> CallResults:
        """See ``ProcessCalls``."""
        return self._calls.call(elements, ahead)

    def figures(self) -> Mapping[str, int]:
        """See ``ProcessCalls``."""
        return self._calls.figures()

    def close(self) -> None:
        """Calls that are under way have the grace of the run to return."""
        calls, grace = self._calls, self._scope.grace * PART_OF_GRACE
        if not calls.close() or grace <= 0:
            calls.kill()
            return
        with suppress(RuntimeError):  # no thread for the timer: then nobody waits at all
            self._system.timers.after(grace, partial(calls.kill))
            return
        calls.kill()
