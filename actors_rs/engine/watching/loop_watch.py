"""Lets the stage of a ``Feedback`` see whether its loop is empty, so that the loop can end."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.graph.loops import bodies
from actors_rs.stages.junctions.feedback import Feedback
from actors_rs.stages.junctions.merge import Merge
from actors_rs.stages.ports import Inlet

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningIsland, RunningStage
    from actors_rs.graph.spec import StageSpec
    from actors_rs.stages.stage import StageLogic

__all__ = ["watch_loops"]


def watch_loops(specs: Sequence[StageSpec], actors: Mapping[StageSpec, RunningStage]) -> None:
    """Let each loop's stage see whether the loop is empty."""
    for source, body in bodies(specs):
        logic = actors[source].logic
        assert isinstance(logic, Feedback)
        fed = [
            (inlet, ref.spec in body)
            for spec in body
            for inlet, ref in zip(actors[spec].logic.inlets, spec.inputs, strict=False)
        ]
        inside = {inlet for inlet, is_inside in fed if is_inside}
        inside.update(*(actors[spec].logic.inlets for spec in body if spec.loop is not None))
        others = [actors[spec] for spec in body if spec is not source]
        logic.look = partial(_look, actors[source].island, others, inside)
        from_outside = [inlet for inlet, is_inside in fed if not is_inside]
        logic.is_empty = partial(_is_empty, others, from_outside)
        for spec in body:
            _let_what_comes_round_go_first(actors[spec].logic, spec, source)


def _look(
    island: RunningIsland, stages: Sequence[RunningStage], inside: set[Inlet]
) -> Hashable | None:
    """Figures that change with each move, or ``None`` while something may move.

    Called in the turn of one stage, about the others. Figures read during another stage's turn may
    be torn. Then they differ the next time, or the stage is not idle.
    """
    figures: list[Hashable] = []
    for stage in stages:
        logic = stage.logic
        if stage.ended:
            continue
        if _is_at_work(stage, island) or _holds(logic):
            return None
        for inlet in logic.inlets:
            if inlet.buffered or not (inlet.exhausted or inlet in inside):
                return None
            figures.append(inlet.count)
        figures.extend(outlet.count for outlet in logic.outlets)
        if _is_at_work(stage, island):
            return None
    return tuple(figures)


def _is_at_work(stage: RunningStage, asking: RunningIsland) -> bool:
    """Whether it has something to do; ``asking`` is the island in whose turn that is asked."""
    inbox = stage.mailbox
    if stage.island is not asking:
        return not inbox.idle
    return stage.is_due or bool(inbox.data or inbox.control)


def _is_empty(stages: Sequence[RunningStage], from_outside: Sequence[Inlet]) -> bool:
    """Whether nothing is in the loop and nothing comes to it; asked while the run stands still.

    Inner streams and sections of its stages are living stages of the same run.
    """
    if not all(inlet.exhausted for inlet in from_outside) or not stages:
        return False
    scope: Any = stages[0].scope.activity  # a run is its own scope
    inner = [stage for stage in scope.stages() if stage.inner_label is not None]
    logics = [stage.logic for stage in (*stages, *inner) if not stage.ended]
    return not any(
        _holds(logic) or any(inlet.buffered for inlet in tuple(logic.inlets)) for logic in logics
    )


def _let_what_comes_round_go_first(logic: StageLogic, spec: StageSpec, source: StageSpec) -> None:
    """A loop that lets more in while elements come round fills up, and then none of them moves."""
    if isinstance(logic, Merge):
        for place, ref in enumerate(spec.inputs):
            if ref.spec is source:
                logic.preferred = (logic.inlets[place], *logic.preferred)


def _holds(logic: StageLogic) -> bool:
    try:
        return any(True for _ in logic.held())
    except RuntimeError:  # the stage changed it during the look, so it is at work
        return True
