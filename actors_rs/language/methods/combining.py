"""Several streams into one: methods of ``Flow``, so of ``Source`` too; ``merge`` and ``zip``."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Never, TypeVar, overload

from actors_rs.graph.blueprint import in_order
from actors_rs.graph.checks import (
    at_least,
    at_least_zero,
    cannot_run,
    function,
    optional_plain_function,
    plain_function,
    positive_seconds,
    wrong_kind,
    wrong_value,
)
from actors_rs.graph.spec import OPEN, OutletRef, StageSpec, spec_of
from actors_rs.language.methods.chain import flow_of
from actors_rs.stages.junctions.combine_latest import CombineLatest
from actors_rs.stages.junctions.interleave import Interleave
from actors_rs.stages.junctions.merge import Merge
from actors_rs.stages.junctions.merge_preferred import MergePreferred
from actors_rs.stages.junctions.merge_sorted import MergeSorted
from actors_rs.stages.junctions.zip import Zip
from actors_rs.stages.junctions.zip_latest import ZipLatest
from actors_rs.stages.operators.join import Join
from actors_rs.stages.stage import Stream
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from datetime import datetime

    from actors_rs.language.flow import Flow

__all__ = ["Combining", "joined", "merge", "zip"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")


class Combining(Generic[In_contra, Out_co]):
    """The ways to combine this stream with others."""

    _out: OutletRef

    def merge(self, *others: Flow[In_contra, Out_co]) -> Flow[In_contra, Out_co]:
        """The elements of this and the others as they come, each stream in its own order.

        >>> Source.of(1).merge(Source.of(2), Source.of(3)).sum().run(Sink.list())
        [6]
        """
        count = 1 + len(others)
        return joined("merge", partial(Merge, count), (self, *others))

    def merge_preferred(self, *others: Flow[In_contra, Out_co]) -> Flow[In_contra, Out_co]:
        """As ``merge``, but ready elements of this stream go before ready elements of the others.

        If this stream always has an element ready, the others starve.

        >>> Source.of(1).merge_preferred(Source.of(2)).sum().run(Sink.list())
        [3]
        """
        count = 1 + len(others)
        return joined("merge_preferred", partial(MergePreferred, count), (self, *others))

    def merge_sorted(
        self, other: Flow[In_contra, Out_co], key: Callable[[Out_co], Any] | None = None
    ) -> Flow[In_contra, Out_co]:
        """This and ``other``, both sorted, as one sorted stream; of equal ones this one's first.

        ``key`` gives the value to compare, as in ``sorted``; by default that is the element itself.

        >>> Source.of(1, 4).merge_sorted(Source.of(2, 3)).run(Sink.list())
        [1, 2, 3, 4]
        """
        optional_plain_function(key, "merge_sorted: key")
        return joined("merge_sorted", partial(MergeSorted, key), (self, other))

    def interleave(self, other: Flow[In_contra, Out_co], n: int = 1) -> Flow[In_contra, Out_co]:
        """``n`` elements of this (1), ``n`` of ``other``, and so on; then the rest of the longer.

        >>> Source.of("a", "b").interleave(Source.of("x")).run(Sink.list())
        ['a', 'x', 'b']
        """
        at_least(1, n, "interleave: n")
        return joined("interleave", partial(Interleave, n), (self, other))

    def join(
        self,
        other: Flow[Never, B],
        *,
        key: Callable[[Out_co], Hashable],
        within: float,
        right_key: Callable[[B], Hashable] | None = None,
        event_time: Callable[[Out_co], float | datetime] | None = None,
        right_event_time: Callable[[B], float | datetime] | None = None,
        lateness: float = 0.0,
        max_held: int = 100_000,
    ) -> Flow[In_contra, tuple[Out_co, B]]:
        """``(element, other)`` for each pair of the same key, at most ``within`` seconds apart.

        - ``key`` and ``event_time``: ``key(element)`` must be hashable; ``event_time(element)`` is
          in seconds or a datetime, by default the time at which an element comes.
        - ``right_key`` and ``right_event_time``: the same for elements of ``other``, by default the
          same functions.
        - ``lateness``: elements may come so many seconds out of order, 0 by default; later ones are
          dead letters.
        - ``max_held``: so many elements wait at most, 100,000 by default. Then a stream that is
          ahead waits; if more elements lie within the time, the stage fails with
          ``JoinOverflowError``.

        >>> orders = Source.of(("ann", 1), ("bob", 2))
        >>> payments = Source.of(("ann", 4), ("bob", 60))
        >>> orders.join(
        ...     payments, key=lambda one: one[0], within=30, event_time=lambda one: one[1]
        ... ).run(Sink.list())
        [(('ann', 1), ('ann', 4))]
        """
        keys = plain_function(key, "join: key"), right_key or key
        optional_plain_function(right_key, "join: right_key")
        optional_plain_function(event_time, "join: event_time")
        optional_plain_function(right_event_time, "join: right_event_time")
        make = _join(keys, within, event_time, right_event_time, lateness, max_held)
        return joined("join", make, (self, other))

    @overload
    def zip(self, other: Flow[In_contra, B], /) -> Flow[In_contra, tuple[Out_co, B]]: ...
    @overload
    def zip(
        self, other: Flow[In_contra, B], third: Flow[In_contra, C], /
    ) -> Flow[In_contra, tuple[Out_co, B, C]]: ...
    @overload
    def zip(
        self,
        other: Flow[In_contra, B],
        third: Flow[In_contra, C],
        fourth: Flow[In_contra, D],
        /,
    ) -> Flow[In_contra, tuple[Out_co, B, C, D]]: ...
    @overload
    def zip(self, *others: Flow[In_contra, Any]) -> Flow[In_contra, tuple[Any, ...]]: ...

    def zip(self, *others: Flow[In_contra, Any]) -> Flow[In_contra, Any]:
        """Tuples of one element from this and each of ``others``; ends with the shortest stream.

        >>> Source.of("a", "b").zip(Source.range(1, 9)).run(Sink.list())
        [('a', 1), ('b', 2)]
        """
        count = 1 + len(others)
        return joined("zip", partial(Zip, count), (self, *others))

    @overload
    def zip_latest(self, other: Flow[In_contra, B], /) -> Flow[In_contra, tuple[Out_co, B]]: ...
    @overload
    def zip_latest(
        self, other: Flow[In_contra, B], third: Flow[In_contra, C], /
    ) -> Flow[In_contra, tuple[Out_co, B, C]]: ...
    @overload
    def zip_latest(
        self,
        other: Flow[In_contra, B],
        third: Flow[In_contra, C],
        fourth: Flow[In_contra, D],
        /,
    ) -> Flow[In_contra, tuple[Out_co, B, C, D]]: ...
    @overload
    def zip_latest(self, *others: Flow[In_contra, Any]) -> Flow[In_contra, tuple[Any, ...]]: ...

    def zip_latest(self, *others: Flow[In_contra, Any]) -> Flow[In_contra, Any]:
        """For each new element of any stream, a tuple of it and the latest of the others.

        The first tuple is of the first elements of all. Ends with the stream that ends first.
        ``zip_latest`` of RxPY is another operator: it waits for a new element of every stream.

        >>> Source.of("GBP").zip_latest(Source.of(1.15)).run(Sink.list())
        [('GBP', 1.15)]
        """
        count = 1 + len(others)
        return joined("zip_latest", partial(ZipLatest, count), (self, *others))

    @overload
    def combine_latest(self, other: Flow[In_contra, B], /) -> Flow[In_contra, tuple[Out_co, B]]: ...
    @overload
    def combine_latest(
        self, other: Flow[In_contra, B], third: Flow[In_contra, C], /
    ) -> Flow[In_contra, tuple[Out_co, B, C]]: ...
    @overload
    def combine_latest(
        self,
        other: Flow[In_contra, B],
        third: Flow[In_contra, C],
        fourth: Flow[In_contra, D],
        /,
    ) -> Flow[In_contra, tuple[Out_co, B, C, D]]: ...
    @overload
    def combine_latest(self, *others: Flow[In_contra, Any]) -> Flow[In_contra, tuple[Any, ...]]: ...

    def combine_latest(self, *others: Flow[In_contra, Any]) -> Flow[In_contra, Any]:
        """For each new element of any stream, a tuple of it and the latest of the others.

        The first tuple is of the first elements of all. Ends with the stream that ends last.

        >>> Source.of("GBP").combine_latest(Source.of(1.15)).run(Sink.list())
        [('GBP', 1.15)]
        """
        count = 1 + len(others)
        return joined("combine_latest", partial(CombineLatest, count), (self, *others))

    @overload
    @staticmethod
    def combine(*sources: Flow[Never, T]) -> Flow[Never, T]: ...
    @overload
    @staticmethod
    def combine(
        *sources: Flow[Never, Any], how: Callable[..., Flow[Never, T]]
    ) -> Flow[Never, T]: ...

    @staticmethod
    def combine(
        *sources: Flow[Never, Any], how: Callable[..., Flow[Never, Any]] | None = None
    ) -> Flow[Never, Any]:
        """``sources`` as one source: merged, or as ``how(*sources)`` says.

        For instance ``how=actors_rs.zip``, which is not Python's own.

        >>> from actors_rs import zip
        >>> Source.combine(Source.of("a"), Source.of(1), how=zip).run(Sink.list())
        [('a', 1)]
        """
        if how is builtins.zip:  # type: ignore[comparison-overlap]
            raise wrong_kind(
                "Source.combine: how must give a Source, got Python's own zip: from actors_rs "
                "import zip"
            )
        combined = function(merge if how is None else how, "Source.combine: how")
        whole: Flow[Never, Any] = combined(*sources)
        if not isinstance(whole, Stream):
            raise wrong_kind(f"Source.combine: how must give a Source, got {repr_of(whole)}")
        if not sources or any(ref is OPEN for s in in_order([whole._out.spec]) for ref in s.inputs):
            raise cannot_run(
                f"Source.combine needs Sources, got {repr_of(sources)}: combine a Flow whose input "
                "is open with merge or zip"
            )
        return whole


def merge(*flows: Flow[In_contra, Out_co]) -> Flow[In_contra, Out_co]:
    """The elements of all ``flows`` as they come, each stream in its own order.

    >>> from actors_rs import merge
    >>> merge(Source.of(1), Source.of(2)).run(Sink.sum())
    3
    """
    count = len(flows)
    return joined("merge", partial(Merge, count), flows)


@overload
def zip(
    first: Flow[In_contra, A], second: Flow[In_contra, B], /
) -> Flow[In_contra, tuple[A, B]]: ...
@overload
def zip(
    first: Flow[In_contra, A], second: Flow[In_contra, B], third: Flow[In_contra, C], /
) -> Flow[In_contra, tuple[A, B, C]]: ...
@overload
def zip(
    first: Flow[In_contra, A],
    second: Flow[In_contra, B],
    third: Flow[In_contra, C],
    fourth: Flow[In_contra, D],
    /,
) -> Flow[In_contra, tuple[A, B, C, D]]: ...
@overload
def zip(*flows: Flow[In_contra, Any]) -> Flow[In_contra, tuple[Any, ...]]: ...


def zip(*flows: Any) -> Any:
    """Tuples of one element from each of ``flows``, in order; ends with the shortest stream.

    >>> from actors_rs import zip
    >>> zip(Source.of("a", "b"), Source.of(1, 2)).run(Sink.list())
    [('a', 1), ('b', 2)]
    """
    count = len(flows)
    return joined("zip", partial(Zip, count), flows)


def joined(
    kind: str, make: Callable[[], Any], flows: tuple[Any, ...], sides: tuple[StageSpec, ...] = ()
) -> Flow[Any, Any]:
    """``flows`` into a stage of ``kind`` with an inlet for each; ``sides`` are sinks of its own."""
    if not flows:
        raise cannot_run(f"{kind} needs at least one stream, got none")
    for flow in flows:
        if not isinstance(flow, Stream):
            raise wrong_kind(f"{kind} needs Sources or Flows, got {repr_of(flow)}")
    inputs = [flow._out for flow in flows]
    if not sides:
        return flow_of(OutletRef(spec_of(kind, make, *inputs)))
    return flow_of(OutletRef(spec_of(kind, make, *inputs, outlets=1 + len(sides), sides=sides)))


def _join(
    keys: Any, within: float, event_time: Any, right_event_time: Any, lateness: float, most: int
) -> Callable[[], Join]:
    seconds = positive_seconds(within, "join: within")
    at_least_zero(lateness, "join: lateness", "seconds")
    at_least(1, most, "join: max_held")
    if event_time is not None:
        times = event_time, right_event_time or event_time
        return partial(Join, keys, seconds, times, lateness, most)
    if right_event_time is not None or lateness:
        given = "lateness" if lateness else "right_event_time"
        raise wrong_value(f"join: {given} needs event_time=f: by the clock no element is late")
    return partial(Join, keys, seconds, None, 0.0, most)
