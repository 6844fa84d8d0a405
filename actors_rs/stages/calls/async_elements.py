"""Elements of an async iterable, drawn on the system's event loop for a stage that gives them.

One coroutine draws all of them: what an async generator enters (a task group, a timeout) it leaves
in the same task. It draws as many elements as the stage has granted, and waits for more demand
then. A stage that ends cancels the ``__anext__`` that is pending; ``aclose`` is awaited in any
case.
"""

from __future__ import annotations

import asyncio
from asyncio import CancelledError
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from types import AsyncGeneratorType
from typing import Any, Protocol

from actors_rs.raised import as_failure
from actors_rs.stages.calls.call import failure_of
from actors_rs.stages.iterators import used_up
from actors_rs.texts import repr_of

__all__ = ["AsyncElements", "AsyncRest", "is_async_only"]

MOST_AT_ONCE = 64
"""Elements drawn before other coroutines of the loop have their turn."""
LONGEST = 0.001
"""Seconds after which they have it, and the stage hears of what was drawn."""


class Surroundings(Protocol):
    """The part of the stage's context that is used here."""

    def post(self, action: Callable[[], None], /) -> None: ...
    def now(self) -> float: ...
    def run_coroutine(self, coroutine: Any, /) -> None: ...


def is_async_only(values: Any) -> bool:
    """Whether ``values`` can be iterated over with ``async for``, and not with ``for``."""
    kind = type(values)
    return hasattr(kind, "__aiter__") and not hasattr(kind, "__iter__")


class AsyncRest:
    """Gives ``iterator`` to one run after another; ``ended`` once a run has seen its end."""

    __slots__ = ("_iterator", "ended")

    def __init__(self, iterator: AsyncIterator[Any]) -> None:
        self._iterator = iterator
        self.ended = False

    def __call__(self) -> AsyncIterator[Any]:
        return self._iterator


class AsyncElements:
    """Draws ``iterable``. Methods are for the stage's turns; the coroutine is on the loop."""

    def __init__(
        self,
        iterable: Any,
        where: str,
        context: Surroundings,
        rest: AsyncRest | None = None,
    ) -> None:
        self._iterable = iterable
        self._iterator: AsyncIterator[Any] | None = None
        self._where = where
        self._context = context
        self._rest = rest
        self._ready: list[Any] = []  # drawn, not taken; each access is one step of the list
        self._granted = self._drawn = 0
        self._notified = False  # the stage is to look, and has not looked since
        self._unsent, self._since = 0, 0.0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._wanted: asyncio.Future[None] | None = None  # while it waits for demand
        self._stopping = self._releasing = False
        self.ended = False
        """Whether all was drawn that will be."""
        self.error: Exception | None = None
        """The exception that the iterable has raised."""
        self.released = False
        """Whether the iterable was closed."""
        self.release_error: Exception | None = None
        """What closing it has raised."""

    # In turns of the stage

    @property
    def draws(self) -> bool:
        """Whether it waits for the iterable's next element."""
        return not self.ended and self._drawn < self._granted

    def start(self) -> None:
        """Begin; to be called once."""
        try:
            self._context.run_coroutine(self._run())
        except BaseException:
            self.released = True  # nobody ever will
            raise

    def grant(self, total: int) -> None:
        """Draw up to ``total`` elements, those drawn before included."""
        if total > self._granted:
            self._granted = total  # before the look: the coroutine looks the other way round
            if self._wanted is not None:
                self._call(self._wake)

    def take(self) -> list[Any]:
        """All elements that were drawn since the last call."""
        self._notified = False  # before the look
        size = len(self._ready)
        taken = self._ready[:size]
        del self._ready[:size]
        return taken

    def stop(self) -> None:
        """Draw no more, and close the iterable."""
        if not self._stopping:
            self._stopping = True  # before the look: the coroutine looks the other way round
            if self._task is not None:
                self._call(self._cancel)

    def give_up(self) -> None:
        """Wait no more for the end of the iterable."""
        self.stop()
        self.released = True

    def _call(self, action: Callable[[], None]) -> None:
        assert self._loop is not None
        with suppress(RuntimeError):  # the loop has been closed, and the coroutine cancelled
            self._loop.call_soon_threadsafe(action)

    # On the loop

    async def _run(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        try:
            await self._draw_and_close()
        finally:
            self.ended = self.released = True
            self._task = self._wanted = None
            self._notify()

    async def _draw_and_close(self) -> None:
        try:
            if not self._stopping:
                await self._draw()
        except GeneratorExit:  # the coroutine is thrown away
            raise
        except BaseException as error:
            self._note(error)
        self._releasing = self.ended = True
        self._notify()
        try:
            if (close := getattr(self._iterator, "aclose", None)) is not None:
                await close()
        except GeneratorExit:
            raise
        except CancelledError:  # the loop ends
            pass
        except BaseException as error:
            self.release_error = as_failure(error)

    def _note(self, error: BaseException) -> None:
        if not self._stopping:
            self.error = failure_of(error)
        elif not isinstance(error, CancelledError):
            self.release_error = as_failure(error)  # its cleanup failed
        elif self._task is not None:
            self._task.uncancel()  # later awaits are not cancelled

    async def _draw(self) -> None:
        self._iterator = iterator = self._begun()
        while not self._stopping:
            while self._drawn >= self._granted:  # a late ``_wake`` may be for earlier demand
                await self._until_granted()
            try:
                element = await iterator.__anext__()
            except StopAsyncIteration:
                self._note_end()
                return
            self._ready.append(element)
            self._drawn += 1
            if self._is_time_to_send():
                await asyncio.sleep(0)

    def _begun(self) -> AsyncIterator[Any]:
        iterable: Any = self._iterable
        if type(iterable) is AsyncGeneratorType and iterable.ag_frame is None:
            raise used_up(self._where, "an async generator", iterable)
        iterator: AsyncIterator[Any] = aiter(iterable)
        if not hasattr(type(iterator), "__anext__"):
            raise TypeError(f"{self._where}: expected an async iterable, got {repr_of(iterable)}")
        return iterator

    def _note_end(self) -> None:
        if self._rest is None:
            return
        if self._rest.ended and not self._drawn:
            raise used_up(self._where, "an async iterator", self._iterable)
        self._rest.ended = True

    async def _until_granted(self) -> None:
        assert self._loop is not None
        self._wanted = wanted = self._loop.create_future()
        try:
            if self._drawn >= self._granted:
                await wanted
        finally:
            self._wanted = None

    def _is_time_to_send(self) -> bool:
        """Whether other coroutines are to go on, since the elements come without waiting."""
        if not self._unsent:
            self._since = self._context.now()
            assert self._loop is not None
            self._loop.call_soon(self._send)  # once this coroutine waits, with all it has got
        self._unsent += 1
        return self._unsent >= MOST_AT_ONCE or self._context.now() - self._since > LONGEST

    def _send(self) -> None:
        self._unsent = 0
        self._notify()

    def _notify(self) -> None:
        if not self._notified or self.ended:
            self._notified = True
            self._context.post(_nothing)

    def _wake(self) -> None:
        if self._wanted is not None and not self._wanted.done():
            self._wanted.set_result(None)

    def _cancel(self) -> None:
        if self._task is not None and not self._releasing:
            self._task.cancel()


def _nothing() -> None:
    """To be posted: the stage advances after it."""
