"""Publishers that are not ours, wrapped as one would: an RxPY observable and an asyncio generator.

Both wrappers look right, and break rules of the standard: ``docs/conformance.md`` shows which.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

__all__ = ["AsyncioPublisher", "RxPublisher", "asyncio_numbers", "rx_numbers"]


class RxPublisher:
    """An RxPY observable as a Publisher. RxPY knows no demand: it sends when it likes."""

    def __init__(self, observable: Any) -> None:
        self.observable = observable

    def subscribe(self, subscriber: Any, /) -> None:
        """Subscribe to the observable with the first request; requests count for no more."""
        subscriber.on_subscribe(RxSubscription(self.observable, subscriber))


class RxSubscription:
    """Starts the observable when asked for the first time; disposes of it when cancelled."""

    def __init__(self, observable: Any, subscriber: Any) -> None:
        self.observable = observable
        self.subscriber = subscriber
        self.disposable: Any = None

    def request(self, n: int, /) -> None:
        """Let the observable begin, with all it has."""
        if self.disposable is None:
            self.disposable = self.observable.subscribe(
                self.subscriber.on_next, self.subscriber.on_error, self.subscriber.on_complete
            )

    def cancel(self) -> None:
        """Dispose of what the observable gave."""
        if self.disposable is not None:
            self.disposable.dispose()


class AsyncioPublisher:
    """An asynchronous generator as a Publisher; a thread with an event loop for each subscriber."""

    def __init__(self, make: Callable[[], AsyncIterator[Any]]) -> None:
        self.make = make

    def subscribe(self, subscriber: Any, /) -> None:
        """Begin a stream that gives an element for each one requested."""
        AsyncioSubscription(self.make(), subscriber).begin()


class AsyncioSubscription:
    """Counts what was requested in a semaphore of the loop; the generator waits for it."""

    def __init__(self, elements: AsyncIterator[Any], subscriber: Any) -> None:
        self.elements = elements
        self.subscriber = subscriber
        self.loop = asyncio.new_event_loop()
        self.demand = asyncio.Semaphore(0)
        self.cancelled = False

    def begin(self) -> None:
        """Tell the subscriber, then run its loop on a thread."""
        self.subscriber.on_subscribe(self)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        """The thread of the loop."""
        try:
            self.loop.run_until_complete(self.give())
        finally:
            self.loop.close()

    def request(self, n: int, /) -> None:
        """Allow ``n`` more elements."""
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.allow, min(n, 1000))

    def allow(self, n: int) -> None:
        """Release as often as was requested."""
        for _ in range(n):
            self.demand.release()

    def cancel(self) -> None:
        """Stop before the next element."""
        self.cancelled = True

    async def give(self) -> None:
        """Wait for demand, then for an element, and send it."""
        try:
            async for element in self.elements:
                await self.demand.acquire()
                if self.cancelled:
                    return
                self.subscriber.on_next(element)
        except Exception as error:
            self.subscriber.on_error(error)
        else:
            self.subscriber.on_complete()


def rx_numbers(elements: int) -> RxPublisher:
    """The numbers below ``elements`` of an RxPY observable."""
    import reactivex

    return RxPublisher(reactivex.range(elements))


def asyncio_numbers(elements: int) -> AsyncioPublisher:
    """The numbers below ``elements`` of an asynchronous generator."""

    async def numbers() -> AsyncIterator[int]:
        for n in range(elements):
            yield n

    return AsyncioPublisher(numbers)
