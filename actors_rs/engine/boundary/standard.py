"""``system.publisher``, ``.subscriber`` and ``.processor``: blueprints as standard objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from actors_rs.engine.assembly import Members, prepare
from actors_rs.engine.boundary.fan_out import FanOut
from actors_rs.engine.boundary.foreign import (
    ForeignSubscriber,
    SubscriberEnd,
    check_subscriber,
    serve,
)
from actors_rs.engine.contract import Scope
from actors_rs.engine.layout import Layout
from actors_rs.engine.materializer import new_run, run_name, start, start_serving
from actors_rs.engine.monitored import monitored_subscriber
from actors_rs.engine.run.run import Run
from actors_rs.errors import GraphError, InvalidArgumentError
from actors_rs.graph.blueprint import check_source, in_order, open_inputs
from actors_rs.graph.envelopes import check_plain
from actors_rs.graph.results import Results
from actors_rs.graph.spec import OPEN, OutletRef, StageSpec, spec_of
from actors_rs.protocol.interfaces import Subscriber
from actors_rs.runtime._primitives import Lock
from actors_rs.runtime.system.system import ActorSystem
from actors_rs.stages.linear import SinkLogic
from actors_rs.stages.operators.identity import Identity
from actors_rs.stages.ports import Frame

__all__ = ["FlowProcessor", "SinkSubscriber", "SourcePublisher"]

T = TypeVar("T")
R = TypeVar("R")


class SourcePublisher(Generic[T]):
    """A Publisher of a source: cold, each subscriber gets a run of its own. Thread-safe."""

    def __init__(self, system: ActorSystem, out: OutletRef, name: str | None = None) -> None:
        if out.spec.handoff is not None:  # no stage of this run gives its elements
            out = OutletRef(spec_of("identity", Identity, out))
        self._system = system
        self._name = run_name("publisher", name)
        self._out = out
        specs = in_order([out.spec])
        check_source(specs, out, "publisher")
        self._layout = Layout(specs)

    def subscribe(self, subscriber: Subscriber[T], /) -> None:
        """Start a run for ``subscriber``; ``TypeError`` if it is none (1.9)."""
        check_subscriber(subscriber)
        if (over := _over(self._system)) is not None:
            _reject(self._system, subscriber, over)
            return
        scope = new_run(self._system, self._name)
        try:
            members = prepare(self._system, scope, self._layout)
        except GraphError as error:  # the one stream of a group has been run before
            _reject(self._system, subscriber, error)
            return
        _attach_subscriber(scope, members, self._out, subscriber)
        start_serving(self._system, scope, members)


class SinkSubscriber(SubscriberEnd[T], Generic[T, R]):
    """A Subscriber in front of a sink; ``run`` tells what came of it. Thread-safe."""

    def __init__(
        self,
        system: ActorSystem,
        ends: Sequence[StageSpec],
        results: Results,
        name: str | None = None,
    ) -> None:
        specs = in_order(ends)
        scope = new_run(system, run_name("subscriber", name))
        self.run: Run[R] = scope.run
        members = prepare(system, scope, specs)
        entry = _entry(specs)
        super().__init__(members[entry], members[entry].logic.inlets[entry.inputs.index(OPEN)])
        logics = [members[end].logic for end in ends]
        sinks = [logic for logic in logics if isinstance(logic, SinkLogic)]
        start(system, scope, members, sinks, results)


class FlowProcessor(SubscriberEnd[T], Generic[T, R]):
    """A flow as a Processor, for one publisher and any number of subscribers. Thread-safe.

    All subscribers get the same elements, each from the moment it subscribed, at the pace of the
    slowest. The publisher is asked for elements once all of them have requested some, and cancelled
    when the last one has cancelled. A subscriber that comes after the end receives that end.
    Subscribing an object that is subscribed ends the one stream it has with ``on_error``, as at a
    hub (1.10). A processor that never had a subscriber is cancelled with its system, or ends with
    the first element, since none was requested (1.1).
    """

    def __init__(self, system: ActorSystem, out: OutletRef, name: str | None = None) -> None:
        if out is OPEN:
            out = OutletRef(spec_of("identity", Identity, OPEN))
        specs = in_order([out.spec])
        _check_open_outlet(specs, out)
        check_plain(specs, "processor")
        entry = _entry(specs)
        self._scope = new_run(system, run_name("processor", name))
        self.run: Run[None] = self._scope.run
        self._system = system
        self._members: Members = prepare(system, self._scope, specs)
        self._started = Lock()  # held from the first subscriber on, or the first element
        self._last = self._members[out.spec]
        outlet = self._last.logic.outlets[out.index]
        serve(self._last, outlet)
        self._fan = FanOut(self._last, outlet)
        inlet = self._members[entry].logic.inlets[entry.inputs.index(OPEN)]
        inlet.room = None  # an asynchronous boundary: it requests its window
        super().__init__(self._members[entry], inlet)
        self._scope.await_begin(self._begin)  # so that its publisher is cancelled

    def on_next(self, element: T, /) -> None:
        """One element, not ``None`` (2.13)."""
        self._begin()  # or nobody would see that none was asked for (1.1)
        super().on_next(element)

    def on_frame(self, frame: Frame, /) -> None:
        """Several elements at once, from a publisher of ours."""
        self._begin()
        super().on_frame(frame)

    def _begin(self) -> None:
        """Start the stages without a subscriber, unless they were started."""
        if self._started.acquire(blocking=False):
            start_serving(self._system, self._scope, self._members)

    def subscribe(self, subscriber: Subscriber[R], /) -> None:
        """Give the results to ``subscriber`` too, from now on (1.9, 1.11)."""
        check_subscriber(subscriber)
        if (over := _over(self._system)) is not None:
            _reject(self._system, subscriber, over)
            return
        peer = subscriber
        if self._scope.monitored:
            peer = monitored_subscriber(self._scope, self._last, subscriber)
        if not self._started.acquire(blocking=False):
            self._fan.join(subscriber, peer)
            return
        self._last.before_start = partial(self._fan.admit, subscriber, peer)
        start_serving(self._system, self._scope, self._members)


def _attach_subscriber(
    scope: Scope, members: Members, out: OutletRef, subscriber: Subscriber[Any]
) -> None:
    member = members[out.spec]
    if scope.monitored:
        subscriber = monitored_subscriber(scope, member, subscriber)
    outlet = member.logic.outlets[out.index]
    serve(member, outlet)
    member.before_start = ForeignSubscriber(member, outlet, subscriber).begin


def _entry(specs: list[StageSpec]) -> StageSpec:
    """The one stage whose input is open."""
    entries = open_inputs(specs)
    if len(entries) != 1:
        last = specs[-1]
        names = "".join(f", at stage '{entry.label}'{entry.made}" for entry in entries)
        raise GraphError(
            f"stage '{last.label}'{last.made} must depend on exactly one open input, "
            f"got {len(entries)}{names}"
        )
    return entries[0]


def _check_open_outlet(specs: list[StageSpec], out: OutletRef) -> None:
    """Every outlet but ``out`` must feed an inlet, and one only."""
    fed = Counter(ref for spec in specs for ref in spec.inputs if ref is not OPEN)
    fed[out] += 1
    for spec in specs:
        for index in range(spec.outlets):
            times = fed[OutletRef(spec, index)]
            if times != 1:
                raise GraphError(
                    f"outlet {index} of stage '{spec.label}' must feed exactly one inlet, "
                    f"it feeds {times}{spec.made}"
                )


class _Rejection:
    """The subscription of a subscriber that is rejected at once."""

    def request(self, n: int, /) -> None:
        return

    def cancel(self) -> None:
        return


def _over(system: ActorSystem) -> Exception | None:
    """Why nothing can be started on ``system``, if it was shut down."""
    try:
        system._check_open()
    except InvalidArgumentError as error:
        return error
    return None


def _reject(system: ActorSystem, subscriber: Subscriber[Any], error: Exception) -> None:
    """The only way to refuse a subscriber: ``on_subscribe``, then ``on_error`` (1.9)."""
    try:
        subscriber.on_subscribe(_Rejection())
        subscriber.on_error(error)
    except Exception as raised:
        why = "rule 2.13: a subscriber raised"
        system.dead_letters.publish(subscriber, where="a rejection", why=why, error=raised)
