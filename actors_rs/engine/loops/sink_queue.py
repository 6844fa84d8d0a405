"""``SinkQueue``: the way out of a running stream for elements, to any thread or coroutine."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from actors_rs.engine.run.source_queue import only_one
from actors_rs.engine.run.waiting import wait_for_end
from actors_rs.errors import EndOfStreamError
from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.runtime._primitives import check_may_block
from actors_rs.runtime.actors.awaiting import Awaiting, Until, check_no_running_loop
from actors_rs.runtime.condition import Condition
from actors_rs.runtime.settings import check_timeout
from actors_rs.stages.sinks.queue import QueueSink

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage
    from actors_rs.engine.run.end import RunEnd

__all__ = ["SinkQueue", "disown_sink_queues", "sink_queue_among"]

T = TypeVar("T")
NOT_ASKED = -1
"""The mark of a queue whose stage needs no signal."""


class SinkQueue(Generic[T]):
    """What one run's ``Sink.queue(n)`` gives its elements to. Thread-safe.

    ``run.sink_queue()`` gives it. Each element goes to one consumer. After the end of the run, the
    elements that wait can still be got; then the queue raises.

    >>> from actors_rs import ActorSystem, Sink, Source
    >>> with ActorSystem() as system:
    ...     queue = system.start(Source.of("a", "b").to(Sink.queue(10))).sink_queue()
    ...     print(queue.get(), queue.get(timeout=5.0))
    a b
    """

    foreseen = 0

    def __init__(self, capacity: int) -> None:
        self.name = "queue"
        self.capacity = capacity
        self.room = capacity
        """How many elements it holds for now: under a memory limit perhaps fewer."""
        self.elements: deque[T] = deque()
        """The waiting elements; call ``got`` after taking some."""
        self.awaiting = Awaiting()
        """Coroutines; woken after the change."""
        self.mark = NOT_ASKED
        """At this number of elements or fewer, the stage must be signalled."""
        self._changed = Condition()  # of elements that came and of the end
        self._look: Callable[[], None] | None = None
        self._unbounded = self._over = self._completed = False
        self._end: RunEnd[Any] | None = None

    def __repr__(self) -> str:
        return f"<SinkQueue '{self.name}': {len(self)} of {self.capacity} waiting>"

    def __len__(self) -> int:
        """How many elements wait."""
        return len(self.elements)

    def get(self, timeout: float | None = None) -> T:
        """The next element; blocks up to ``timeout`` seconds until there is one, or for ever.

        After the last element it raises ``EndOfStreamError``, or the error that the run has ended
        with, as each later call does. Raises ``TimeoutError`` when none came in time;
        ``BlockingError`` where it would have to wait on a thread of the pool, and on one with a
        running event loop, where a coroutine awaits ``get_async``.
        """
        check_timeout(timeout)
        check_no_running_loop(
            f"queue '{self.name}': get",
            "`await queue.get_async()`",
            "`await trio.to_thread.run_sync(queue.get)`",
        )
        taken: list[T] = []
        if not self._take(taken):
            self._check_may_wait()
            if not self._changed.wait_for(partial(self._take, taken), timeout):
                raise self._nothing_came(timeout)
        if not taken:
            self.raise_end(timeout)
        self.got()
        return taken[0]

    async def get_async(self, timeout: float | None = None) -> T:
        """As ``get``, for a coroutine of any event loop of asyncio, which goes on meanwhile.

        After the last element it raises ``EndOfStreamError``, or the error that the run has ended
        with; ``TimeoutError`` when none came within ``timeout`` seconds, without limit by default.
        A task that is cancelled while it waits has taken no element.

        >>> import asyncio
        >>> from actors_rs import ActorSystem, Sink, Source
        >>> from actors_rs.errors import EndOfStreamError
        >>> with ActorSystem() as system:
        ...     queue = system.start(Source.of("a").to(Sink.queue(10))).sink_queue()
        ...     first = asyncio.run(queue.get_async(timeout=5.0))
        ...     try:
        ...         asyncio.run(queue.get_async(timeout=5.0))
        ...     except EndOfStreamError:
        ...         print(first, "is the last")
        a is the last
        """
        check_timeout(timeout)
        taken: list[T] = []
        try:
            async with asyncio.timeout(timeout):
                while not self._take(taken):
                    await Until(self.awaiting, self.has_news)
        except TimeoutError:
            raise self._nothing_came(timeout) from None
        if not taken:
            await self.raise_end_async()
        self.got()
        return taken[0]

    def __iter__(self) -> Iterator[T]:
        """The elements up to the end of the stream, for ``for x in queue``."""
        while True:
            try:
                element = self.get()
            except EndOfStreamError:
                return
            yield element

    async def __aiter__(self) -> AsyncIterator[T]:
        """The elements up to the end of the stream, for ``async for x in queue``."""
        while True:
            try:
                element = await self.get_async()
            except EndOfStreamError:
                return
            yield element

    def _take(self, taken: list[T]) -> bool:
        """Whether there is an element, in ``taken`` then, or will never be one again."""
        over = self._over  # before the look: an element may be the last thing that comes
        try:
            taken.append(self.elements.popleft())
        except IndexError:
            return over
        return True

    def _nothing_came(self, timeout: float | None) -> TimeoutError:
        return TimeoutError(
            f"queue '{self.name}' got no element within {timeout} seconds and the stream goes on: "
            "wait longer, or look at run.snapshot() for the stage that it waits for"
        )

    # The following methods are for callers that take from ``elements`` themselves.

    def bind(self, end: RunEnd[Any]) -> None:
        """It belongs to the run with that ``end``."""
        self._end = end

    def got(self) -> None:
        """An element was taken: tell the stage if it waits for room."""
        if len(self.elements) <= self.mark and (look := self._look) is not None:
            mark, self.mark = self.mark, NOT_ASKED
            try:
                look()
            except BaseException:  # Ctrl-C, or the caller is as deep as Python goes
                self.mark = mark
                raise

    def has_news(self) -> bool:
        """Whether there is an element, or will never be one again."""
        return bool(self.elements) or self._over

    def wait(self) -> None:
        """Wait until there is news."""
        if not self.has_news():
            self._check_may_wait()
            self._changed.wait_for(self.has_news)

    def _check_may_wait(self) -> None:
        check_may_block(
            f"get() of the empty queue '{self.name}'",
            "call it from a thread of your own, or write 'await queue.get_async()' in a coroutine",
        )

    def raise_end(self, timeout: float | None = None) -> NoReturn:
        """Raise what the stream has ended with; if it has failed, once its run is over."""
        end = self._end
        assert end is not None
        if not (self._completed or end.is_over):
            wait_for_end(end, timeout)
            if not end.is_over:
                raise self._nothing_came(timeout)
        self._raise_what_came_of(end)

    async def raise_end_async(self) -> NoReturn:
        """As ``raise_end``, for a coroutine."""
        end = self._end
        assert end is not None
        if not self._completed:
            await end.until_over()
        self._raise_what_came_of(end)

    def _raise_what_came_of(self, end: RunEnd[Any]) -> NoReturn:
        if not self._completed:
            end.raise_error()
        raise EndOfStreamError(
            f"queue '{self.name}': the stream has completed, no element comes after the last one"
        )

    # What follows is for the sink's stage.

    @property
    def demand(self) -> int:
        """How many elements more it holds."""
        return UNBOUNDED if self._unbounded else max(0, self.room - len(self.elements))

    def connect(self, look: Callable[[], None], /) -> None:
        """The stage has started; ``look`` makes it look for room."""
        self._look = look

    def put(self, elements: Iterable[T], /) -> None:
        """Let ``elements`` be got."""
        with self._changed.lock:
            self._changed.notify_all()
            self.elements.extend(elements)
        self.awaiting.wake()

    def tell_at(self, most: int, /) -> bool:
        """Signal the stage when ``most`` elements or fewer wait; False if that is so already.

        The mark is written before the look. A reader in the meantime takes its element before it
        looks at the mark.
        """
        self.mark = max(most, NOT_ASKED)
        if len(self.elements) > self.mark or self._unbounded:
            return True
        self.mark = NOT_ASKED
        return False

    def open_up(self) -> None:
        """Have room for all that comes."""
        self._unbounded = True

    def close(self, *, completed: bool) -> None:
        """Nothing more will come: wake all waiting readers."""
        with self._changed.lock:
            self._changed.notify_all()
            self._completed = completed
            self._over = True
            self._look = None  # it holds the stage
        self.awaiting.wake()

    def disown(self) -> None:
        """In a forked child: the stream is over here, it goes on in the parent. Takes no lock."""
        self._changed = Condition()  # the other one may be held, by a thread of the parent
        self.awaiting = Awaiting()
        self._look, self._over = None, True

    def figures(self) -> dict[str, Any]:
        """For the run's snapshot."""
        return {"waiting": len(self), "capacity": self.capacity}


def sink_queue_among(
    stages: Iterable[RunningStage], name: str | None, end: RunEnd[Any]
) -> SinkQueue[Any]:
    """The queue of the one stage that has one, or of the one called ``name``."""
    queues: dict[str, SinkQueue[Any]] = {}
    for stage in stages:
        logic = stage.logic
        if isinstance(logic, QueueSink) and isinstance(logic.queue, SinkQueue):
            queues[stage.name] = logic.queue
            logic.queue.name = stage.name
            logic.queue.bind(end)
    return only_one(queues, "Sink.queue", name)


def disown_sink_queues(stages: Iterable[RunningStage]) -> tuple[RunningStage, ...]:
    """In a forked child, where ``stages`` do not run: close and return the stages with a queue."""
    with_queue = tuple(stage for stage in stages if isinstance(stage.logic, QueueSink))
    for stage in with_queue:
        assert isinstance(stage.logic, QueueSink)
        stage.logic.queue.disown()
    return with_queue
