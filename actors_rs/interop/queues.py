"""Queues of Python, of threads and of processes, as sources and sinks.

Anything with ``get(timeout=)`` or ``put(x, timeout=)`` that raises ``queue.Empty`` or
``queue.Full`` works: ``queue.Queue`` and its kinds, ``multiprocessing.Queue`` and its kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Never, TypeVar

from actors_rs.graph.checks import flag, wrong_kind
from actors_rs.graph.spec import Attributes, OutletRef, spec_of
from actors_rs.language.flow import Flow
from actors_rs.language.sink import Sink, made_sink
from actors_rs.runtime._primitives import Empty, Full
from actors_rs.stages.sinks.for_each import ForEach
from actors_rs.stages.source import IteratorSource
from actors_rs.texts import class_name_of, repr_of

__all__ = ["from_queue", "to_queue"]

T = TypeVar("T")
_LOOK = 0.05
"""Seconds for which a call waits before it looks whether the stage is to end."""
_PINNED = Attributes(dispatcher="pinned")


class _Nothing:
    def __repr__(self) -> str:
        return "<no end>"


NO_END = _Nothing()


def from_queue(queue: Any, end: object = NO_END, *, task_done: bool = False) -> Flow[Never, Any]:
    """The elements of ``queue``, until one equals ``end``; without ``end`` until it is shut down.

    It waits for elements on a thread of its own, and takes as many as downstream asks for: that is
    a window ahead, up to 4,096 unless ``with_attributes(window=)`` sets another number. A run
    that is cancelled or drained stops to wait within 0.05 s. With ``task_done``,
    ``queue.task_done()`` is called for each element once it was handed on.

    Raises ``TypeError`` if ``queue`` has no ``get`` that takes a timeout.

    >>> import queue
    >>> from actors_rs import Sink
    >>> jobs = queue.Queue()
    >>> for job in ("a", "b", None):
    ...     jobs.put(job)
    >>> from_queue(jobs, end=None).run(Sink.list())
    ['a', 'b']
    """
    _expect(queue, "get", "from_queue")
    flag(task_done, "from_queue: task_done")
    if task_done:
        _expect(queue, "task_done", "from_queue")
    make = partial(_FromQueue, queue, end, task_done)
    return Flow(OutletRef(spec_of("from_queue", make, attributes=_PINNED)))


def to_queue(queue: Any, end: object = NO_END) -> Sink[Any, int]:
    """Put each element into ``queue``; the result is how many there were.

    A full queue slows the stream down. ``end``, if it is given, follows the last element when the
    stream completes, and not when it fails or is cancelled. A run that is cancelled stops waiting
    for room within 0.05 s; the element that found no room is a dead letter.

    Raises ``TypeError`` if ``queue`` has no ``put``.
    """
    _expect(queue, "put", "to_queue")
    return made_sink("to_queue", partial(_ToQueue, queue, end), _PINNED, gives=int)


def _expect(queue: Any, method: str, what: str) -> None:
    if not callable(getattr(queue, method, None)):
        raise wrong_kind(f"{what}: expected a queue with {method}(), got {repr_of(queue)}")
    kind = type(queue)
    if kind.__module__ == "multiprocessing.queues" and kind.__name__ == "SimpleQueue":
        raise wrong_kind(
            f"{what}: multiprocessing.SimpleQueue has no timeout, so a run could not be "
            "cancelled: use multiprocessing.Queue"
        )


class _FromQueue(IteratorSource):
    """Waits for a short time again and again, so that it sees when it is to end."""

    def __init__(self, queue: Any, end: object, task_done: bool) -> None:
        super().__init__()
        self._queue = queue
        self._end = end
        self._task_done = task_done
        self._over = False
        self.interrupted_by(self._stop)

    def _stop(self) -> None:
        self._over = True

    def elements(self) -> Iterator[Any]:
        end, get = self._end, self._queue.get
        while not self._over:
            try:
                element = get(timeout=_LOOK)
            except Empty:
                continue
            except Exception as error:
                if class_name_of(error) == "ShutDown":  # of Python 3.13: nothing more comes
                    return
                raise
            if end is not NO_END and (element is end or element == end):
                self._done()
                return
            yield element
            self._done()

    def _done(self) -> None:
        if self._task_done:
            self._queue.task_done()


class _ToQueue(ForEach):
    """``put`` with a short time again and again, so that it sees when it is to end."""

    def __init__(self, queue: Any, end: object) -> None:
        super().__init__(self._put)
        self._queue = queue
        self._end = end
        self._over = False
        self.interrupt: Callable[[], object] | None = self._stop

    def _stop(self) -> None:
        self._over = True

    def _put(self, element: Any) -> None:
        put = self._queue.put
        while True:
            try:
                return put(element, timeout=_LOOK)  # type: ignore[no-any-return]
            except Full:
                if self._over:
                    self.context.report(element, "found no room in a queue before the run ended")
                    return None

    def finish(self) -> int:
        if self._end is not NO_END:
            self._put(self._end)
        return super().finish()
