"""Blueprints: graphs of ``StageSpec`` as immutable values, walked, put together and checked.

An outlet that two flows have in common is one outlet, and using it twice in a graph is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from actors_rs.errors import GraphError
from actors_rs.graph.assembly_site import at_site
from actors_rs.graph.envelopes import check_plain
from actors_rs.graph.loops import check_loops
from actors_rs.graph.spec import OPEN, OutletRef, StageSpec
from actors_rs.stages.stage import StageLogic

if TYPE_CHECKING:
    pass

__all__ = [
    "graft",
    "grafted",
    "in_order",
    "to_pickle",
    "walked",
]


def in_order(ends: Iterable[StageSpec]) -> list[StageSpec]:
    """``ends`` and all specs that they depend on, each after its inputs.

    Side sinks come too, fed from their stages; each call makes new copies of them.
    """
    return walked(ends, with_sides=True)


def to_pickle(ends: Iterable[StageSpec]) -> tuple[StageSpec, ...]:
    """All specs of a blueprint, each after its inputs: so no pickler has to go as deep as it is."""
    return tuple(walked(ends))


def walked(ends: Iterable[StageSpec], *, with_sides: bool = False) -> list[StageSpec]:
    """As ``in_order``, with the existing specs instead of copies; by default without side sinks."""
    ordered: dict[StageSpec, None] = {}
    stack = [(spec, False) for spec in reversed(list(ends))]
    while stack:
        spec, inputs_done = stack.pop()
        if spec in ordered or spec is OPEN.spec:
            continue
        if inputs_done:
            ordered[spec] = None
            if with_sides:
                stack.extend((side, False) for side in _fed_sides(spec))
        else:
            stack.append((spec, True))
            stack.extend((ref.spec, False) for ref in reversed(spec.inputs))
    return list(ordered)


def _fed_sides(spec: StageSpec) -> list[StageSpec]:
    first = spec.outlets - len(spec.sides)
    return [graft(side, OutletRef(spec, first + i)) for i, side in enumerate(spec.sides)]


def graft(end: StageSpec, source: OutletRef) -> StageSpec:
    """``end`` and what it depends on, with ``source`` in place of the open input."""
    return grafted([end], source)[0]


def grafted(ends: Sequence[StageSpec], source: OutletRef) -> list[StageSpec]:
    """``graft`` of several ``ends``; specs that they share stay shared."""
    copies: dict[StageSpec, StageSpec] = {}
    for spec in walked(ends):
        inputs = tuple(
            source if ref is OPEN else OutletRef(copies.get(ref.spec, ref.spec), ref.index)
            for ref in spec.inputs
        )
        changed = any(a is not b and a != b for a, b in zip(inputs, spec.inputs, strict=True))
        copies[spec] = replace(spec, inputs=inputs) if changed else spec
    return [copies[end] for end in ends]


def open_inputs(specs: Iterable[StageSpec]) -> list[StageSpec]:
    """The stages whose input is open, once for each such inlet."""
    return [spec for spec in specs for ref in spec.inputs if ref is OPEN]


def check_fed(specs: Sequence[StageSpec]) -> None:
    """Raise ``GraphError`` if an input is open."""
    for spec in open_inputs(specs):
        raise GraphError(
            f"stage '{spec.label}' has no source{spec.made}: "
            "start from a Source, or put one in front with pipe(source, flow)"
        )


def check_closed(specs: Sequence[StageSpec]) -> None:
    """Raise ``GraphError`` unless every outlet feeds exactly one inlet and no input is open."""
    check_fed(specs)
    fed = check_used_once(specs)
    for spec in specs:
        for index in range(spec.outlets):
            if OutletRef(spec, index) not in fed:
                raise GraphError(
                    f"outlet {index} of stage '{spec.label}' feeds nothing{spec.made}: "
                    "add it to the graph, with Sink.ignore() if it is not needed"
                )
    check_loops(specs)


def check_used_once(specs: Iterable[StageSpec]) -> set[OutletRef]:
    """The outlets that are used; raise ``GraphError`` if one of them feeds two inlets."""
    fed: dict[OutletRef, StageSpec] = {}
    for spec in specs:
        for ref in spec.inputs:
            if ref is not OPEN and ref in fed:
                raise GraphError(_used_twice(ref, fed[ref], spec))
            fed[ref] = spec
    return set(fed)


def _check_no_branch(specs: Sequence[StageSpec], out: OutletRef, where: str) -> None:
    """Raise ``GraphError`` if another outlet of one of ``specs`` belongs to another stream."""
    fed = {ref for spec in specs for ref in spec.inputs}
    for spec in specs:
        others = [OutletRef(spec, index) for index in range(spec.outlets)]
        left = [ref.index for ref in others if ref != out and ref not in fed]
        if left and len(left) < spec.outlets:
            raise GraphError(
                f"{where}: expected a stream with a source of its own, got a branch of stage "
                f"'{spec.label}'{spec.made}, whose outlet {left[0]} is not part of it. The stream "
                "is started later, or not at all, and the other branches would wait for it: join "
                "branches of one stage with merge, interleave or zip"
            )


def check_source(specs: Sequence[StageSpec], out: OutletRef, where: str = "a stream") -> None:
    """Raise ``GraphError`` unless ``specs``, all that ``out`` depends on, are a closed source."""
    if out is OPEN:
        raise GraphError(
            f"{where}: expected a Source, got an empty Flow, whose input is open{at_site()}"
        )
    for spec in open_inputs(specs):
        raise GraphError(
            f"{where}: expected a Source, got a Flow whose input is open, "
            f"at stage '{spec.label}'{spec.made}"
        )
    check_plain(specs, where)
    if len(specs) == 1 and specs[0].outlets == 1 and not specs[0].inputs:
        return
    _check_no_branch(specs, out, where)
    check_closed([*specs, StageSpec("the stream's end", make=StageLogic, inputs=(out,), outlets=0)])


def _used_twice(ref: OutletRef, first: StageSpec, second: StageSpec) -> str:
    outlet = "the outlet" if ref.spec.outlets == 1 else f"outlet {ref.index}"
    return (
        f"{outlet} of stage '{ref.spec.label}' feeds exactly one inlet, got two: "
        f"'{first.label}'{first.made} and '{second.label}'{second.made}; "
        "use .broadcast(2) to give the elements to both"
    )
