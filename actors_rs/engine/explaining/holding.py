"""The most elements that a graph can hold, and bytes where they are known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from actors_rs.engine.explaining.plan import Plan, class_of, listed, parts_of, quoted
from actors_rs.engine.layout import Planned
from actors_rs.engine.sections.section import Section
from actors_rs.graph.spec import OutletRef
from actors_rs.stages.chunked import Chunked
from actors_rs.stages.chunks.chunk import ELEMENTS, FRAME
from actors_rs.stages.chunks.window_policy import MOST_BYTES
from actors_rs.stages.junctions.merge_sorted import MergeSorted
from actors_rs.stages.linear import Operator, SinkLogic
from actors_rs.stages.operators.flat_map_merge import LEAST_WINDOW
from actors_rs.stages.stage import StageLogic
from actors_rs.texts import counted

__all__ = ["held", "windows"]

_HOLD_A_FRAME = (StageLogic.held, Operator.held, SinkLogic.held, MergeSorted.held, Section.held)
"""Of stages that hold no more than a frame of what came."""


@dataclass
class _Sum:
    """The most elements that a plan and its parts hold."""

    links: int = 0
    on_links: int = 0
    in_frames: int = 0
    held: dict[str, int] = field(default_factory=dict)
    unbounded: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    known_bytes: int | None = 0
    """``None`` once there is a link whose elements have no known weight."""

    @property
    def total(self) -> int:
        return self.on_links + self.in_frames + sum(self.held.values())


def windows(plan: Plan) -> Iterator[str]:
    """A line for each link: the most elements that it holds, or has requested."""
    for stage in plan.layout.stages:
        window = plan.windows[stage.spec]
        for feeder, ref in zip(plan.feeders_of(stage), stage.inputs, strict=True):
            note = _note(plan, stage, _is_automatic(plan, stage, ref))
            yield f"{feeder} -> {plan.names[stage.spec]}: {window:,}{note}"


def _is_automatic(plan: Plan, stage: Planned, feeder: OutletRef) -> bool:
    """Whether the window of the link changes while it runs; the buffer of a loop stays."""
    return stage.spec in plan.automatic and feeder.spec.loop is None


def _note(plan: Plan, stage: Planned, automatic: bool) -> str:
    notes = []
    if automatic:
        notes.append("automatic")
    elif stage.spec.attributes.window is not None:
        notes.append("as you say")
    if plan.settings.memory is not None and not automatic:
        notes.append("the memory limit does not bound it: others go on only if it holds so many")
    if stage.expensive or getattr(class_of(stage.spec.make), "passes_demand", False):
        notes.append("no more than downstream has asked for")
    return f" ({', '.join(notes)})" if notes else ""


def held(plan: Plan) -> Iterator[str]:
    """The most elements that the links and the stages of ``plan`` hold together."""
    found = _sum(plan)
    links = f"{found.on_links:,} on {counted(found.links, 'link')}"
    frames = [f"{found.in_frames:,} that stages work on"] if found.in_frames else []
    kept = [f"{count:,} in '{name}'" for name, count in found.held.items()]
    yield f"{counted(found.total, 'element')}: {listed([links, *frames, *kept])}"
    yield from found.notes
    if found.unbounded:
        yield f"not counted: elements that {quoted(found.unbounded)} may keep for longer"
    yield from _bytes(plan, found)


def _sum(plan: Plan) -> _Sum:
    found = _Sum()
    for stage in plan.layout.stages:
        _count_links(plan, stage, found)
    for stage in plan.stages:
        _count_held(plan, stage, found)
    for _, parts in parts_of(plan):
        sums = [_sum(part.plan) for part in parts]
        most = max(sums, key=lambda one: one.total)
        for one in sums if parts[0].at_a_time else [most]:
            _add(found, one)
    return found


def _add(found: _Sum, part: _Sum) -> None:
    found.links += part.links
    found.on_links += part.on_links
    found.in_frames += part.in_frames
    for name, count in part.held.items():
        found.held[name] = found.held.get(name, 0) + count
    found.unbounded += part.unbounded
    found.notes += part.notes
    if found.known_bytes is not None:
        known = part.known_bytes
        found.known_bytes = None if known is None else found.known_bytes + known


def _count_links(plan: Plan, stage: Planned, found: _Sum) -> None:
    window = plan.windows[stage.spec]
    for ref in stage.inputs:
        found.links += 1
        found.on_links += window
        if found.known_bytes is not None:
            each = ref.spec.outflow_bytes
            found.known_bytes = found.known_bytes + window * each if each else None


def _count_held(plan: Plan, stage: Planned, found: _Sum) -> None:
    spec, name = stage.spec, plan.names[stage.spec]
    kind = class_of(spec.make)
    found.in_frames += _frame(kind, plan.windows[spec]) * len(stage.inputs)
    if spec.holds:
        found.held[name] = spec.holds
    elif getattr(kind, "held", StageLogic.held) not in _HOLD_A_FRAME and not spec.inner:
        found.unbounded.append(name)
    if spec.gathers:
        lists = f"lists of up to {spec.gathers:,}"
        found.notes.append(f"'{name}' gives {lists}, of which each counts as one element")
    if spec.inner:
        _count_inner(name, spec.inner, plan.windows[spec], found)


def _frame(kind: Any, window: int) -> int:
    """Elements that a stage has taken from an inlet and works on; as many are requested anew."""
    if kind is MergeSorted:
        return window
    if not isinstance(kind, type) or not issubclass(kind, Chunked):
        return 0
    return min(window, FRAME if kind.runs_user is True else ELEMENTS)


def _count_inner(name: str, most: int, window: int, found: _Sum) -> None:
    held = max(window, most * min(LEAST_WINDOW, window))
    found.held[name] = found.held.get(name, 0) + held
    streams = counted(most, "inner stream")
    found.notes.append(
        f"'{name}' runs up to {streams} at a time, whose ends hold {held:,}; a link within one "
        "holds a window more"
    )


def _bytes(plan: Plan, found: _Sum) -> Iterator[str]:
    memory = plan.settings.memory
    if memory is not None:
        free = [s for s in plan.layout.stages for r in s.inputs if not _is_automatic(plan, s, r)]
        but = f", except {counted(len(free), 'link')} that it does not bound" if free else ""
        yield f"bytes: {size(memory)} on all links of the system, by its memory_limit{but}"
    elif found.known_bytes:
        yield f"bytes: {size(found.known_bytes)} on the links"
    elif found.links and all(s.spec in plan.automatic for s in plan.layout.stages if s.inputs):
        most = size(found.links * MOST_BYTES)
        yield f"bytes: {most} on the links, {size(MOST_BYTES)} or one element each"
    else:
        yield (
            "bytes: not known before the run; ActorSystem(memory_limit='1 GiB') bounds them, and "
            "so does actors-rs run --memory-limit 1GiB"
        )


def size(number: float) -> str:
    """Bytes for reading: ``16 MiB``."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if number < 1024:
            return f"{number:,.4g} {unit}"
        number /= 1024
    return f"{number:,.4g} TiB"
