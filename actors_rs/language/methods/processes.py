"""Worker processes: methods of ``Flow`` whose function runs in other processes, on all cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Never, TypeVar

from actors_rs.graph.checks import (
    at_least,
    flag,
    function,
    optional_plain_function,
    plain_function,
    positive_seconds,
)
from actors_rs.language.methods.chain import Chain
from actors_rs.language.methods.recovery import falling_back
from actors_rs.runtime.processes.needs import check_interpreters, check_pickles, cores
from actors_rs.stages.operators.flat_map_processes import FlatMapProcesses
from actors_rs.stages.operators.map_processes import FIRST_WINDOW, MapProcesses

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault  # which type checkers bring along

    from actors_rs.language.flow import Flow

    F = TypeVarWithDefault("F", default=Never)  # what ``fallback`` gives, if there is one

__all__ = ["InProcesses"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
R = TypeVar("R")


class InProcesses(Chain[In_contra, Out_co]):
    """Operators that call a function in worker processes."""

    __slots__ = ()

    def map_processes(
        self,
        f: Callable[[Out_co], R],
        workers: int | Literal["interpreters"] | None = None,
        ordered: bool = True,
        timeout: float | None = None,
        chunk: int | Literal["auto"] = "auto",
        max_tasks_per_worker: int | None = None,
        initializer: Callable[[], object] | None = None,
        *,
        fallback: Callable[[Out_co, Exception], F] | None = None,
    ) -> Flow[In_contra, R | F]:
        """Each element through ``f`` in worker processes, so on all cores.

        - ``f``: may be a lambda or a closure. ``f``, elements and results are pickled; large
          ``bytes``, NumPy arrays and Arrow tables are shared.
        - ``workers``: by default one for each core. The stages of a system share them; there are as
          many as the stage with the most needs. ``"interpreters"`` are interpreters of this
          process, one for each core, from Python 3.14 on. They cannot be killed, so a call ends by
          itself, and ``timeout`` is refused.
        - ``ordered``: results come in order (default), or with ``False`` as they are ready.
        - ``timeout``: seconds, ``None`` by default. A call that takes longer is killed with its
          worker, and its element fails with ``CallTimeout``.
        - ``chunk``: how many elements travel together. ``"auto"`` (default) measures it, and makes
          calls of a few microseconds in this process if that is faster, unless ``timeout``,
          ``max_tasks_per_worker`` or ``initializer`` is given.
        - ``max_tasks_per_worker``: a worker ends after so many elements, by default never.
        - ``initializer``: a function that each worker calls before its first element.
        - ``fallback``: ``fallback(element, error)`` is given in place of an element whose call has
          failed, called in this process; ``error`` may be ``CallTimeout`` or ``WorkerDied``. See
          ``map_async``.

        If a worker dies, no result is lost or doubled: ``f`` is called again for the elements it
        was working on. An element that kills a worker twice while alone in it fails with
        ``WorkerDied``. Failures follow ``on_failure``; the traceback in the worker is a note.
        Raises ``MissingExtraError`` without ``cloudpickle``; a run fails for an object that cannot
        be pickled.

        >>> import json
        >>> Source.of('{"price": 2}').map_processes(json.loads, workers=2).run(Sink.list())
        [{'price': 2}]
        """
        plain_function(f, "map_processes: f")
        given = workers, ordered, timeout, chunk, max_tasks_per_worker, initializer
        return self._in_processes(MapProcesses, "map_processes", f, given, fallback)

    def flat_map_processes(
        self,
        f: Callable[[Out_co], Iterable[R]],
        workers: int | Literal["interpreters"] | None = None,
        ordered: bool = True,
        timeout: float | None = None,
        chunk: int | Literal["auto"] = "auto",
        max_tasks_per_worker: int | None = None,
        initializer: Callable[[], object] | None = None,
    ) -> Flow[In_contra, R]:
        """The elements of each iterable that ``f`` returns, in worker processes.

        The iterable may be a generator; it is drawn in the worker, so it must end, and ``timeout``
        counts for all of it. ``workers``, ``ordered``, ``chunk``, ``max_tasks_per_worker`` and
        ``initializer`` are as in ``map_processes``.

        >>> Source.of("a b", "c").flat_map_processes(str.split, workers=2).run(Sink.list())
        ['a', 'b', 'c']
        """
        function(f, "flat_map_processes: f")
        given = workers, ordered, timeout, chunk, max_tasks_per_worker, initializer
        return self._in_processes(FlatMapProcesses, "flat_map_processes", f, given)

    def _in_processes(
        self,
        kind: type[MapProcesses],
        called: str,
        f: Callable[[Any], Any],
        given: tuple[Any, ...],
        fallback: Callable[[Any, Exception], Any] | None = None,
    ) -> Flow[In_contra, Any]:
        workers, ordered, timeout, chunk, most, initializer = given
        interpreters = workers == "interpreters"
        if interpreters:
            check_interpreters(called, timeout)
        own = workers is None or interpreters
        workers = cores() if own else at_least(1, workers, f"{called}: workers")
        flag(ordered, f"{called}: ordered")
        if timeout is not None:
            timeout = positive_seconds(timeout, f"{called}: timeout")
        if chunk != "auto":
            at_least(1, chunk, f"{called}: chunk, if not 'auto',")
        if most is not None:
            at_least(1, most, f"{called}: max_tasks_per_worker")
        optional_plain_function(initializer, f"{called}: initializer")
        check_pickles(called)
        make = partial(kind, f, workers, ordered, timeout, chunk, most, initializer, interpreters)
        flow = self.then(called, falling_back(make, fallback, called))
        falls_back = fallback is not None
        return flow._changed(called, most_window=FIRST_WINDOW, falls_back=falls_back)
