"""Rows: which stages of a graph share an actor although nobody asked for it.

A stage is an actor of its own so that whoever waits in it holds up nobody else. One that calls no
code of the user's never waits; a turn and two messages for each of its frames buy nothing. So it
goes with a neighbour, and in a row there is at most one stage that may wait. Those before it are a
source, so that nobody else is held up with them, and what hands its elements on; those behind it
show nothing before the stream ends.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from actors_rs.graph.blueprint import StageSpec
from actors_rs.graph.fusing import fused_before, is_linear, joins_lines, ordinary

__all__ = ["may_wait", "rows_of"]


def rows_of(specs: Sequence[StageSpec], apart: Collection[StageSpec] = ()) -> list[list[StageSpec]]:
    """``specs``, each behind its inputs, row by row; most rows are of one, as those ``apart`` are.

    What has attributes of its own, or a boundary behind it, is kept apart on purpose. Elements that
    carry something, or are dear, are seen to stage by stage.
    """
    joinable = {spec for spec in ordinary(specs) if spec not in apart and _can_join(spec)}
    quiet = _quiet_to_the_end(specs, joinable)
    rows: list[list[StageSpec]] = []
    ends: dict[StageSpec, list[StageSpec]] = {}  # the last stage of each row that may go on
    for spec in specs:
        row = ends.pop(spec.inputs[0].spec, None) if spec in joinable and spec.inputs else None
        if row is None or not _goes_on(row, spec, quiet):
            rows.append(row := [])
        row.append(spec)
        if spec in joinable and not spec.boundary:
            ends[spec] = row
    return rows


def _goes_on(row: Sequence[StageSpec], spec: StageSpec, quiet: Collection[StageSpec]) -> bool:
    """Whether ``spec``, which comes behind ``row``, is a part of it."""
    if may_wait(spec) and row[0].inputs:
        return False  # others could see that what is before it takes nothing while it waits
    return spec in quiet or not any(map(may_wait, row))


def may_wait(spec: StageSpec) -> bool:
    """Whether it may call code of the user's, which may take its time."""
    return getattr(spec.logic_class, "runs_code", True)  # a function may make anything


def _can_join(spec: StageSpec) -> bool:
    return is_linear(spec) or joins_lines(spec) or fused_before(spec)


def _quiet_to_the_end(
    specs: Sequence[StageSpec], joinable: Collection[StageSpec]
) -> set[StageSpec]:
    """Those of ``joinable`` behind which, to the sink, nobody may wait, nor see what they give."""
    quiet: set[StageSpec] = set()
    heard: set[StageSpec] = set()  # by a stage that is not quiet
    for spec in reversed(specs):
        apart = spec.outlets and (spec in heard or spec.boundary)
        if spec in joinable and not may_wait(spec) and not apart:
            quiet.add(spec)
        else:
            heard.update(ref.spec for ref in spec.inputs)
    return quiet
