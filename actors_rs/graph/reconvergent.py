"""Stages of branches that meet again where an element of each branch is waited for."""

from __future__ import annotations

from collections.abc import Sequence

from actors_rs.graph.spec import StageSpec

__all__ = ["reconvergent"]

_TAKE_ANY = frozenset(("merge", "merge_preferred"))
"""Junctions that take from any input that has something, so no branch waits for another."""


def reconvergent(specs: Sequence[StageSpec]) -> set[StageSpec]:
    """The stages on the way from a fan-out to a fan-in that waits for several of its branches.

    ``specs``: each after its inputs. While one branch gathers elements, the stream goes on only if
    the other branches can hold theirs. An inlet in here that holds fewer elements than it may could
    stop all branches for good.
    """
    if all(spec.outlets < 2 for spec in specs):
        return set()
    fan_outs = {spec: 1 << n for n, spec in enumerate(specs) if spec.outlets > 1}
    after: dict[StageSpec, int] = {}  # the fan-outs that lead to a stage, as bits
    joins: dict[StageSpec, int] = {}  # the fan-outs of which several branches meet in a stage
    for spec in specs:
        reached = twice = 0
        for ref in spec.inputs:
            feeding = after.get(ref.spec, 0) | fan_outs.get(ref.spec, 0)
            twice |= reached & feeding
            reached |= feeding
        after[spec] = reached
        if twice and spec.kind not in _TAKE_ANY:
            joins[spec] = twice
    found: set[StageSpec] = set()
    before: dict[StageSpec, int] = {}  # the fan-outs whose branches meet in a later stage
    for spec in reversed(specs):
        meeting = before.get(spec, 0) | joins.get(spec, 0)
        if meeting & (after[spec] | fan_outs.get(spec, 0)):
            found.add(spec)
        for ref in spec.inputs:
            before[ref.spec] = before.get(ref.spec, 0) | meeting
    return found
