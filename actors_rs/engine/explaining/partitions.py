"""How each source over partitions computes them, in the words of its recipe."""

from __future__ import annotations

from collections.abc import Iterator

from actors_rs.engine.explaining.plan import Plan

__all__ = ["partitions"]


def partitions(plan: Plan) -> Iterator[str]:
    """The lines of each stage whose ``make`` can ``explain`` itself, after the stage's name."""
    for stage in plan.stages:
        explain = getattr(stage.spec.make, "explain", None)
        if explain is not None:
            yield from (f"{plan.names[stage.spec]}: {line}" for line in explain())
