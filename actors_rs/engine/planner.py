"""The planner: which stages share an island. A pure function of the stages and their attributes.

A stage is alone in its island, unless the user fuses it. Of the edges that one ``fuse()`` covers,
each keeps its two stages in one island, except:

- an ``async_boundary()`` lies on it;
- the stages have different dispatchers, or a different ``throughput``;
- it leads out of a source that may wait for its next element: its earlier elements go on during
  the wait.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from actors_rs.graph.spec import OutletRef, StageSpec

__all__ = ["Edge", "are_fused", "edges_of", "islands_of", "may_wait", "why_apart"]


class _Stage(Protocol):
    """A planned stage, as ``Planned`` describes it."""

    @property
    def spec(self) -> StageSpec: ...
    @property
    def name(self) -> str: ...
    @property
    def dispatcher(self) -> str: ...
    @property
    def inputs(self) -> tuple[OutletRef, ...]: ...


class Edge(NamedTuple):
    """A stage that feeds another one, by their places: what becomes a link when the graph runs."""

    feeder: int
    fed: int


def islands_of(stages: Sequence[_Stage]) -> list[list[int]]:
    """The places of the stages that share an island, each island by its first stage."""
    island = list(range(len(stages)))  # of each stage: the first one that is known to share it

    def first_of(place: int) -> int:
        while island[place] != place:
            place = island[place] = island[island[place]]
        return place

    if any(stage.spec.fuse is not None for stage in stages):
        for edge in edges_of(stages):
            if not why_apart(stages[edge.feeder], stages[edge.fed]):
                one, other = sorted((first_of(edge.feeder), first_of(edge.fed)))
                island[other] = one
    together: dict[int, list[int]] = {}
    for place in range(len(stages)):
        together.setdefault(first_of(place), []).append(place)
    return list(together.values())


def why_apart(feeder: _Stage, fed: _Stage) -> str:
    """Why the edge between these stages parts two islands; empty if it does not."""
    if not are_fused(feeder, fed):
        return "no fuse() covers both"
    if feeder.spec.boundary:
        return f"async_boundary() after '{feeder.name}'"
    if feeder.dispatcher != fed.dispatcher:
        return f"dispatchers '{feeder.dispatcher}' and '{fed.dispatcher}'"
    one, other = feeder.spec.attributes.throughput, fed.spec.attributes.throughput
    if one != other:
        return f"throughput {one or 'default'} and {other or 'default'}"
    if may_wait(feeder.spec):
        return f"'{feeder.name}' may wait for its next element"
    return ""


def are_fused(feeder: _Stage, fed: _Stage) -> bool:
    """Whether one ``fuse()`` covers both."""
    return feeder.spec.fuse is not None and feeder.spec.fuse is fed.spec.fuse


def may_wait(spec: StageSpec) -> bool:
    """Whether it is a source that may wait for an element, as a generator or a file may."""
    return not spec.inputs and not getattr(spec.logic_class, "never_waits", False)


def edges_of(stages: Sequence[_Stage]) -> Iterator[Edge]:
    """The edges between ``stages``, by what they feed."""
    places = {stage.spec: place for place, stage in enumerate(stages)}
    for fed, stage in enumerate(stages):
        for ref in stage.inputs:
            if (feeder := places.get(ref.spec)) is not None:
                yield Edge(feeder, fed)
