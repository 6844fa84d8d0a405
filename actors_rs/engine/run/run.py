"""``Run``: a graph that is running, and what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from actors_rs.engine.loops.sink_queue import SinkQueue, sink_queue_among
from actors_rs.engine.run.snapshot import RunSnapshot
from actors_rs.engine.run.source_queue import SourceQueue, queue_among
from actors_rs.engine.run.waiting import call_at_end, check_not_on_loop_of, wait_for_end
from actors_rs.errors import GraphError
from actors_rs.graph.checks import plain_function
from actors_rs.graph.drawing.blueprint import shown_in_notebook
from actors_rs.graph.neighbours import FOR_RUNS
from actors_rs.runtime.actors.awaiting import check_no_running_loop
from actors_rs.runtime.settings import check_error, check_grace, check_timeout
from actors_rs.texts import repr_of
from actors_rs.unknown_names import UnknownName

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage, WholeRun

__all__ = ["Run"]

R = TypeVar("R")


class Run(Generic[R]):
    """A running graph. All methods may be called from any thread; ``await run`` works too.

    ``system.start(graph, name="nightly")`` makes it; ``scope`` is the engine's. Logs, errors,
    metrics, traces and the page show its ``name``. By default that says which call made it:
    ``"run"``, ``"hub"``, ``"publisher"``, ``"subscriber"`` or ``"processor"``.

    >>> import asyncio
    >>> graph = Source.of(2, 3).to(Sink.sum())
    >>> with ActorSystem() as system:
    ...     run = system.start(graph)
    ...     run.when_ended(lambda: None)
    ...     run.wait(timeout=5), run.result(), run.state, run.done()
    ...     run.snapshot().stages[0].elements_out, run.draw().startswith("flowchart")
    (True, 5, 'completed', True)
    (2, True)
    >>> with ActorSystem() as system:
    ...     run = system.start(Source.repeat("x").to(Sink.count()))
    ...     run.drain(timeout=5), run.state
    ...     run = system.start(Source.never().to(Sink.count()))
    ...     asyncio.run(run.drain_async(timeout=5))
    ...     run = system.start(Source.never().to(Sink.count()))
    ...     run.cancel(grace=1), asyncio.run(run.cancelled()), run.state
    ...     run = system.start(Source.never().to(Sink.count()))
    ...     run.abort(OSError("gone")), run.wait(timeout=5), run.state
    (True, 'completed')
    True
    (None, None, 'cancelled')
    (None, True, 'failed')
    """

    _instead_ = FOR_RUNS

    if not TYPE_CHECKING:  # or type checkers would accept any name

        def __getattr__(self, name: str) -> Any:
            raise UnknownName(type(self), name)

    def __init__(self, scope: WholeRun) -> None:
        self.name = scope.name
        self._scope = scope
        self._end = scope.end

    def __repr__(self) -> str:
        waits = self._scope.waits_for() if self._scope.drains_for_long else ""
        state = self.state
        drained = " (drained)" if state == "completed" and self._scope.draining else ""
        return f"<Run {repr_of(self.name)} {state}{drained}{waits and ', waits for '}{waits}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """The drawing of the run at this moment, for a notebook."""
        return shown_in_notebook(repr_of(self), self.draw("svg"))

    def _ipython_display_(self) -> None:
        """In a notebook the drawing follows a run until it has ended."""
        if self.done():
            raise NotImplementedError  # IPython takes the bundle then
        # By its name: observability knows runs, and not the other way round.
        import_module("actors_rs.observability.notebook").show_run(self)

    def __await__(self) -> Generator[Any, None, R]:
        return self._end.awaited()

    @property
    def state(self) -> str:
        """``"running"``, ``"completed"``, ``"failed"`` or ``"cancelled"``."""
        return self._end.state

    def done(self) -> bool:
        """Whether every stage has ended."""
        return self._end.is_over

    def result(self, timeout: float | None = None) -> R:
        """Wait for the end; the sink's result, or a tuple of them in the order of the graph.

        Waits up to ``timeout`` seconds, by default without limit. Raises:

        - The first failure, with all others in its ``others`` and in its notes.
        - ``RunCancelled`` if the run was cancelled.
        - ``TimeoutError`` after ``timeout`` seconds.
        - ``BlockingError`` on a pool thread, in its own functions, and on a thread with a running
          event loop.
        - ``InvalidArgumentError`` for a ``timeout`` that is no number.
        """
        check_timeout(timeout)
        if not self._end.is_over:
            check_not_on_loop_of(self._scope.system, self)
            check_no_running_loop(
                "run.result()", "`await run`", "`await trio.to_thread.run_sync(run.result)`"
            )
            wait_for_end(self._end, timeout)
            if not self._end.is_over:
                raise TimeoutError(
                    f"{repr_of(self)} had not ended after {timeout} seconds and goes on: "
                    "run.snapshot() shows which stage it waits for, run.cancel() ends it, "
                    "run.wait(timeout) returns False instead of raising"
                )
        result: R = self._end.result()
        return result

    def wait(self, timeout: float | None = None) -> bool:
        """Whether the run ended, in any way, within ``timeout`` seconds.

        Does not wait where ``result`` would raise ``BlockingError``.
        """
        check_timeout(timeout)
        if self._scope.system.event_loop.is_current_thread():
            return self._end.is_over
        return self._scope.wait(timeout)

    def cancel(self, grace: float | None = None) -> None:
        """Stop now: sinks take no more and leave complete files only. Does not wait.

        The run ends within ``grace`` seconds (default: the system's ``cancel_grace``), even if one
        of your functions or iterators has not returned by then. The log names that function; its
        later results and exceptions are dead letters. Raises ``InvalidArgumentError`` for a
        ``grace`` below 0.
        """
        if grace is not None:
            check_grace("grace", grace)
        self._scope.cancel(grace)

    async def cancelled(self, grace: float | None = None) -> None:
        """``cancel``, and wait for the end of the run, which ``grace`` seconds bound.

        Raises nothing for what the run has ended with. Several coroutines may await it.
        """
        self.cancel(grace)
        await self._end.until_over()

    def drain(self, timeout: float | None = None) -> bool:
        """Let the sources take no more; elements in flight are delivered, then the run ends.

        Waits up to ``timeout`` seconds, by default not at all; gives whether the run has ended. A
        run that has not ended goes on draining.
        """
        check_timeout(timeout)
        self._scope.drain()
        return self._end.is_over if timeout is None else self.wait(timeout)

    async def drain_async(self, timeout: float | None = None) -> bool:
        """``drain``, and wait for the end of the run; whether it has come.

        Waits up to ``timeout`` seconds, for ever by default; a run that has not ended goes on
        draining.
        """
        check_timeout(timeout)
        self._scope.drain()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._end.until_over()
        return self._end.is_over

    def abort(self, error: BaseException) -> None:
        """End the run with ``error``, now. Does not wait.

        Raises ``ArgumentTypeError`` for what is no exception.
        """
        check_error("Run.abort", error)
        self._scope.abort(error)

    def queue(self, name: str | None = None) -> SourceQueue[Any]:
        """The way into this run's ``Source.queue``, by ``name`` if there are several.

        After the end of the run it is closed: a producer that comes late gets the same error from
        the queue as one that has had it from the start.

        Raises ``GraphError`` if there is none, or more than one without a name, and before the run
        has begun. The run of a hub or of a processor begins with the first subscriber, such as
        ``system.subscriber(Sink.ignore())``.

        >>> with ActorSystem() as system:
        ...     run = system.start(Source.queue(16).to(Sink.list()))
        ...     run.queue().complete()
        ...     run.result()
        []
        """
        return queue_among(self._begun_stages("Source.queue"), name)

    def sink_queue(self, name: str | None = None) -> SinkQueue[Any]:
        """The way out of this run's ``Sink.queue``, by ``name`` if there are several.

        After the end of the run too: waiting elements can still be got. Raises ``GraphError`` if
        there is none, or more than one without a name.

        >>> with ActorSystem() as system:
        ...     run = system.start(Source.of("a").to(Sink.queue(capacity=16)))
        ...     run.sink_queue().get()
        'a'
        """
        return sink_queue_among(self._begun_stages("Sink.queue"), name, self._end)

    def _begun_stages(self, wanted: str) -> Sequence[RunningStage]:
        stages = self._scope.stages()
        if not stages and not self._end.is_over:
            raise GraphError(
                f"{repr_of(self)} has no {wanted} yet, because it has not begun: the run of a "
                "hub or processor begins with the first subscriber. Subscribe first, as in "
                "hub.subscribe(system.subscriber(sink)); the sink may be Sink.ignore()"
            )
        return stages

    def when_ended(self, action: Callable[[], object], /) -> None:
        """Call ``action`` when the run has ended, at once if it has; on any thread.

        An exception of ``action`` does not affect other callers that wait for the end: it is a dead
        letter. A ``SystemExit`` or the like ends the system, as it does in an actor. Raises
        ``ArgumentTypeError`` if ``action`` cannot be called, or is a coroutine or generator
        function.
        """
        plain_function(action, "Run.when_ended: action")
        system = self._scope.system
        self._end.call_then(lambda: call_at_end(self, system, action))

    def snapshot(self) -> RunSnapshot:
        """The run at this moment as plain data, also after the end.

        It costs about 0.1 ms for five stages, in proportion to the stages and links.
        """
        return self._scope.snapshot()

    def draw(self, format: str = "mermaid") -> str:
        """A picture of the run at this moment, with its figures; ``format``: see ``Graph.draw``."""
        return self.snapshot().draw(format)
