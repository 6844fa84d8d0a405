"""Runs a closed graph: assembles its islands and starts them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from contextvars import copy_context
from typing import Any

from actors_rs.engine.assembly import Members, end, prepare
from actors_rs.engine.inner import streams
from actors_rs.engine.island import Island
from actors_rs.engine.layout import Layout
from actors_rs.engine.run.run import Run
from actors_rs.engine.run.scope import RunScope
from actors_rs.graph.checks import optional_text
from actors_rs.graph.results import ONE, Results
from actors_rs.graph.spec import StageSpec
from actors_rs.runtime.system.system import ActorSystem
from actors_rs.stages.stage import StreamEnd

__all__ = ["materialize", "new_run", "run_name", "start", "start_serving"]


def materialize(
    system: ActorSystem,
    layout: Layout,
    sinks: Iterable[StageSpec],
    *,
    results: Results,
    name: str | None = None,
    monitor: bool = False,
    stall_after: float | None = None,
) -> Run[Any]:
    """Run a closed graph. ``layout`` is that of all its stages."""
    scope = new_run(system, run_name("run", name), monitor=monitor, stall_after=stall_after)
    members = prepare(system, scope, layout)
    logics = [members[spec].logic for spec in sinks if spec in members]
    start(
        system, scope, members, [logic for logic in logics if isinstance(logic, StreamEnd)], results
    )
    return scope.run


def run_name(kind: str, name: str | None) -> str:
    """The name of a run: ``name``, by default its ``kind``; raises for what is no name."""
    optional_text(name, "the name of a run")
    return name or kind


def new_run(
    system: ActorSystem, name: str, *, monitor: bool = False, stall_after: float | None = None
) -> RunScope:
    """A run that has not begun."""
    return RunScope(system, streams, name, monitor=monitor, stall_after=stall_after)


def start(
    system: ActorSystem,
    scope: RunScope,
    members: Members,
    sinks: Sequence[StreamEnd],
    results: Results,
) -> None:
    """Start the islands of ``members``; from here on its run ends when they all have.

    If one cannot be started, the islands before it are ended, and its error is raised. The islands
    run in a copy of the caller's context, where listeners of ``run_started`` may set variables.
    """
    copy_context().run(_start, system, scope, members, sinks, results)


def _start(
    system: ActorSystem,
    scope: RunScope,
    members: Members,
    sinks: Sequence[StreamEnd],
    results: Results,
) -> None:
    stages = list(members.values())
    islands: list[Any] = list(dict.fromkeys(stage.island for stage in stages))
    started = 0
    try:
        scope.begin(stages, sinks, results)
        for island in islands:
            system.adopt(island)
            started += 1
    except BaseException as error:
        scope.note_failure(error)
        living = system.children()  # Ctrl-C may have come when the last one had been started
        for number, island in enumerate(islands):
            if number < started or island in living:
                end(island, error)
            else:
                _refuse(system, island, error)
        if isinstance(error.__cause__, KeyboardInterrupt):  # in a turn on this very thread
            raise error.__cause__ from None
        raise


def start_serving(system: ActorSystem, scope: RunScope, members: Members) -> None:
    """``start`` for a subscriber, who hears it by a signal if that is not possible (1.9)."""
    with suppress(Exception):
        start(system, scope, members, (), ONE)


def _refuse(system: ActorSystem, island: Island, error: BaseException) -> None:
    """End ``island``, which will have no turn, and tell the subscriber that waits for the first."""
    island._system_ = system
    for member in island.members():
        if (before_start := member.before_start) is not None:
            member.before_start = None
            before_start()
            member.logic.end(error)
    island._close_(error)
    for member in island.members():
        member.ended = member.has_left = True
        member.scope.stage_ended(member)
