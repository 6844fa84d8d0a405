"""queue(capacity=100)

put: 1   2 3 complete
out:   1   2 3 |

Gives what other threads hand in, through a queue that each run has of its own.

Back-pressure: takes as many elements as downstream has requested, and up to its capacity more; then
putting waits, or as its overflow says. A Subscriber decides how much it requests; a stage requests
a window ahead, up to 4,096. A sink that is stuck has up to one window in its hands and one that
waits, so queue(1) may take 8,193 before it. Write queue(1).with_attributes(window=1) where a few
have to be the bound.
Completes: after what was put before complete().
Fails: after what was put before fail(error); or when it overflows and is to fail then.
Cancels: ``put`` raises and ``offer`` reports that the stream is over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from actors_rs.stages.source import SourceLogic
from actors_rs.stages.stage import Budget


class HandIn(Protocol):
    """The other side of the queue, thread-safe: where elements wait."""

    def connect(self, arrived: Callable[[], None], /) -> None:
        """Call ``arrived``, from any thread, when there is something to ``take`` again."""

    def take(self, most: int, /) -> Sequence[Any]:
        """Up to ``most`` elements, the oldest first."""
        ...

    def end(self) -> tuple[bool, BaseException | None]:
        """Whether everything was taken and nothing more will come, and why if it failed."""
        ...

    def drain(self) -> None:
        """Take nothing more in, as the run drains."""

    def close(self, error: BaseException | None = None, /) -> None:
        """The stream is over, because of ``error`` if any: ends all waits of ``put``."""

    def figures(self) -> dict[str, Any]:
        """The numbers of elements that wait, and that were dropped."""
        ...


class QueueSource(SourceLogic):
    """Elements of ``queue`` as they are demanded; it makes the stage advance when some came."""

    waits_outside = True  # the owner of the queue may offer, close or fail

    def __init__(self, queue: HandIn) -> None:
        super().__init__()
        self.queue = queue

    def start(self) -> None:
        self.queue.connect(lambda: self.context.post(_nothing))

    def advance(self, budget: Budget) -> None:
        outlet = self.outlet
        while outlet.demand and (elements := self.queue.take(outlet.demand)):
            outlet.emit(elements)
            budget.lap()
            if budget.spent():
                return
        ended, error = self.queue.end()
        if error is not None:
            self.fail(error)
        elif ended:
            outlet.complete()

    def drain(self) -> None:
        self.queue.drain()

    def stop(self, error: BaseException | None) -> None:
        outlet = self.outlet
        causes = (error, outlet.error, outlet.cause, self.context.stop_reason())
        self.queue.close(next((cause for cause in causes if cause is not None), None))

    def details(self) -> dict[str, Any]:
        return self.queue.figures()


def _nothing() -> None:
    """A message that does nothing; the stage advances after it."""
