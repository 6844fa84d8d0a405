"""From planned stages to islands: make their members and connect the ports; nothing starts yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, cast

from actors_rs.engine.contract import Scope
from actors_rs.engine.inner.handoff import Handoff
from actors_rs.engine.inner.inline import InlineStreams
from actors_rs.engine.island import Island
from actors_rs.engine.layout import Layout, Planned
from actors_rs.engine.links import MailboxDownstream, connect
from actors_rs.engine.member import Member
from actors_rs.engine.monitored import monitored_lines
from actors_rs.engine.run.scope import RunScope
from actors_rs.engine.watching.loop_watch import watch_loops
from actors_rs.engine.watching.stall_watch import feeds_another
from actors_rs.graph.spec import OPEN, HandedOutlet, StageSpec
from actors_rs.runtime.system.system import ActorSystem
from actors_rs.stages.chunks.auto_window import auto_window_of
from actors_rs.stages.chunks.weights import weight_of
from actors_rs.stages.failure import STOP
from actors_rs.stages.inner.inline import RunsInline
from actors_rs.stages.ports import Inlet
from actors_rs.stages.stage import StageLogic

__all__ = ["Inner", "Members", "accept_handoff", "automate", "end", "let_run_inline", "prepare"]

Members = dict[StageSpec, Member]


@dataclass(frozen=True, slots=True)
class Inner:
    """Settings for the stages of an inner stream.

    ``number`` makes their names unique. ``windows`` gives the window of each stage, with ``auto``
    the most of it. With ``forgiving``, a stage that fails after its cancellation does not fail the
    run.
    """

    number: int
    windows: Mapping[StageSpec, int]
    auto: bool
    forgiving: bool


def prepare(
    system: ActorSystem,
    scope: Scope,
    specs: Layout | Sequence[StageSpec],
    inner: Inner | None = None,
) -> Members:
    """Make the islands of ``specs`` and connect their members; none has started yet.

    Pass a ``Layout`` to do this many times for the same stages.
    """
    layout = specs if isinstance(specs, Layout) else Layout(specs)
    members: Members = {}
    for stages in layout.islands:
        _make_island(stages, system.throughput, scope, inner, members)
    windows = inner.windows if inner is not None else layout.windows(system.window)
    automatic = layout.automatic(
        system.auto_window if inner is None else inner.auto, limited=system.memory is not None
    )
    by_pace = automatic if system.memory is None else layout.automatic(system.auto_window)
    in_steps = system.blocking.in_steps
    for stage in layout.stages:
        member, window = members[stage.spec], windows[stage.spec]
        logic = member.logic
        logic.window = window
        if stage.spec in automatic:
            logic.auto = True
            weigh = stage.spec.attributes.weight
            logic.weigh = None if weigh is None else partial(_weighed, member, weigh)
            if system.memory is not None and stage.spec not in by_pace:
                _follow_weight(logic)
        logic.in_steps = in_steps
        if stage.forgiving or (inner is not None and inner.forgiving):
            member.forgiving = True  # else the class has it: a member's dict takes 0.3 KiB
        if stage.expensive:
            logic.expect_expensive()
        for inlet, ref in zip(logic.inlets, stage.inputs, strict=True):
            inlet.window = window
            if logic.auto and ref.spec.loop is None:  # the buffer of a loop holds all that is in it
                automate(member, inlet)
            inlet.forgiving |= member.forgiving
            if ref.spec.handoff is not None:
                accept_handoff(ref.spec.handoff, member, inlet)
            elif ref is not OPEN:
                feeder = members[ref.spec]
                connect(feeder, feeder.logic.outlets[ref.index], member, inlet)
    if layout.has_loops:
        watch_loops(layout.specs, members)
    return members


def _follow_weight(logic: StageLogic) -> None:
    """Under a limit of memory, a window that is a number follows the weight and no pace."""
    if logic.window_follows == "pace":
        logic.window_follows = "weight"


def _make_island(
    stages: Sequence[Planned],
    throughput: int | None,
    scope: Scope,
    inner: Inner | None,
    members: Members,
) -> None:
    """Add the members for ``stages``, with fresh logics, in an island of their own."""
    first = stages[0]
    number = "" if inner is None else f"#{inner.number}"
    names = [f"{stage.name}{number}" for stage in stages]
    throughput = first.spec.attributes.throughput or throughput
    island = Island(scope, names[0], first.dispatcher, throughput)
    for stage, name in zip(stages, names, strict=True):
        members[stage.spec] = _member_of(stage, name, scope, island, inner)
    island.begin_with(*(members[stage.spec] for stage in stages))


def _member_of(
    stage: Planned, name: str, scope: Scope, island: Island, inner: Inner | None
) -> Member:
    spec = stage.spec
    member = Member(stage.make(), scope, island, name, spec.kind, stage.site)
    if inner is not None:
        member.inner_label = stage.name
    if stage.spec.total is not None:
        member.logic.total = stage.spec.total
    if stage.on_failure is not STOP:  # else it is never made anew, and its blueprint can go
        member.logic.on_failure, member.logic.remake = stage.on_failure, stage.make
    let_run_inline(member)
    return member


def let_run_inline(member: Member) -> None:
    """Let a stage run simple inner streams inline, outside of sections."""
    logic: object = member.logic
    if isinstance(logic, RunsInline) and isinstance(member.scope, RunScope):
        logic.inline_streams = InlineStreams(member, member.scope)


def automate(member: Member, inlet: Inlet) -> None:
    """Let the window of ``inlet``, which is the most then, follow the pace of ``member``."""
    logic, share = member.logic, member.memory_share()
    follows = logic.window_follows
    if follows == "own" or (follows == "memory" and share is None):
        return
    if share is None:
        inlet.follow(member)
        return
    inlet.auto = auto_window_of(logic, member.island.budget, inlet.window, share)
    inlet.window = 1  # the first element may be larger than the limit


def _weighed(member: Member, weigh: Callable[[Any], float], element: Any) -> float:
    """Bytes of ``element`` as the user says, who may be wrong."""
    try:
        weight = float(weigh(element))
        if weight == inf:
            raise ValueError("expected bytes, got infinity")
        return max(0.0, weight)
    except Exception as error:
        member.report(element, "weight= raised; the element goes on, weighed as any other", error)
        return weight_of(element)


def accept_handoff(described: HandedOutlet, member: Member, inlet: Inlet) -> None:
    """Feed ``inlet`` of ``member`` from the outlet, of another stage, that was handed over."""
    handoff, scope = cast(Handoff, described), member.scope
    feeds_another(handoff.run_scope, scope.activity)  # type: ignore[arg-type]  # a run is its own scope
    names = (handoff.owner_name, member.name)
    lines = partial(monitored_lines, scope, names) if scope.monitored else None
    handoff.claim(MailboxDownstream(member, inlet), inlet, lines)


def end(island: Island, error: BaseException) -> None:
    """Let all members of ``island`` end with ``error``. Any thread."""
    for member in island.members():
        member.post(partial(member.logic.end, error))
