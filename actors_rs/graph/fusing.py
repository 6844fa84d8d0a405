"""Fusing: adjacent linear stages of a blueprint become one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from actors_rs.graph.blueprint import OPEN, PLAIN, OutletRef, StageSpec, altered, in_order
from actors_rs.stages.operators.fused import Fused, Part

__all__ = ["fused", "parts_of"]

_NAMES_SHOWN = 3


def fused(out: OutletRef) -> OutletRef:
    """``out``, with each run of adjacent linear stages before it as one stage.

    From its input or source on; where it comes out of a stage with several outlets, from behind
    that, as the other outlets belong to somebody else.
    """
    spec = out.spec
    if _is_linear(spec) and spec.inputs[0] is not OPEN and not spec.inputs[0].spec.inputs:
        return OutletRef(altered(spec, fused=True))  # one operator behind a source: nothing to join
    own = _own(out)
    copies: dict[StageSpec, StageSpec] = {}
    runs: dict[StageSpec, list[StageSpec]] = {}  # the linear stages that end in each
    for spec in in_order([out.spec]):
        if spec not in own:
            continue
        if _is_linear(spec):
            runs[spec] = [*_run_before(spec, runs), spec]
        copies[spec] = _copied(spec, runs.get(spec, [spec]), copies)
    return OutletRef(copies.get(out.spec, out.spec), out.index)


def _own(out: OutletRef) -> set[StageSpec]:
    own: set[StageSpec] = set()
    waiting = [out.spec]
    while waiting:
        spec = waiting.pop()
        if spec.outlets == 1 and spec is not OPEN.spec and spec not in own:
            own.add(spec)
            waiting.extend(ref.spec for ref in spec.inputs)
    return own


def _is_linear(spec: StageSpec) -> bool:
    return spec.fusable and (spec.attributes is PLAIN or spec.attributes == PLAIN)


def _run_before(spec: StageSpec, runs: dict[StageSpec, list[StageSpec]]) -> list[StageSpec]:
    before = spec.inputs[0].spec
    return [] if before.boundary else runs.get(before, [])


def _copied(spec: StageSpec, run: list[StageSpec], copies: dict[StageSpec, StageSpec]) -> StageSpec:
    inputs = tuple(
        ref if ref is OPEN else OutletRef(copies.get(ref.spec, ref.spec), ref.index)
        for ref in run[0].inputs
    )
    if len(run) == 1:
        alone = _is_linear(spec)  # to be one actor with whoever attaches it as an inner stream
        return spec if inputs == spec.inputs and not alone else _refed(spec, inputs, alone)
    windows = [one.outflow_window for one in run if one.outflow_window is not None]
    return StageSpec(
        "fused",
        partial(_make, tuple(run)),
        inputs,
        name=_name(run),
        outflow_window=windows[-1] if windows else None,
        place=run[0].place,
        boundary=run[-1].boundary,
        fused=True,
    )


def _refed(spec: StageSpec, inputs: tuple[OutletRef, ...], fused: bool) -> StageSpec:
    return altered(spec, inputs=inputs, fused=fused)


def parts_of(spec: StageSpec) -> Sequence[StageSpec]:
    """The stages that ``spec`` was fused of; none if it is one."""
    make: Any = spec.make
    if spec.fused and type(make) is partial and make.func is _make:
        return make.args[0]  # type: ignore[no-any-return]
    return ()


def _make(run: Sequence[StageSpec]) -> Fused:
    """A fresh logic. ``fusable`` promises that each stage's is an ``Operator``."""
    parts = [Part(spec.label, spec.site, spec.make()) for spec in run]  # type: ignore[arg-type]
    return Fused(parts)


def _name(run: list[StageSpec]) -> str:
    shown = [spec.label for spec in run[:_NAMES_SHOWN]]
    more = len(run) - len(shown)
    return " + ".join([*shown, *([f"{more} more"] if more else [])])
