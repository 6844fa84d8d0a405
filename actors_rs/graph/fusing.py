"""Fusing: adjacent linear stages of a blueprint become one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from actors_rs.graph.blueprint import walked
from actors_rs.graph.spec import OPEN, PLAIN, OutletRef, StageSpec, altered
from actors_rs.stages.line import WINDOW as LINE_WINDOW
from actors_rs.stages.line import Line, LinePart, SinkLine
from actors_rs.stages.operators.fused import Fused, Part
from actors_rs.stages.stage import StageLogic

__all__ = ["fused", "fused_to_the_ends", "parts_of"]

_NAMES_SHOWN = 3

_Run = list[StageSpec]


def fused(out: OutletRef) -> OutletRef:
    """``out``, with each run of adjacent linear stages before it as one stage.

    From its input or source on; where it comes out of a stage with several outlets, from behind
    that, as the other outlets belong to somebody else.
    """
    spec = out.spec
    if _is_linear(spec) and spec.inputs[0] is not OPEN and not spec.inputs[0].spec.inputs:
        return OutletRef(altered(spec, fused=True))  # one operator behind a source: nothing to join
    own = _own(out)
    copies = _copies([spec for spec in walked([out.spec]) if spec in own], ())
    return OutletRef(copies.get(out.spec, out.spec), out.index)


def fused_to_the_ends(sinks: Iterable[StageSpec]) -> tuple[StageSpec, ...]:
    """``sinks`` of a whole graph, in which each run of linear stages is one stage.

    With the source that it begins with, if that never waits, and the sink it ends in. What another
    graph shares, which is to be put together with this one, stays as it is.
    """
    sinks = tuple(sinks)
    specs = walked(sinks)
    shared = _shared(specs)
    copies = _copies([spec for spec in specs if spec not in shared], _line_parts(specs))
    return tuple(copies[sink] for sink in sinks)


def _shared(specs: Sequence[StageSpec]) -> set[StageSpec]:
    """Those that have an outlet for another graph, with which they are to be put together."""
    fed = {ref for spec in specs for ref in spec.inputs}
    return set(
        walked(
            spec
            for spec in specs
            for index in range(spec.outlets - len(spec.sides))
            if OutletRef(spec, index) not in fed
        )
    )


def _own(out: OutletRef) -> set[StageSpec]:
    own: set[StageSpec] = set()
    waiting = [out.spec]
    while waiting:
        spec = waiting.pop()
        if spec.outlets == 1 and spec is not OPEN.spec and spec not in own:
            own.add(spec)
            waiting.extend(ref.spec for ref in spec.inputs)
    return own


def _line_parts(specs: Iterable[StageSpec]) -> set[StageSpec]:
    """Those among ``specs`` that are no operators, and can be one actor with some."""
    return {spec for spec in _ordinary(specs) if _joins_lines(spec)}


def _ordinary(specs: Iterable[StageSpec]) -> Iterator[StageSpec]:
    """Those among ``specs``, each behind its inputs, whose elements are neither dear nor carry
    something: else their way is seen to stage by stage."""
    special: set[StageSpec] = set()
    for spec in specs:
        if spec.carrier is not None or spec.frugal or any(r.spec in special for r in spec.inputs):
            special.add(spec)
        else:
            yield spec


def _joins_lines(spec: StageSpec) -> bool:
    """Whether it is no operator, but can be a part of a line with some.

    A sink, a source of elements that exist already or are made without calls, or what says so.
    """
    if not _is_plain(spec) or spec.outlets > 1:
        return False
    if not spec.outlets:
        return spec.fusable
    if spec.inputs:
        return spec.in_line
    never_blocks = getattr(spec.logic_class, "within", False)
    return spec.lent is None and spec.loop is None and never_blocks


def _is_plain(spec: StageSpec) -> bool:
    return spec.attributes is PLAIN or spec.attributes == PLAIN


def _is_linear(spec: StageSpec) -> bool:
    """Whether it is an operator that can be one actor with others."""
    return spec.fusable and spec.outlets == 1 and _is_plain(spec)


def _copies(
    specs: Sequence[StageSpec], others: Collection[StageSpec]
) -> dict[StageSpec, StageSpec]:
    """What becomes of ``specs``, each behind its inputs; ``others`` are joined with operators.

    But for those that are one with the stage behind them.
    """
    copies: dict[StageSpec, StageSpec] = {}
    runs: dict[StageSpec, _Run] = {}  # of each stage that can be joined: the one it belongs to
    for spec in specs:
        if _is_linear(spec) or spec in others or _fused_before(spec):
            runs[spec] = _run_before(spec, runs)
            runs[spec].append(spec)
    for spec in specs:
        run = runs.get(spec, [spec])
        if run[-1] is spec:
            copies[spec] = _copied(run, copies)
    return copies


def _run_before(spec: StageSpec, runs: dict[StageSpec, _Run]) -> _Run:
    if not spec.inputs:
        return []
    before = spec.inputs[0].spec
    return [] if before.boundary else runs.get(before, [])


def _fused_before(spec: StageSpec) -> bool:
    """Whether it is some operators already, which are one."""
    return spec.fused and _is_plain(spec) and bool(parts_of(spec))


def _copied(run: _Run, copies: dict[StageSpec, StageSpec]) -> StageSpec:
    """The one stage that ``run`` becomes."""
    first, last = run[0], run[-1]
    inputs = tuple(
        ref if ref is OPEN else OutletRef(copies.get(ref.spec, ref.spec), ref.index)
        for ref in first.inputs
    )
    if len(run) == 1:
        alone = _is_linear(last)  # to be one actor with whoever attaches it as an inner stream
        return last if inputs == last.inputs and not alone else _refed(last, inputs, alone)
    parts = [part for spec in run for part in parts_of(spec) or (spec,)]
    says = _heard_behind(parts)
    return StageSpec(
        "fused",
        partial(_make, tuple(parts)) if all(map(_is_linear, parts)) else _line_of(parts),
        inputs,
        outlets=last.outlets,
        name=_name(parts),
        outflow_window=says.outflow_window,
        gathers=says.gathers,
        place=first.place,
        boundary=last.boundary,
        fused=True,
    )


def _refed(spec: StageSpec, inputs: tuple[OutletRef, ...], fused: bool) -> StageSpec:
    return altered(spec, inputs=inputs, fused=spec.fused or fused)


def parts_of(spec: StageSpec) -> Sequence[StageSpec]:
    """The operators that ``spec`` was fused of; none if it is one, or has an end in it."""
    make: Any = spec.make
    if spec.fused and type(make) is partial and make.func is _make:
        return make.args[0]  # type: ignore[no-any-return]
    return ()


def _make(run: Sequence[StageSpec]) -> Fused:
    """A fresh logic. ``fusable`` promises that each stage's is an ``Operator``."""
    return _make_fused([_planned(spec) for spec in run])


class _Planned(NamedTuple):
    """A part of a line that is to be made: what ``LinePart`` gets, and what makes its logic."""

    label: str
    site: str
    make: Callable[[], StageLogic]
    outflow_window: int | None


def _line_of(run: _Run) -> partial[Line]:
    """What makes a line of operators and others: a source, a sink, or what is ``in_line``.

    All that can be known beforehand is worked out here, as a graph may be started often.
    """
    plan: list[_Planned] = []
    has_sink = not run[-1].outlets
    for together, some in groupby(run, _is_one_with_others):
        specs = list(some)
        if together and len(specs) > 1:
            plan.append(_planned_together(specs))
        else:
            plan += [_planned_for_line(spec, has_sink) for spec in specs]
    return partial(_make_line, SinkLine if has_sink else Line, tuple(plan))


def _is_one_with_others(spec: StageSpec) -> bool:
    """Whether it is ``Fused`` with operators beside it, and not a part of its own, from which
    these get views."""
    return _is_linear(spec) and not getattr(spec.logic_class, "gives_views", False)


def _planned_for_line(spec: StageSpec, has_sink: bool) -> _Planned:
    """With a sink at its end nothing waits in a line: there is no more of what is heavy than came
    of the elements of one pass."""
    plan = _planned(spec)
    return plan._replace(outflow_window=None) if spec.in_line and has_sink else plan


def _planned_together(operators: _Run) -> _Planned:
    plan = tuple([_planned(spec) for spec in operators])
    make = partial(_make_fused, plan)
    window = _heard_behind(operators).window_behind(LINE_WINDOW)
    return _Planned(_name(operators), plan[0].site, make, window)


def _heard_behind(run: _Run) -> StageSpec:
    """The last stage that says anything of the window behind ``run``, if there is one."""
    return next((spec for spec in reversed(run) if spec.outflow_window is not None), run[-1])


def _planned(spec: StageSpec) -> _Planned:
    return _Planned(spec.label, spec.site, spec.make, spec.window_behind(LINE_WINDOW))


def _make_fused(plan: Sequence[_Planned]) -> Fused:
    return Fused([Part(one.label, one.site, one.make()) for one in plan])  # type: ignore[arg-type]


def _make_line(kind: type[Line], plan: Sequence[_Planned]) -> Line:
    return kind([LinePart(label, site, make(), window) for label, site, make, window in plan])


def _name(run: Sequence[StageSpec]) -> str:
    shown = [spec.label for spec in run[:_NAMES_SHOWN]]
    more = len(run) - len(shown)
    return " + ".join([*shown, *([f"{more} more"] if more else [])])
