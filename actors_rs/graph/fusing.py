"""``fuse()``: marks stages that are to share an island, where the planner then puts them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from actors_rs.graph.assembly_site import assembly_place
from actors_rs.graph.blueprint import walked
from actors_rs.graph.spec import OPEN, Attributes, Fuse, OutletRef, StageSpec, altered

__all__ = ["changed_together", "fused", "fused_to_the_ends"]


def fused(out: OutletRef) -> OutletRef:
    """``out``, with all stages before it marked as fused, up to its input or its sources.

    A stage with outlets to elsewhere stays as it is, and so do the stages before it: other flows
    share them.
    """
    own = _own(out)
    copies = _copies([spec for spec in walked([out.spec]) if spec in own], _fuse())
    return OutletRef(copies.get(out.spec, out.spec), out.index)


def fused_to_the_ends(sinks: Iterable[StageSpec]) -> tuple[StageSpec, ...]:
    """``sinks`` of a graph, with all its stages marked as fused.

    What another graph shares, with which this one is to be put together, stays as it is.
    """
    sinks = tuple(sinks)
    specs = walked(sinks)
    shared = _shared(specs)
    copies = _copies([spec for spec in specs if spec not in shared], _fuse())
    return tuple(copies[sink] for sink in sinks)


def changed_together(
    out: OutletRef, attributes_of: Callable[[StageSpec], Attributes]
) -> OutletRef | None:
    """``out``, with the attributes of all stages changed that one ``fuse()`` covers with it.

    ``None`` if none does.
    """
    fuse = out.spec.fuse
    if fuse is None:
        return None
    own = _own(out)
    specs = [spec for spec in walked([out.spec]) if spec in own]
    copies: dict[StageSpec, StageSpec] = {}
    for spec in specs:
        inputs = _refed(spec, copies)
        if spec.fuse is fuse:
            copies[spec] = altered(spec, inputs=inputs, attributes=attributes_of(spec))
        elif inputs != spec.inputs:
            copies[spec] = altered(spec, inputs=inputs)
    return OutletRef(copies[out.spec], out.index)


def _fuse() -> Fuse:
    return Fuse(assembly_place(2))


def _own(out: OutletRef) -> set[StageSpec]:
    """The stages before ``out`` whose elements go nowhere else."""
    own: set[StageSpec] = set()
    waiting = [out.spec]
    while waiting:
        spec = waiting.pop()
        if spec.outlets - len(spec.sides) == 1 and spec is not OPEN.spec and spec not in own:
            own.add(spec)
            waiting.extend(ref.spec for ref in spec.inputs)
    return own


def _shared(specs: Sequence[StageSpec]) -> set[StageSpec]:
    """The stages with an outlet for another graph, and all stages before them."""
    fed = {ref for spec in specs for ref in spec.inputs}
    return set(
        walked(
            spec
            for spec in specs
            for index in range(spec.outlets - len(spec.sides))
            if OutletRef(spec, index) not in fed
        )
    )


def _copies(specs: Collection[StageSpec], fuse: Fuse) -> dict[StageSpec, StageSpec]:
    """``specs``, each after its inputs, marked with ``fuse``."""
    copies: dict[StageSpec, StageSpec] = {}
    for spec in specs:
        copies[spec] = altered(spec, inputs=_refed(spec, copies), fuse=fuse)
    return copies


def _refed(spec: StageSpec, copies: dict[StageSpec, StageSpec]) -> tuple[OutletRef, ...]:
    return tuple(
        ref if ref is OPEN else OutletRef(copies.get(ref.spec, ref.spec), ref.index)
        for ref in spec.inputs
    )
