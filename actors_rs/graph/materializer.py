"""From blueprint to running actors: make them, connect their ports, start them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from actors_rs.graph.blueprint import OPEN, StageSpec
from actors_rs.graph.carried import makers_of
from actors_rs.graph.lent import Lent
from actors_rs.graph.loops import closing_refs, narrowed, watch_loops
from actors_rs.graph.monitored import monitored_lines
from actors_rs.graph.run import Run
from actors_rs.graph.shell import StageActor
from actors_rs.graph.signals import ForgivingLine, InletLine, OutletLine
from actors_rs.runtime.system import ActorSystem
from actors_rs.stages.failure import STOP
from actors_rs.stages.linear import SinkLogic
from actors_rs.stages.ports import Downstream, Inlet, Outlet, Upstream
from actors_rs.stages.stage import StageLogic

__all__ = ["Actors", "Inner", "materialize", "prepare"]

Actors = dict[StageSpec, StageActor]


def materialize(
    system: ActorSystem,
    specs: Sequence[StageSpec],
    sinks: Iterable[StageSpec],
    *,
    single: bool,
    monitor: bool = False,
    stall_after: float | None = None,
) -> Run[Any]:
    """Run a closed graph. ``specs`` are all its stages, each behind its inputs."""
    run: Run[Any] = Run(system, monitor=monitor, stall_after=stall_after)
    actors = prepare(system, run, specs)
    logics = [actors[spec].logic for spec in sinks if spec in actors]
    start(system, run, actors, [logic for logic in logics if isinstance(logic, SinkLogic)], single)
    return run


@dataclass(frozen=True, slots=True)
class Inner:
    """What is different about the stages of an inner stream.

    ``number`` makes their names unique, ``windows`` are theirs, ``made`` holds logics that were
    made already; with ``forgiving`` a stage that fails behind its cancellation is no failure of
    the run.
    """

    number: int
    windows: Mapping[StageSpec, int]
    forgiving: bool
    made: Mapping[StageSpec, StageLogic]


def prepare(
    system: ActorSystem, run: Run[Any], specs: Sequence[StageSpec], inner: Inner | None = None
) -> Actors:
    """Make the actors of ``specs`` and connect them; none has started yet."""
    names = unique_names(spec.label for spec in specs)
    made: Mapping[StageSpec, StageLogic] = {}
    if inner is not None:
        names, made = [f"{name}#{inner.number}" for name in names], inner.made
    actors: Actors = {}
    makers = makers_of(specs)
    for spec, name in zip(specs, names, strict=True):
        if spec.lent is not None or (spec.loop is not None and not spec.outlets):
            continue
        make = makers[spec]
        actors[spec] = StageActor(
            made.get(spec) or make(),
            run,
            name=name,
            kind=spec.kind,
            site=spec.site,
            dispatcher=spec.attributes.dispatcher or "pool",
            throughput=spec.attributes.throughput or system.throughput,
        )
        actors[spec].logic.on_failure = spec.attributes.on_failure or STOP
        actors[spec].logic.remake = make
    windows = inner.windows if inner is not None else windows_of(specs, system.window)
    closing = closing_refs(specs)
    frugal = frugal_of(specs) if any(spec.frugal for spec in specs) else ()
    for spec, actor in actors.items():
        actor.logic.window = windows[spec]
        if spec in frugal:
            actor.logic.be_frugal()
        for inlet, ref in zip(actor.logic.inlets, closing.get(spec, spec.inputs), strict=True):
            inlet.window = windows[spec]
            inlet.forgiving |= inner is not None and inner.forgiving
            if ref.spec.lent is not None:
                borrow(run, ref.spec.lent, actor.name, InletLine(actor, inlet), inlet)
            elif ref is not OPEN:
                feeder = actors[ref.spec]
                connect(run, feeder, feeder.logic.outlets[ref.index], actor, inlet)
    watch_loops(specs, actors)
    return actors


def connect(
    run: Run[Any], feeder: StageActor, outlet: Outlet, actor: StageActor, inlet: Inlet
) -> None:
    """Make the link from ``outlet`` of ``feeder`` to ``inlet`` of ``actor``."""
    inlet.feeder = (feeder.name, outlet.name)
    down: Downstream = InletLine(actor, inlet)
    if inlet.forgiving:
        down = ForgivingLine(actor, inlet, actor.forgive)
    up: Upstream = OutletLine(feeder, outlet)
    if run.monitored:
        down, up = monitored_lines(run, (feeder.name, actor.name), down, up)
    outlet.connect(down)
    inlet.connect(up)


def borrow(run: Run[Any], lent: Lent, name: str, down: Downstream, inlet: Inlet) -> None:
    """Feed ``inlet`` of stage ``name``, to which ``down`` leads, from an outlet that was lent."""
    names = (lent.owner_name, name)
    lent.claim(down, inlet, partial(monitored_lines, run, names) if run.monitored else None)


def start(
    system: ActorSystem, run: Run[Any], actors: Actors, sinks: Sequence[SinkLogic], single: bool
) -> None:
    """Start all ``actors``; from here on ``run`` ends when they all have.

    If one cannot be started, those that were are ended, and what it raised is raised.
    """
    stages = list(actors.values())
    run.begin(stages, sinks, single=single)
    for number, actor in enumerate(stages):
        try:
            system.adopt(actor)
        except BaseException as error:
            run.note_failure(error)
            for started in stages[:number]:
                started.post(partial(started.logic.end, error))
            for other in stages[number:]:
                other.actor_stopped.set()
                run.stage_ended(other)
            raise


def windows_of(specs: Sequence[StageSpec], default: int) -> dict[StageSpec, int]:
    """The window of each stage's inlets: its own, else the smallest that flows in, else default.

    A stage of heavy elements sets the window behind it, and stages that hand their elements on
    hand the window on with them.
    """
    behind: dict[StageSpec, int] = {}
    windows: dict[StageSpec, int] = {}
    for spec in specs:
        flowing = [behind[ref.spec] for ref in spec.inputs if behind.get(ref.spec)]
        inherited = min(flowing, default=0)
        windows[spec] = spec.attributes.window or inherited or default * spec.window_factor
        behind[spec] = inherited if spec.outflow_window is None else spec.outflow_window
    return narrowed(specs, windows)


def frugal_of(specs: Sequence[StageSpec]) -> set[StageSpec]:
    """The stages that elements of a frugal source flow into, as they were or one for one."""
    frugal: set[StageSpec] = set()
    flowing: set[StageSpec] = set()  # out of these
    for spec in specs:
        if any(ref.spec in flowing for ref in spec.inputs):
            frugal.add(spec)
        if spec.frugal or (spec in frugal and spec.outflow_window is None):
            flowing.add(spec)
    return frugal


def unique_names(labels: Iterable[str]) -> list[str]:
    """Each label, with ``-2``, ``-3`` behind it where it has occurred before."""
    taken: set[str] = set()
    numbers: Counter[str] = Counter()  # where to go on, else many of a kind would take n * n steps
    names = []
    for label in labels:
        name = label
        while name in taken:
            numbers[label] += 1
            name = f"{label}-{numbers[label] + 1}"
        taken.add(name)
        names.append(name)
    return names
