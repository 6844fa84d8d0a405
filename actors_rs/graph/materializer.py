"""From blueprint to running islands: make them, connect their members' ports, start them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from actors_rs.graph.contract import Life
from actors_rs.graph.drawer import Drawer
from actors_rs.graph.island import Island
from actors_rs.graph.layout import Layout, Planned
from actors_rs.graph.lent import Lent
from actors_rs.graph.links import MailboxDownstream, connect
from actors_rs.graph.loops import watch_loops
from actors_rs.graph.member import Member
from actors_rs.graph.monitored import monitored_lines
from actors_rs.graph.run import Run
from actors_rs.graph.run_life import RunLife
from actors_rs.graph.spec import OPEN, StageSpec
from actors_rs.graph.stall_watch import feeds_another
from actors_rs.runtime.system import ActorSystem
from actors_rs.stages.drawn import Drawing
from actors_rs.stages.ports import Inlet
from actors_rs.stages.stage import StageLogic, StreamEnd

__all__ = ["Inner", "Members", "borrow", "materialize", "prepare", "start_serving"]

Members = dict[StageSpec, Member]


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
    members = prepare(system, life, layout)
    logics = [members[spec].logic for spec in sinks if spec in members]
    start(
        system, life, members, [logic for logic in logics if isinstance(logic, StreamEnd)], single
    )
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
) -> Members:
    """Make the islands of ``specs`` and connect their members; none has started yet.

    Who does so again and again with the same ones keeps their ``Layout`` for it.
    """
    layout = specs if isinstance(specs, Layout) else Layout(specs)
    members = {one.spec: _island_of(one, system.throughput, life, inner) for one in layout.stages}
    windows = inner.windows if inner is not None else layout.windows(system.window)
    in_steps = system.blocking.in_steps
    for stage in layout.stages:
        member, window = members[stage.spec], windows[stage.spec]
        logic = member.logic
        logic.window = window
        logic.in_steps = in_steps
        member.forgiving = stage.forgiving or (inner is not None and inner.forgiving)
        if stage.frugal:
            logic.be_frugal()
        for inlet, ref in zip(logic.inlets, stage.inputs, strict=True):
            inlet.window = window
            inlet.forgiving |= member.forgiving
            if ref.spec.lent is not None:
                borrow(ref.spec.lent, member, inlet)
            elif ref is not OPEN:
                feeder = members[ref.spec]
                connect(feeder, feeder.logic.outlets[ref.index], member, inlet)
    if layout.has_loops:
        watch_loops(layout.specs, members)
    return members


def _island_of(stage: Planned, throughput: int | None, life: Life, inner: Inner | None) -> Member:
    """``stage``, with a fresh logic, as the one member of an island."""
    spec, name = stage.spec, stage.name
    logic = None
    if inner is not None:
        name, logic = f"{name}#{inner.number}", inner.made.get(spec)
    island = Island(life, name, stage.dispatcher, spec.attributes.throughput or throughput)
    member = Member(logic or stage.make(), life, island, name, spec.kind, stage.site)
    island.begin_with(member)
    if inner is not None:
        member.place = stage.name
    member.logic.on_failure = stage.on_failure
    member.logic.remake = stage.make
    made: object = member.logic
    if isinstance(made, Drawing) and isinstance(life, RunLife):
        made.drawer = Drawer(member, life)
    return member


def borrow(lent: Lent, member: Member, inlet: Inlet) -> None:
    """Feed ``inlet`` of ``member`` from an outlet that was lent."""
    life = member.life
    feeds_another(lent.run_life, life.activity)  # type: ignore[arg-type]  # a run's is its life
    names = (lent.owner_name, member.name)
    lines = partial(monitored_lines, life, names) if life.monitored else None
    lent.claim(MailboxDownstream(member, inlet), inlet, lines)


def start(
    system: ActorSystem, life: RunLife, members: Members, sinks: Sequence[StreamEnd], single: bool
) -> None:
    """Start the islands of ``members``; from here on its run ends when they all have.

    If one cannot be started, those that were are ended, and what it raised is raised.
    """
    stages = list(members.values())
    islands: list[Any] = list(dict.fromkeys(stage.island for stage in stages))
    started = 0
    try:
        life.begin(stages, sinks, single=single)
        for island in islands:
            system.adopt(island)
            started += 1
    except BaseException as error:
        life.note_failure(error)
        living = system.children()  # Ctrl-C may have come when the last one had been started
        for number, island in enumerate(islands):
            if number < started or island in living:
                end(island, error)
            else:
                _refuse(system, island, error)
        if isinstance(error.__cause__, KeyboardInterrupt):  # in a turn on this very thread
            raise error.__cause__ from None
        raise


def end(island: Island, error: BaseException) -> None:
    """Let all members of ``island`` end with ``error``. Any thread."""
    for member in island.members():
        member.post(partial(member.logic.end, error))


def start_serving(system: ActorSystem, life: RunLife, members: Members) -> None:
    """``start`` for a subscriber, who hears it by a signal if that is not possible (1.9)."""
    with suppress(Exception):
        start(system, life, members, (), single=True)


def _refuse(system: ActorSystem, island: Island, error: BaseException) -> None:
    """End ``island``, which will have no turn, and tell the subscriber that waits for the first."""
    island._system_ = system
    for member in island.members():
        if (before_start := member.before_start) is not None:
            member.before_start = None
            before_start()
            member.logic.end(error)
    island._close_(error)
    for member in island.members():
        member.ended = member.has_left = True
        member.life.stage_ended(member)
