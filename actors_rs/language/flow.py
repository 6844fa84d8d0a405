"""``Flow`` and ``Source``: pieces of a graph that can be put one after the other.

``Source[T]`` is ``Flow[Never, T]``, a flow whose input is closed: so every operator is written
once. All are immutable values, and cold: each run makes fresh actors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Literal, Never, TypeAlias, Unpack, cast

from actors_rs.engine.boundary.standard import FlowProcessor, SourcePublisher
from actors_rs.errors import InvalidArgumentError
from actors_rs.graph.blueprint import graft, grafted, in_order, open_inputs, to_pickle
from actors_rs.graph.checks import (
    at_least,
    cannot_run,
    naming_site,
    optional_plain_function,
    required_text,
    wrong_kind,
)
from actors_rs.graph.drawing.blueprint import picture_of, shown_in_notebook
from actors_rs.graph.fusing import changed_together
from actors_rs.graph.junctions import for_junction
from actors_rs.graph.neighbours import FOR_FLOWS
from actors_rs.graph.pickling import CopiedAsItself
from actors_rs.graph.results import Takes
from actors_rs.graph.spec import OPEN, Attributes, OutletRef, StageSpec, spec_of
from actors_rs.language.graph import Graph
from actors_rs.language.merge_hub import HubFactories
from actors_rs.language.methods.chain import Chain
from actors_rs.language.methods.combining import Combining
from actors_rs.language.methods.composing import Composition
from actors_rs.language.methods.edges import Edges
from actors_rs.language.methods.failures import Failures
from actors_rs.language.methods.fan_out import Branching
from actors_rs.language.methods.folding import Folds
from actors_rs.language.methods.iterating import Iterating
from actors_rs.language.methods.lifecycle import LifeCycle
from actors_rs.language.methods.operators import Operators
from actors_rs.language.methods.processes import InProcesses
from actors_rs.language.methods.rates import RateMatching
from actors_rs.language.methods.recovery import Recovery
from actors_rs.language.methods.selecting import Selections
from actors_rs.language.methods.substreams import Substreams
from actors_rs.language.methods.timing import TimedSources, Timing
from actors_rs.language.sink import Sink, check_sink
from actors_rs.language.sources import SourceFactories
from actors_rs.runtime.system.system import ActorSystem
from actors_rs.stages.stage import Stream
from actors_rs.texts import repr_of
from actors_rs.unknown_names import Suggesting, UnknownName

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from actors_rs.graph.spec import Traits

    S = TypeVar("S", default=Any)
    # Any is known of a Flow() that stands alone; a Flow[int]() passes on the type it takes.
    In_contra = TypeVar("In_contra", contravariant=True, default=Any)
    Out_co = TypeVar("Out_co", covariant=True, default=In_contra)
    R_co = TypeVar("R_co", covariant=True, default=Any)

    class GraphOrSink(  # type: ignore[misc]  # no class is both; one of them is right
        Graph[R_co], Sink[In_contra, R_co], Generic[In_contra, R_co]
    ):
        """What ``to`` makes, to type checkers: a graph of a source, a sink of an open flow."""
else:
    from typing import TypeVar

    S = TypeVar("S")
    In_contra = TypeVar("In_contra", contravariant=True)
    Out_co = TypeVar("Out_co", covariant=True)
    R_co = TypeVar("R_co", covariant=True)

    class GraphOrSink(Generic[In_contra, R_co]):
        """Only for annotations: what there is at run time is a ``Graph`` or a ``Sink``."""


__all__ = ["Flow", "Source"]

T = TypeVar("T")
R = TypeVar("R")


class Flow(
    Operators[In_contra, Out_co],
    InProcesses[In_contra, Out_co],
    Selections[In_contra, Out_co],
    Folds[In_contra, Out_co],
    Edges[In_contra, Out_co],
    Composition[In_contra, Out_co],
    Iterating[In_contra, Out_co],
    Combining[In_contra, Out_co],
    Branching[In_contra, Out_co],
    Failures[In_contra, Out_co],
    LifeCycle[In_contra, Out_co],
    RateMatching[In_contra, Out_co],
    Recovery[In_contra, Out_co],
    Substreams[In_contra, Out_co],
    Timing[In_contra, Out_co],
    SourceFactories,
    TimedSources,
    HubFactories,
    Stream,
    CopiedAsItself,
    metaclass=Suggesting,
):
    """A piece of a graph with one outlet and, unless it is a source, one open inlet.

    ``Flow()`` passes everything on, ``Flow[int]()`` to type checkers ints alone. A flow can be used
    again and again, downstream of a source with ``source.via(flow)`` or ``pipe(source, flow)``.
    Flows are immutable values, so threads can share them. Bad arguments of a method raise
    ``ArgumentTypeError`` or ``InvalidArgumentError`` where it is called.

    >>> numbers = Flow().filter(str.isdigit).map(int)
    >>> Source.of("3", "x", "4").via(numbers).run(Sink.list())
    [3, 4]
    """

    __slots__ = ("_out",)
    _instead_ = FOR_FLOWS
    _known_as_ = "Flow (and Source)"

    def __init__(self, _out: OutletRef = OPEN) -> None:
        if _out.__class__ is not OutletRef:  # a user's: isinstance would cost every stream more
            raise wrong_kind(
                f"Flow() and Source() take no arguments, got {repr_of(_out)}: Source.of(...), "
                "Source.from_iterable(...) and others give a Source"
            )
        self._out = _out

    def __class_getitem__(cls, types: Any) -> Any:
        """``Flow[int]`` is ``Flow[int, int]``, as type checkers have it by the default."""
        alone = cls is Flow and not isinstance(types, tuple)
        return super().__class_getitem__((types, types) if alone else types)  # type: ignore[misc]

    def __repr__(self) -> str:
        if self._out is OPEN:
            return "<Flow that passes everything on>"
        return f"<Flow ending in '{self._out.spec.label}'>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """The drawing of its stages, for a notebook."""
        ends = () if self._out is OPEN else (self._out.spec,)
        return shown_in_notebook(repr_of(self), picture_of(ends).svg())

    if not TYPE_CHECKING:  # or type checkers would accept any name

        def __getattr__(self, name: str) -> Any:
            raise UnknownName(type(self), name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), to_pickle([self._out.spec]), self._out)

    def then(
        self,
        kind: str,
        make: Callable[[], Any],
        outflow_window: int | None = None,
        **traits: Unpack[Traits],
    ) -> Flow[In_contra, Any]:
        spec = spec_of(kind, make, self._out, outflow_window=outflow_window, **traits)
        return Flow(OutletRef(spec))

    def via(self, flow: Flow[Out_co, R]) -> Flow[In_contra, R]:
        """This, then ``flow``.

        >>> Source.of("3").via(Flow().map(int)).run(Sink.list())
        [3]
        """
        if not isinstance(flow, Flow):
            raise wrong_kind(f"via needs a Flow, got {repr_of(flow)}; .to(sink) ends a stream")
        if flow._out is OPEN:
            return cast("Flow[In_contra, R]", self)
        spec = graft(flow._out.spec, self._out)
        if spec is flow._out.spec and self._out is not OPEN:
            raise cannot_run(
                f"via needs an open input, got the source {repr_of(flow)}: write append or merge"
            )
        return Flow(OutletRef(spec, flow._out.index))

    if TYPE_CHECKING:
        _takes: Takes[In_contra]
        _gives: Out_co

    def to(self, sink: Sink[Out_co, R]) -> GraphOrSink[In_contra, R]:
        """This, into ``sink``: a ``Graph`` that can be run; a ``Sink`` if the input is open.

        Type checkers take the result for both, as overloads do not tell a source from an open flow.
        ``into`` is the same for open flows, and is typed as a ``Sink`` alone.

        >>> graph = Source.of(2, 3).to(Sink.sum())
        >>> graph.run(), graph.run()
        (5, 5)
        """
        check_sink("to", sink)
        ended: Any = sink
        if self._out is not OPEN:
            ends = grafted(sink._ends, self._out)
            specs = in_order(ends)
            is_open = bool(open_inputs(specs))
            ended = sink._with(*ends) if is_open else Graph._of_sinks(ends, sink._results, specs)
        result: GraphOrSink[In_contra, R] = ended
        return result

    def run(
        self: Flow[Never, T],
        sink: Sink[T, R],
        *,
        system: ActorSystem | None = None,
        name: str | None = None,
        timeout: float | None = None,
        workers: int | None = None,
        progress: bool = False,
    ) -> R:
        """Run into ``sink``, on a system of its own by default, and wait; the sink's result.

        ``system``, ``name``, ``timeout``, ``workers`` and ``progress`` are as for ``Graph.run``,
        and so are the errors. Ctrl-C cancels the run.

        >>> Source.of(2, 3).run(Sink.sum(), timeout=60)
        5
        """
        check_sink("run", sink)
        graph: Any = self.to(sink)
        result: R = Graph(graph).run(
            system=system, name=name, timeout=timeout, workers=workers, progress=progress
        )
        return result

    async def run_async(
        self: Flow[Never, T],
        sink: Sink[T, R],
        *,
        system: ActorSystem | None = None,
        name: str | None = None,
        timeout: float | None = None,
    ) -> R:
        """As ``run`` into ``sink``, for a coroutine.

        ``Graph.run_async`` explains it, and ``system``, ``name`` and ``timeout``.

        >>> import asyncio
        >>> asyncio.run(Source.of(2, 3).run_async(Sink.sum()))
        5
        """
        check_sink("run_async", sink)
        graph: Any = self.to(sink)
        result: R = await Graph(graph).run_async(system=system, name=name, timeout=timeout)
        return result

    def named(self, name: str) -> Flow[In_contra, Out_co]:
        """The last stage under this ``name``, which errors, figures and pictures show.

        >>> Source.of("3").map(int).named("parse")
        <Flow ending in 'parse'>
        """
        required_text(name, "named: a stage's name")
        return self._changed("named", name=name)

    def with_total(self, n: int) -> Flow[In_contra, Out_co]:
        """Say that the last stage gives ``n`` elements, for progress bars and estimated ends.

        Progress counts what that stage has emitted. Put it after the slow stage: a source is read
        ahead, so it would show 100 % at once.

        Sequences, ranges and files know their totals by themselves. ``n`` counts instead of the
        totals of all stages upstream. Nothing is cut off or waited for. Raises
        ``InvalidArgumentError`` if ``n`` is no whole number from 0 up.

        >>> Source.lines("orders.txt").with_total(10_000)
        <Flow ending in 'lines'>
        """
        return self._changed("with_total", total=at_least(0, n, "with_total: n"))

    def with_attributes(
        self,
        *,
        window: int | Literal["auto"] | None = None,
        dispatcher: str | None = None,
        throughput: int | None = None,
        weight: Callable[[Any], float] | None = None,
    ) -> Flow[In_contra, Out_co]:
        """The last stage with these settings; a setting that is ``None`` stays as it is.

        ``.named("...")`` gives the stage a name.

        - ``window``: elements its inlets keep requested; for a source of any kind, the inlets of
          the stages after it, up to one that makes new elements, such as ``flat_map``. ``"auto"``,
          not for a source: as many as fit pace and weight, see ``ActorSystem``, whose default it
          is.
        - ``weight``: ``weight(element)`` gives the bytes of an element that comes to the stage; by
          default they are estimated. It is called where the window is automatic, or the system has
          a ``memory_limit``, and has no effect elsewhere.
        - ``dispatcher``: ``"pool"``, or ``"pinned"`` for a thread of its own.
        - ``throughput``: messages that a turn takes at most, by default all there are.

        >>> Source.of("3").map(int).with_attributes(window=16).run(Sink.list())
        [3]
        """
        spec = self._out.spec
        with naming_site():
            optional_plain_function(weight, "with_attributes: weight")
            attributes = Attributes.of_stage(spec.label, window, dispatcher, throughput, weight)
            given = "window='auto'" if window == "auto" else "weight" if weight is not None else ""
            if given and spec.is_source:
                raise InvalidArgumentError(
                    f"with_attributes: {given} is about the elements that a stage takes, and the "
                    f"source '{spec.label}'{spec.made} takes none: set it on the stage or sink "
                    "after it"
                )
        flow = self._attributed("with_attributes", lambda spec: attributes.over(spec.attributes))
        if window is not None and spec.is_source:
            return flow._changed("with_attributes", outflow_window=window)
        return flow

    def publisher_on(
        self: Flow[Never, T], system: ActorSystem, /, *, name: str | None = None
    ) -> SourcePublisher[T]:
        """A Publisher of this source on ``system``: the same as ``system.publisher(source)``.

        ``name`` names its runs, ``"publisher"`` by default.

        >>> with ActorSystem() as system:
        ...     publisher = Source.of("a").publisher_on(system)
        ...     Source.from_publisher(publisher).run(Sink.list())
        ['a']
        """
        return SourcePublisher(system, self._out, name)

    def processor_on(
        self, system: ActorSystem, /, *, name: str | None = None
    ) -> FlowProcessor[In_contra, Out_co]:
        """A Processor of this flow on ``system``: the same as ``system.processor(flow)``.

        ``name`` names its run, ``"processor"`` by default.

        >>> with ActorSystem() as system:
        ...     processor = Flow().map(int).processor_on(system)
        ...     Source.of("3").publisher_on(system).subscribe(processor)
        ...     Source.from_publisher(processor).run(Sink.list())
        [3]
        """
        return FlowProcessor(system, self._out, name)

    def _attributed(
        self, how: str, attributes_of: Callable[[StageSpec], Attributes]
    ) -> Flow[In_contra, Out_co]:
        together = changed_together(self._out, attributes_of)
        if together is not None:
            return Flow(together)
        return self._changed(how, attributes=attributes_of(self._out.spec))

    def _changed(self, how: str, **changes: Any) -> Flow[In_contra, Out_co]:
        spec: StageSpec = self._out.spec
        if self._out is OPEN:
            raise cannot_run(f"{how}: an empty Flow() has no stage to change")
        if spec.outlets - len(spec.sides) > 1:
            raise cannot_run(f"{how}: {for_junction(how, spec)}")
        return Flow(OutletRef(replace(spec, **changes), self._out.index))


def _unpickled(kind: type[Flow[Any, Any]], _: object, out: OutletRef) -> Flow[Any, Any]:
    return kind(out)


Source: TypeAlias = Flow[Never, S]
"""A flow whose input is closed; its static methods are where streams come from."""
Chain._flow = Flow
for _factories in (SourceFactories, TimedSources, HubFactories):
    # An alias finds them by a search that costs more than to make a source.
    Source.__dict__.update(  # type: ignore[attr-defined]
        {name: getattr(Flow, name) for name in dir(_factories) if name[0] != "_"}
    )
