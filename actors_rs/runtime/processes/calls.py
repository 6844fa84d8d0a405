"""``Calls``: what one stage calls its function by, chunk after chunk, in workers of the pool.

A chunk whose worker dies is made again in parts: without the element that the worker was at, if it
was at one, else in halves. So the element at fault is alone in the end; one that has killed
``MOST_DEATHS`` workers alone fails with ``WorkerDied``. All others are called again where their
results were lost with the worker: each has one result in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from actors_rs.errors import CallTimeout, InvalidArgumentError, StreamError, WorkerDied
from actors_rs.runtime._primitives import monotonic
from actors_rs.runtime.processes.process import Function, Reply, WorkerLost, death
from actors_rs.runtime.processes.revived import revived
from actors_rs.runtime.processes.wire import Packed, pack, unpack
from actors_rs.runtime.processes.worker import NOT_BEGUN
from actors_rs.texts import named, qualified_name_of

if TYPE_CHECKING:
    from actors_rs.runtime.processes.process import WorkerProcess

__all__ = ["CallResults", "Calls", "Settings"]

MOST_DEATHS = 2
"""Workers that an element may kill while it is alone in them. Another process may have killed the
first."""
MOST_UNSTARTED = 5
"""The same for workers that died before they began with it."""
_numbers = count()


class Settings(NamedTuple):
    """The function that a stage wants to call, and how."""

    stage: str
    """Its name."""
    f: Callable[[Any], Any]
    initializer: Callable[[], Any] | None
    workers: int
    listed: bool
    timeout: float | None
    most_calls: int | None
    """How many elements a worker may be given in its life."""
    interpreters: bool = False
    """Whether workers are interpreters of this process."""


class CallResults:
    """What came of a chunk: a value for each element, ``None`` for those in ``failures``."""

    __slots__ = ("calling", "failures", "nbytes", "packing", "pickling", "values", "whole")

    def __init__(self, size: int) -> None:
        self.values: list[Any] = [None] * size
        self.failures: dict[int, Exception] = {}
        self.calling = 0.0
        """Seconds in calls."""
        self.pickling = 0.0
        """Seconds in the worker to unpickle elements and pickle values."""
        self.packing = 0.0
        """The same in this process."""
        self.nbytes = 0
        """Bytes of elements and values as they travelled."""
        self.whole = False
        """Whether one worker made the whole chunk, so the figures are the figures of the chunk."""


class Pool(Protocol):
    """Where workers come from. See ``ProcessPool``."""

    def take(
        self, calls: Calls, count: int, most_calls: int | None, ahead: bool, /
    ) -> WorkerProcess | None:
        """A worker for ``count`` calls; ``None`` once ``calls`` or the pool have been closed."""
        ...

    def give_back(self, worker: WorkerProcess, /, *, lost: bool) -> None:
        """The chunk of ``worker`` is over."""

    def busy_with(self, calls: Calls, /) -> list[WorkerProcess]:
        """The workers that have a chunk of ``calls``."""
        ...

    def wake(self) -> None:
        """Let callers that wait for a worker look again."""

    def figures(self) -> dict[str, int]:
        """Of its workers."""
        ...


class Calls:
    """The calls of one stage. ``call`` and ``close`` may be called from any thread."""

    def __init__(
        self,
        pool: Pool,
        settings: Settings,
    ) -> None:
        self._pool = pool
        self._settings = settings
        pickled = _pickled(settings)
        self._function = Function(next(_numbers), pickled, settings.listed, settings.timeout)
        self.closed = False
        """Whether nobody wants what is still being called."""

    def call(self, elements: Sequence[Any], ahead: bool = False, /) -> CallResults:
        """Call the function for each of ``elements``; waits.

        With ``ahead`` they may be handed to a worker that is not done with others yet.

        Raises ``StreamError`` where no worker can be started, where the function cannot be used
        there, and once the calls are closed.
        """
        results = CallResults(len(elements))
        chunk = _Chunk(elements, results)
        while chunk.parts and not self.closed:
            first, end = chunk.parts.pop()
            if (packed := chunk.pack(first, end)) is not None:
                self._attempt(chunk, packed, first, end, ahead)
        if chunk.parts:
            raise StreamError("the stage needs no more results, or the system has shut down")
        return results

    def _attempt(self, chunk: _Chunk, packed: Packed, first: int, end: int, ahead: bool) -> None:
        settings = self._settings
        worker = self._pool.take(self, end - first, settings.most_calls, ahead)
        if worker is None or self.closed:  # asked now that it is busy, which ``close`` looks for
            chunk.parts.append((first, end))
            self.closed = True
            if worker is not None:
                self._pool.give_back(worker, lost=False)
            return
        lost = True
        try:
            reply = worker.run(self._function, packed)
            lost = False
        except WorkerLost as death_of_it:
            if not self.closed:
                chunk.worker_lost(death_of_it, first, end, settings)
            return
        finally:
            self._pool.give_back(worker, lost=lost)
        if not self.closed:
            chunk.replied(reply, packed, first, end, worker.name)

    def close(self) -> bool:
        """Nobody wants results any more; whether a worker is in a call, which it may end."""
        self.closed = True
        self._pool.wake()
        busy = self._pool.busy_with(self)
        for worker in busy:
            worker.ask_to_stop()
        return bool(busy)

    def kill(self) -> None:
        """End the calls that are under way, with their workers."""
        for worker in self._pool.busy_with(self):
            worker.kill()

    def figures(self) -> dict[str, int]:
        """Of the pool."""
        return self._pool.figures()


class _Chunk:
    """A chunk that is being called: its parts that are still to be called, and what came of it."""

    def __init__(self, elements: Sequence[Any], results: CallResults) -> None:
        self._elements = elements
        self._results = results
        self._deaths: dict[int, int] = {}  # of workers that were alone with an element
        self.parts = [(0, len(elements))]

    def pack(self, first: int, end: int) -> Packed | None:
        """The elements of a part; ``None`` if one of them cannot be pickled."""
        began = monotonic()
        try:
            packed = pack(self._elements[first:end])
        except Exception as error:
            self._halve(first, end, _refused("the element", "pickled", error))
            return None
        self._results.packing += monotonic() - began
        self._results.nbytes += packed.nbytes
        return packed

    def _halve(self, first: int, end: int, error: Exception) -> None:
        """One of these elements is at fault; one that is alone fails with ``error``."""
        if end - first == 1:
            self._results.failures[first] = error
        else:
            middle = (first + end) // 2
            self.parts += [(middle, end), (first, middle)]

    def worker_lost(self, lost: WorkerLost, first: int, end: int, settings: Settings) -> None:
        """The worker of this part is no more."""
        at = first + lost.at
        if lost.why == "queued":
            self.parts.append((first, end))
            return
        inside = lost.at != NOT_BEGUN and at < end
        if lost.why == "timeout" and inside:
            late = CallTimeout(settings.stage, self._elements[at], settings.timeout or 0.0)
            self._results.failures[at] = late
            self._go_on_around(at, first, end)
        elif end - first == 1:
            self._died_alone(lost, first, MOST_DEATHS if inside else MOST_UNSTARTED)
        elif inside:
            self._go_on_around(at, first, end)
            self.parts.append((at, at + 1))
        else:
            middle = (first + end) // 2
            self.parts += [(middle, end), (first, middle)]

    def _go_on_around(self, at: int, first: int, end: int) -> None:
        self.parts += [part for part in ((at + 1, end), (first, at)) if part[0] < part[1]]

    def _died_alone(self, lost: WorkerLost, at: int, most: int) -> None:
        deaths = self._deaths[at] = self._deaths.get(at, 0) + 1
        if deaths < most:
            self.parts.append((at, at + 1))
        else:
            self._results.failures[at] = WorkerDied(death(lost.exit_code), lost.exit_code, deaths)

    def replied(self, reply: Reply, packed: Packed, first: int, end: int, worker: str) -> None:
        """The worker has answered for this part."""
        answer, results, began = reply.answer, self._results, monotonic()
        failures = {first + found[0]: revived(found, worker) for found in answer.failures}
        if answer.status == "unusable":
            unusable = "the function, or its initializer, cannot be used in a worker process"
            raise StreamError(f"{unusable}: {named(failures[first])}") from failures[first]
        if answer.status != "done":
            what = "element" if answer.status == "unread" else "result"
            how = "unpickled there" if answer.status == "unread" else "pickled there"
            self._halve(first, end, _refused(f"the {what}", how, failures[first]))
            return
        try:
            values = unpack(reply.values)
        except Exception as error:
            self._halve(first, end, _refused("the result", "unpickled here", error))
            return
        results.failures |= failures
        results.calling += answer.calling
        results.pickling += answer.pickling
        results.packing += monotonic() - began
        results.nbytes += sum(one.nbytes for one in reply.values)
        if end - first == len(self._elements):
            results.values, results.whole = values, True
        else:
            results.values[first : first + len(values)] = values


def _refused(what: str, how: str, error: BaseException) -> Exception:
    failure = TypeError(f"{what} cannot be {how} on its way to or from a worker: {named(error)}")
    failure.__cause__ = error
    return failure


def _pickled(settings: Settings) -> bytes:
    from cloudpickle import dumps

    try:
        return bytes(dumps((settings.f, settings.initializer), protocol=5))
    except Exception as error:
        names = [qualified_name_of(f) for f in (settings.f, settings.initializer) if f is not None]
        both = "' and '".join(names)
        raise InvalidArgumentError(
            f"'{both}' must be pickled to be called in worker processes, but cannot "
            f"be: {named(error)}; make such objects in the function, or in an initializer"
        ) from error
