"""``Iteration``: a run whose elements a loop takes, ``for x in source`` and ``async for``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

from actors_rs.engine.run.waiting import wait_for_end
from actors_rs.errors import EndOfStreamError, RunCancelled
from actors_rs.runtime._primitives import check_may_block
from actors_rs.runtime.actors.awaiting import RUN_ELSEWHERE, Until, check_no_running_loop
from actors_rs.texts import repr_of, text_of

if TYPE_CHECKING:
    from actors_rs.engine.loops.sink_queue import SinkQueue
    from actors_rs.engine.run.end import RunEnd
    from actors_rs.engine.run.run import Run

__all__ = ["Iteration"]

T = TypeVar("T")


class Iteration(Iterator[T], AsyncIterator[T]):
    """One run of a source, whose elements one loop takes: ``for`` or ``async for``.

    ``source.iterate()`` and ``source.open()`` give it. The run starts with the first element that
    is asked for, and is cancelled when the loop is left early: by ``break``, by an exception, or
    when nobody refers to this object any more. ``with`` and ``async with`` also wait for the end
    of the run. May be used on any thread, by one at a time.
    """

    __slots__ = ("_begin", "_closed", "_queue", "_run", "_yields")

    def __init__(self, begin: Callable[[], Run[Any]]) -> None:
        self._begin = begin
        self._run: Run[Any] | None = None
        self._queue: SinkQueue[T] | None = None
        self._closed = False
        self._yields = False  # whether other coroutines have their turn before the next element

    def __repr__(self) -> str:
        if self._run is None:
            return "<Iteration that has not begun>" if not self._closed else "<Iteration closed>"
        return f"<Iteration of {repr_of(self._run)}>"

    @property
    def run(self) -> Run[Any] | None:
        """The run, once the first element was asked for."""
        return self._run

    # A plain loop

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        queue = self._queue
        if queue is not None:
            try:
                element = queue.elements.popleft()
            except IndexError:
                element = self._next_that_comes(queue)
        else:
            self.check_may_wait()
            if self._closed:
                raise StopIteration
            queue = self.begun()
            element = self._next_that_comes(queue)
        if len(queue.elements) <= queue.mark:
            queue.got()
        return element

    def _next_that_comes(self, queue: SinkQueue[T]) -> T:
        if self._closed:
            raise StopIteration
        self.check_may_wait()
        while not queue.elements:
            queue.wait()
            if not queue.elements:
                self._raise_end(queue)
        return queue.elements.popleft()

    def _raise_end(self, queue: SinkQueue[T]) -> None:
        self._closed = True
        try:
            queue.raise_end()
        except EndOfStreamError:
            end = self._end()
            wait_for_end(end, None)
            end.raise_error()
        raise StopIteration

    @staticmethod
    def check_may_wait() -> None:
        """Raise ``BlockingError`` where a plain loop must not wait."""
        check_no_running_loop(
            "for x in source",
            "`async for x in source`",
            "`async for x in iterate(source)`, after `from actors_rs.interop.anyio import iterate`",
        )
        check_may_block("for x in source", RUN_ELSEWHERE)

    def __enter__(self) -> Self:
        self.check_may_wait()
        if not self._closed:
            self.begun()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        if self._run is not None:
            self._run.wait()

    # A loop in a coroutine

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        queue = self._queue
        if self._yields:
            self._yields = False
            await self.let_others()
        if queue is None:
            if self._closed:
                raise StopAsyncIteration
            queue = self.begun()
        try:
            element = queue.elements.popleft()
        except IndexError:
            element = await self._next_async(queue)
        if len(queue.elements) <= queue.mark:
            self._yields = True
            queue.got()
        return element

    async def _next_async(self, queue: SinkQueue[T]) -> T:
        if self._closed:
            raise StopAsyncIteration
        while not queue.elements:
            await self.wait_for(Until(queue.awaiting, queue.has_news))
            if not queue.elements:
                await self._raise_end_async()
        return queue.elements.popleft()

    async def _raise_end_async(self) -> None:
        self._closed = True
        end = self._end()
        while not end.is_over:
            await self.wait_for(end.until_over())
        end.raise_error()
        raise StopAsyncIteration

    async def __aenter__(self) -> Self:
        if not self._closed:
            self.begun()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """As ``close``, and wait for the end of the run, which its ``cancel_grace`` bounds."""
        self.close()
        if self._run is not None:
            await self.wait_for(self._end().until_over())

    async def wait_for(self, news: Until) -> None:
        """Wait, on an event loop of asyncio."""
        await news

    async def let_others(self) -> None:
        """Let other coroutines have their turn."""
        await asyncio.sleep(0)

    # Both

    def begun(self) -> SinkQueue[T]:
        """The queue that the elements come from; the run starts with the first call."""
        if self._queue is None:
            self._run = self._begin()
            self._queue = self._run.sink_queue()
        return self._queue

    def _end(self) -> RunEnd[Any]:
        assert self._run is not None
        return self._run._end

    def close(self) -> None:
        """Cancel the run unless it has ended; the loop gets no further element. Does not wait."""
        self._closed = True
        run, queue, self._queue = self._run, self._queue, None  # what still comes is nobody's
        if run is not None and not run.done():
            run.cancel()
            run._end.call_then(partial(_report_failure, run))
        if queue is not None:
            queue.elements.clear()

    def __del__(self) -> None:
        # On any thread, in the middle of anything: nothing here waits.
        if not getattr(self, "_closed", True):
            self.close()


def _report_failure(run: Run[Any]) -> None:
    """A run that nobody waits for any more is over: a failure of its own is a dead letter."""
    error = run._end.error
    if error is not None and not isinstance(error, RunCancelled):
        why = "the loop that took its elements was left before it failed"
        dead_letters = run._scope.system.dead_letters
        fields = {"run": run.name}
        dead_letters.publish(error, where=text_of(run), why=why, error=error, fields=fields)
