"""``fuse()``: marks stages that are to share an island, where the planner then puts them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from actors_rs.graph.assembly_site import assembly_site
from actors_rs.graph.blueprint import walked
from actors_rs.graph.spec import OPEN, Attributes, Fuse, OutletRef, StageSpec, altered

__all__ = ["changed_together", "fused", "fused_to_the_ends"]

_Change: TypeAlias = Callable[[StageSpec], Mapping[str, Any]]
"""The fields of a stage that change."""


def fused(out: OutletRef) -> OutletRef:
    """``out``, with all stages before it marked as fused, up to its input or its sources.

    A stage with outlets to elsewhere stays as it is, and so do the stages before it: other flows
    share them.
    """
    return _changed_own(out, _marks())


def fused_to_the_ends(sinks: Iterable[StageSpec]) -> tuple[StageSpec, ...]:
    """``sinks`` of a graph, with all its stages marked as fused.

    Stages that this graph shares with another one are copied, so the other one stays as it is.
    """
    sinks = tuple(sinks)
    specs = walked(sinks)
    shared = _shared(specs)
    copies = _copies([spec for spec in specs if spec not in shared], _marks())
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
    return _changed_own(
        out, lambda spec: {"attributes": attributes_of(spec)} if spec.fuse is fuse else {}
    )


def _marks() -> _Change:
    fuse = Fuse(assembly_site(2))
    return lambda _: {"fuse": fuse}


def _changed_own(out: OutletRef, change: _Change) -> OutletRef:
    own = _own(out)
    copies = _copies([spec for spec in walked([out.spec]) if spec in own], change)
    return OutletRef(copies.get(out.spec, out.spec), out.index)


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


def _copies(specs: Collection[StageSpec], change: _Change) -> dict[StageSpec, StageSpec]:
    """``specs``, each after its inputs, as copies with the fields that ``change`` gives.

    A stage of which nothing changes stays itself: other flows may share it.
    """
    copies: dict[StageSpec, StageSpec] = {}
    for spec in specs:
        inputs = tuple(
            ref if ref is OPEN else OutletRef(copies.get(ref.spec, ref.spec), ref.index)
            for ref in spec.inputs
        )
        fields = change(spec)
        same = not fields and inputs == spec.inputs
        copies[spec] = spec if same else altered(spec, inputs=inputs, **fields)
    return copies
