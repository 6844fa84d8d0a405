"""The operators of the language: methods of ``Flow``, hence of ``Source`` too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Iterable
from concurrent.futures import Executor, Future
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, TypeVarTuple, overload

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
    MOST_ABANDONED,
    RetryOn,
    limited_calls,
    worth_retrying,
)
from actors_rs.runtime.processes.needs import check_pickles, cores
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.stages.functions import COROUTINE, deferred_kind
from actors_rs.stages.operators.batch import Batch
from actors_rs.stages.operators.batch_by_weight import BatchByWeight
from actors_rs.stages.operators.filter import Filter
from actors_rs.stages.operators.flat_map_processes import FlatMapProcesses
from actors_rs.stages.operators.map import Map
from actors_rs.stages.operators.map_async import MapAsync
from actors_rs.stages.operators.map_async_by_key import MapAsyncByKey
from actors_rs.stages.operators.map_not_none import MapNotNone
from actors_rs.stages.operators.map_processes import FIRST_WINDOW, MapProcesses
from actors_rs.stages.operators.scan import Scan
from actors_rs.stages.operators.sliding import Sliding
from actors_rs.stages.operators.sort_within import SortWithin
from actors_rs.stages.operators.starmap import Starmap
from actors_rs.stages.operators.stateful_map import StatefulMap
from actors_rs.stages.operators.with_index import WithIndex
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["Operators"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
I = TypeVar("I")  # noqa: E741 - the input of the flow that a method is called on
R = TypeVar("R")
S = TypeVar("S")
Ts = TypeVarTuple("Ts")

WINDOW_OF_BATCHES = 16
"""How many batches an inlet behind ``batch`` keeps requested at least, as long as they may be."""
WINDOW_PER_CALL = 4
"""How many elements ``map_async`` keeps requested for each call that may be under way.

Twice as many as it holds. More would not make it faster, but its run slower to drain.
"""
LEAST_WINDOW_OF_CALLS = 16
"""What it keeps requested at least: behind a smaller window quick calls wait for upstream."""


class Operators(Chain[In_contra, Out_co]):
    """What can be done to a stream. Each call gives a new blueprint and changes none."""

    __slots__ = ()

    def map(self, f: Callable[[Out_co], R]) -> Flow[In_contra, R]:
        """Each element through ``f``."""
        function(f, "map: f")
        return self.then("map", partial(Map, f))

    def filter(self, predicate: Callable[[Out_co], object]) -> Flow[In_contra, Out_co]:
        """The elements for which ``predicate`` is true."""
        plain_function(predicate, "filter: predicate")
        return self.then("filter", partial(Filter, predicate))

    def starmap(self: Operators[I, tuple[*Ts]], f: Callable[[*Ts], R]) -> Flow[I, R]:
        """``f(*element)`` for each element, a tuple of arguments."""
        function(f, "starmap: f")
        return self.then("starmap", partial(Starmap, f))

    def map_not_none(self, f: Callable[[Out_co], R | None]) -> Flow[In_contra, R]:
        """What ``f`` gives for each element, unless that is ``None``."""
        function(f, "map_not_none: f")
        return self.then("map_not_none", partial(MapNotNone, f))

    # A checker may take (0, 0) for a tuple of literals, and None for the only value; hence three.
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
        """``f(state, element)`` gives the next state and a result; the first is ``create()``.

        ``create`` is called once in each run. When upstream completes, ``on_complete(state)``
        may give one more result; ``None`` is none.
        """
        function(create, "stateful_map: create")
        function(f, "stateful_map: f")
        if on_complete is not None:
            function(on_complete, "stateful_map: on_complete")
        return self.then("stateful_map", partial(StatefulMap, create, f, on_complete))

    def with_index(self, first: int = 0) -> Flow[In_contra, tuple[int, Out_co]]:
        """Pairs of a number, counting from ``first``, and the element: as ``enumerate`` gives."""
        integer(first, "with_index: first")
        return self.then("with_index", partial(WithIndex, first))

    def sliding(self, size: int, step: int = 1) -> Flow[In_contra, tuple[Out_co, ...]]:
        """Tuples of ``size`` neighbours, each beginning ``step`` elements behind the one before.

        Only whole ones: elements behind the last tuple that is complete are in none.
        """
        at_least(1, size, "sliding: size")
        at_least(1, step, "sliding: step")
        return self.then("sliding", partial(Sliding, size, step), 0)

    def pairwise(self) -> Flow[In_contra, tuple[Out_co, Out_co]]:
        """Each element but the first, with the one before: ``sliding(2)``."""
        return self.then("pairwise", partial(Sliding, 2, 1))

    def sort_within(
        self, count: int, key: Callable[[Out_co], Any] | None = None
    ) -> Flow[In_contra, Out_co]:
        """Sorted, if each element comes at most ``count`` places too late; holds that many back.

        By ``key`` or by the elements themselves; equal ones stay in their order.
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

        With ``within``, a list is given that many seconds after its first element was taken, full
        or not.
        With ``weight`` and ``max_weight``, a list holds as many elements as weigh no more than
        that together, and no more than ``count`` if that is given; a heavier one comes alone.
        """
        seconds = None if within is None else positive_seconds(within, "batch: within")
        if count is None and weight is None:
            needed = "count or weight" if max_weight is None else "weight"
            raise wrong_kind(f"batch: {needed} must be given, by which a list is full")
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
        max_abandoned: int = MOST_ABANDONED,
        retry: Backoff | None = None,
        retry_on: RetryOn = (Exception,),
        max_attempts: int = 3,
    ) -> Flow[In_contra, R]: ...

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
        max_abandoned: int = MOST_ABANDONED,
        retry: Backoff | None = None,
        retry_on: RetryOn = (Exception,),
        max_attempts: int = 3,
    ) -> Flow[In_contra, R]: ...

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
        max_abandoned: int = MOST_ABANDONED,
        retry: Backoff | None = None,
        retry_on: RetryOn = (Exception,),
        max_attempts: int = 3,
    ) -> Flow[In_contra, R]: ...

    def map_async(
        self,
        f: Callable[[Out_co], Any],
        parallelism: int = 8,
        ordered: bool = True,
        executor: Executor | None = None,
        key: Callable[[Out_co], Hashable] | None = None,
        *,
        timeout: float | None = None,
        max_abandoned: int = MOST_ABANDONED,
        retry: Backoff | None = None,
        retry_on: RetryOn = (Exception,),
        max_attempts: int = 3,
    ) -> Flow[In_contra, Any]:
        """Each element through ``f``, ``parallelism`` calls at a time, each in its own context.

        ``f`` may block; it returns a value, a ``concurrent.futures.Future`` or an awaitable. It
        runs on threads of the system or of ``executor``, coroutines on the system's event loop.
        Results come in order, with ``ordered=False`` as they are ready. With ``key``, calls of one
        key follow each other, and results of different keys come as they are ready.

        An element whose call takes longer than ``timeout`` seconds fails with ``CallTimeout``, and
        the next call begins. A coroutine is cancelled then. A thread is abandoned and counted; more
        than ``max_abandoned`` fail the stage with ``AbandonedCallsError``, whatever its policy.

        With ``retry`` there are up to ``max_attempts`` calls for an element whose call fails with
        one of ``retry_on``, and no place is held between them; see ``Flow.retry``.
        """
        make = _calls(f, parallelism, ordered, executor, key)
        make = limited_calls(make, timeout, max_abandoned)
        window = max(LEAST_WINDOW_OF_CALLS, WINDOW_PER_CALL * parallelism)
        flow = self.then("map_async", make, holds=2 * parallelism)._changed(
            "map_async", most_window=window
        )
        when = worth_retrying(retry_on)
        at_least(1, max_attempts, "map_async: max_attempts")
        return flow if retry is None else flow.retry(retry, max_attempts, when=when)

    def map_processes(
        self,
        f: Callable[[Out_co], R],
        workers: int | None = None,
        ordered: bool = True,
        timeout: float | None = None,
        chunk: int | Literal["auto"] = "auto",
        max_tasks_per_worker: int | None = None,
        initializer: Callable[[], object] | None = None,
    ) -> Flow[In_contra, R]:
        """Each element through ``f`` in worker processes, so on all cores.

        ``f`` may be a lambda or a closure; ``f``, elements and results are pickled, big ``bytes``,
        NumPy arrays and Arrow tables are shared. ``workers`` are by default one for each core; the
        stages of a system share them, as many as the stage with most has. Results come in order,
        with ``ordered=False`` as they are ready. ``chunk`` elements travel together; ``"auto"``
        measures how many, and makes calls of a few microseconds in this process if that is faster,
        unless one of the next three is given. A call that takes longer than ``timeout`` seconds is
        killed with its worker and fails its element with ``CallTimeout``. A worker ends after
        ``max_tasks_per_worker`` elements, and calls ``initializer`` before its first.

        A worker that dies loses and doubles no result: ``f`` is called again for what it had in
        hand. An element that kills a worker twice while alone in it fails with ``WorkerDied``.
        Failures follow ``on_failure``; the traceback in the worker is a note. Raises
        ``MissingExtraError`` without ``cloudpickle``; a run raises for what cannot be pickled.

        >>> from actors_rs import Source, Sink
        >>> import json
        >>> Source.of('{"price": 2}').map_processes(json.loads, workers=2).run(Sink.list())
        [{'price': 2}]
        """
        plain_function(f, "map_processes: f")
        given = workers, ordered, timeout, chunk, max_tasks_per_worker, initializer
        return self._in_processes(MapProcesses, "map_processes", f, given)

    def flat_map_processes(
        self,
        f: Callable[[Out_co], Iterable[R]],
        workers: int | None = None,
        ordered: bool = True,
        timeout: float | None = None,
        chunk: int | Literal["auto"] = "auto",
        max_tasks_per_worker: int | None = None,
        initializer: Callable[[], object] | None = None,
    ) -> Flow[In_contra, R]:
        """The elements of each iterable that ``f`` returns, in worker processes.

        An iterable, which may be a generator, is gone through there, so it must end; ``timeout`` is
        for all of it. Everything else is as in ``map_processes``.
        """
        function(f, "flat_map_processes: f")
        given = workers, ordered, timeout, chunk, max_tasks_per_worker, initializer
        return self._in_processes(FlatMapProcesses, "flat_map_processes", f, given)

    def _in_processes(
        self, kind: type[MapProcesses], called: str, f: Callable[[Any], Any], given: tuple[Any, ...]
    ) -> Flow[In_contra, Any]:
        workers, ordered, timeout, chunk, most, initializer = given
        workers = cores() if workers is None else at_least(1, workers, f"{called}: workers")
        flag(ordered, f"{called}: ordered")
        if timeout is not None:
            timeout = positive_seconds(timeout, f"{called}: timeout")
        if chunk != "auto":
            at_least(1, chunk, f"{called}: chunk, if not 'auto',")
        if most is not None:
            at_least(1, most, f"{called}: max_tasks_per_worker")
        optional_plain_function(initializer, f"{called}: initializer")
        check_pickles(called)
        make = partial(kind, f, workers, ordered, timeout, chunk, most, initializer)
        return self.then(called, make)._changed(called, most_window=FIRST_WINDOW)


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
        raise wrong_value("map_async: expected ordered or a key, got ordered=False too")
    return partial(MapAsyncByKey, f, parallelism, by, executor)
