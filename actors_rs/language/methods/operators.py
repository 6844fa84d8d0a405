"""The operators of the language: methods of ``Flow``, so of ``Source`` too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import Executor, Future
from functools import partial
from typing import TYPE_CHECKING, Any, Never, TypeVar, TypeVarTuple, overload

from actors_rs.graph.checks import (
    at_least,
    flag,
    function,
    integer,
    optional_plain_function,
    plain_function,
    positive,
    positive_seconds,
    wrong_kind,
    wrong_value,
)
from actors_rs.language.initial import begun, copies_of
from actors_rs.language.methods.chain import Chain
from actors_rs.language.methods.recovery import (
    RetryOn,
    falling_back,
    limited_calls,
    optional_backoff,
    worth_retrying,
)
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.stages.functions import COROUTINE, deferred_kind
from actors_rs.stages.operators.batch import Batch
from actors_rs.stages.operators.batch_by_weight import BatchByWeight
from actors_rs.stages.operators.filter import Filter
from actors_rs.stages.operators.map import Map
from actors_rs.stages.operators.map_async import MapAsync
from actors_rs.stages.operators.map_async_by_key import MapAsyncByKey
from actors_rs.stages.operators.map_not_none import MapNotNone
from actors_rs.stages.operators.scan import Scan
from actors_rs.stages.operators.sliding import Sliding
from actors_rs.stages.operators.sort_within import SortWithin
from actors_rs.stages.operators.starmap import Starmap
from actors_rs.stages.operators.stateful_map import StatefulMap
from actors_rs.stages.operators.with_index import WithIndex
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault  # which type checkers bring along

    from actors_rs.language.flow import Flow

    F = TypeVarWithDefault("F", default=Never)  # what ``fallback`` gives, if there is one

__all__ = ["Operators"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
I = TypeVar("I")  # noqa: E741 - the input of the flow that a method is called on
R = TypeVar("R")
S = TypeVar("S")
Ts = TypeVarTuple("Ts")

WINDOW_OF_BATCHES = 16
"""How many batches the next inlet of ``batch`` keeps requested at least, as long as they may be."""
WINDOW_PER_CALL = 4
"""How many elements ``map_async`` keeps requested for each call that may be under way.

Twice as many as it holds. More would not make it faster, but its run slower to drain.
"""
LEAST_WINDOW_OF_CALLS = 16
"""Elements that it keeps requested at least: with fewer, quick calls wait for upstream."""


class Operators(Chain[In_contra, Out_co]):
    """The operators on elements. Each call gives a new blueprint and changes none."""

    __slots__ = ()

    def map(self, f: Callable[[Out_co], R]) -> Flow[In_contra, R]:
        """Each element through ``f``.

        >>> Source.of("3", "4").map(int).run(Sink.list())
        [3, 4]
        """
        function(f, "map: f")
        return self.then("map", partial(Map, f))

    def filter(self, predicate: Callable[[Out_co], object]) -> Flow[In_contra, Out_co]:
        """The elements for which ``predicate`` is true.

        >>> Source.of("a", "", "b").filter(bool).run(Sink.list())
        ['a', 'b']
        """
        plain_function(predicate, "filter: predicate")
        return self.then("filter", partial(Filter, predicate))

    def starmap(self: Operators[I, tuple[*Ts]], f: Callable[[*Ts], R]) -> Flow[I, R]:
        """``f(*element)`` for each element, a tuple of arguments.

        >>> Source.of((2, 3), (10, 2)).starmap(pow).run(Sink.list())
        [8, 100]
        """
        function(f, "starmap: f")
        return self.then("starmap", partial(Starmap, f))

    def map_not_none(self, f: Callable[[Out_co], R | None]) -> Flow[In_contra, R]:
        """The results of ``f`` for each element, without the results that are ``None``.

        >>> sizes = {"a.txt": 120}
        >>> Source.of("a.txt", "gone.txt").map_not_none(sizes.get).run(Sink.list())
        [120]
        """
        function(f, "map_not_none: f")
        return self.then("map_not_none", partial(MapNotNone, f))

    # A checker may take (0, 0) for a tuple of literals, and None for the only value; so three.
    @overload
    def scan(  # type: ignore[overload-overlap]
        self, init: R, f: Callable[[R, Out_co], R]
    ) -> Flow[In_contra, R]: ...
    @overload
    def scan(
        self, init: tuple[*Ts], f: Callable[[tuple[*Ts], Out_co], tuple[*Ts]]
    ) -> Flow[In_contra, tuple[*Ts]]: ...
    @overload
    def scan(self, init: None, f: Callable[[R | None, Out_co], R]) -> Flow[In_contra, R]: ...
    def scan(self, init: Any, f: Callable[[Any, Out_co], Any]) -> Flow[In_contra, Any]:
        """Each ``f(accumulated, element)``, from ``init``, which is not emitted itself.

        Each run begins with a deep copy of ``init``; raises ``TypeError`` if it cannot be copied.

        >>> Source.of(10, -3, 5).scan(0, lambda total, booked: total + booked).run(Sink.list())
        [10, 7, 12]
        """
        make_init = copies_of(init, "scan", "stateful_map")
        function(f, "scan: f")
        return self.then("scan", partial(begun, Scan, make_init, f))

    def stateful_map(
        self,
        create: Callable[[], S],
        f: Callable[[S, Out_co], tuple[S, R]],
        on_complete: Callable[[S], R | None] | None = None,
    ) -> Flow[In_contra, R]:
        """``f(state, element)`` gives the next state and a result; the first state is ``create()``.

        ``create`` is called once in each run. When upstream completes, ``on_complete(state)`` may
        give one more result; ``None`` is none.

        >>> def numbered(last, line):
        ...     return last + 1, f"{last + 1}: {line}"
        >>> lines = Source.of("a", "b").stateful_map(int, numbered, on_complete="{} lines".format)
        >>> lines.run(Sink.list())
        ['1: a', '2: b', '2 lines']
        """
        function(create, "stateful_map: create")
        function(f, "stateful_map: f")
        if on_complete is not None:
            function(on_complete, "stateful_map: on_complete")
        return self.then("stateful_map", partial(StatefulMap, create, f, on_complete))

    def with_index(self, first: int = 0) -> Flow[In_contra, tuple[int, Out_co]]:
        """Pairs of a number, counting from ``first``, and the element: as ``enumerate`` gives.

        >>> Source.of("a", "b").with_index(first=1).run(Sink.list())
        [(1, 'a'), (2, 'b')]
        """
        integer(first, "with_index: first")
        return self.then("with_index", partial(WithIndex, first))

    def sliding(self, size: int, step: int = 1) -> Flow[In_contra, tuple[Out_co, ...]]:
        """Tuples of ``size`` neighbours, each beginning ``step`` elements after the previous one.

        Only whole tuples are given: the last elements are left out if they do not fill one.

        >>> Source.of(3, 5, 4, 8).sliding(3).map(max).run(Sink.list())
        [5, 8]
        """
        at_least(1, size, "sliding: size")
        at_least(1, step, "sliding: step")
        return self.then("sliding", partial(Sliding, size, step), 0)

    def pairwise(self) -> Flow[In_contra, tuple[Out_co, Out_co]]:
        """Each element but the first, with the previous one: ``sliding(2)``.

        >>> Source.of(3, 5, 4).pairwise().run(Sink.list())
        [(3, 5), (5, 4)]
        """
        return self.then("pairwise", partial(Sliding, 2, 1))

    def sort_within(
        self, count: int, key: Callable[[Out_co], Any] | None = None
    ) -> Flow[In_contra, Out_co]:
        """The elements sorted, if each comes at most ``count`` places too late.

        Sorts by ``key``, by default the elements themselves; equal ones stay in their order. Holds
        ``count`` elements back.

        >>> Source.of(1, 3, 2, 4).sort_within(1).run(Sink.list())
        [1, 2, 3, 4]
        """
        at_least(1, count, "sort_within: count")
        optional_plain_function(key, "sort_within: key")
        return self.then("sort_within", partial(SortWithin, count, key), holds=count)

    def batch(
        self,
        count: int | None = None,
        within: float | None = None,
        *,
        weight: Callable[[Out_co], float] | None = None,
        max_weight: float | None = None,
    ) -> Flow[In_contra, list[Out_co]]:
        """Lists of ``count`` elements, the last one shorter.

        - ``within``: seconds after which a list is given, full or not, counted from its first
          element. By default there is no limit.
        - ``weight`` and ``max_weight``: ``weight(element)`` is a number, and a list holds elements
          of at most ``max_weight`` together, and at most ``count`` if it is given. A heavier
          element comes alone.

        >>> Source.of(1, 2, 3, 4, 5).batch(2).run(Sink.list())
        [[1, 2], [3, 4], [5]]
        >>> Source.of("ab", "c", "def").batch(weight=len, max_weight=3).run(Sink.list())
        [['ab', 'c'], ['def']]
        """
        seconds = None if within is None else positive_seconds(within, "batch: within")
        if count is None and weight is None:
            needed = "count or weight" if max_weight is None else "weight"
            raise wrong_kind(f"batch: expected {needed}, which says when a list is full, got none")
        if count is not None:
            count = at_least(1, count, "batch: count")
        if weight is None and max_weight is None and count is not None:
            make = partial(Batch, count, seconds)
            return self.then("batch", make, WINDOW_OF_BATCHES, gathers=count, holds=count)
        weigh = plain_function(weight, "batch: weight")
        heaviest = positive(max_weight, "batch: max_weight")
        make_weighed = partial(BatchByWeight, count, seconds, weigh, heaviest)
        return self.then(
            "batch", make_weighed, WINDOW_OF_BATCHES, gathers=count or 0, holds=count or 0
        )

    @overload
    def map_async(
        self,
        f: Callable[[Out_co], Awaitable[R]],
        parallelism: int = 8,
        ordered: bool = True,
        executor: Executor | None = None,
        key: Callable[[Out_co], Hashable] | None = None,
        *,
        timeout: float | None = None,
        max_abandoned: int | None = None,
        retry: Backoff | None = None,
        retry_on: RetryOn | None = None,
        retry_after: Callable[[Exception], float | None] | None = None,
        max_attempts: int | None = None,
        fallback: Callable[[Out_co, Exception], F] | None = None,
    ) -> Flow[In_contra, R | F]: ...

    @overload
    def map_async(
        self,
        f: Callable[[Out_co], Future[R]],
        parallelism: int = 8,
        ordered: bool = True,
        executor: Executor | None = None,
        key: Callable[[Out_co], Hashable] | None = None,
        *,
        timeout: float | None = None,
        max_abandoned: int | None = None,
        retry: Backoff | None = None,
        retry_on: RetryOn | None = None,
        retry_after: Callable[[Exception], float | None] | None = None,
        max_attempts: int | None = None,
        fallback: Callable[[Out_co, Exception], F] | None = None,
    ) -> Flow[In_contra, R | F]: ...

    @overload
    def map_async(
        self,
        f: Callable[[Out_co], R],
        parallelism: int = 8,
        ordered: bool = True,
        executor: Executor | None = None,
        key: Callable[[Out_co], Hashable] | None = None,
        *,
        timeout: float | None = None,
        max_abandoned: int | None = None,
        retry: Backoff | None = None,
        retry_on: RetryOn | None = None,
        retry_after: Callable[[Exception], float | None] | None = None,
        max_attempts: int | None = None,
        fallback: Callable[[Out_co, Exception], F] | None = None,
    ) -> Flow[In_contra, R | F]: ...

    def map_async(
        self,
        f: Callable[[Out_co], Any],
        parallelism: int = 8,
        ordered: bool = True,
        executor: Executor | None = None,
        key: Callable[[Out_co], Hashable] | None = None,
        *,
        timeout: float | None = None,
        max_abandoned: int | None = None,
        retry: Backoff | None = None,
        retry_on: RetryOn | None = None,
        retry_after: Callable[[Exception], float | None] | None = None,
        max_attempts: int | None = None,
        fallback: Callable[[Out_co, Exception], Any] | None = None,
    ) -> Flow[In_contra, Any]:
        """Each element through ``f``, ``parallelism`` calls at a time, each in its own context.

        - ``f``: may block; it returns a value, a ``concurrent.futures.Future`` or an awaitable. It
          runs on threads of the system or of ``executor``, coroutines on the system's event loop.
        - ``parallelism``: 8 by default.
        - ``ordered``: results come in order (default), or with ``False`` as they are ready.
        - ``key``: calls with the same ``key(element)`` follow each other, and results of different
          keys come as they are ready.
        - ``timeout``: seconds, ``None`` by default. An element whose call takes longer fails with
          ``CallTimeout``, and the next call begins. A coroutine is cancelled then; a thread is
          abandoned and counted.
        - ``max_abandoned``: if more threads are abandoned, 16 by default, the stage fails with
          ``AbandonedCallsError`` under any policy. Needs ``timeout``.
        - ``retry``, ``retry_on``, ``retry_after``, ``max_attempts``: each turns retries on. An
          element whose call fails with one of ``retry_on`` (an exception class or several; each
          ``Exception`` by default) is called for again after the wait that ``retry`` gives, a
          ``Backoff()`` by default. ``retry_after(error)`` may give other seconds, for instance
          as a ``Retry-After`` says, or ``None``. ``max_attempts`` counts all calls, the first one
          included: 3 by default. A waiting element takes no place among the ``parallelism`` calls;
          see ``Flow.retry``.
        - ``fallback``: ``fallback(element, error)`` is given in place of an element whose calls
          have failed for good; ``None`` by default. ``error`` is the last ``Exception``:
          ``CallTimeout`` after ``timeout``, ``CallExitError`` for a ``SystemExit``. It is a plain
          function that must not block. If it raises, the element fails with that error.

        >>> async def length(page):
        ...     return len(page)
        >>> Source.of("index", "news").map_async(length, parallelism=2).run(Sink.list())
        [5, 4]
        >>> def unknown(text, error):
        ...     return {"text": text, "why": str(error)}
        >>> Source.of("7", "x").map_async(float, fallback=unknown).run(Sink.list())
        [7.0, {'text': 'x', 'why': "could not convert string to float: 'x'"}]
        """
        make = _calls(f, parallelism, ordered, executor, key)
        make = limited_calls(make, timeout, max_abandoned)
        make = falling_back(make, fallback, "map_async")
        window = max(LEAST_WINDOW_OF_CALLS, WINDOW_PER_CALL * parallelism)
        flow = self.then("map_async", make, holds=2 * parallelism)._changed(
            "map_async", most_window=window, falls_back=fallback is not None
        )
        if all(option is None for option in (retry, retry_on, retry_after, max_attempts)):
            return flow
        when = None if retry_on is None else worth_retrying(retry_on)
        optional_backoff(retry, "map_async: retry")
        optional_plain_function(retry_after, "map_async: retry_after")
        attempts = 3 if max_attempts is None else max_attempts
        at_least(1, attempts, "map_async: max_attempts")
        return flow.retry(retry, attempts, when=when, after=retry_after)


def _calls(
    f: Any, parallelism: int, ordered: bool, executor: Executor | None, key: Any
) -> Callable[[], MapAsync]:
    function(f, "map_async: f", awaited=True)
    at_least(1, parallelism, "map_async: parallelism")
    flag(ordered, "map_async: ordered")
    if executor is not None and not isinstance(executor, Executor):
        raise wrong_kind(
            f"map_async: executor must be an Executor or None, got {repr_of(executor)}"
        )
    if executor is not None and deferred_kind(f) == COROUTINE:
        raise wrong_value(
            "map_async: a coroutine function runs on the system's event loop, so expected no "
            f"executor, got {repr_of(executor)}"
        )
    if key is None:
        return partial(MapAsync, f, parallelism, ordered, executor)
    by = plain_function(key, "map_async: key")
    if not ordered:
        raise wrong_value("map_async: ordered=False and key= exclude each other: leave one out")
    return partial(MapAsyncByKey, f, parallelism, by, executor)
