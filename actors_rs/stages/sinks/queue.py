"""queue(n): a bounded queue that other threads and coroutines get elements from.

The result is how many elements came. An iteration, ``for x in source``, is a queue of this kind.

Back-pressure: asks for as many elements as the queue has room for, half a queue at a time at least.
  Under a memory limit it has room for the elements that fit, at least one.
  While the run drains, it takes all elements, so that the run ends without a consumer, too.
Completes: when upstream has completed; elements that wait in the queue can be got later.
Fails: when upstream has failed; the queue raises that error after the elements before it.
Cancels: when the run is cancelled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from actors_rs.stages.chunks.kept import Kept
from actors_rs.stages.linear import SinkLogic
from actors_rs.stages.stage import Budget

__all__ = ["HandOut", "QueueSink"]

WHILE_DRAINING = 4096
"""The window of a stage that drains: the consumer may have gone."""


class HandOut(Protocol):
    """The other side of the queue, thread-safe: where elements wait to be got. A ``Room``."""

    capacity: int
    room: int
    """How many elements it holds for now, at most ``capacity``."""
    foreseen: int

    def __len__(self) -> int:
        """How many elements wait."""
        ...

    @property
    def demand(self) -> int:
        """How many elements more it holds."""
        ...

    def connect(self, look: Callable[[], None], /) -> None:
        """Call ``look``, from any thread, when there is room that was asked for."""

    def put(self, elements: Iterable[Any], /) -> None:
        """Let ``elements`` be got."""

    def tell_at(self, most: int, /) -> bool:
        """Call ``look`` when ``most`` elements or fewer wait; False if that is so already."""
        ...

    def open_up(self) -> None:
        """Have room for all that comes."""

    def close(self, *, completed: bool) -> None:
        """Nothing more will come; whether that is the regular end."""

    def disown(self) -> None:
        """In a forked child: the stream goes on in the parent."""

    def figures(self) -> dict[str, Any]:
        """The number of elements that wait."""
        ...


class QueueSink(SinkLogic):
    """Puts elements into ``queue``, which holds ``capacity`` of them, or as many as fit in memory.

    Waiting and requested elements count against the memory limit.
    """

    never_waits = True
    window_follows = "own"
    waits_outside = True  # the owner of the queue may get

    def __init__(self, queue: HandOut) -> None:
        super().__init__()
        self.queue = queue
        self._kept = Kept()
        self._drains = False

    def start(self) -> None:
        self._kept = Kept(self.context.memory_share(), self.weigh)
        self.inlet.room = self.queue
        if self._kept.limited and self.auto:
            self.queue.room = 1  # the first element may be larger than the limit
        self.inlet.window = self.queue.room
        self.queue.connect(lambda: self.context.post(_nothing))
        self.inlet.open()

    def consume(self, elements: Iterator[Any], /) -> None:
        if self._kept.limited:
            elements = iter(frame := list(elements))
            self._kept.weigh(frame)
        self.queue.put(elements)

    def advance(self, budget: Budget) -> None:
        super().advance(budget)
        inlet, queue = self.inlet, self.queue
        if self._kept.limited and inlet.count:
            self._fit_in()
        half = (inlet.window + 1) // 2
        while not inlet.closed:
            if queue.demand - inlet.outstanding - inlet.buffered >= half:
                inlet.open()
            if queue.tell_at(queue.room - half - inlet.outstanding - inlet.buffered):
                break

    def _fit_in(self) -> None:
        """Have room for as many elements as the memory allows."""
        inlet, queue, waiting = self.inlet, self.queue, len(self.queue)
        self.held_bytes = self._kept.bytes_of(waiting)
        bounded = self.auto and not self._drains
        most = queue.capacity if bounded else waiting
        fitting = self._kept.fitting(most, waiting + inlet.outstanding + inlet.buffered)
        if bounded:
            queue.room = inlet.window = fitting

    def finish(self) -> int:
        return self.taken

    def drain(self) -> None:
        self._drains = True
        self.inlet.window = WHILE_DRAINING
        self.queue.open_up()

    def stop(self, error: BaseException | None) -> None:
        self.queue.close(completed=error is None)
        self._kept.over()
        self.held_bytes = 0

    def details(self) -> dict[str, Any]:
        return self.queue.figures()


def _nothing() -> None:
    """To be posted: the stage advances after it."""
