"""Loops: graphs in which elements come round, closed by a ``Feedback``.

In a blueprint a loop stays open, so that stages can be told in the order in which they depend on
each other: a ``Feedback`` is a source spec and a sink spec with one ``Loop`` in common. They become
one stage when the graph is materialized.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.errors import GraphError
from actors_rs.graph.loop_entry import check_entry
from actors_rs.stages.junctions.feedback import Feedback
from actors_rs.stages.junctions.merge import Merge
from actors_rs.stages.ports import Inlet

if TYPE_CHECKING:
    from actors_rs.graph.contract import RunningStage
    from actors_rs.graph.spec import Loop, OutletRef, StageSpec
    from actors_rs.stages.stage import StageLogic

__all__ = ["check_buffers", "check_loops", "closing_refs", "narrowed", "watch_loops"]

OF_ITS_OWN = (
    "a stream given to append, concat, prepend, amb or flat_map is a graph of its own: merge it "
    "into the loop instead"
)


def check_loops(specs: Sequence[StageSpec]) -> None:
    """Raise ``GraphError`` for a loop without one of its ends, or without a buffer."""
    for source, sinks in _ends_of(specs).values():
        if source is None:
            raise GraphError(
                f"the source of the feedback '{sinks[0].label}'{sinks[0].made} is not "
                f"part of the graph that its sink is in; {OF_ITS_OWN}"
            )
        if len(sinks) != 1:
            raise GraphError(
                f"the sink of the feedback '{source.label}'{source.made} must be used "
                f"once in the graph, got {len(sinks)} times{'' if sinks else f'; {OF_ITS_OWN}'}"
            )
    check_buffers(specs)


def check_buffers(specs: Sequence[StageSpec]) -> None:
    """Raise ``GraphError`` for a loop closed among ``specs`` without a buffer or a way in."""
    for source, sinks in _ends_of(specs).values():
        if source is not None and source.loop is not None and sinks and not source.loop.buffer:
            cycle = " -> ".join(spec.label for spec in _cycle(specs, source, sinks[0]))
            raise GraphError(
                f"a cycle needs a buffer, this has none: {cycle} -> {source.label} (made at "
                f"{source.site}); give Feedback the number of elements that come round together"
            )
    closing = closing_refs(specs).items()
    check_entry(specs, {source: [ref.spec for ref in refs] for source, refs in closing})


def closing_refs(specs: Sequence[StageSpec]) -> dict[StageSpec, tuple[OutletRef, ...]]:
    """For each source end of a loop the outlet that feeds it, through the sink end."""
    ends = _ends_of(specs).values()
    return {source: sinks[0].inputs for source, sinks in ends if source is not None and sinks}


def narrowed(specs: Sequence[StageSpec], windows: Mapping[StageSpec, int]) -> dict[StageSpec, int]:
    """``windows``, but in a loop such that all that is under way in it fits where it comes back.

    The buffer of a loop is the inlet that its way back leads to: so a stage that serves this inlet
    first lets nothing in from outside while anything is in the buffer. What the other stages hold
    together is less than the buffer; so whatever was let in finds room there, and none of it waits
    for room that only it could make. Loops that lead into each other count as one.
    """
    narrow = dict(windows)
    buffers: dict[StageSpec, int] = {}
    for source in closing_refs(specs):
        assert source.loop is not None
        buffer, loop = source.loop.buffer, _bound_up_with(source, specs)
        share = max(1, buffer // (2 * len(loop)))
        for spec in loop:
            narrow[spec] = min(narrow[spec], share)
            if any(ref.spec is source for ref in spec.inputs):
                buffers[spec] = max(buffers.get(spec, 0), buffer, 2 * len(loop))
    return narrow | buffers


def watch_loops(specs: Sequence[StageSpec], actors: Mapping[StageSpec, RunningStage]) -> None:
    """Let each loop's stage see whether the loop is empty."""
    for source, sinks in _ends_of(specs).values():
        if source is None or not sinks:
            continue
        logic = actors[source].logic
        assert isinstance(logic, Feedback)
        body = _bound_up_with(source, specs)
        fed = [
            (inlet, ref.spec in body)
            for spec in body
            for inlet, ref in zip(actors[spec].logic.inlets, spec.inputs, strict=False)
        ]
        inside = {inlet for inlet, is_inside in fed if is_inside}
        inside.update(*(actors[spec].logic.inlets for spec in body if spec.loop is not None))
        others = [actors[spec] for spec in body if spec is not source]
        logic.look = partial(_look, others, inside)
        from_outside = [inlet for inlet, is_inside in fed if not is_inside]
        logic.is_empty = partial(_is_empty, others, from_outside)
        for spec in body:
            _let_what_comes_round_go_first(actors[spec].logic, spec, source)


def _look(stages: Sequence[RunningStage], inside: set[Inlet]) -> Hashable | None:
    """Figures that change whenever something moves, or ``None`` while something may move.

    Called in the turn of one stage about the others. What is read while one of them has a turn
    may be torn; but then its figures are others the next time, or it is not idle.
    """
    figures: list[Hashable] = []
    for stage in stages:
        logic, inbox = stage.logic, stage.mailbox
        if stage.ended:
            continue
        if not inbox.idle or _holds(logic):
            return None
        for inlet in logic.inlets:
            if inlet.buffered or not (inlet.exhausted or inlet in inside):
                return None
            figures.append(inlet.count)
        figures.extend(outlet.count for outlet in logic.outlets)
        if not inbox.idle:
            return None
    return tuple(figures)


def _is_empty(stages: Sequence[RunningStage], from_outside: Sequence[Inlet]) -> bool:
    """Whether nothing is in the loop and nothing comes to it; asked while the run stands still.

    Inner streams and sections of its stages are living stages of the same run.
    """
    if not all(inlet.exhausted for inlet in from_outside) or not stages:
        return False
    life: Any = stages[0].life.activity  # a run's is its life
    inner = [stage for stage in life.stages() if stage.place is not None]
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
    except RuntimeError:  # it changed meanwhile, so the stage is at work
        return True


def _ends_of(specs: Sequence[StageSpec]) -> dict[Loop, tuple[StageSpec | None, list[StageSpec]]]:
    ends: dict[Loop, tuple[StageSpec | None, list[StageSpec]]] = {}
    for spec in specs:
        if spec.loop is None:
            continue
        source, sinks = ends.get(spec.loop, (None, []))
        ends[spec.loop] = (spec, sinks) if spec.outlets else (source, [*sinks, spec])
    return ends


def _bound_up_with(source: StageSpec, specs: Sequence[StageSpec]) -> list[StageSpec]:
    """The stages of the loop of ``source``, and of all loops that it leads into and that lead back.

    Such loops end together: what is in one of them may come to any other.
    """
    into = {spec: [ref.spec for ref in spec.inputs] for spec in specs}
    into.update({end: [ref.spec for ref in refs] for end, refs in closing_refs(specs).items()})
    out_of: dict[StageSpec, list[StageSpec]] = {}
    for spec, feeders in into.items():
        for feeder in feeders:
            out_of.setdefault(feeder, []).append(spec)
    before, behind = _reached(source, into), _reached(source, out_of)
    return [spec for spec in specs if spec in before and spec in behind]


def _reached(start: StageSpec, steps: Mapping[StageSpec, Sequence[StageSpec]]) -> set[StageSpec]:
    reached, to_see = {start}, [start]
    while to_see:
        new = {spec for spec in steps.get(to_see.pop(), ()) if spec not in reached}
        reached |= new
        to_see.extend(new)
    return reached


def _cycle(specs: Sequence[StageSpec], source: StageSpec, sink: StageSpec) -> list[StageSpec]:
    """``source`` and every stage that leads from it to ``sink``, in order; without ``sink``."""
    behind = {source}
    for spec in specs:  # each behind its inputs
        if any(ref.spec in behind for ref in spec.inputs):
            behind.add(spec)
    before = {sink}
    for spec in reversed(specs):
        if spec in before:
            before.update(ref.spec for ref in spec.inputs)
    return [spec for spec in specs if spec in behind and spec in before and spec is not sink]
