"""``Graph``: a closed blueprint, ready to run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from actors_rs.engine.explaining.plan import Settings
from actors_rs.engine.explaining.report import explained
from actors_rs.engine.layout import Layout
from actors_rs.engine.loops.awaited import awaited
from actors_rs.engine.materializer import materialize
from actors_rs.errors import RunTimeout
from actors_rs.graph.blueprint import check_closed, check_fed, check_used_once, in_order, to_pickle
from actors_rs.graph.checks import cannot_run, positive_seconds, wrong_kind, wrong_value
from actors_rs.graph.drawing.blueprint import picture_of, shown_in_notebook
from actors_rs.graph.envelopes import makers_of
from actors_rs.graph.fusing import fused_to_the_ends
from actors_rs.graph.loops import check_buffers
from actors_rs.graph.neighbours import FOR_GRAPHS
from actors_rs.graph.pickling import CopiedAsItself
from actors_rs.graph.results import Results
from actors_rs.graph.spec import StageSpec
from actors_rs.language.running import check_running
from actors_rs.language.sink import Sink
from actors_rs.runtime._primitives import check_may_block
from actors_rs.runtime.actors.awaiting import RUN_ELSEWHERE, check_no_running_loop
from actors_rs.runtime.system.default_system import start_graph
from actors_rs.runtime.system.system import ActorSystem
from actors_rs.texts import repr_of
from actors_rs.unknown_names import Suggesting, UnknownName

if TYPE_CHECKING:
    from actors_rs.engine.run.run import Run

__all__ = ["Graph"]

MOST_NAMED = 6
"""Stages that a graph's ``repr`` names; ``str`` has them all."""

R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")


class Graph(Generic[R_co], CopiedAsItself, metaclass=Suggesting):
    """One or several streams with their sinks, run together.

    ``Graph(a.to(x), b.to(y))`` is one run with two results, a tuple in that order. Raises
    ``GraphError`` when an outlet is used twice or feeds nothing, or a source is missing.
    """

    __slots__ = ("_layout", "_monitored", "_results", "_sinks", "_stall_after")
    _instead_ = FOR_GRAPHS
    _layout: Layout | None  # made when the graph starts for the first time
    _monitored: bool
    _results: Results
    _sinks: tuple[StageSpec, ...]
    _stall_after: float | None

    @overload  # an argument more is the other one, which a checker may not see
    def __new__(  # pyright: ignore[reportOverlappingOverload]
        cls, graph: Graph[T], /
    ) -> Graph[T]: ...
    @overload
    def __new__(cls, *graphs: Graph[Any]) -> Graph[tuple[Any, ...]]: ...

    def __new__(cls, *graphs: Graph[Any]) -> Graph[Any]:
        """Put ``graphs`` together."""
        if not graphs:
            raise cannot_run("a graph needs at least one sink, got none: end a flow with .to(sink)")
        for graph in graphs:
            if isinstance(graph, Sink):
                check_fed(in_order(graph._ends))
            if not isinstance(graph, Graph):
                raise wrong_kind(
                    f"Graph needs graphs, as .to(sink) gives them, got {repr_of(graph)}"
                )
        if len(graphs) == 1:
            check_closed(in_order(graphs[0]._sinks))
            return graphs[0]
        self = super().__new__(cls)
        self._sinks = tuple(sink for graph in graphs for sink in graph._sinks)
        self._results = Results.of_all([graph._results for graph in graphs])
        self._layout = None
        self._monitored = any(graph._monitored for graph in graphs)
        stalls = [graph._stall_after for graph in graphs if graph._stall_after is not None]
        self._stall_after = min(stalls, default=None)
        specs = in_order(self._sinks)
        check_closed(specs)
        makers_of(specs)
        return self

    @classmethod
    def _of_sinks(
        cls, sinks: Sequence[StageSpec], results: Results, specs: Sequence[StageSpec]
    ) -> Graph[Any]:
        """``specs`` are all that ``sinks`` depend on, in order."""
        check_fed(specs)
        check_used_once(specs)
        check_buffers(specs)
        makers_of(specs)
        self = super().__new__(cls)
        self._sinks = tuple(sinks)
        self._results = results
        self._layout = None
        self._monitored = False
        self._stall_after = None
        return self

    if not TYPE_CHECKING:  # or type checkers would accept any name

        def __getattr__(self, name: str) -> Any:
            raise UnknownName(type(self), name)

    @property
    def result_type(self) -> type[R_co]:
        """The class of the result, ``object`` where the sinks do not say it.

        Type checkers know more: ``type[list[int]]``, for instance.

        >>> Source.of(2, 3).to(Sink.list()).result_type
        <class 'list'>
        """
        return self._results.kind  # type: ignore[no-any-return]

    def monitored(self) -> Self:
        """The same graph with a ``RuleMonitor`` on each of its links.

        The first broken rule of the standard ends the run with a ``ProtocolViolation`` that names
        it, the stages at both ends and the signals involved.

        >>> Source.of(2, 3).to(Sink.sum()).monitored().run()
        5
        """
        copy = self._copy()
        copy._monitored = True
        return copy

    def watched(self, stall_after: float = 5.0) -> Self:
        """The same graph, with its own time after which a run that stands still is ended.

        Every run is watched. It ends with ``Stalled`` when for ``stall_after`` seconds (5.0) all of
        this holds:

        - No stage has anything to do, and no timer or call is pending.
        - No source and no foreign Publisher owes elements, and no foreign Subscriber has yet to
          request some.
        - No ``SourceQueue``, ``MergeHub`` or ``KillSwitch`` leads into the run.

        The error names the links and which stage waits for which. A run that waits for something
        outside is never ended so. Without ``watched`` the time is that which
        ``ActorSystem(stall_after=0.5)`` sets.

        >>> Source.of(2, 3).to(Sink.sum()).watched(stall_after=30).run()
        5
        """
        copy = self._copy()
        copy._stall_after = positive_seconds(stall_after, "watched: stall_after")
        return copy

    def fuse(self) -> Self:
        """The same graph with all its stages in one actor; see ``Flow.fuse()`` for the exceptions.

        Sources that never wait (``of``, ``range``, ``repeat``, a list) and sinks are covered too.
        Worth it for many cheap stages: a frame passes from one to the next by a plain call.

        >>> Source.of("2", "3").map(int).to(Sink.sum()).fuse().run()
        5
        """
        copy = self._copy()
        copy._sinks, copy._layout = fused_to_the_ends(self._sinks), None
        return copy

    def _asked_for_by_its_end(self) -> Self:
        """The same graph; no stage asks for elements that its sinks have not asked for."""
        copy = self._copy()
        copy._layout = Layout(in_order(self._sinks), all_expensive=True)
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        slots = {name: getattr(self, name) for name in Graph.__slots__}
        state = None, {**slots, "_layout": None}  # as pickle hands slots over
        return _unpickled, (type(self), to_pickle(self._sinks)), state

    def _copy(self) -> Self:
        copy = super().__new__(type(self))
        for slot in Graph.__slots__:
            setattr(copy, slot, getattr(self, slot))
        return copy

    def __repr__(self) -> str:
        labels = [spec.label for spec in in_order(self._sinks)]
        if len(labels) > MOST_NAMED:
            return f"<Graph of {len(labels)} stages, {labels[0]} to {labels[-1]}>"
        return f"<Graph of {', '.join(labels)}>"

    def __str__(self) -> str:
        """An outline: a line for each row of stages between which nothing branches or joins."""
        return picture_of(self._sinks).outline()

    def explain(self, system: ActorSystem | None = None) -> str:
        """How the graph would run, as text. It starts nothing, and calls no function of yours.

        It says which stages share an actor and why, and how many elements each link and the graph
        hold at most, with bytes where they are known. It also says which stages wait for each
        other, and the effect of an element that fails. Windows and ``memory_limit`` come
        from ``system``, by default the settings of a new ``ActorSystem()``. A window that is
        automatic may be smaller, as pace, weight and demand require. A state that a stage
        builds, such as the list of ``Sink.list()``, counts as no element.

        >>> from actors_rs import Sink, Source
        >>> print(Source.range(0, 9).map(str).to(Sink.list()).explain())
        Islands: stages that share an actor
          island 1: range (an actor of its own)
          island 2: map (an actor of its own)
          island 3: list (an actor of its own)
        Windows: elements that a link holds at most
          range -> map: 4,096 (automatic)
          map -> list: 4,096 (automatic)
        Held at most
          14,336 elements: 8,192 on 2 links and 6,144 that stages work on
          bytes: 32 MiB on the links, 16 MiB or one element each
        What waits for what
          range: for requests of 'map'
            gives what was asked for and no more
          map: for elements of 'range' and for requests of 'list'
            asks for its window, as far as downstream asks
          list: for elements of 'map'
            takes everything: for what fits into memory
        When an element fails
          range, map, list: stop: the first failure cancels upstream and ends the run
        """
        settings = Settings()
        if system is not None:
            limit = None if system.memory is None else system.memory.limit
            settings = Settings(system.window, system.auto_window, limit)
        return explained(self._planned(), settings)

    def draw(self, format: str = "mermaid") -> str:
        """A picture of the graph as text: ``"mermaid"``, Graphviz ``"dot"``, or ``"svg"``.

        ``format`` is ``"mermaid"`` by default; SVG needs no other program. Raises
        ``InvalidArgumentError`` for another format.

        >>> print(Source.of("3").map(int).to(Sink.list()).draw().splitlines()[0])
        flowchart LR
        """
        return picture_of(self._sinks).draw(format)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """The drawing, for a notebook."""
        return shown_in_notebook(str(self), self.draw("svg"))

    def start_on(self, system: ActorSystem, /, *, name: str | None = None) -> Run[R_co]:
        """Start the graph's actors on ``system``: the same as ``system.start(graph)``.

        ``name`` names the run, ``"run"`` by default.

        >>> with ActorSystem() as system:
        ...     Source.of(2, 3).to(Sink.sum()).start_on(system).result()
        5
        """
        return materialize(
            system,
            self._planned(),
            self._sinks,
            results=self._results,
            name=name,
            monitor=self._monitored,
            stall_after=self._stall_after,
        )

    def _planned(self) -> Layout:
        """Its layout; ``GraphError`` if an outlet feeds nothing."""
        if self._layout is None:
            specs = in_order(self._sinks)
            check_closed(specs)
            self._layout = Layout(specs)
        return self._layout

    def run(
        self,
        *,
        system: ActorSystem | None = None,
        name: str | None = None,
        timeout: float | None = None,
        workers: int | None = None,
        progress: bool = False,
    ) -> R_co:
        """Run and wait; the result of the sink, or of all of them.

        - ``system``: where it runs, by default on a system of its own.
        - ``name``: of the run, in logs, errors, metrics and the page; ``"run"`` by default.
        - ``timeout``: seconds after which the run is cancelled, by default never. ``RunTimeout``, a
          ``TimeoutError``, names the stages it waited for. Functions that do not return delay it
          for ``cancel_grace``, 2 seconds, at most.
        - ``workers``: threads of its own system's pool, by default ``ActorSystem``'s number.
        - ``progress``: show a bar on standard error, in a terminal or a notebook, with the rate,
          the rest and the bottleneck of the run; elsewhere print a line every 5 s. Off by default.

        Raises the same errors as ``Run.result``. Raises ``BlockingError`` at once on a shared
        thread, in a function of a stage: use ``flat_map`` or ``map_async`` there. Raises it on a
        thread with a running event loop, too: await ``run_async`` there. Ctrl-C cancels the run.

        >>> Source.of(2, 3).to(Sink.sum()).run(timeout=60)
        5
        """
        seconds = check_running("run", system, name, timeout)
        if system is not None and workers is not None:
            raise wrong_value(
                "run: workers is for a system of its own, got system= as well: write "
                "ActorSystem(workers=...)"
            )
        check_may_block("run()", RUN_ELSEWHERE)
        check_no_running_loop(
            "run()",
            "`await graph.run_async()`",
            "`await run_async(graph)`, after `from actors_rs.interop.anyio import run_async`",
        )
        with ActorSystem(workers=workers) if system is None else nullcontext(system) as chosen:
            run = chosen.start(self, name=name)
            try:
                return _result_of(run, seconds, progress)
            finally:
                if not run.done():
                    run.cancel()
                    if system is not None:  # an own one waits at the end of its block
                        run.wait()

    async def run_async(
        self,
        *,
        system: ActorSystem | None = None,
        name: str | None = None,
        timeout: float | None = None,
    ) -> R_co:
        """As ``run``, for a coroutine of any event loop of asyncio, which goes on meanwhile.

        - ``system``: where it runs. By default it is the system of the innermost block of this
          task, as ``contextvars`` has it, else one that ends by itself. A request handler of a web
          server does not find the system of its lifespan, which is another task: name it there.
        - ``name``: of the run, ``"run"`` by default.
        - ``timeout``: seconds after which the run is cancelled and ``RunTimeout`` is raised; by
          default there is no limit.

        If its task is cancelled, so is the run, and its end is awaited: ``asyncio.timeout`` works
        around it.

        >>> import asyncio
        >>> asyncio.run(Source.of(2, 3).to(Sink.sum()).run_async())
        5
        """
        seconds = check_running("run_async", system, name, timeout)
        return await awaited(partial(start_graph, self, system, name), seconds)


def _unpickled(kind: type[Graph[Any]], _: object) -> Graph[Any]:
    return object.__new__(kind)


def _result_of(run: Run[T], seconds: float | None, progress: bool) -> T:
    with _progress_of(run) if progress else nullcontext():
        if seconds is not None and not run.wait(seconds):
            raise RunTimeout(run.name, seconds, run._scope.waits_for())
        return run.result()


def _progress_of(run: Run[Any]) -> AbstractContextManager[None]:
    # By its name: what shows runs knows the language, and not the other way round.
    progress = import_module("actors_rs.observability.progress")
    shown: AbstractContextManager[None] = progress.progress_bar(run)
    return shown
