"""Inner streams: sources that a stage starts while it runs.

An inner stream is a part of the run of the stage that attached it: its actors join the run before
they start, end when their outlet is cancelled, drain when the run drains, and leave the run's
books when they have ended, so that a run may start any number of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.errors import InvalidArgumentError
from actors_rs.graph.blueprint import OutletRef, StageSpec, check_source, in_order, lent_spec
from actors_rs.graph.inner_links import links_of
from actors_rs.graph.layout import windows_of
from actors_rs.graph.lent import Lent
from actors_rs.graph.materializer import Inner, borrow, connect, prepare
from actors_rs.graph.nesting import chain_within, nest
from actors_rs.graph.signals import InletLine
from actors_rs.stages.handoff import OutletOwner
from actors_rs.stages.iterators import not_ended
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.sources.from_iterable import IterableSource
from actors_rs.stages.sources.of import SequenceSource, is_sliced
from actors_rs.stages.stage import StageLogic, Stream
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.graph.life import Life
    from actors_rs.graph.shell import StageActor

__all__ = ["at_hand", "attach", "outlet_of", "source_of"]


def attach(host: StageActor, life: Life, source: object, inlet: Inlet) -> None:
    """Start ``source`` as a part of ``life``, feeding ``inlet`` of ``host``; in the host's turn.

    See ``StageContext.attach``. If the system has shut down meanwhile, the stream fails with
    ``RunCancelled``.
    """
    out = outlet_of(source)
    spec = out.spec
    inlet.on_drop = host.logic.on_lost  # in a section, what is dropped here is accounted for too
    if spec.lent is not None:
        borrow(life, spec.lent, host.name, InletLine(host, inlet), inlet)
        return
    chain, made = chain_within(spec)
    if chain is not None:
        nest(host, life, chain, out, inlet)
        return
    specs = in_order([spec])
    check_source(specs, out)
    tail = StageSpec("inner", make=StageLogic, inputs=(out,))  # stands for the host
    windows = windows_of([*specs, tail], inlet.window)
    inlet.window = min(inlet.window, windows[tail])
    inner = Inner(life.next_inner(), windows, inlet.forgiving, made)
    actors = prepare(host.system, life, specs, inner)
    for one, actor in actors.items():
        actor.inner_links = links_of(host, one, out)
    feeder = actors[spec]
    outlet = feeder.logic.outlets[out.index]
    inlet.feeder = (feeder.name, outlet.name)
    connect(life, feeder, outlet, host, inlet)
    if not _start(host, life, list(actors.values())):
        inlet.complete(life.cancelled_error())


def outlet_of(source: object) -> OutletRef:
    """Where the elements of ``source`` come from; ``TypeError`` if it is no stream."""
    if isinstance(source, Stream):
        return source._out  # type: ignore[attr-defined, no-any-return]  # a Flow's
    if not isinstance(source, Iterable):
        raise TypeError(f"an inner stream: expected a Source or an iterable, got {repr_of(source)}")
    make: Callable[[], Any]
    if is_sliced(source):
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


def source_of(stage: StageActor, outlet: Outlet, owner: OutletOwner) -> Any:
    """A ``Source`` of what ``stage`` emits to ``outlet``; in its turn."""
    from actors_rs.graph.dsl.flow import Flow

    return Flow(OutletRef(lent_spec(stage.site, Lent(stage, outlet, owner))))


def _start(host: StageActor, life: Life, actors: Sequence[StageActor]) -> bool:
    """Start ``actors``, which belong to ``life`` from before the first of them starts.

    False if the system has shut down: it tells those to stop that were started before.
    """
    life.join(actors)
    for number, actor in enumerate(actors):
        try:
            host.system.adopt(actor)
        except BaseException as error:
            for left in actors[number:]:
                life.stage_ended(left)
            if isinstance(error, InvalidArgumentError):
                return False
            for started in actors[:number]:  # there was no thread for the one behind them
                started.post(partial(started.logic.end, error))
            raise
    return True
