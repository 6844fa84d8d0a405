"""Which stages share an actor, and why."""

from __future__ import annotations

from collections.abc import Iterator

from actors_rs.engine.explaining.plan import Plan
from actors_rs.engine.layout import Planned
from actors_rs.engine.planner import are_fused, edges_of, why_apart

__all__ = ["islands"]


def islands(plan: Plan) -> Iterator[str]:
    """A line for each island, and one for each fused edge between two islands."""
    island_of: dict[int, int] = {}
    own = {id(stage) for stage in plan.stages}
    number = 0
    for island in plan.layout.islands:
        stages = [stage for stage in island if id(stage) in own]
        if stages:
            number += 1
            island_of.update((id(stage), number) for stage in stages)
            names = ", ".join(plan.names[stage.spec] for stage in stages)
            yield f"island {number}: {names} ({_why_together(stages)})"
    for edge in edges_of(plan.stages):
        feeder, fed = plan.stages[edge.feeder], plan.stages[edge.fed]
        if island_of[id(feeder)] != island_of[id(fed)] and are_fused(feeder, fed):
            names = f"'{plan.names[feeder.spec]}' and '{plan.names[fed.spec]}'"
            yield f"{names} are fused but apart: {why_apart(feeder, fed)}"


def _why_together(stages: list[Planned]) -> str:
    first = stages[0]
    own = [] if first.dispatcher == "pool" else [f"dispatcher '{first.dispatcher}'"]
    if len(stages) == 1:
        return ", ".join(["an actor of its own", *own])
    fuse = first.spec.fuse
    site = f" at {fuse.site}" if fuse is not None and fuse.site else ""
    return ", ".join([f"one actor, by fuse(){site}", *own])
