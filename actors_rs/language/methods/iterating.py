"""Iteration: a closed flow is what a loop runs over."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Never, TypeVar

from actors_rs.engine.loops.iteration import Iteration
from actors_rs.graph.checks import at_least
from actors_rs.language.graph import Graph
from actors_rs.language.running import check_running
from actors_rs.language.sink import Sink
from actors_rs.runtime.system.default_system import start_graph
from actors_rs.runtime.system.system import ActorSystem

if TYPE_CHECKING:
    from actors_rs.engine.run.run import Run

__all__ = ["Iterating"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
T = TypeVar("T")


class Iterating(Generic[In_contra, Out_co]):
    """``for x in source``, ``async for x in source``: each loop is a run of its own."""

    __slots__ = ()

    def iterate(
        self: Iterating[Never, T],
        *,
        system: ActorSystem | None = None,
        name: str | None = None,
        window: int = 16,
    ) -> Iteration[T]:
        """The elements of one run, for ``for`` or ``async for``.

        The loop is the demand: stages work at most ``window`` elements ahead of it. The run starts
        with the first element that is asked for. An error of the run is raised after the elements
        before it. A loop that is left early, by ``break`` or an exception, cancels the run.

        - ``system``: where it runs. By default it is the system of the innermost block of this
          thread or task, as ``contextvars`` has it, else one that ends by itself. A request handler
          of a web server does not find the system of its lifespan, which is another task: name it.
        - ``name``: of the run, ``"run"`` by default.
        - ``window``: elements that the stages work ahead of the loop, 16 by default.

        ``map``, ``filter``, ``also_to``, ``on_termination``, timeouts and the like request no more
        than the loop does. Stages in which elements wait, such as ``throttle`` and ``delay``,
        request a window of their own: limit it by ``with_attributes(window=16)`` after them.

        Raises ``GraphError`` if the flow has an open input; ``BlockingError``, in the loop, where a
        plain ``for`` must not wait: on a thread with a running event loop, or of the pool.

        >>> from actors_rs import Source
        >>> for square in Source.range(1, 100).map(lambda n: n * n).iterate(window=4):
        ...     if square > 20:
        ...         break
        >>> square
        25
        """
        return Iteration(self._beginning("iterate", system, name, window))

    def open(
        self: Iterating[Never, T],
        *,
        system: ActorSystem | None = None,
        name: str | None = None,
        window: int = 16,
    ) -> Iteration[T]:
        """As ``iterate``, for ``with source.open() as rows`` and ``async with``.

        Leaving the block cancels a run that goes on and waits until it has ended. A task that is
        cancelled once more while it waits leaves at once: the run ends shortly after. ``system``,
        ``name`` and ``window`` are as for ``iterate``: a request handler of a web server must name
        the system.

        >>> with Source.range(1, 1_000_000).open(window=4) as rows:
        ...     next(rows)
        1
        """
        return Iteration(self._beginning("open", system, name, window))

    def __iter__(self: Iterating[Never, T]) -> Iteration[T]:
        Iteration.check_may_wait()
        return self.iterate()

    def __aiter__(self: Iterating[Never, T]) -> Iteration[T]:
        return self.iterate()

    def _beginning(
        self, call: str, system: ActorSystem | None, name: str | None, window: int
    ) -> Callable[[], Run[Any]]:
        """What starts the run of a loop."""
        at_least(1, window, f"{call}: window")
        check_running(call, system, name)
        flow: Any = self
        graph: Graph[Any] = Graph(flow.to(Sink.queue(window).named("loop")))
        return partial(start_graph, graph._asked_for_by_its_end(), system, name)
