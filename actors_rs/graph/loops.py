"""Loops: graphs in which elements come round, closed by a ``Feedback``.

In a blueprint a loop stays open, so that each stage can come after its inputs. A ``Feedback`` is
a source spec and a sink spec with one ``Loop`` in common. They become one stage when the graph is
materialized.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from actors_rs.errors import GraphError
from actors_rs.graph.loop_entry import check_entry
from actors_rs.graph.loop_exit import KEEPS_ALL, check_exit

if TYPE_CHECKING:
    from actors_rs.graph.spec import Loop, OutletRef, StageSpec

__all__ = ["bodies", "check_buffers", "check_loops", "closing_refs", "growing", "narrowed"]

_ROUTES = frozenset(("balance", "divert_to", "partition"))
"""Fan-outs that give each element to one outlet."""
_COPIES = frozenset(("also_to", "unzip", "wire_tap"))
_AT_MOST_ONE = (
    KEEPS_ALL
    | _ROUTES
    | _COPIES
    | {
        *("batch", "distinct", "distinct_until_changed", "filter", "kill_switch", "map_not_none"),
        *("map_processes", "scan", "skip", "skip_while", "take", "take_while", "zip"),
    }
)
"""Kinds of stages that give an outlet at most one element for one that comes round a loop."""

OF_ITS_OWN = (
    "a stream that append, concat, prepend, amb or flat_map takes is a graph of its own: merge it "
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
    """Raise ``GraphError`` for a loop closed among ``specs`` that cannot work.

    It has no buffer, no way in or none out, or nothing can come round it.
    """
    for source, sinks in _ends_of(specs).values():
        if source is not None and source.loop is not None and sinks and not source.loop.buffer:
            cycle = " -> ".join(spec.label for spec in _cycle(specs, source, sinks[0]))
            raise GraphError(
                f"a loop needs a buffer, got {cycle} -> {source.label} without one: write "
                f"Feedback(n) at {source.site}, for n elements that are in the loop at a time"
            )
    closing = {source: [ref.spec for ref in refs] for source, refs in closing_refs(specs).items()}
    check_entry(specs, closing)
    check_exit(specs, closing, bodies(specs))


def closing_refs(specs: Sequence[StageSpec]) -> dict[StageSpec, tuple[OutletRef, ...]]:
    """The outlet that feeds the source end of each loop, through the sink end."""
    ends = _ends_of(specs).values()
    return {source: sinks[0].inputs for source, sinks in ends if source is not None and sinks}


def narrowed(specs: Sequence[StageSpec], windows: Mapping[StageSpec, int]) -> dict[StageSpec, int]:
    """``windows``, but in a loop such that all that is under way in it fits where it comes back.

    The buffer of a loop is the inlet that its way back leads to. A stage that serves this inlet
    first takes no element from outside while the buffer holds any. The other stages together hold
    less than the buffer. So each element in the loop finds room there, and none waits for room
    that only its own progress could make. Loops that lead into each other count as one.
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


def bodies(specs: Sequence[StageSpec]) -> list[tuple[StageSpec, list[StageSpec]]]:
    """Each loop closed among ``specs``: its source end, and the stages that elements pass in it."""
    ends = _ends_of(specs).values()
    closed = [source for source, sinks in ends if source is not None and sinks]
    return [(source, _bound_up_with(source, specs)) for source in closed]


def growing(specs: Sequence[StageSpec]) -> set[StageSpec]:
    """The stages of loops in which several elements may come of one.

    In any other loop, the links may hold as few as one element each, except its buffer. An element
    from outside enters only when the buffer is empty. So the buffer has room for all elements that
    the other links have let in.
    """
    found: set[StageSpec] = set()
    closing = closing_refs(specs)
    for _, body in bodies(specs):
        into = Counter(ref.spec for spec in body for ref in closing.get(spec, spec.inputs))
        if any(
            spec.kind not in _AT_MOST_ONE or (into[spec] > 1 and spec.kind not in _ROUTES)
            for spec in body
        ):
            found.update(body)
    return found


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

    These loops end together: an element of one of them may enter any other.
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
    for spec in specs:  # each after its inputs
        if any(ref.spec in behind for ref in spec.inputs):
            behind.add(spec)
    before = {sink}
    for spec in reversed(specs):
        if spec in before:
            before.update(ref.spec for ref in spec.inputs)
    return [spec for spec in specs if spec in behind and spec in before and spec is not sink]
