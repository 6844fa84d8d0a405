"""From blueprint to running actors: make them, connect their ports, start them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from actors_rs.graph.blueprint import OPEN, StageSpec
from actors_rs.graph.drawer import Drawer
from actors_rs.graph.layout import Layout, Planned
from actors_rs.graph.lent import Lent
from actors_rs.graph.life import Life
from actors_rs.graph.loops import watch_loops
from actors_rs.graph.monitored import monitored_lines
from actors_rs.graph.run import Run
from actors_rs.graph.run_life import RunLife
from actors_rs.graph.shell import StageActor
from actors_rs.graph.signals import ForgivingLine, InletLine, OutletLine
from actors_rs.graph.stall_watch import feeds_another
from actors_rs.runtime.system import ActorSystem
from actors_rs.stages.drawn import Drawing
from actors_rs.stages.ports import Downstream, Inlet, Outlet, Upstream
from actors_rs.stages.stage import StageLogic, StreamEnd

__all__ = ["Actors", "Inner", "materialize", "prepare", "start_serving"]

Actors = dict[StageSpec, StageActor]


def materialize(
    system: ActorSystem,
    layout: Layout,
    sinks: Iterable[StageSpec],
    *,
    single: bool,
    monitor: bool = False,
    stall_after: float | None = None,
) -> Run[Any]:
    """Run a closed graph. ``layout`` is that of all its stages."""
    life = RunLife(system, monitor=monitor, stall_after=stall_after)
    actors = prepare(system, life, layout)
    logics = [actors[spec].logic for spec in sinks if spec in actors]
    start(system, life, actors, [logic for logic in logics if isinstance(logic, StreamEnd)], single)
    return life.run


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
    system: ActorSystem,
    life: Life,
    specs: Layout | Sequence[StageSpec],
    inner: Inner | None = None,
) -> Actors:
    """Make the actors of ``specs`` and connect them; none has started yet.

    Who does so again and again with the same ones keeps their ``Layout`` for it.
    """
    layout = specs if isinstance(specs, Layout) else Layout(specs)
    actors = {one.spec: _actor_of(one, system.throughput, life, inner) for one in layout.stages}
    windows = inner.windows if inner is not None else layout.windows(system.window)
    in_steps = system.blocking.in_steps
    for stage in layout.stages:
        actor, window = actors[stage.spec], windows[stage.spec]
        logic = actor.logic
        logic.window = window
        logic.in_steps = in_steps
        if stage.frugal:
            logic.be_frugal()
        for inlet, ref in zip(logic.inlets, stage.inputs, strict=True):
            inlet.window = window
            inlet.forgiving |= stage.forgiving or (inner is not None and inner.forgiving)
            if ref.spec.lent is not None:
                borrow(life, ref.spec.lent, actor.name, InletLine(actor, inlet), inlet)
            elif ref is not OPEN:
                feeder = actors[ref.spec]
                outlet = feeder.logic.outlets[ref.index]
                inlet.feeder = (feeder.name, outlet.name)
                connect(life, feeder, outlet, actor, inlet)
    if layout.has_loops:
        watch_loops(layout.specs, actors)
    return actors


def _actor_of(
    stage: Planned, throughput: int | None, life: Life, inner: Inner | None
) -> StageActor:
    """The actor of ``stage``, with a fresh logic."""
    spec, name = stage.spec, stage.name
    logic = None
    if inner is not None:
        name, logic = f"{name}#{inner.number}", inner.made.get(spec)
    actor = StageActor(  # without keywords, which to make an instance with takes twice as long
        logic or stage.make(),
        life,
        name,
        spec.kind,
        stage.site,
        stage.dispatcher,
        spec.attributes.throughput or throughput,
    )
    if inner is not None:
        actor.place = stage.name
    actor.logic.on_failure = stage.on_failure
    actor.logic.remake = stage.make
    made: object = actor.logic
    if isinstance(made, Drawing) and isinstance(life, RunLife):
        made.drawer = Drawer(actor, life)
    return actor


def connect(
    life: Life, feeder: StageActor, outlet: Outlet, actor: StageActor, inlet: Inlet
) -> None:
    """Make the link from ``outlet`` of ``feeder`` to ``inlet`` of ``actor``."""
    down: Downstream = InletLine(actor, inlet)
    if inlet.forgiving:
        down = ForgivingLine(actor, inlet, actor.forgive)
    up: Upstream = OutletLine(feeder, outlet)
    if life.monitored:
        down, up = monitored_lines(life, (feeder.name, actor.name), down, up)
    outlet.connect(down)
    inlet.connect(up)


def borrow(life: Life, lent: Lent, name: str, down: Downstream, inlet: Inlet) -> None:
    """Feed ``inlet`` of stage ``name``, to which ``down`` leads, from an outlet that was lent."""
    feeds_another(lent.run_life, life.activity)  # type: ignore[arg-type]  # a run's is its life
    names = (lent.owner_name, name)
    lent.claim(down, inlet, partial(monitored_lines, life, names) if life.monitored else None)


def start(
    system: ActorSystem, life: RunLife, actors: Actors, sinks: Sequence[StreamEnd], single: bool
) -> None:
    """Start all ``actors``; from here on its run ends when they all have.

    If one cannot be started, those that were are ended, and what it raised is raised.
    """
    stages, started = list(actors.values()), 0
    try:
        life.begin(stages, sinks, single=single)
        for actor in stages:
            system.adopt(actor)
            started += 1
    except BaseException as error:
        life.note_failure(error)
        living = system.children()  # Ctrl-C may have come when the last one had been started
        for number, actor in enumerate(stages):
            if number < started or actor in living:
                actor.post(partial(actor.logic.end, error))
            else:
                _refuse(system, life, actor, error)
        raise


def start_serving(system: ActorSystem, life: RunLife, actors: Actors) -> None:
    """``start`` for a subscriber, who hears it by a signal if that is not possible (1.9)."""
    with suppress(Exception):
        start(system, life, actors, (), single=True)


def _refuse(system: ActorSystem, life: Life, actor: StageActor, error: BaseException) -> None:
    """``actor`` will have no turn: whoever waits for its first one is told here, and its end."""
    actor._system_ = system
    if (before_start := actor.before_start) is not None:
        actor.before_start = None
        before_start()
        actor.logic.end(error)
    actor._close_(error)
    life.stage_ended(actor)
