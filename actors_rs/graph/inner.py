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
from actors_rs.graph.blueprint import OutletRef, StageSpec, check_source, in_order
from actors_rs.graph.lent import Lent
from actors_rs.graph.materializer import borrow, connect, prepare, unique_names, windows_of
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.sources.from_iterable import IterableSource
from actors_rs.stages.sources.of import SequenceSource
from actors_rs.stages.stage import StageLogic, Stream

if TYPE_CHECKING:
    from actors_rs.graph.run import Run
    from actors_rs.graph.shell import StageActor

__all__ = ["at_hand", "attach", "outlet_of", "source_of"]

MAY_BE_AT_HAND = frozenset({"of", "range", "from_iterable"})
"""Kinds of sources that may hold all their elements."""


def attach(
    host: StageActor, run: Run[Any], source: object, inlet: Inlet, alone: bool = False
) -> None:
    """Start ``source`` as a part of ``run``, feeding ``inlet`` of ``host``; in the host's turn.

    See ``StageContext.attach``. Raises ``RunCancelled`` if the system shuts down meanwhile.
    """
    out = outlet_of(source)
    specs = in_order([out.spec])
    check_source(specs, out)
    if out.spec.lent is not None:
        borrow(run, out.spec.lent, host, inlet)
        return
    tail = StageSpec("inner", make=StageLogic, inputs=(out,))  # stands for the host
    windows = windows_of([*specs, tail], inlet.window)
    inlet.window = min(inlet.window, windows[tail])
    number = run.next_inner()
    names = [f"{name}#{number}" for name in unique_names(spec.label for spec in specs)]
    actors = prepare(host.system, run, specs, names, windows, inlet.forgiving)
    feeder = actors[out.spec]
    connect(run, feeder, feeder.logic.outlets[out.index], host, inlet)
    _start(host, run, list(actors.values()))


def outlet_of(source: object) -> OutletRef:
    """Where the elements of ``source`` come from; ``TypeError`` if it is no stream."""
    if isinstance(source, Stream):
        return source._out  # type: ignore[attr-defined, no-any-return]  # a Flow's
    if not isinstance(source, Iterable):
        raise TypeError(f"an inner stream must be a Source or an iterable, got {source!r}")
    make: Callable[[], Any]
    if isinstance(source, list | tuple | range):
        make = partial(SequenceSource, source)
    else:
        make = partial(IterableSource, lambda: source)
    return OutletRef(StageSpec("iterable", make, outflow_window=0))


def at_hand(source: Stream) -> Sequence[Any] | None:
    """See ``StageContext.at_hand``."""
    spec = outlet_of(source).spec
    if spec.kind not in MAY_BE_AT_HAND or spec.inputs:
        return None
    logic = spec.make()
    return logic.elements if isinstance(logic, SequenceSource) else None


def source_of(
    owner: StageActor, outlet: Outlet, name: str, when_claimed: Callable[[], None]
) -> Any:
    """A ``Source`` of what ``owner`` emits to ``outlet``; in the owner's turn."""
    from actors_rs.graph.dsl.flow import Flow

    lent = Lent(owner, outlet, name, when_claimed)
    spec = StageSpec(name, make=StageLogic, outflow_window=0, site=owner.site, lent=lent)
    return Flow(OutletRef(spec))


def _start(host: StageActor, run: Run[Any], actors: Sequence[StageActor]) -> None:
    """Start ``actors``, which belong to ``run`` from before the first of them starts.

    A system that shuts down tells those to stop that were started; the others never were.
    """
    run.join(actors)
    for number, actor in enumerate(actors):
        try:
            host.system.adopt(actor)
        except InvalidArgumentError as refused:
            for left in actors[number:]:
                run.stage_ended(left)
            raise run.cancelled_error() from refused
