"""Chains: an inner stream that is a source and perhaps operators, one after the other.

A run may start a million inner streams, and most are chains. So the members of a chain are made in
one pass over its stages, without the walks, checks and layouts that other graphs need.

The island of a stage depends on what may block:

- a chain joins the island of its host if no stage can block, or if the user has fused it with a
  source that cannot block;
- any other chain has islands of its own. A stage that may block shares an island with neighbours
  that cannot block, and with stages that are fused with it. A source that may block is alone: its
  earlier elements go on during the wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from actors_rs.engine.assembly import accept_handoff, automate, let_run_inline
from actors_rs.engine.inner.inner_links import inner_links_of
from actors_rs.engine.island import Island
from actors_rs.engine.links import connect
from actors_rs.engine.member import Member
from actors_rs.engine.timing import SAMPLED
from actors_rs.graph.names import unique_names
from actors_rs.graph.spec import OPEN, OutletRef, StageSpec
from actors_rs.stages.ports import Inlet
from actors_rs.stages.stage import StageLogic

if TYPE_CHECKING:
    from actors_rs.engine.contract import Scope

__all__ = ["chain_of", "members_of"]

_FREE = frozenset(
    (
        *("kind", "make", "inputs", "name", "outflow_window"),
        *("gathers", "assembled_at", "target", "fuse"),
    )
)
"""What stages of a chain may say of themselves; all else makes it a graph like any other."""
_DEFAULTS = {field.name: field.default for field in fields(StageSpec)}


def chain_of(end: StageSpec) -> list[StageSpec] | None:
    """The stages of the stream that ends with ``end``; ``None`` if it is more than a chain."""
    chain, spec = [end], end
    while _is_plain(spec):
        if not (inputs := spec.inputs):
            break
        if len(inputs) != 1:
            return None
        spec = inputs[0].spec
        chain.append(spec)
    else:
        if spec.handoff is None:
            return None
    if spec is OPEN.spec:
        return None
    chain.reverse()
    return chain


def _is_plain(spec: StageSpec) -> bool:
    given = spec.__dict__
    if given.keys() <= _FREE:
        return True
    return all(given[name] == _DEFAULTS[name] for name in given.keys() - _FREE)


def members_of(
    host: Member, scope: Scope, chain: Sequence[StageSpec], out: OutletRef, inlet: Inlet
) -> list[Member]:
    """The members of ``chain``, connected up to ``inlet`` of ``host``; in the host's turn."""
    number, handoff = scope.next_inner(), chain[0].handoff
    specs = chain if handoff is None else chain[1:]
    logics = [spec.make() for spec in specs]
    places = _names_of(tuple([spec.label for spec in specs]))
    names = [f"{place}#{number}" for place in places]
    island: Any = host.island if _joins_host(chain, logics) else None
    islands = [island] * len(specs) if island else _own_islands(scope, host, chain, logics, names)
    members = []
    for spec, logic, place, name, island in zip(specs, logics, places, names, islands, strict=True):
        member = Member(logic, scope, island, name, spec.kind, spec.site or host.site)
        member.inner_label = place
        member.inner_links = inner_links_of(host, spec, out)
        member.clock.until_sample = SAMPLED  # most inner streams end before
        let_run_inline(member)
        members.append(member)
    for island in dict.fromkeys(islands):
        if island is not host.island:
            island.begin_with(*(one for one in members if one.island is island))
    _set_up(host, chain, members, inlet)
    if handoff is not None:
        accept_handoff(handoff, members[0], members[0].logic.inlets[0])
    for feeder, fed in pairwise(members):
        connect(feeder, feeder.logic.outlets[0], fed, fed.logic.inlets[0])
    connect(members[-1], members[-1].logic.outlets[0], host, inlet)
    return members


@lru_cache(maxsize=256)
def _names_of(labels: tuple[str, ...]) -> list[str]:
    return unique_names(labels)


def _joins_host(chain: Sequence[StageSpec], logics: Sequence[StageLogic]) -> bool:
    """Whether the host's island runs it all: it never blocks, or the user has fused it."""
    if all(logic.never_waits for logic in logics):
        return True
    if chain[0].handoff is None and not logics[0].never_waits:
        return False
    fuse = chain[-1].fuse
    return fuse is not None and all(s.fuse is fuse for s in chain if s.handoff is None)


def _own_islands(
    scope: Scope,
    host: Member,
    chain: Sequence[StageSpec],
    logics: Sequence[StageLogic],
    names: Sequence[str],
) -> list[Island]:
    """The island of each stage."""
    throughput = host.system.throughput
    specs = chain[-len(logics) :]
    islands: list[Island] = []
    blocks = False  # whether a stage of the latest island may
    for place, (spec, logic) in enumerate(zip(specs, logics, strict=True)):
        waits = not logic.never_waits
        fused = place > 0 and spec.fuse is not None and spec.fuse is specs[place - 1].fuse
        behind_source = place == 1 and not specs[0].inputs and blocks
        if not islands or behind_source or (blocks and waits and not fused):
            islands.append(Island(scope, names[place], "pool", throughput))
            blocks = False
        else:
            islands.append(islands[-1])
        blocks = blocks or waits
    return islands


def _set_up(
    host: Member, chain: Sequence[StageSpec], members: Sequence[Member], inlet: Inlet
) -> None:
    """Settings that come from the host, and the window of each inlet, see ``windows_of``."""
    own, flowing = inlet.window, 0
    in_steps, auto = host.system.blocking.in_steps, host.logic.auto
    forgiving = inlet.forgiving
    logics = iter(members)
    for spec in chain:
        window = flowing or own
        if spec.handoff is None:
            member = next(logics)
            logic = member.logic
            if forgiving:
                member.forgiving = True  # else the class has it
            logic.window, logic.auto, logic.in_steps = window, auto, in_steps
            for one in logic.inlets:
                one.window, one.forgiving = window, forgiving
                if auto:
                    automate(member, one)
        said = spec.window_behind(window)
        flowing = flowing if said is None else said
    inlet.window = min(own, flowing or own)
    if auto:
        automate(host, inlet)
