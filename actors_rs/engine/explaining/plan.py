"""``Plan``: a layout with the settings of a system, as the parts of an explanation read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

from actors_rs.engine.layout import Layout, Planned
from actors_rs.engine.sections.section import Section
from actors_rs.graph.blueprint import graft, in_order
from actors_rs.graph.spec import OutletRef, StageSpec
from actors_rs.stages.junctions.amb import Amb
from actors_rs.stages.junctions.concat import Concat
from actors_rs.stages.stage import StageLogic

__all__ = ["Part", "Plan", "Settings", "class_of", "listed", "parts_of", "quoted"]


class Settings(NamedTuple):
    """Settings of the system, with the defaults of ``ActorSystem``."""

    window: int = 4096
    automatic: bool = True
    memory: int | None = None


@dataclass(frozen=True)
class Plan:
    """The stages of ``layout``; those in ``outside`` stand for what a part is connected to."""

    layout: Layout
    settings: Settings
    outside: Set[StageSpec] = frozenset()

    @cached_property
    def windows(self) -> Mapping[StageSpec, int]:
        """The most that each stage's inlets keep requested."""
        return self.layout.windows(self.settings.window)

    @cached_property
    def automatic(self) -> Set[StageSpec]:
        """The stages whose windows follow their pace, up to that."""
        limited = self.settings.memory is not None
        return self.layout.automatic(self.settings.automatic, limited=limited)

    @cached_property
    def stages(self) -> list[Planned]:
        """The stages that it consists of."""
        return [stage for stage in self.layout.stages if stage.spec not in self.outside]

    @cached_property
    def names(self) -> Mapping[StageSpec, str]:
        """The name of each stage, on one line."""
        return {stage.spec: " ".join(stage.name.split()) for stage in self.layout.stages}

    def feeders_of(self, stage: Planned) -> list[str]:
        """What feeds its inlets, one after the other."""
        return [self.names.get(ref.spec, ref.spec.label) for ref in stage.inputs]

    @cached_property
    def fed_by(self) -> Mapping[StageSpec, list[Planned]]:
        """The stages that take what each stage gives."""
        fed: dict[StageSpec, list[Planned]] = {}
        for stage in self.layout.stages:
            for ref in stage.inputs:
                fed.setdefault(ref.spec, []).append(stage)
        return fed


@dataclass(frozen=True)
class Part:
    """A stream that a stage runs, known before the run: a section, or one that comes next."""

    plan: Plan
    at_a_time: bool
    """Whether it runs beside all others of its stage; else they take turns."""


def parts_of(plan: Plan) -> Iterator[tuple[Planned, list[Part]]]:
    """Each stage that runs streams known before the run, with these streams."""
    for stage in plan.stages:
        kind, given = _made_with(stage.spec.make)
        settings = plan.settings._replace(window=plan.windows[stage.spec])
        if kind is Section:
            yield stage, [Part(_section(plan, stage, settings, *given[:2]), True)]
        elif kind in (Concat, Amb):
            ends = [stream._out for stream in given[0] if stream is not None]
            plans = [_stream(plan, stage, settings, end) for end in ends]
            if plans:
                yield stage, [Part(one, kind is Amb) for one in plans]


def _section(plan: Plan, stage: Planned, settings: Settings, out: OutletRef, is_open: bool) -> Plan:
    name = plan.names[stage.spec]
    if not is_open:
        return _stream(plan, stage, settings, out)
    head = StageSpec(f"{name} (in)", make=StageLogic)
    end = graft(out.spec, OutletRef(head))
    tail = StageSpec(f"{name} (out)", StageLogic, (OutletRef(end, out.index),), outlets=0)
    return Plan(Layout(in_order([tail])), settings, {head, tail})


def _stream(plan: Plan, stage: Planned, settings: Settings, out: OutletRef) -> Plan:
    tail = StageSpec(plan.names[stage.spec], StageLogic, (out,), outlets=0)
    return Plan(Layout(in_order([tail])), settings, {tail})


def class_of(make: Any) -> Any:
    """The class of the logic that ``make`` gives; ``make`` itself where that is unknown."""
    return _made_with(make)[0]


def _made_with(make: Any) -> tuple[Any, Sequence[Any]]:
    """The class, and the arguments, of the innermost ``partial`` that has a class of logics."""
    if type(make) is not partial:
        return make, ()
    if isinstance(make.func, type):
        return make.func, make.args
    for place, given in enumerate(make.args):
        if isinstance(given, type) and issubclass(given, StageLogic):
            return given, make.args[place + 1 :]
        if type(given) is partial and isinstance(_made_with(given)[0], type):
            return _made_with(given)
    return make.func, make.args


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def quoted(names: Sequence[str]) -> str:
    """The same with quotes; each name once."""
    return listed([f"'{name}'" for name in dict.fromkeys(names)])
