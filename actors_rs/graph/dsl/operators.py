"""The operators of the language: methods of ``Flow``, hence of ``Source`` too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from actors_rs.graph.dsl.checks import at_least, function, positive_seconds
from actors_rs.stages.operators.batch import Batch
from actors_rs.stages.operators.filter import Filter
from actors_rs.stages.operators.flat_map import FlatMap
from actors_rs.stages.operators.map import Map
from actors_rs.stages.operators.map_async import MapAsync
from actors_rs.stages.operators.scan import Scan
from actors_rs.stages.operators.skip import Skip
from actors_rs.stages.operators.skip_while import SkipWhile
from actors_rs.stages.operators.take import Take
from actors_rs.stages.operators.take_while import TakeWhile

if TYPE_CHECKING:
    from actors_rs.graph.dsl.flow import Flow

__all__ = ["Operators"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
R = TypeVar("R")

WINDOW_OF_BATCHES = 16
"""How many batches an inlet behind ``batch`` keeps requested: each of them is many elements."""


class Operators(Generic[In_contra, Out_co]):
    """What can be done to a stream. Each call gives a new blueprint and changes none."""

    def then(
        self, kind: str, make: Callable[[], Any], outflow_window: int | None = None
    ) -> Flow[In_contra, Any]:
        """This flow with one more stage of ``kind``, whose logic ``make`` gives."""
        raise NotImplementedError

    def map(self, f: Callable[[Out_co], R]) -> Flow[In_contra, R]:
        """Each element through ``f``."""
        function(f, "map: f")
        return self.then("map", lambda: Map(f))

    def filter(self, predicate: Callable[[Out_co], object]) -> Flow[In_contra, Out_co]:
        """The elements for which ``predicate`` is true."""
        function(predicate, "filter: predicate")
        return self.then("filter", lambda: Filter(predicate))

    def flat_map(self, f: Callable[[Out_co], Iterable[R]]) -> Flow[In_contra, R]:
        """The elements of each iterable that ``f`` returns, in order, drawn on demand."""
        function(f, "flat_map: f")
        return self.then("flat_map", lambda: FlatMap(f), outflow_window=0)

    def take(self, count: int) -> Flow[In_contra, Out_co]:
        """The first ``count`` elements; then upstream is cancelled."""
        at_least(0, count, "take: count")
        return self.then("take", lambda: Take(count))

    def take_while(self, predicate: Callable[[Out_co], object]) -> Flow[In_contra, Out_co]:
        """Elements until ``predicate`` is false for the first time; then upstream is cancelled."""
        function(predicate, "take_while: predicate")
        return self.then("take_while", lambda: TakeWhile(predicate))

    def skip(self, count: int) -> Flow[In_contra, Out_co]:
        """All but the first ``count`` elements."""
        at_least(0, count, "skip: count")
        return self.then("skip", lambda: Skip(count))

    def skip_while(self, predicate: Callable[[Out_co], object]) -> Flow[In_contra, Out_co]:
        """Elements from the first one on for which ``predicate`` is false."""
        function(predicate, "skip_while: predicate")
        return self.then("skip_while", lambda: SkipWhile(predicate))

    def scan(self, init: R, f: Callable[[R, Out_co], R]) -> Flow[In_contra, R]:
        """Each ``f(accumulated, element)``, from ``init``, which is not emitted itself."""
        function(f, "scan: f")
        return self.then("scan", lambda: Scan(init, f))

    def batch(self, count: int, within: float | None = None) -> Flow[In_contra, list[Out_co]]:
        """Lists of ``count`` elements, the last one shorter.

        With ``within``, a list is given that many seconds after its first element, full or not.
        """
        at_least(1, count, "batch: count")
        seconds = None if within is None else positive_seconds(within, "batch: within")
        return self.then("batch", lambda: Batch(count, seconds), WINDOW_OF_BATCHES)

    @overload
    def map_async(
        self,
        f: Callable[[Out_co], Awaitable[R]],
        parallelism: int,
        ordered: bool = True,
        executor: Executor | None = None,
    ) -> Flow[In_contra, R]: ...

    @overload
    def map_async(
        self,
        f: Callable[[Out_co], Future[R]],
        parallelism: int,
        ordered: bool = True,
        executor: Executor | None = None,
    ) -> Flow[In_contra, R]: ...

    @overload
    def map_async(
        self,
        f: Callable[[Out_co], R],
        parallelism: int,
        ordered: bool = True,
        executor: Executor | None = None,
    ) -> Flow[In_contra, R]: ...

    def map_async(
        self,
        f: Callable[[Out_co], Any],
        parallelism: int,
        ordered: bool = True,
        executor: Executor | None = None,
    ) -> Flow[In_contra, Any]:
        """Each element through ``f``, ``parallelism`` calls at a time.

        ``f`` may block; it returns a value, a ``concurrent.futures.Future`` or a coroutine. It
        runs on threads of the system, or on ``executor``. Results come in the order of the
        elements, or with ``ordered=False`` as they are ready.
        """
        function(f, "map_async: f")
        at_least(1, parallelism, "map_async: parallelism")
        if executor is not None and not isinstance(executor, Executor):
            raise TypeError(f"map_async: executor must be an Executor or None, got {executor!r}")
        return self.then("map_async", lambda: MapAsync(f, parallelism, ordered, executor))
