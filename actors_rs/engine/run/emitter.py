"""``Emitter``: the object that a callback API calls, for one run of ``Source.from_callback``."""

from __future__ import annotations

from typing import Generic, TypeVar

from actors_rs.engine.run.source_queue import SourceQueue
from actors_rs.errors import IllegalStateError
from actors_rs.runtime.actors.awaiting import check_no_running_loop

__all__ = ["Emitter"]

T = TypeVar("T")


class Emitter(Generic[T]):
    """Hands elements in, and the end. Thread-safe; ``emit(element)`` raises nothing but misuse.

    ``Source.from_callback`` makes it, of the ``queue`` of its run.

    >>> def register(emit: Emitter[int]) -> None:
    ...     emit(1)
    ...     emit.complete()
    ...     print(emit.closed, emit.dropped)
    >>> Source.from_callback(register).run(Sink.list())
    True 0
    [1]
    >>> def broken(emit):
    ...     emit.fail(OSError("gone"))
    >>> Source.from_callback(broken).recover(lambda error: str(error.__cause__)).run(Sink.list())
    ['gone']
    """

    __slots__ = ("_queue",)

    def __init__(self, queue: SourceQueue[T]) -> None:
        self._queue = queue

    def __call__(self, element: T) -> bool:
        """Hand ``element`` in; False if it was not taken: it was dropped, or the stream is over.

        With ``overflow="backpressure"`` it waits for room, and raises ``BlockingError`` on a thread
        that must not wait: one of the pool, or one with a running event loop, where
        ``await emit.put_async(element)`` does.
        """
        queue = self._queue
        if queue.overflow != "backpressure":
            return queue.offer(element)
        check_no_running_loop(
            "emit", "`await emit.put_async(...)`", "`await trio.to_thread.run_sync(emit, ...)`"
        )
        try:
            queue.put(element)
        except IllegalStateError:
            return False
        return True

    async def put_async(self, element: T) -> bool:
        """As ``emit(element)``; a coroutine waits for room while its loop goes on.

        >>> import asyncio
        >>> def register(emit):
        ...     asyncio.run(emit.put_async(1))
        ...     emit.complete()
        >>> Source.from_callback(register, overflow="backpressure").run(Sink.list())
        [1]
        """
        queue = self._queue
        if queue.overflow != "backpressure":
            return queue.offer(element)
        try:
            await queue.put_async(element)
        except IllegalStateError:
            return False
        return True

    def complete(self) -> None:
        """Emit nothing more: the stream completes after the emitted elements."""
        self._queue.complete()

    def fail(self, error: BaseException) -> None:
        """Fail the stream with ``error``, after the emitted elements."""
        self._queue.fail(error)

    @property
    def closed(self) -> bool:
        """Whether the stream takes nothing more."""
        return self._queue.closed

    @property
    def dropped(self) -> int:
        """How many elements ``overflow`` has dropped."""
        return self._queue.dropped
