"""Folds and tests: methods of ``Flow`` that make one element of a whole stream."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, TypeVarTuple, Unpack, get_args, overload

from actors_rs.graph.checks import (
    at_least,
    function,
    known_options,
    one_of,
    optional_plain_function,
    plain_function,
    wrong_kind,
)
from actors_rs.graph.windowing import Aggregation, aggregation_in_windows
from actors_rs.language.initial import Always, copies_of
from actors_rs.language.methods.chain import Chain
from actors_rs.language.methods.combining import joined
from actors_rs.language.sink import Sink, check_sink
from actors_rs.stages.operators.aggregate_by import AggregateBy
from actors_rs.stages.operators.average import Average
from actors_rs.stages.operators.contains import Contains
from actors_rs.stages.operators.count import Count
from actors_rs.stages.operators.extreme import Extreme, ExtremeBy
from actors_rs.stages.operators.last import Last
from actors_rs.stages.operators.reduce import Reduce
from actors_rs.stages.operators.reduce_without_initial import ReduceWithoutInitial
from actors_rs.stages.operators.search import Search
from actors_rs.stages.operators.sum import Sum
from actors_rs.stages.windows.results import WindowResult
from actors_rs.stages.windows.spans import OnTooMany
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["Folds"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
I = TypeVar("I")  # noqa: E741 - the input of the flow that a method is called on
T = TypeVar("T")
R = TypeVar("R")
K = TypeVar("K")
M = TypeVar("M")  # a moment: seconds or a datetime
Ts = TypeVarTuple("Ts")

MOST_KEYS = 100_000
"""Values that ``aggregate_by`` holds at most, unless the user says otherwise."""


class WindowOptions(TypedDict, total=False):
    """Which windows ``aggregate_by`` has, for type checkers."""

    every: float
    sliding: tuple[float, float]
    session: float
    offset: float
    lateness: float
    late: Sink[Any, Any]
    merge: Callable[[Any, Any], Any]
    merged_with: Sequence[Any]
    idle_after: float
    max_keys: int
    on_overflow: OnTooMany


class Folds(Chain[In_contra, Out_co]):
    """Folds give their result when upstream completes, tests as soon as they know it.

    One that needs an element fails with ``EmptyStreamError`` where none came.
    """

    __slots__ = ()

    # A checker may take (0, 0) for a tuple of literals, and None for the only value; so three.
    @overload
    def reduce(  # type: ignore[overload-overlap]
        self, init: R, f: Callable[[R, Out_co], R]
    ) -> Flow[In_contra, R]: ...
    @overload
    def reduce(
        self, init: tuple[*Ts], f: Callable[[tuple[*Ts], Out_co], tuple[*Ts]]
    ) -> Flow[In_contra, tuple[*Ts]]: ...
    @overload
    def reduce(
        self, init: None, f: Callable[[R | None, Out_co], R]
    ) -> Flow[In_contra, R | None]: ...
    def reduce(self, init: Any, f: Callable[[Any, Out_co], Any]) -> Flow[In_contra, Any]:
        """``f(accumulated, element)`` over all elements, from ``init``.

        Each run begins with a deep copy of ``init``; raises ``TypeError`` if it cannot be copied.

        >>> Source.of("a", "b").reduce("", lambda text, line: text + line).run(Sink.list())
        ['ab']
        """
        make_init = copies_of(init, "reduce", "reduce_get")
        function(f, "reduce: f")
        return self.then("reduce", partial(Reduce, make_init, f))

    def reduce_get(
        self, make_init: Callable[[], R], f: Callable[[R, Out_co], R]
    ) -> Flow[In_contra, R]:
        """``reduce`` with ``f`` from ``make_init()``, which is called once in each run.

        >>> Source.of("a", "b").reduce_get(list, lambda seen, one: [*seen, one]).run(Sink.list())
        [['a', 'b']]
        """
        function(make_init, "reduce_get: make_init")
        function(f, "reduce_get: f")
        return self.then("reduce_get", partial(Reduce, make_init, f))

    @overload
    def aggregate_by(  # type: ignore[overload-overlap]  # no option is one of each
        self,
        key: Callable[[Out_co], K],
        init: Callable[[], R],
        fold: Callable[[R, Out_co], R],
        *,
        max_keys: int = ...,
        on_overflow: OnTooMany = ...,
    ) -> Flow[In_contra, tuple[K, R]]: ...
    @overload
    def aggregate_by(
        self,
        key: Callable[[Out_co], K],
        init: R,
        fold: Callable[[R, Out_co], R],
        *,
        max_keys: int = ...,
        on_overflow: OnTooMany = ...,
    ) -> Flow[In_contra, tuple[K, R]]: ...
    @overload
    def aggregate_by(
        self,
        key: Callable[[Out_co], K],
        init: Callable[[], R],
        fold: Callable[[R, Out_co], R],
        *,
        event_time: Callable[[Out_co], M],
        **windows: Unpack[WindowOptions],
    ) -> Flow[In_contra, WindowResult[K, M, R]]: ...
    @overload
    def aggregate_by(
        self,
        key: Callable[[Out_co], K],
        init: R,
        fold: Callable[[R, Out_co], R],
        *,
        event_time: Callable[[Out_co], M],
        **windows: Unpack[WindowOptions],
    ) -> Flow[In_contra, WindowResult[K, M, R]]: ...
    @overload
    def aggregate_by(
        self,
        key: Callable[[Out_co], K],
        init: Callable[[], R],
        fold: Callable[[R, Out_co], R],
        **windows: Unpack[WindowOptions],
    ) -> Flow[In_contra, WindowResult[K, float, R]]: ...
    @overload
    def aggregate_by(
        self,
        key: Callable[[Out_co], K],
        init: R,
        fold: Callable[[R, Out_co], R],
        **windows: Unpack[WindowOptions],
    ) -> Flow[In_contra, WindowResult[K, float, R]]: ...
    def aggregate_by(
        self,
        key: Callable[[Any], Any],
        init: Any,
        fold: Callable[[Any, Any], Any],
        *,
        max_keys: int = MOST_KEYS,
        on_overflow: OnTooMany = "fail",
        event_time: Callable[[Any], Any] | None = None,
        **windows: Any,
    ) -> Flow[In_contra, Any]:
        """``(key, value)`` for each key, when upstream completes; or for each window of time.

        - ``init``: the first value, which is copied for each key; a function, or a class such as
          ``list``, is called instead.
        - ``fold``: ``fold(value, element)`` gives the next value.
        - ``max_keys`` and ``on_overflow``: with more than ``max_keys`` values the stage fails
          (``"fail"``, the default), gives the oldest value as it is (``"emit_oldest"``), or leaves
          the element out and counts it (``"drop"``).

        With ``every=60``, ``sliding=(size, step)`` or ``session=gap``, all in seconds, it gives a
        ``WindowResult`` for each key and window when the window is over:

        - ``event_time``: ``event_time(element)`` is the time, in seconds or datetimes; by default
          it is the clock.
        - ``lateness``: elements may come so many seconds out of order, 0 by default. Later ones go
          to the sink ``late``, else to the dead letters.
        - ``offset``: shifts the beginning of windows, in seconds.
        - ``merge``: ``merge(a, b)`` joins sessions that become one; by default they are folded
          anew.
        - ``merged_with``: further streams with times of their own. The slowest one counts; a stream
          that gives nothing for ``idle_after`` seconds is not waited for.

        >>> Source.of("ant", "bee", "asp").aggregate_by(
        ...     lambda word: word[0], 0, lambda n, _: n + 1
        ... ).run(Sink.list())
        [('a', 2), ('b', 1)]
        """
        plain_function(key, "aggregate_by: key")
        make_init = init if callable(init) else copies_of(init, "aggregate_by", "it")
        plain_function(make_init, "aggregate_by: init")
        plain_function(fold, "aggregate_by: fold")
        at_least(1, max_keys, "aggregate_by: max_keys")
        one_of(get_args(OnTooMany), on_overflow, "aggregate_by: on_overflow")
        what = Aggregation(key, make_init, fold, max_keys, on_overflow)
        if windows or event_time is not None:
            return _in_windows(self, what, event_time, **windows)
        return self.then("aggregate_by", partial(AggregateBy, *what))

    def reduce_without_initial(self: Folds[I, T], f: Callable[[T, T], T]) -> Flow[I, T]:
        """``f(accumulated, element)`` over all elements, from the first one on.

        Fails with ``EmptyStreamError`` if there is none.

        >>> Source.of(3, 9, 4).reduce_without_initial(max).run(Sink.list())
        [9]
        """
        function(f, "reduce_without_initial: f")
        return self.then("reduce_without_initial", partial(ReduceWithoutInitial, f))

    @overload
    def sum(self: Folds[I, int]) -> Flow[I, int]: ...
    @overload
    def sum(self: Folds[I, float]) -> Flow[I, float]: ...
    @overload
    def sum(self) -> Flow[In_contra, Any]: ...
    def sum(self) -> Flow[Any, Any]:
        """The elements added up, from 0.

        >>> Source.of(2, 3).sum().run(Sink.list())
        [5]
        """
        return self.then("sum", Sum)

    def count(self) -> Flow[In_contra, int]:
        """How many elements there were.

        >>> Source.of("a", "b").count().run(Sink.list())
        [2]
        """
        return self.then("count", Count)

    def average(self) -> Flow[In_contra, float]:
        """The mean of the elements; fails with ``EmptyStreamError`` if there is none.

        >>> Source.of(2, 3).average().run(Sink.list())
        [2.5]
        """
        return self.then("average", Average)

    def min(self, key: Callable[[Out_co], Any] | None = None) -> Flow[In_contra, Out_co]:
        """The smallest element, or the one with the smallest ``key``; the first of equals.

        >>> Source.of("pear", "fig").min(key=len).run(Sink.list())
        ['fig']
        """
        optional_plain_function(key, "min: key")
        return self.then("min", _extreme(builtins.min, key))

    def max(self, key: Callable[[Out_co], Any] | None = None) -> Flow[In_contra, Out_co]:
        """The largest element, or the one with the largest ``key``; the first of equals.

        >>> Source.of("pear", "fig").max(key=len).run(Sink.list())
        ['pear']
        """
        optional_plain_function(key, "max: key")
        return self.then("max", _extreme(builtins.max, key))

    def last(self) -> Flow[In_contra, Out_co]:
        """The last element; fails with ``EmptyStreamError`` if there is none.

        >>> Source.of("a", "b").last().run(Sink.list())
        ['b']
        """
        return self.then("last", Last)

    def all(self, predicate: Callable[[Out_co], object]) -> Flow[In_contra, bool]:
        """Whether ``predicate`` is true for every element; false cancels upstream at once.

        >>> Source.of("12", "7").all(str.isdigit).run(Sink.list())
        [True]
        """
        plain_function(predicate, "all: predicate")
        return self.then("all", partial(Search, predicate, wanted=False))

    def some(self, predicate: Callable[[Out_co], object]) -> Flow[In_contra, bool]:
        """Whether ``predicate`` is true for any element; true cancels upstream at once.

        >>> Source.of("12", "x").some(str.isalpha).run(Sink.list())
        [True]
        """
        plain_function(predicate, "some: predicate")
        return self.then("some", partial(Search, predicate, wanted=True))

    def contains(
        self, value: object, equal: Callable[[Any, Any], object] | None = None
    ) -> Flow[In_contra, bool]:
        """Whether an element is ``value`` or equal to it; or ``equal(value, element)`` is true.

        >>> Source.of("a", "b").contains("b").run(Sink.list())
        [True]
        """
        if equal is None:
            return self.then("contains", partial(Contains, value))
        plain_function(equal, "contains: equal")
        return self.then("contains", partial(Search, partial(equal, value), wanted=True))

    def is_empty(self) -> Flow[In_contra, bool]:
        """Whether no element comes; the first one cancels upstream.

        >>> Source.empty().is_empty().run(Sink.list())
        [True]
        """
        return self.then("is_empty", partial(Search, Always(False), wanted=False))


def _extreme(
    choose: Callable[..., Any], key: Callable[[Any], Any] | None
) -> Callable[[], Extreme | ExtremeBy]:
    return partial(Extreme, choose) if key is None else partial(ExtremeBy, choose, key)


def _in_windows(
    flow: Any,
    what: Aggregation,
    event_time: Callable[[Any], Any] | None,
    *,
    late: Sink[Any, Any] | None = None,
    merged_with: Sequence[Any] = (),
    **options: Any,
) -> Flow[Any, Any]:
    known_options(options, ("event_time", *WindowOptions.__annotations__), "Flow.aggregate_by")
    if not isinstance(merged_with, list | tuple):
        raise wrong_kind(
            f"aggregate_by: merged_with must be a list of streams, got {repr_of(merged_with)}"
        )
    if late is not None:
        check_sink("aggregate_by: late", late)
    flows = (flow, *merged_with)
    make = aggregation_in_windows(what, len(flows), late is not None, event_time, **options)
    return joined(
        "aggregate_by", make, flows, () if late is None else (late._only_end("aggregate_by"),)
    )
