"""Whether elements come round a loop, and whether they can leave it; a loop without is refused.

The kinds of its stages alone decide. A loop that a function of the user's may end, or that has a
stage which is not listed here, is not refused. If it stands still, its run ends with ``Stalled``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from actors_rs.errors import GraphError

if TYPE_CHECKING:
    from actors_rs.graph.spec import StageSpec

__all__ = ["check_exit"]

GIVES_AT_THE_END = frozenset(
    [
        "average",
        "count",
        "last",
        "max",
        "min",
        "reduce",
        "reduce_get",
        "reduce_without_initial",
        "sum",
    ]
)
"""They give nothing before their input has ended, which in a loop is when the loop has."""
KEEPS_ALL = frozenset(
    [
        "balance",
        "broadcast",
        "delay",
        "feedback",
        "map",
        "map_async",
        "merge",
        "merge_preferred",
        "monitor",
        "partition",
        "starmap",
        "throttle",
        "with_index",
    ]
)
"""They pass on each element."""


def check_exit(
    specs: Sequence[StageSpec],
    closing: Mapping[StageSpec, Sequence[StageSpec]],
    bodies: Iterable[tuple[StageSpec, Sequence[StageSpec]]],
) -> None:
    """Raise ``GraphError`` for a loop that nothing comes round, or that nothing ever leaves.

    ``closing`` has the stages that lead back to the source of each loop, ``bodies`` the stages that
    elements pass in it.
    """
    fed = _fed_by(specs, closing)
    for source, body in bodies:
        _check_return(source, body, closing[source], fed)
        _check_way_out(source, set(body), fed)


def _check_return(
    source: StageSpec,
    body: Sequence[StageSpec],
    closing: Sequence[StageSpec],
    fed: Mapping[StageSpec, Sequence[StageSpec]],
) -> None:
    reached, to_see = {source}, [source]
    while to_see:
        for spec in fed.get(to_see.pop(), ()):
            if spec not in reached and spec.kind not in GIVES_AT_THE_END:
                reached.add(spec)
                to_see.append(spec)
    last = next((spec for spec in body if spec.kind in GIVES_AT_THE_END), None)
    if last is not None and reached.isdisjoint(closing):
        raise GraphError(
            f"nothing can come round the loop of '{source.label}'{source.made}: stage "
            f"'{last.label}'{last.made} gives its result at the end of its input, which is when "
            "the loop has ended; use scan, or batch with a time, in its place"
        )


def _check_way_out(
    source: StageSpec, body: set[StageSpec], fed: Mapping[StageSpec, Sequence[StageSpec]]
) -> None:
    for spec in body:
        leads_out = len(fed.get(spec, ())) < spec.outlets or not body.issuperset(fed[spec])
        may_leave_out = spec.kind not in KEEPS_ALL or spec.attributes.on_failure is not None
        if leads_out or may_leave_out:
            return
    if body:
        raise GraphError(
            f"no element can leave the loop of '{source.label}'{source.made}, so the run never "
            "ends: let those that are done out with divert_to(loop.sink, goes_on), or end them "
            "with filter"
        )


def _fed_by(
    specs: Sequence[StageSpec], closing: Mapping[StageSpec, Sequence[StageSpec]]
) -> dict[StageSpec, list[StageSpec]]:
    """The stages that each stage feeds, with the source of a loop in place of its sink."""
    sources = {spec.loop: spec for spec in closing}
    fed: dict[StageSpec, list[StageSpec]] = {}
    for spec in specs:
        taker = spec if spec.loop is None or spec.outlets else sources.get(spec.loop, spec)
        for ref in spec.inputs:
            fed.setdefault(ref.spec, []).append(taker)
    return fed
