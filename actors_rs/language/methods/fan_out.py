"""One stream to several: methods of ``Flow``, so of ``Source`` too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    Never,
    TypeVar,
    Unpack,
    get_args,
    overload,
)

from actors_rs.engine.boundary.hub import HubPublisher
from actors_rs.errors import GraphError
from actors_rs.graph.blueprint import check_source, grafted, in_order, open_inputs
from actors_rs.graph.checks import (
    at_least,
    flag,
    naming_site,
    one_of,
    optional_text,
    plain_function,
    wrong_kind,
)
from actors_rs.graph.spec import OPEN, Attributes, OutletRef, Traits, Window, spec_of
from actors_rs.language.methods.chain import flow_of
from actors_rs.language.running import check_system
from actors_rs.language.sink import Sink, check_sink
from actors_rs.runtime.system.system import ActorSystem
from actors_rs.stages.failure import Decider, OnFailure, Policy
from actors_rs.stages.hubs.hub import HubLogic
from actors_rs.stages.hubs.hub_buffer import OnSlow
from actors_rs.stages.hubs.partition_hub import PartitionHubLogic
from actors_rs.stages.junctions.also_to import AlsoTo
from actors_rs.stages.junctions.balance import Balance
from actors_rs.stages.junctions.broadcast import Broadcast
from actors_rs.stages.junctions.divert_to import DivertTo
from actors_rs.stages.junctions.partition import Partition
from actors_rs.stages.junctions.sink_and_source import SinkAndSource
from actors_rs.stages.junctions.unzip import Unzip
from actors_rs.stages.junctions.wire_tap import WireTap
from actors_rs.stages.stage import Stream
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["Branching"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
T = TypeVar("T")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


class Branching(Generic[In_contra, Out_co]):
    """How one stream is given to several. ``name`` is the stage's name, by default its kind."""

    _out: OutletRef

    def broadcast(
        self, n: int, *, name: str | None = None, window: Window = None
    ) -> tuple[Flow[In_contra, Out_co], ...]:
        """``n`` flows that get every element, at the pace of the slowest.

        ``name`` is the stage's name, and ``window`` is as in ``Flow.with_attributes``.

        >>> sums, counts = Source.of(2, 3).broadcast(2)
        >>> Graph(sums.to(Sink.sum()), counts.to(Sink.count())).run()
        (5, 2)
        """
        at_least(1, n, "broadcast: n")
        return self._split("broadcast", partial(Broadcast, n), n, name, window)

    def partition(
        self,
        n: int,
        f: Callable[[Out_co], int],
        *,
        name: str | None = None,
        window: Window = None,
        on_failure: Policy | None = None,
        decider: Decider | None = None,
    ) -> tuple[Flow[In_contra, Out_co], ...]:
        """``n`` flows; each element goes to the flow whose number ``f`` returns, from 0.

        ``on_failure`` and ``decider`` say what happens to an element for which ``f`` raises, as
        ``Flow.on_failure`` does for stages with one outlet. ``name`` is the stage's name, and
        ``window`` is as in ``Flow.with_attributes``.

        >>> even, odd = Source.of(1, 2, 3).partition(2, lambda n: n % 2)
        >>> Graph(even.to(Sink.list()), odd.to(Sink.list())).run()
        ([2], [1, 3])
        """
        at_least(1, n, "partition: n")
        plain_function(f, "partition: f")
        answer = None
        if on_failure is not None or decider is not None:
            with naming_site():
                answer = OnFailure.checked("partition: on_failure", on_failure, decider)
        return self._split("partition", partial(Partition, n, f), n, name, window, answer, holds=1)

    def balance(
        self, n: int, *, name: str | None = None, window: Window = None
    ) -> tuple[Flow[In_contra, Out_co], ...]:
        """``n`` flows; each element goes to a flow that asks for it, so most go to the quickest.

        The stages of each flow, up to the next junction, request 16 elements at a time: a slow flow
        has no more than that waiting in each of its stages. ``with_attributes(window=...)`` on a
        stage overrides it: a larger window costs less per element and divides the work less well.
        ``name`` is the stage's name, and ``window``, as in ``Flow.with_attributes``, is the window
        of the junction itself.

        >>> workers = Source.range(0, 100).balance(2)
        >>> sum(Graph(*[worker.to(Sink.count()) for worker in workers]).run())
        100
        """
        at_least(1, n, "balance: n")
        return self._split("balance", partial(Balance, n), n, name, window, deals=True)

    @overload
    def unzip(
        self: Branching[In_contra, tuple[A, B]],
        n: Literal[2] = 2,
        *,
        name: str | None = None,
        window: Window = None,
    ) -> tuple[Flow[In_contra, A], Flow[In_contra, B]]: ...
    @overload
    def unzip(
        self: Branching[In_contra, tuple[A, B, C]],
        n: Literal[3],
        *,
        name: str | None = None,
        window: Window = None,
    ) -> tuple[Flow[In_contra, A], Flow[In_contra, B], Flow[In_contra, C]]: ...
    @overload
    def unzip(
        self, n: int = 2, *, name: str | None = None, window: Window = None
    ) -> tuple[Flow[In_contra, Any], ...]: ...

    def unzip(
        self, n: int = 2, *, name: str | None = None, window: Window = None
    ) -> tuple[Flow[Any, Any], ...]:
        """``n`` flows: the first parts of all elements, the second ones, and so on.

        Elements are tuples or other sequences of ``n`` (2), as ``zip`` gives them. ``name`` is the
        stage's name, and ``window`` is as in ``Flow.with_attributes``.

        >>> names, ages = Source.of(("Ada", 36), ("Alan", 41)).unzip()
        >>> Graph(names.to(Sink.list()), ages.to(Sink.sum())).run()
        (['Ada', 'Alan'], 77)
        """
        at_least(1, n, "unzip: n")
        return self._split("unzip", partial(Unzip, n), n, name, window)

    def into(self, sink: Sink[Out_co, R]) -> Sink[In_contra, R]:
        """This flow, whose input is open, and ``sink`` as one sink: for ``also_to``, say.

        Raises ``GraphError`` for a source, which ends with ``to(sink)``.

        >>> lengths = Flow().map(len).into(Sink.sum())
        >>> Source.of("a", "bc").run(lengths)
        3
        """
        check_sink("into", sink)
        ends = grafted(sink._ends, self._out)
        if len(inlets := open_inputs(in_order(ends))) != 1:
            raise GraphError(
                f"into needs a Flow with one open input, got {len(inlets)} before stage "
                f"'{self._out.spec.label}'{self._out.spec.made}; "
                "a source ends with .to(sink)"
            )
        return sink._with(*ends)

    @staticmethod
    def from_sink_and_source(
        sink: Sink[A, Any], source: Flow[Never, B], *, coupled: bool = False
    ) -> Flow[A, B]:
        """A flow whose input goes to ``sink``, and whose output comes from ``source``.

        A connection is an example: ``sink`` sends, ``source`` receives. Both end by themselves;
        with ``coupled`` the end of one ends the other one too. The sink's failure is the run's.
        Raises ``GraphError`` for a source whose input is open.

        >>> connection = Flow.from_sink_and_source(Sink.ignore(), Source.of("pong"))
        >>> Source.of("ping").via(connection).run(Sink.list())
        ['pong']
        """
        check_sink("from_sink_and_source", sink)
        flag(coupled, "from_sink_and_source: coupled")
        if not isinstance(source, Stream):
            raise wrong_kind(f"from_sink_and_source needs a Source, got {repr_of(source)}")
        given = source._out
        specs = [] if given is OPEN else in_order([given.spec])
        check_source(specs, given, "from_sink_and_source")
        side = sink._only_end("from_sink_and_source")
        make = partial(SinkAndSource, coupled)
        spec = spec_of("from_sink_and_source", make, OPEN, given, outlets=2, sides=(side,))
        return flow_of(OutletRef(spec))

    def also_to(self, sink: Sink[Out_co, Any]) -> Flow[In_contra, Out_co]:
        """All elements to ``sink`` too, at the pace of the slower.

        The sink is part of the run: if it fails, so does the run. Its result is not among the
        run's. When the stream has had enough, the sink completes.

        >>> Source.of("a", "b").also_to(Sink.lines("copy.txt")).run(Sink.count())
        2
        >>> open("copy.txt").read().split()
        ['a', 'b']
        """
        return self._with_side("also_to", AlsoTo, sink)

    def divert_to(
        self, sink: Sink[Out_co, Any], when: Callable[[Out_co], object]
    ) -> Flow[In_contra, Out_co]:
        """Elements for which ``when`` is true to ``sink`` instead; it is as in ``also_to``.

        >>> Source.of("3", "x").divert_to(Sink.lines("bad.txt"), when=str.isalpha).run(Sink.list())
        ['3']
        """
        plain_function(when, "divert_to: when")
        return self._with_side("divert_to", partial(DivertTo, when), sink)

    def wire_tap(self, sink: Sink[Out_co, Any]) -> Flow[In_contra, Out_co]:
        """Elements to ``sink`` too, as far as it keeps up: it never holds the stream up.

        A window of elements can wait for it; further ones are dropped for the sink and counted in
        the stage's details of ``run.snapshot()``. Otherwise the sink is as in ``also_to``.

        >>> Source.of("a", "b").wire_tap(Sink.for_each(print)).run(Sink.count())
        a
        b
        2
        """
        return self._with_side("wire_tap", WireTap, sink)

    def hub(
        self: Branching[Never, T],
        system: ActorSystem,
        /,
        *,
        replay: int = 0,
        keep_alive: bool = False,
        on_slow: OnSlow = "backpressure",
        name: str | None = None,
    ) -> HubPublisher[T]:
        """A hot Publisher: one run of this source, shared by subscribers that come and go.

        - ``replay``: how many of the last elements it holds for later subscribers, 0 by default;
          see ``HubPublisher``.
        - ``keep_alive``: without subscribers, take no elements and wait for the next subscriber. By
          default the run is cancelled when the last one leaves. The operator ``Flow.keep_alive`` is
          something else: it sends an element when none has come for a while.
        - ``on_slow``: a subscriber that lags more than ``replay`` elements blocks the others
          (``"backpressure"``, the default), loses elements (``"drop"``), or its stream fails
          (``"fail"``).
        - ``name``: the name of the stage and of the run, ``"hub"`` by default.

        Raises ``InvalidArgumentError`` for an option out of its range or a system that was shut
        down, ``GraphError`` for a flow whose input is open.

        >>> with ActorSystem() as system:
        ...     prices = Source.of(101, 99).hub(system, replay=2)
        ...     Source.from_publisher(prices).run(Sink.list())
        [101, 99]
        """
        check_system("hub", system)
        at_least(0, replay, "hub: replay")
        flag(keep_alive, "hub: keep_alive")
        one_of(get_args(OnSlow), on_slow, "hub: on_slow")
        optional_text(name, "hub: name")
        make = partial(HubLogic, replay, on_slow, keep_alive)
        return HubPublisher(system, self._out, "hub", make, name)

    def partition_hub(
        self: Branching[Never, T],
        system: ActorSystem,
        f: Callable[[T, int], int],
        /,
        *,
        keep_alive: bool = False,
        name: str | None = None,
    ) -> HubPublisher[T]:
        """A hot Publisher: one run of this source, each element to one of its subscribers.

        ``f(element, count)`` says which of the ``count`` present subscribers gets it, from 0 in the
        order in which they came. Elements wait while there is no subscriber, and while the chosen
        one does not ask. ``keep_alive``, ``name``, ends and errors are as for ``hub``.

        >>> with ActorSystem() as system:
        ...     jobs = Source.of(7, 8).partition_hub(system, lambda job, count: job % count)
        ...     Source.from_publisher(jobs).run(Sink.list())
        [7, 8]
        """
        check_system("partition_hub", system)
        plain_function(f, "partition_hub: f")
        flag(keep_alive, "partition_hub: keep_alive")
        optional_text(name, "partition_hub: name")
        make = partial(PartitionHubLogic, f, keep_alive)
        return HubPublisher(system, self._out, "partition_hub", make, name)

    def _split(
        self,
        kind: str,
        make: Callable[[], Any],
        count: int,
        name: str | None,
        window: Window,
        on_failure: OnFailure | None = None,
        **traits: Unpack[Traits],
    ) -> tuple[Flow[In_contra, Any], ...]:
        optional_text(name, f"{kind}: name")
        with naming_site():
            attributes = Attributes.of_stage(name or kind, window, None, None, None)
        attributes = Attributes(on_failure=on_failure).over(attributes)
        own = {"outlets": count, "name": name, "attributes": attributes}
        spec = spec_of(kind, make, self._out, **own, **traits)  # type: ignore[arg-type]
        return tuple(flow_of(OutletRef(spec, index)) for index in range(count))

    def _with_side(
        self, kind: str, make: Callable[[], Any], sink: Sink[Any, Any]
    ) -> Flow[In_contra, Out_co]:
        check_sink(kind, sink)
        side = sink._only_end(kind)
        return flow_of(OutletRef(spec_of(kind, make, self._out, outlets=2, sides=(side,))))
