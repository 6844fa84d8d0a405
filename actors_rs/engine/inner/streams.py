"""Inner streams: sources that a stage starts while it runs.

An inner stream is a part of the run of the stage that attached it: its actors join the run before
they start, end when their outlet is cancelled, drain when the run drains, and leave the run's
books when they have ended, so that a run may start any number of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from actors_rs.engine.assembly import Inner, automate, borrow, end, prepare
from actors_rs.engine.inner.handoff import Lent
from actors_rs.engine.inner.inner_links import links_of
from actors_rs.engine.layout import windows_of
from actors_rs.engine.links import connect
from actors_rs.engine.member import Member
from actors_rs.errors import InvalidArgumentError
from actors_rs.graph.blueprint import check_source, in_order
from actors_rs.graph.spec import PLAIN, OutletRef, StageSpec, lent_spec
from actors_rs.stages.calls.async_elements import is_async_only
from actors_rs.stages.inner.handoff import OutletOwner
from actors_rs.stages.iterators import not_ended
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.sources.from_async_iterable import AsyncIterableSource
from actors_rs.stages.sources.from_iterable import IterableSource
from actors_rs.stages.sources.of import SequenceSource, is_sliced
from actors_rs.stages.stage import StageLogic, Stream
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.engine.contract import Life

__all__ = ["at_hand", "attach", "handoff", "outlet_of"]


def attach(host: Member, life: Life, source: object, inlet: Inlet) -> None:
    """Start ``source`` as a part of ``life``, feeding ``inlet`` of ``host``; in the host's turn.

    See ``StageContext.attach``. If the system has shut down meanwhile, the stream fails with
    ``RunCancelled``.
    """
    out = outlet_of(source)
    spec = out.spec
    inlet.forgiving |= host.forgiving
    inlet.on_drop = host.logic.on_lost  # in a section, what is dropped here is accounted for too
    if spec.lent is not None:
        if host.logic.auto:
            automate(host, inlet)
        borrow(spec.lent, host, inlet)
        return
    chain, made = _chain_that_joins(spec)
    if chain is not None:
        _join(host, life, chain, out, inlet)
        return
    specs = in_order([spec])
    check_source(specs, out)
    tail = StageSpec("inner", make=StageLogic, inputs=(out,))  # stands for the host
    windows = windows_of([*specs, tail], inlet.window)
    inlet.window = min(inlet.window, windows[tail])
    inner = Inner(life.next_inner(), windows, host.logic.auto, inlet.forgiving, made)
    members = prepare(host.system, life, specs, inner)
    for one, member in members.items():
        member.inner_links = links_of(host, one, out)
    if host.logic.auto:
        automate(host, inlet)
    feeder = members[spec]
    connect(feeder, feeder.logic.outlets[out.index], host, inlet)
    if not _start(host, life, list(members.values())):
        inlet.complete(life.cancelled_error())


_Chain = list[tuple[StageSpec, StageLogic | None]]
"""A source, then perhaps an operator, each with its logic; a source that was lent has none."""


def _chain_that_joins(end: StageSpec) -> tuple[_Chain | None, dict[StageSpec, StageLogic]]:
    """The stages that join the host's island if ``end`` is the last, and the logics made so far.

    A source that never blocks joins, and so do operators that the user fused with it. ``None``: the
    stream has islands of its own. The elements of a source that blocks could not leave the host
    before the next element comes.
    """
    made: dict[StageSpec, StageLogic] = {}
    specs = _fused_chain(end)
    if not specs:
        return None, made
    source = specs[0]
    if source.lent is None:
        made[source] = logic = source.make()
        if not logic.never_waits or (source.carrier is not None and len(specs) > 1):
            return None, made
    for spec in specs[1:]:
        made[spec] = spec.make()
    return [(spec, made.get(spec)) for spec in specs], made


def _fused_chain(end: StageSpec) -> list[StageSpec]:
    """The stages of a stream that is one chain, of a source alone or covered by one ``fuse()``.

    Empty for any other stream.
    """
    specs, spec = [], end
    while True:
        specs.append(spec)
        if spec.outlets != 1 or spec.attributes != PLAIN or (spec is not end and spec.boundary):
            return []
        if not spec.inputs:
            specs.reverse()
            return specs
        feeder = spec.inputs[0].spec
        if len(spec.inputs) != 1 or end.fuse is None:
            return []
        if feeder.fuse is not end.fuse and feeder.lent is None:
            return []
        spec = feeder


def _join(host: Member, life: Life, chain: _Chain, out: OutletRef, inlet: Inlet) -> None:
    """Run ``chain`` in the island of ``host``, feeding ``inlet`` of it; in the host's turn."""
    number = life.next_inner()
    members = [
        _member(host, life, logic, spec, number, out) for spec, logic in chain if logic is not None
    ]
    for member in members:
        member.forgiving = inlet.forgiving
    _set_windows(chain, inlet)
    if host.logic.auto:
        _automate(host, members, inlet)
    if (lent := chain[0][0].lent) is not None:
        borrow(lent, members[0], members[0].logic.inlets[0])
    for feeder, fed in pairwise(members):
        connect(feeder, feeder.logic.outlets[0], fed, fed.logic.inlets[0])
    connect(members[-1], members[-1].logic.outlets[0], host, inlet)
    life.join(members)
    island: Any = host.island
    for member in members:
        if life.draining:
            member.drain()
        island.add(member)


def _member(
    host: Member, life: Life, logic: StageLogic, spec: StageSpec, number: int, out: OutletRef
) -> Member:
    name = f"{spec.label}#{number}"
    member = Member(logic, life, host.island, name, spec.kind, spec.site or host.site)
    member.place = spec.label
    member.inner_links = links_of(host, spec, out)
    return member


def _set_windows(chain: _Chain, inlet: Inlet) -> None:
    """Give each inlet the window of the host's; a source of heavy elements makes it smaller."""
    for spec, logic in chain:
        if logic is not None:
            logic.window = inlet.window
            for own in logic.inlets:
                own.window, own.forgiving = inlet.window, inlet.forgiving
        if said := spec.window_behind(inlet.window):
            inlet.window = min(inlet.window, said)


def _automate(host: Member, members: Sequence[Member], inlet: Inlet) -> None:
    for member in members:
        member.logic.auto = True
        for own in member.logic.inlets:
            automate(member, own)
    automate(host, inlet)


def outlet_of(source: object) -> OutletRef:
    """Where the elements of ``source`` come from; ``TypeError`` if it is no stream."""
    if type(source) is OutletRef:
        return source
    if isinstance(source, Stream):
        return source._out  # type: ignore[attr-defined, no-any-return]  # a Flow's
    make: Callable[[], Any]
    if is_async_only(source):
        make = partial(AsyncIterableSource, lambda: source, "an inner stream")
    elif not isinstance(source, Iterable):
        raise TypeError(
            "an inner stream: expected a Source, an iterable or an async iterable, "
            f"got {repr_of(source)}"
        )
    elif is_sliced(source):
        make = partial(SequenceSource, source)
    else:
        not_ended(source, "an inner stream")
        make = partial(IterableSource, lambda: source)
    return OutletRef(StageSpec("iterable", make, outflow_window=0))


def at_hand(source: object) -> Sequence[Any] | None:
    """See ``StageContext.at_hand``."""
    if is_sliced(source):
        return source
    if not isinstance(source, Stream):
        return None
    make: Any = source._out.spec.make  # type: ignore[attr-defined]  # a Flow's
    # The one kind of source that holds all its elements is made so by the language.
    return make.args[0] if type(make) is partial and make.func is SequenceSource else None


def handoff(stage: Member, outlet: Outlet, owner: OutletOwner) -> OutletRef:
    """See ``StageContext.handoff``; in the turn of ``stage``."""
    return OutletRef(lent_spec(stage.site, Lent(stage, outlet, owner)))


def _start(host: Member, life: Life, members: Sequence[Member]) -> bool:
    """Start the islands of ``members``, which belong to ``life`` from before the first starts.

    False if the system has shut down: it tells those to stop that were started before.
    """
    life.join(members)
    islands: list[Any] = list(dict.fromkeys(member.island for member in members))
    for number, island in enumerate(islands):
        try:
            host.system.adopt(island)
        except BaseException as error:
            for left in members:
                if left.island in islands[number:]:
                    left.ended = left.has_left = True
                    life.stage_ended(left)
            if isinstance(error, InvalidArgumentError):
                return False
            for started in islands[:number]:  # there was no thread for the one behind them
                end(started, error)
            raise
    return True
