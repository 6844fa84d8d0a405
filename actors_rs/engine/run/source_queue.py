"""``SourceQueue``: the way into a running stream for elements from any thread."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from actors_rs.errors import BufferOverflowError, GraphError, IllegalStateError, RunCancelled
from actors_rs.runtime._primitives import check_may_block, start_thread
from actors_rs.runtime.actors.awaiting import Awaiting, Until, check_no_running_loop
from actors_rs.runtime.condition import Condition
from actors_rs.runtime.settings import check_error, check_timeout
from actors_rs.stages.sources.from_callback import CallbackSource
from actors_rs.stages.sources.queue import QueueSource
from actors_rs.texts import few, named

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage

__all__ = ["QueueOverflow", "SourceQueue", "disown_queues", "only_one", "queue_among"]

T = TypeVar("T")
Q = TypeVar("Q")
QueueOverflow: TypeAlias = Literal["backpressure", "drop_oldest", "drop_newest", "drop_all", "fail"]


class SourceQueue(Generic[T]):
    """Feeds one run's ``Source.queue(capacity, overflow)``. Thread-safe.

    ``run.queue()`` gives it, after the end of the run too: it is closed then. Up to ``capacity``
    elements wait until downstream asks for them; ``overflow`` decides about more. ``kind`` names
    the source in errors, ``"queue"`` by default. ``dropped`` counts the elements that the overflow
    policy has dropped.

    >>> import asyncio
    >>> with ActorSystem() as system:
    ...     run = system.start(Source.queue(16).to(Sink.list()))
    ...     queue = run.queue()
    ...     queue.put("order 1", timeout=5)
    ...     queue.offer("order 2")
    ...     asyncio.run(queue.put_async("order 3", timeout=5))
    ...     queue.complete()
    ...     run.result(), queue.closed
    ...     run = system.start(Source.queue(16).recover(lambda error: "failed").to(Sink.list()))
    ...     run.queue().fail(OSError("gone"))
    ...     run.result()
    True
    (['order 1', 'order 2', 'order 3'], True)
    ['failed']
    """

    def __init__(self, capacity: int, overflow: QueueOverflow, kind: str = "queue") -> None:
        self.name = self.kind = kind
        self.capacity = capacity
        self.overflow = overflow
        self.dropped = 0
        self._waiting: deque[T] = deque()
        self._changed = Condition()  # its lock guards all of this; told of room and of the end
        self._awaiting = Awaiting()  # coroutines; woken after the change
        self._arrived: Callable[[], None] | None = None
        self._signalled = False  # that something waits, and the stage has not looked since
        self._completed = False  # nothing more comes in
        self._error: BaseException | None = None
        self._over = False  # the stream has ended
        self._why = ""  # it takes nothing more
        self._cause: BaseException | None = None  # of that

    def __repr__(self) -> str:
        return f"<SourceQueue '{self.name}': {len(self)} of {self.capacity} waiting>"

    def __len__(self) -> int:
        """How many elements wait for demand."""
        return len(self._waiting)

    @property
    def closed(self) -> bool:
        """Whether it takes nothing more: completed, failed, or the stream is over."""
        return self._completed or self._over

    def offer(self, element: T) -> bool:
        """Hand ``element`` in without waiting; False if it was not taken.

        It is not taken when the queue is closed, or full and the policy is ``"backpressure"``,
        ``"drop_newest"`` or ``"fail"``, which then fails the stream.
        """
        try:
            with self._changed.lock:
                taken = not self.closed and self._put_in(element)
            self._tell()
        except BaseException:  # Ctrl-C, perhaps between the two
            start_thread(self._tell, ())
            raise
        return taken

    def put(self, element: T, timeout: float | None = None) -> None:
        """Hand ``element`` in; with ``"backpressure"``, wait up to ``timeout`` seconds for room.

        Raises:

        - ``TimeoutError`` when there was no room in time;
        - ``BlockingError`` where it would have to wait on a thread of the pool, or may have to wait
          on a thread with a running event loop: a coroutine awaits ``put_async`` instead;
        - ``IllegalStateError`` when the queue is closed: the message says why (completed, drained,
          cancelled, failed), ``__cause__`` is the error that led to it, if there is one;
        - ``BufferOverflowError`` when it overflows and its ``overflow`` is ``"fail"``;
        - ``InvalidArgumentError`` for a ``timeout`` that is no number.
        """
        check_timeout(timeout)
        if self.overflow == "backpressure":
            check_no_running_loop(
                f"queue '{self.name}': put",
                "`await queue.put_async(...)`",
                "`await trio.to_thread.run_sync(queue.put, ...)`",
            )
        try:
            taken = self._put_when_there_is_room(element, timeout)
            self._tell()
        except Exception:
            raise
        except BaseException:  # Ctrl-C, perhaps between the two
            start_thread(self._tell, ())
            raise
        self._check_overflow(taken)

    async def put_async(self, element: T, timeout: float | None = None) -> None:
        """As ``put``, for a coroutine of any event loop of asyncio, which goes on meanwhile.

        Waits up to ``timeout`` seconds for room, by default without limit. A task that is cancelled
        while it waits has not handed ``element`` in.
        """
        check_timeout(timeout)
        taken: list[bool] = []

        def decided() -> bool:
            with self._changed.lock:
                return self._decide(element, taken)

        try:
            async with asyncio.timeout(timeout):
                while not taken and not decided():
                    await Until(self._awaiting, decided)
        except TimeoutError:
            raise self._no_room(timeout) from None
        if not taken:
            raise self._closed_error() from self._cause
        self._tell()
        self._check_overflow(taken[0])

    def _check_overflow(self, taken: bool) -> None:
        if not taken and self.overflow == "fail":
            raise BufferOverflowError(self.name, self.capacity, self.kind)

    def complete(self) -> None:
        """Complete the stream after the waiting elements, and accept no more. May be repeated."""
        self._close("it was completed")

    def fail(self, error: BaseException) -> None:
        """Fail the stream with ``error`` after the waiting elements, unless the queue is closed.

        Raises ``ArgumentTypeError`` if ``error`` is no exception.
        """
        check_error(f"queue '{self.name}': fail", error)
        self._close(f"it was failed with {named(error)}", error)

    def _put_in(self, element: T) -> bool:
        """Whether it was taken. Under the lock."""
        if len(self._waiting) >= self.capacity and not self._make_room():
            return False
        self._waiting.append(element)
        return True

    def _make_room(self) -> bool:
        if self.overflow == "drop_oldest":
            self._waiting.popleft()
            self.dropped += 1
        elif self.overflow == "drop_all":
            self.dropped += len(self._waiting)
            self._waiting.clear()
        else:
            if self.overflow == "drop_newest":
                self.dropped += 1
            elif self.overflow == "fail":
                error = BufferOverflowError(self.name, self.capacity, self.kind)
                self._end_with("it overflowed, and its overflow is 'fail'", error)
            return False
        return True

    def _put_when_there_is_room(self, element: T, timeout: float | None) -> bool:
        """Whether it was taken, as ``_put_in`` says."""
        taken: list[bool] = []
        put_in = partial(self._decide, element, taken)
        with self._changed.lock:
            decided = put_in()
        if not decided:
            check_may_block(
                f"put() into the full queue '{self.name}'",
                "write offer(element), which does not wait, call put from a thread of your own, or "
                "write 'await queue.put_async(element)' in a coroutine",
            )
            if not self._changed.wait_for(put_in, timeout):
                raise self._no_room(timeout)
        if not taken:
            raise self._closed_error() from self._cause
        return taken[0]

    def _decide(self, element: T, taken: list[bool]) -> bool:
        """Whether the queue has decided on ``element``; then ``taken``, unless it is closed.

        Under the lock.
        """
        may_wait = self.overflow == "backpressure" and len(self._waiting) >= self.capacity
        if not self.closed and not may_wait:
            taken.append(self._put_in(element))
        return self.closed or bool(taken)

    def _no_room(self, timeout: float | None) -> TimeoutError:
        return TimeoutError(
            f"queue '{self.name}' had no room within {timeout} seconds: it holds "
            f"{self.capacity} elements, and the stages downstream request no more. Wait "
            "longer, use offer, or give the source a larger capacity or another overflow"
        )

    def _closed_error(self) -> IllegalStateError:
        return IllegalStateError(f"queue '{self.name}' takes nothing more: {self._why}")

    def _end_with(self, why: str, error: BaseException | None) -> None:
        """The stream ends after the waiting elements, with ``error`` if any. Under the lock."""
        self._completed, self._error = True, error
        self._why, self._cause = why, error

    def _close(self, why: str, error: BaseException | None = None) -> None:
        try:
            with self._changed.lock:
                if self.closed:
                    return
                self._changed.notify_all()
                self._end_with(why, error)
            self._awaiting.wake()
            self._tell()
        except BaseException:  # Ctrl-C, perhaps between the two
            start_thread(self._tell, ())
            raise

    def _tell(self) -> None:
        """Let the stage know, once until it looks, that something waits or the end has come."""
        with self._changed.lock:
            if self._signalled or not (self._waiting or self._completed):
                return
            arrived = self._arrived
        if arrived is not None:
            self._signalled = True
            try:
                arrived()
            except BaseException:  # Ctrl-C, or the caller is as deep as Python goes
                self._signalled = False
                raise

    # What follows is for the source's stage.

    def connect(self, arrived: Callable[[], None], /) -> None:
        """The stage has started; ``arrived`` makes it look."""
        with self._changed.lock:
            self._arrived = arrived
        self._tell()

    def take(self, most: int, /) -> Sequence[T]:
        """Up to ``most`` elements; there is room for as many again."""
        with self._changed.lock:
            waiting = self._waiting
            if len(waiting) <= most:
                taken = list(waiting)
                waiting.clear()
            else:
                taken = [waiting.popleft() for _ in range(most)]
            self._signalled = bool(waiting)
            if taken:
                self._changed.notify_all()
        if taken:
            self._awaiting.wake()
        return taken

    def end(self) -> tuple[bool, BaseException | None]:
        """Whether all was taken and nothing more comes, and the error if it was failed."""
        with self._changed.lock:
            # Asked in each turn. A producer may signal the elements of this turn only now. If
            # elements wait, one may have come this moment, and its signal is still to come: keep
            # the flag.
            self._signalled = self._signalled and bool(self._waiting)
            ended = self._completed and not self._waiting
            return ended, self._error if ended else None

    def drain(self) -> None:
        """The run drains: take nothing more in, and complete after the waiting elements."""
        self._close("its run is drained")

    def close(self, error: BaseException | None = None) -> None:
        """The stream is over, because of ``error`` if any: wake all that wait for room."""
        with self._changed.lock:
            self._changed.notify_all()
            self._over = True
            if not self._why:
                self._why, self._cause = _why_over(error), error
            self._arrived = None  # it holds the stage
        self._awaiting.wake()

    def disown(self) -> None:
        """In a forked child: the stream is over here, it goes on in the parent. Takes no lock."""
        self._changed = Condition()  # the other one may be held, by a thread of the parent
        self._awaiting = Awaiting()
        self._over = True
        self._why = "its run goes on in the parent of this process"

    def figures(self) -> dict[str, Any]:
        """For the run's snapshot."""
        return {"waiting": len(self), "capacity": self.capacity, "dropped": self.dropped}


def _why_over(error: BaseException | None) -> str:
    if error is None:
        return "the stages downstream need no more elements"
    if isinstance(error, RunCancelled):
        return "its run was cancelled"
    return f"the stream has failed with {named(error)}"


def queue_among(stages: Iterable[RunningStage], name: str | None) -> SourceQueue[Any]:
    """The queue of the one stage that has one, or of the one called ``name``."""
    queues: dict[str, SourceQueue[Any]] = {}
    for stage, queue in _queues(stages):
        if isinstance(stage.logic, CallbackSource):
            continue  # fed through its emitter
        queues[stage.name] = queue
        queue.name = stage.name
    return only_one(queues, "Source.queue", name)


def only_one(queues: Mapping[str, Q], kind: str, name: str | None) -> Q:
    """The one of ``queues``, or the one called ``name``; ``GraphError`` if that is not one."""
    found = [queue for called, queue in queues.items() if name in (None, called)]
    if len(found) != 1:
        wanted = f"one {kind}" if name is None else f"a {kind} called '{name}'"
        there = few(f"'{called}'" for called in queues)
        advice = "; give the name" if name is None and found else ""
        raise GraphError(f"expected {wanted} in this run, there is {there}{advice}")
    return found[0]


def disown_queues(stages: Iterable[RunningStage]) -> tuple[RunningStage, ...]:
    """In a forked child, where ``stages`` do not run: no stage takes elements that are handed in.

    Returns the stages with a queue, so that it can still be asked for.
    """
    with_queue = tuple(_queues(stages))
    for _, queue in with_queue:
        queue.disown()
    return tuple(stage for stage, _ in with_queue)


def _queues(stages: Iterable[RunningStage]) -> Iterator[tuple[RunningStage, SourceQueue[Any]]]:
    for stage in stages:
        logic = stage.logic
        if isinstance(logic, QueueSource) and isinstance(logic.queue, SourceQueue):
            yield stage, logic.queue
