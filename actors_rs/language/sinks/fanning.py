"""Several sinks as one: in one stage, or after a broadcast where there are stages before them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from actors_rs.graph.blueprint import grafted
from actors_rs.graph.checks import cannot_run
from actors_rs.graph.results import Results, each_of
from actors_rs.graph.spec import OPEN, Attributes, OutletRef, StageSpec, spec_of
from actors_rs.stages.junctions.broadcast import Broadcast
from actors_rs.stages.sinks.fan import Fan, Part

__all__ = ["FanOf", "Sinks", "broadcast_to", "fan_of"]

Sinks = Sequence[tuple[Sequence[StageSpec], Results]]
"""The last stages of each sink, and what it makes of their results."""


@dataclass(frozen=True, slots=True)
class FanOf:
    """Makes one stage of the sinks ``specs``."""

    specs: Sequence[StageSpec]

    def __call__(self) -> Fan:
        return Fan([Part(s.label, s.site, s.make, s.attributes.on_failure) for s in self.specs])


def fan_of(
    sinks: Sinks, combine: Callable[..., Any] | None
) -> tuple[list[StageSpec], Results] | None:
    """The one stage of ``sinks``; ``None`` if there is more before one of them."""
    specs = [ends[0] for ends, _ in sinks]
    for spec in specs:
        if spec.loop is not None:
            raise cannot_run(
                f"Sink.fan: expected sinks that end a stream, got '{spec.label}'{spec.made}, which "
                "leads back into a loop: use broadcast"
            )
    if any(len(ends) > 1 or ends[0].inputs != (OPEN,) for ends, _ in sinks):
        return None
    parts = [results for _, results in sinks]
    asked = [s.attributes for s in specs]
    windows = [one.window for one in asked if isinstance(one.window, int)]
    throughputs = [one.throughput for one in asked if one.throughput is not None]
    pinned = any(one.dispatcher == "pinned" for one in asked)
    attributes = Attributes(
        window=min(windows, default=None),
        dispatcher="pinned" if pinned else None,
        throughput=min(throughputs, default=None),
    )
    results = Results(tuple)
    if any(part.combine is not None for part in parts):
        results = Results(tuple, combine=partial(each_of, parts))
    spec = spec_of("fan", FanOf(specs), OPEN, outlets=0, attributes=attributes)
    return [spec], results.spread(combine)


def broadcast_to(
    sinks: Sinks, combine: Callable[..., Any] | None
) -> tuple[list[StageSpec], Results]:
    """A broadcast to ``sinks``, each with its own stages."""
    junction = spec_of("broadcast", partial(Broadcast, len(sinks)), OPEN, outlets=len(sinks))
    ends: list[StageSpec] = []
    for place, (own, _) in enumerate(sinks):
        ends += grafted(own, OutletRef(junction, place))
    return ends, Results.of_all([results for _, results in sinks]).spread(combine)
