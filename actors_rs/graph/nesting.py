"""Which inner streams run within their host's actor, and how they are linked there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from actors_rs.graph.blueprint import Attributes, OutletRef, StageSpec
from actors_rs.graph.inner_links import links_of
from actors_rs.graph.materializer import borrow
from actors_rs.graph.monitored import monitored_lines
from actors_rs.graph.nest import Nest, Nested
from actors_rs.graph.signals import Signal
from actors_rs.stages.ports import Downstream, Frame, Inlet, Outlet, Upstream
from actors_rs.stages.stage import StageLogic

if TYPE_CHECKING:
    from actors_rs.graph.life import Life
    from actors_rs.graph.shell import StageActor

__all__ = ["Chain", "chain_within", "nest"]

Chain = list[tuple[StageSpec, StageLogic | None]]
"""A source, then perhaps an operator, each with its logic; a source that was lent has none."""


def chain_within(end: StageSpec) -> tuple[Chain | None, dict[StageSpec, StageLogic]]:
    """What is to run within the host if ``end`` is the last stage; ``None`` if actors are to.

    That is a source which never blocks, and what the user had fused behind one. What a source gives
    that blocks could not leave the host before the next element. Also the logics that were made to
    find out.
    """
    made: dict[StageSpec, StageLogic] = {}
    if end.attributes != Attributes() or end.outlets != 1:
        return None, made
    if not end.inputs:
        made[end] = logic = end.make()
        return ([(end, logic)] if logic.within else None), made
    head = end.inputs[0].spec
    if not end.fused or head.inputs or head.outlets != 1 or head.attributes != Attributes():
        return None, made
    source = None
    if head.lent is None:
        made[head] = source = head.make()
        if not source.within or head.carrier is not None:
            return None, made
    made[end] = end.make()
    return [(head, source), (end, made[end])], made


def nest(host: StageActor, life: Life, chain: Chain, out: OutletRef, inlet: Inlet) -> None:
    """Run ``chain`` within ``host``, feeding ``inlet`` of it; in the host's turn."""
    if host.nest is None:
        host.nest = Nest()
    number = life.next_inner()
    nested = [
        Nested(host, host.nest, life, logic, spec, number, links_of(host, spec, out))
        for spec, logic in chain
        if logic is not None
    ]
    _set_windows(chain, inlet)
    first, lent = nested[0], chain[0][0].lent
    if lent is not None:
        entry = first.logic.inlets[0]
        borrow(life, lent, first.name, _WakingLine(host, first, entry), entry)
    for feeder, fed in zip(nested, [*nested[1:], None], strict=True):
        _link(life, feeder, fed, inlet if fed is None else fed.logic.inlets[0], host.name)
    host.nest.living.update(dict.fromkeys(nested))
    life.nested_begins(nested)
    for one in nested:
        if life.draining:
            one.act(one.logic.drain)
        one.wake()


def _set_windows(chain: Chain, inlet: Inlet) -> None:
    """Let each inlet keep requested what the host's does, less behind a source of heavy ones."""
    for spec, logic in chain:
        if logic is not None:
            logic.window = inlet.window
            for own in logic.inlets:
                own.window, own.forgiving = inlet.window, inlet.forgiving
        if said := spec.window_behind(inlet.window):
            inlet.window = min(inlet.window, said)


def _link(life: Life, feeder: Nested, fed: Nested | None, inlet: Inlet, host: str) -> None:
    outlet = feeder.logic.outlets[0]
    inlet.feeder = (feeder.name, outlet.name)
    down: Downstream = _Down(inlet, fed)
    up: Upstream = _Up(outlet, feeder)
    if life.monitored:
        down, up = monitored_lines(life, (feeder.name, host if fed is None else fed.name), down, up)
    outlet.connect(down)
    inlet.connect(up)


class _Down:
    """The way from a nested logic's outlet to an inlet in the same actor."""

    __slots__ = ("_fed", "_inlet")

    def __init__(self, inlet: Inlet, fed: Nested | None) -> None:
        self._inlet = inlet
        self._fed = fed  # whose inlet it is; None: the host's, which is advanced anyway

    def push(self, frame: Frame, /) -> None:
        self._inlet.push(frame)
        if self._fed is not None:
            self._fed.wake()

    def complete(self) -> None:
        self._end(None)

    def fail(self, error: BaseException, /) -> None:
        self._end(error)

    def _end(self, error: BaseException | None) -> None:
        self._inlet.complete(error)
        if self._fed is not None:
            self._fed.wake()


class _Up:
    """The way from an inlet to the outlet of a nested logic in the same actor."""

    __slots__ = ("_nested", "_outlet")

    def __init__(self, outlet: Outlet, nested: Nested) -> None:
        self._outlet = outlet
        self._nested = nested

    def request(self, n: int, /) -> None:
        self._outlet.request(n)
        self._nested.wake()

    def cancel(self, cause: BaseException | None = None, /) -> None:
        self._outlet.cancel(cause)
        self._nested.wake()


class _WakingLine:
    """The way from an outlet of another actor to the inlet of a nested logic. Any thread."""

    __slots__ = ("_inlet", "_mailbox", "_nested")
    any_thread = True

    def __init__(self, host: StageActor, nested: Nested, inlet: Inlet) -> None:
        self._mailbox = host.actor_inbox
        self._nested = nested
        self._inlet = inlet

    def push(self, frame: Frame, /) -> None:
        if not self._mailbox.offer(_Arrived(self._nested, self._inlet, frame)):
            self._inlet.drop(frame)

    def complete(self) -> None:
        self._mailbox.offer(_Ended(self._nested, self._inlet, None))

    def fail(self, error: BaseException, /) -> None:
        ended = _Ended(self._nested, self._inlet, error)
        if not self._mailbox.offer(ended):
            ended.dropped()


class _Arrived(Signal):
    __slots__ = ("_frame", "_inlet", "_nested")

    def __init__(self, nested: Nested, inlet: Inlet, frame: Frame) -> None:
        self._nested = nested
        self._inlet = inlet
        self._frame = frame

    def deliver(self) -> None:
        self._inlet.push(self._frame)
        self._nested.wake()

    def dropped(self) -> None:
        self._inlet.drop(self._frame)


class _Ended(Signal):
    __slots__ = ("_error", "_inlet", "_nested")

    def __init__(self, nested: Nested, inlet: Inlet, error: BaseException | None) -> None:
        self._nested = nested
        self._inlet = inlet
        self._error = error

    def deliver(self) -> None:
        if self._nested.over:  # as an actor of its own, which would get no message any more
            self.dropped()
            return
        self._inlet.complete(self._error)
        self._nested.wake()

    def dropped(self) -> None:
        if self._error is not None and self._inlet.on_unheard is not None:
            self._inlet.on_unheard(self._error)
