"""Inner streams: sources that a stage starts while it runs.

An inner stream is a part of the run of the stage that attached it. Its actors join the run before
they start, end when their outlet is cancelled, and drain when the run drains. They leave the run
when they have ended, so that a run may start any number of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.engine.assembly import Inner, accept_handoff, automate, end, prepare
from actors_rs.engine.inner.chains import chain_of, members_of
from actors_rs.engine.inner.handoff import Handoff
from actors_rs.engine.inner.inner_links import inner_links_of
from actors_rs.engine.layout import windows_of
from actors_rs.engine.links import connect
from actors_rs.engine.member import Member
from actors_rs.engine.timing import SAMPLED
from actors_rs.errors import InvalidArgumentError
from actors_rs.graph.blueprint import check_source, in_order
from actors_rs.graph.spec import OutletRef, StageSpec, handoff_spec
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
    from actors_rs.engine.contract import Scope

__all__ = ["at_hand", "attach", "handoff", "outlet_of"]


def attach(host: Member, scope: Scope, source: object, inlet: Inlet) -> None:
    """Start ``source`` as a part of ``scope``, feeding ``inlet`` of ``host``; in the host's turn.

    See ``StageContext.attach``. If the system has shut down meanwhile, the stream fails with
    ``RunCancelled``.
    """
    out = outlet_of(source)
    spec = out.spec
    inlet.forgiving |= host.forgiving
    inlet.on_drop = host.logic.on_lost  # a section also accounts for elements dropped here
    if spec.handoff is not None:
        if host.logic.auto:
            automate(host, inlet)
        accept_handoff(spec.handoff, host, inlet)
        return
    chain = chain_of(spec)
    if chain is not None:
        members = members_of(host, scope, chain, out, inlet)
    else:
        members = _members_of_graph(host, scope, out, inlet)
    if not _start(host, scope, members):
        inlet.complete(scope.cancelled_error())


def _members_of_graph(host: Member, scope: Scope, out: OutletRef, inlet: Inlet) -> list[Member]:
    """The members of a stream of any shape, connected to ``inlet``; the planner forms islands."""
    specs = in_order([out.spec])
    check_source(specs, out)
    tail = StageSpec("inner", make=StageLogic, inputs=(out,))  # stands for the host
    windows = windows_of([*specs, tail], inlet.window)
    inlet.window = min(inlet.window, windows[tail])
    inner = Inner(scope.next_inner(), windows, host.logic.auto, inlet.forgiving)
    members = prepare(host.system, scope, specs, inner)
    for one, member in members.items():
        member.inner_links = inner_links_of(host, one, out)
        member.clock.until_sample = SAMPLED  # most inner streams end before
    if host.logic.auto:
        automate(host, inlet)
    feeder = members[out.spec]
    connect(feeder, feeder.logic.outlets[out.index], host, inlet)
    return list(members.values())


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
    return OutletRef(handoff_spec(stage.site, Handoff(stage, outlet, owner)))


def _start(host: Member, scope: Scope, members: Sequence[Member]) -> bool:
    """Start ``members``, which belong to ``scope`` from before the first starts.

    False if the system has shut down: it tells those to stop that were started before.
    """
    scope.join(members)
    here = host.island
    islands: dict[Any, None] = {}
    for member in members:
        if member.island is here:
            if scope.draining:
                member.drain()
            here.add(member)
        else:
            islands[member.island] = None
    return not islands or _start_islands(host, scope, members, list(islands))


def _start_islands(
    host: Member, scope: Scope, members: Sequence[Member], islands: Sequence[Any]
) -> bool:
    for number, island in enumerate(islands):
        try:
            host.system.adopt(island)
        except BaseException as error:
            for left in members:
                if left.island in islands[number:]:
                    left.ended = left.has_left = True
                    scope.stage_ended(left)
            if isinstance(error, InvalidArgumentError):
                return False
            for started in islands[:number]:  # there was no thread for the next one
                end(started, error)
            raise
    return True
