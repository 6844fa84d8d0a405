"""The sinks of the language: where streams end, and what comes of them."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, TypeVarTuple, overload

from actors_rs.engine.boundary.standard import SinkSubscriber
from actors_rs.engine.loops.sink_queue import SinkQueue
from actors_rs.errors import InvalidArgumentError
from actors_rs.graph.blueprint import check_fed, graft, grafted, in_order, to_pickle
from actors_rs.graph.checks import (
    at_least,
    cannot_run,
    function,
    naming_site,
    optional_plain_function,
    plain_function,
    required_text,
    wrong_kind,
)
from actors_rs.graph.drawing.blueprint import picture_of, shown_in_notebook
from actors_rs.graph.neighbours import FOR_SINKS
from actors_rs.graph.pickling import CopiedAsItself
from actors_rs.graph.results import NONE, ONE, Open, Results
from actors_rs.graph.spec import OPEN, Attributes, OutletRef, StageSpec, spec_of
from actors_rs.language.file_sinks import FileSinks
from actors_rs.language.initial import begun, copies_of
from actors_rs.language.sinks.fanning import broadcast_to, fan_of
from actors_rs.runtime.system.system import ActorSystem
from actors_rs.stages.failure import Decider, OnFailure, Policy
from actors_rs.stages.operators.map import Map
from actors_rs.stages.sinks.count import Count
from actors_rs.stages.sinks.first import First
from actors_rs.stages.sinks.fold import Fold
from actors_rs.stages.sinks.for_each import ForEach
from actors_rs.stages.sinks.ignore import Ignore
from actors_rs.stages.sinks.last import Last
from actors_rs.stages.sinks.list import ListSink
from actors_rs.stages.sinks.queue import QueueSink
from actors_rs.stages.sinks.sum import Sum
from actors_rs.stages.stage import Stream
from actors_rs.texts import repr_of
from actors_rs.unknown_names import Suggesting, UnknownName

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    T = TypeVar("T", default=Any)  # known of the elements of a sink that stands alone
    A = TypeVar("A", default=Any)  # has one since it follows one that has
    B = TypeVar("B", default=Any)
    C = TypeVar("C", default=Any)
    R = TypeVar("R", default=Any)
else:
    from typing import TypeVar

    T = TypeVar("T")
    A = TypeVar("A")
    B = TypeVar("B")
    C = TypeVar("C")
    R = TypeVar("R")

__all__ = ["Sink"]

In_contra = TypeVar("In_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)
Ts = TypeVarTuple("Ts")

_PINNED = Attributes(dispatcher="pinned")


class Sink(FileSinks, Generic[In_contra, R_co], CopiedAsItself, metaclass=Suggesting):
    """The end of a stream, with a result. An immutable blueprint, fresh in each run.

    >>> numbers = Source.of(3, 1, 2)
    >>> numbers.run(Sink.list()), numbers.run(Sink.sum()), numbers.run(Sink.count())
    ([3, 1, 2], 6, 3)
    >>> numbers.run(Sink.first()), numbers.run(Sink.last()), numbers.run(Sink.ignore())
    (3, 2, None)
    >>> numbers.run(Sink.fold(0, max)), numbers.run(Sink.fold_get(list, lambda l, n: [n, *l]))
    (3, [2, 1, 3])
    >>> numbers.run(Sink.fan(Sink.count(), Sink.sum(), combine=lambda count, total: total / count))
    2.0
    """

    __slots__ = ("_ends", "_results")
    _instead_ = FOR_SINKS
    _ends: Sequence[StageSpec]
    _results: Results

    def __init__(self, _spec: StageSpec | None = None, _results: Results = ONE) -> None:
        if not isinstance(_spec, StageSpec):
            given = "" if _spec is None else repr_of(_spec)
            raise wrong_kind(
                f"expected Sink.list(), Sink.for_each(f) or the like, got Sink({given})"
            )
        self._ends = (_spec,)
        self._results = _results if _spec.loop is None else NONE

    if not TYPE_CHECKING:  # or type checkers would accept any name

        def __getattr__(self, name: str) -> Any:
            raise UnknownName(type(self), name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (to_pickle(self._ends), self._ends, self._results)

    def __repr__(self) -> str:
        return f"<Sink '{self._ends[-1].label}'>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """The drawing of its stages, for a notebook."""
        return shown_in_notebook(repr_of(self), picture_of(self._ends).svg())

    def _only_end(self, how: str) -> StageSpec:
        """The stage it ends in; raises ``GraphError``, for the call ``how``, if it has several."""
        if len(self._ends) > 1:
            ends = ", ".join(f"'{end.label}'" for end in self._ends)
            raise cannot_run(
                f"{how}: expected a sink that ends in one stage, got one that ends in {ends}: use "
                "it with to(sink), or call this for its parts"
            )
        return self._ends[0]

    def _with(self, *ends: StageSpec, results: Results | None = None) -> Sink[Any, Any]:
        """One with other stages, or another result."""
        sink = Sink[Any, Any](ends[0], self._results if results is None else results)
        sink._ends = ends
        return sink

    def after(self, flow: Open[A, In_contra]) -> Sink[A, R_co]:
        """``flow``, whose input is open, then this: a sink, as ``flow.to(sink)`` gives it.

        >>> Source.of("a", "bc").run(Sink.sum().after(Flow().map(len)))
        3
        """
        if not isinstance(flow, Stream):
            raise wrong_kind(f"after needs a Flow, got {repr_of(flow)}")
        return flow.into(self)  # type: ignore[no-any-return]

    def contramap(self, f: Callable[[A], In_contra]) -> Sink[A, R_co]:
        """A sink for other elements: ``f`` turns each into an element of this sink.

        >>> Source.of("a", "bc").run(Sink.sum().contramap(len))
        3
        """
        function(f, "contramap: f")
        out = OutletRef(spec_of("map", partial(Map, f), OPEN))
        return self._with(*grafted(self._ends, out))

    def map_result(self, f: Callable[[R_co], R]) -> Sink[In_contra, R]:
        """This sink, whose result is ``f(result)``; if ``f`` raises, the run fails.

        ``f`` is called once, on a shared thread, when all sinks of the run have completed.

        >>> Source.of("b", "a").run(Sink.list().map_result(sorted))
        ['a', 'b']
        """
        plain_function(f, "map_result: f")
        return self._with(*self._ends, results=self._results.mapped(f))

    def named(self, name: str) -> Sink[In_contra, R_co]:
        """This sink under a ``name``, which errors, figures and pictures show.

        >>> Sink.list().named("orders")
        <Sink 'orders'>
        """
        required_text(name, "named: a stage's name")
        return self._with(replace(self._only_end("named"), name=name))

    def with_attributes(
        self,
        *,
        window: int | Literal["auto"] | None = None,
        dispatcher: str | None = None,
        throughput: int | None = None,
        weight: Callable[[Any], float] | None = None,
    ) -> Sink[In_contra, R_co]:
        """This sink with these settings: ``window``, ``dispatcher``, ``throughput``, ``weight``.

        ``Flow.with_attributes`` explains them.

        >>> Source.of("a").run(Sink.list().with_attributes(dispatcher="pinned"))
        ['a']
        """
        with naming_site():
            spec = self._only_end("with_attributes")
            if window is not None and spec.kind == "queue":
                raise InvalidArgumentError(
                    "with_attributes: the window of Sink.queue(n) is its capacity: set n, and "
                    "leave window out"
                )
            optional_plain_function(weight, "with_attributes: weight")
            attributes = Attributes.of_stage(spec.label, window, dispatcher, throughput, weight)
        return self._with(replace(spec, attributes=attributes.over(spec.attributes)))

    def on_failure(
        self, policy: Policy | None = None, *, decider: Decider | None = None
    ) -> Sink[In_contra, R_co]:
        """Set how this sink goes on after an element for which it raises.

        ``policy`` and ``decider`` are as in ``Flow.on_failure``. The result covers the elements it
        took; after ``"restart"``, the elements after the failure. A sink that writes files keeps
        its rows, as with ``"resume"``.

        >>> sink = Sink.for_each(int).on_failure("resume")
        >>> Source.of("3", "x").run(sink)
        1
        """
        with naming_site():
            answer = OnFailure.checked("on_failure", policy, decider)
        spec = self._only_end("on_failure")
        return self._with(replace(spec, attributes=replace(spec.attributes, on_failure=answer)))

    def behind(self, out: OutletRef) -> StageSpec:
        """This sink's stage, fed from ``out``; for modules of the package."""
        return graft(self._only_end("behind"), out)

    def start_on(self, _: ActorSystem, /, *, name: str | None = None) -> NoReturn:
        """Raises ``GraphError`` with any ``name``: its input is open."""
        check_fed(in_order(self._ends))
        raise AssertionError

    def subscriber_on(
        self, system: ActorSystem, /, *, name: str | None = None
    ) -> SinkSubscriber[In_contra, R_co]:
        """A Subscriber of this sink on ``system``: the same as ``system.subscriber(sink)``.

        ``name`` names its run, ``"subscriber"`` by default.

        >>> with ActorSystem() as system:
        ...     subscriber = Sink.list().subscriber_on(system)
        ...     system.publisher(Source.of("a")).subscribe(subscriber)
        ...     subscriber.run.result()
        ['a']
        """
        return SinkSubscriber(system, self._ends, self._results, name)

    @staticmethod
    def list() -> Sink[T, builtins.list[T]]:
        """All elements, as a list."""
        return made_sink("list", ListSink, gives=builtins.list)

    @staticmethod
    def for_each(f: Callable[[T], object]) -> Sink[T, int]:
        """Call ``f`` with each element; the result is how many there were.

        >>> Source.of("a", "b").run(Sink.for_each(print))
        a
        b
        2
        """
        plain_function(f, "for_each: f")
        return made_sink("for_each", partial(ForEach, f), gives=int)

    # A checker may take (0, 0) for a tuple of literals, and None for the only value; so three.
    @overload
    @staticmethod
    def fold(init: R, f: Callable[[R, T], R]) -> Sink[T, R]: ...  # type: ignore[overload-overlap]
    @overload
    @staticmethod
    def fold(init: tuple[*Ts], f: Callable[[tuple[*Ts], T], tuple[*Ts]]) -> Sink[T, tuple[*Ts]]: ...
    @overload
    @staticmethod
    def fold(init: None, f: Callable[[R | None, T], R]) -> Sink[T, R | None]: ...
    @staticmethod
    def fold(init: Any, f: Callable[[Any, T], Any]) -> Sink[T, Any]:
        """``f(accumulated, element)`` over all elements, from ``init``.

        Each run begins with a deep copy of ``init``; raises ``TypeError`` if it cannot be copied.
        """
        make_init = copies_of(init, "Sink.fold", "Sink.fold_get")
        function(f, "fold: f")
        return made_sink("fold", partial(Fold, make_init, f))

    @staticmethod
    def fold_get(make_init: Callable[[], R], f: Callable[[R, T], R]) -> Sink[T, R]:
        """``fold`` with ``f`` from ``make_init()``, which is called once in each run."""
        function(make_init, "fold_get: make_init")
        function(f, "fold_get: f")
        return made_sink("fold_get", partial(Fold, make_init, f))

    @overload
    @staticmethod
    def fan(only: Sink[T, A], /) -> Sink[T, tuple[A]]: ...
    @overload
    @staticmethod
    def fan(first: Sink[T, A], second: Sink[T, B], /) -> Sink[T, tuple[A, B]]: ...
    @overload
    @staticmethod
    def fan(
        first: Sink[T, A], second: Sink[T, B], third: Sink[T, C], /
    ) -> Sink[T, tuple[A, B, C]]: ...
    @overload
    @staticmethod
    def fan(
        first: Sink[T, A], second: Sink[T, B], /, *, combine: Callable[[A, B], R]
    ) -> Sink[T, R]: ...
    @overload
    @staticmethod
    def fan(
        first: Sink[T, Any],
        second: Sink[T, Any],
        third: Sink[T, Any],
        fourth: Sink[T, Any],
        /,
        *more: Sink[T, Any],
    ) -> Sink[T, tuple[Any, ...]]: ...
    @overload
    @staticmethod
    def fan(*sinks: Sink[T, Any], combine: Callable[..., R]) -> Sink[T, R]: ...
    @staticmethod
    def fan(*sinks: Sink[Any, Any], combine: Callable[..., Any] | None = None) -> Sink[Any, Any]:
        """Every element to each of ``sinks``; a tuple of their results, or ``combine(*results)``.

        All in one actor, which has a thread of its own if one of them needs that, and the smallest
        of their windows. Where one has stages before it, as ``sink.contramap(f)`` has, each is an
        actor of its own, at the pace of the slowest. What ``combine`` raises fails the run.
        """
        if not sinks:
            raise cannot_run("Sink.fan needs at least one sink, got none")
        for sink in sinks:
            check_sink("Sink.fan", sink)
        optional_plain_function(combine, "Sink.fan: combine")
        pairs = [(sink._ends, sink._results) for sink in sinks]
        ends, results = fan_of(pairs, combine) or broadcast_to(pairs, combine)
        return sinks[0]._with(*ends, results=results)

    @staticmethod
    def queue(capacity: int) -> Sink[Any, int]:
        """Elements to be got one by one, from any thread or coroutine; the result is their number.

        ``run.sink_queue()`` gives the run's ``SinkQueue``, with ``get()`` and ``get_async()``. Up
        to ``capacity`` elements wait in it or are on their way; then upstream has to wait.

        >>> with ActorSystem() as system:
        ...     run = system.start(Source.of("a").to(Sink.queue(capacity=16)))
        ...     run.sink_queue().get()
        'a'
        """
        at_least(1, capacity, "Sink.queue: capacity")
        return made_sink("queue", partial(begun, QueueSink, partial(SinkQueue, capacity)))

    @staticmethod
    def sum() -> Sink[Any, Any]:
        """The elements added up, from 0."""
        return made_sink("sum", Sum)

    @staticmethod
    def count() -> Sink[Any, int]:
        """How many elements there were."""
        return made_sink("count", Count, gives=int)

    @staticmethod
    def first() -> Sink[T, T]:
        """The first element; then upstream is cancelled. ``EmptyStreamError`` if none came."""
        return made_sink("first", First)

    @staticmethod
    def last() -> Sink[T, T]:
        """The last element. ``EmptyStreamError`` if none came."""
        return made_sink("last", Last)

    @staticmethod
    def ignore() -> Sink[Any, None]:
        """Take everything, keep nothing."""
        return made_sink("ignore", Ignore, gives=type(None))


def check_sink(what: str, sink: object) -> None:
    """Raise ``TypeError`` unless ``sink`` is one."""
    if not isinstance(sink, Sink):
        name = getattr(sink, "__qualname__", "")
        call = f": call it, {name}()" if name.startswith("Sink.") else ""
        raise wrong_kind(f"{what} needs a Sink, got {repr_of(sink)}{call}")


def _unpickled(_: object, ends: Sequence[StageSpec], results: Results) -> Sink[Any, Any]:
    return Sink[Any, Any](ends[0])._with(*ends, results=results)


def made_sink(
    kind: str,
    make: Callable[[], Any],
    attributes: Attributes | None = None,
    *,
    target: str = "",
    gives: type = object,
) -> Sink[Any, Any]:
    """A sink of one stage, whose result is a ``gives``."""
    spec = spec_of(kind, make, OPEN, outlets=0, attributes=attributes, target=target)
    return Sink(spec, ONE if gives is object else Results(gives))


FileSinks._make = staticmethod(made_sink)
