"""Sections of a blueprint: consecutive stages that share a policy or a restart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from actors_rs.engine.layout import windows_of
from actors_rs.engine.sections.section import Section
from actors_rs.errors import GraphError
from actors_rs.graph.blueprint import check_closed, graft, in_order
from actors_rs.graph.envelopes import check_plain
from actors_rs.graph.spec import OPEN, OutletRef, StageSpec, spec_of
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.stages.failure import OnFailure
from actors_rs.stages.stage import StageLogic

__all__ = ["restarted", "with_policy"]

REPLACING = frozenset({"csv", "jsonl", "lines"})
"""Sinks that make one file, in place of any that is there."""
_UNCHANGED = 2**62
"""Stands for the window of what flows into a section, to see whether it comes out again."""


def with_policy(end: StageSpec, answer: OnFailure) -> StageSpec:
    """``end`` and the stages before it, with ``answer`` where they have no policy of their own.

    Sources have none. A stage with an outlet to elsewhere is shared with other flows, which an
    altered copy would not be: it is left alone, and what is before it too.
    """
    specs = in_order([end])
    used = Counter(ref.spec for spec in specs for ref in spec.inputs)
    copies: dict[StageSpec, StageSpec] = {}
    for spec in specs:
        leads_elsewhere = spec is not end and used[spec] < spec.outlets
        if not spec.inputs or leads_elsewhere or spec.outlets == 0:
            copies[spec] = spec
            continue
        inputs = tuple(
            ref if ref is OPEN else OutletRef(copies[ref.spec], ref.index) for ref in spec.inputs
        )
        attributes = spec.attributes
        if not attributes.on_failure:
            attributes = replace(attributes, on_failure=answer)
        elif inputs == spec.inputs:
            copies[spec] = spec  # copies of all would take the square where each stage asks for it
            continue
        copies[spec] = replace(spec, inputs=inputs, attributes=attributes)
    return copies[end]


def restarted(out: OutletRef, backoff: Backoff, max_restarts: int, within: float) -> StageSpec:
    """One stage that runs what ends in ``out``, and runs it anew when it fails.

    Raises ``GraphError`` for what cannot run by itself, as a section does.
    """
    specs = in_order([out.spec])
    check_plain(specs, "restart")
    is_open = any(ref is OPEN for spec in specs for ref in spec.inputs)
    if is_open:
        _check_sinks(specs)
    outflow = _check(out, is_open)
    return spec_of(
        "section",
        partial(Section, out, is_open, backoff, max_restarts, within),
        *((OPEN,) if is_open else ()),
        outflow_window=None if outflow == _UNCHANGED else outflow,
    )


def _check_sinks(specs: Sequence[StageSpec]) -> None:
    """Raise ``GraphError`` for a sink whose file a further attempt would replace.

    Only where the attempts share an input: a section with its own source writes all rows anew.
    """
    for spec in _with_parts(specs):
        if spec.kind in REPLACING and not spec.outlets:
            raise GraphError(
                "restart: expected sinks that add to what is there, "
                f"got '{spec.label}'{spec.made}: each attempt of the section would replace its "
                "file with the elements after the failure; put the sink before or after the section"
            )


def _with_parts(specs: Iterable[StageSpec]) -> Iterator[StageSpec]:
    """``specs``, and the sinks that those with several of them consist of."""
    for spec in specs:
        yield spec
        yield from _with_parts(getattr(spec.make, "specs", ()))


def _check(out: OutletRef, is_open: bool) -> int:
    """Raise ``GraphError`` unless the section can run; the window for what comes out of it."""
    head = StageSpec("the section's input", make=StageLogic, outflow_window=_UNCHANGED)
    end = graft(out.spec, OutletRef(head)) if is_open else out.spec
    tail = StageSpec("the section's end", StageLogic, (OutletRef(end, out.index),), outlets=0)
    specs = in_order([tail])
    fed = {ref for spec in specs for ref in spec.inputs}
    for spec in specs:
        for index in range(spec.outlets):
            if OutletRef(spec, index) not in fed:
                raise GraphError(
                    f"restart: expected a section with one outlet, got one of which outlet {index} "
                    f"of stage '{spec.label}'{spec.made} leads elsewhere"
                )
    check_closed(specs)
    return windows_of(specs, 0)[tail]
