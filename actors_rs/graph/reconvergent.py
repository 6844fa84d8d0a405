"""Stages of branches that meet again where an element of each branch is waited for."""

from __future__ import annotations

from collections.abc import Sequence

from actors_rs.graph.spec import StageSpec

__all__ = ["reconvergent"]

_TAKE_ANY = frozenset(("merge", "merge_preferred"))
"""Junctions that take from any input that has something, so no branch waits for another."""
_EVENLY = frozenset(("combine_latest", "zip"))
"""Junctions that wait for the other inputs once for each element, or for the first one only."""
_ONE_FOR_ONE = frozenset(
    (
        *("also_to", "broadcast", "unzip", "zip"),
        *("delay", "map", "map_async", "map_processes", "monitor", "scan", "starmap"),
        *("throttle", "with_index"),
    )
)
"""Kinds of stages that give each outlet one element for one of each inlet, and keep none back."""


def reconvergent(specs: Sequence[StageSpec]) -> set[StageSpec]:
    """The stages after a fan-out, up to a fan-in that waits for several of its branches.

    ``specs``: each after its inputs. While one branch gathers elements, the stream goes on only if
    the other branches can hold theirs. An inlet in here that holds fewer elements than it may could
    stop all branches for good. Branches of stages that give one element for one gather none: they
    are not among these stages, for each link may hold one element.
    """
    if all(spec.outlets < 2 for spec in specs):
        return set()
    fan_outs = {spec: 1 << n for n, spec in enumerate(specs) if spec.outlets > 1}
    after: dict[StageSpec, int] = {}  # the fan-outs that lead to a stage, as bits
    gathered: dict[StageSpec, int] = {}  # fan-outs whose elements it may not give one for one
    joins: dict[StageSpec, int] = {}  # the fan-outs of which a stage waits for several branches
    for spec in specs:
        reached = twice = uneven = 0
        for ref in spec.inputs:
            feeding = after.get(ref.spec, 0) | fan_outs.get(ref.spec, 0)
            uneven |= gathered.get(ref.spec, 0)
            twice |= reached & feeding
            reached |= feeding
        after[spec] = reached
        if waits := 0 if spec.kind in _TAKE_ANY else twice:
            joins[spec] = waits & uneven if spec.kind in _EVENLY else waits
        one_for_one = spec.kind in _ONE_FOR_ONE and spec.attributes.on_failure is None
        gathered[spec] = uneven if one_for_one else reached | fan_outs.get(spec, 0)
    found: set[StageSpec] = set()
    before: dict[StageSpec, int] = {}  # the fan-outs whose branches meet in a later stage
    for spec in reversed(specs):
        meeting = before.get(spec, 0) | joins.get(spec, 0)
        if meeting & after[spec]:
            found.add(spec)
        for ref in spec.inputs:
            before[ref.spec] = before.get(ref.spec, 0) | meeting
    return found
