"""Feedback(100), the two ends of a loop

    sink:    1 2 |
    source:  1 2 |      (sink and source are parts of one graph: elements come round)

Holds elements that come back until the loop requests them again.

Back-pressure: passed on, once the buffer is full.
Completes: when everything that flows into the loop from outside has completed and no element is
left in any stage of it. Where sections or inner streams are parts of the loop, once the whole run
stands still. Loops that lead into each other complete together.
Fails: when a stage of the loop fails. A stage that keeps elements back for more to come, such as a
batch without a time, keeps them in the loop: the run ends with ``Stalled``. The graph is refused
when it is built if no element can get into a loop, or leave it, or come round it.
Cancels: at once; held elements are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from actors_rs.stages.alarm import Alarm
from actors_rs.stages.passing import Buffered
from actors_rs.stages.stage import Budget

LOOK_EVERY = 0.02
"""Seconds between two looks at whether the loop is empty."""


class Feedback(Buffered):
    """Passes on, and ends the loop that it closes.

    ``look`` gives figures of the loop if it seems to be empty and cannot fill up from outside any
    more, else ``None``. The same figures twice mean that nothing moved in between: it is empty.
    """

    ends_with_run = True  # a branch that a sink leaves may still be going round
    stall_after = 0.0
    look: Callable[[], Hashable | None]
    is_empty: Callable[[], bool]
    """Whether the loop is empty, now that the whole run stands still; set for loops of any stages.
    """

    def __init__(self) -> None:
        super().__init__()
        self._alarm = Alarm(self, self._look_again)
        self._seen: Hashable | None = None

    def start(self) -> None:
        self.inlet.open()  # the loop must be able to turn before anybody asks
        self._alarm.set(LOOK_EVERY)

    @property
    def ends_the_loop(self) -> bool:
        """Whether it will do so when it has looked again, unless something moves. Any thread."""
        return not self.outlet.closed and not self.inlet.buffered and self.look() is not None

    def figures(self) -> Hashable:
        """What looking alone leaves as it is, and all else it does changes. Any thread."""
        inlet, outlet = self.inlet, self.outlet
        taken = (inlet.count, inlet.buffered, inlet.outstanding, inlet.closed)
        return *taken, outlet.count, outlet.demand, outlet.closed

    def pass_on(self, budget: Budget) -> None:
        if not self.outlet.closed or self.outlet.cancelled:
            super().pass_on(budget)
        elif self.inlet.buffered:  # cannot be, unless a stage does not say what it holds
            for element in self.inlet.take(self.inlet.buffered):
                self.context.report(element, "came back to a loop that had ended")

    def unblock(self) -> Callable[[], None] | None:
        over = self.outlet.closed or self.inlet.buffered or not self.is_empty()
        return None if over else self.outlet.complete

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()

    def _look_again(self) -> None:
        before, self._seen = self._seen, self.look()
        if self._seen is None or self._seen != before or self.inlet.buffered:
            self._alarm.set(LOOK_EVERY)
        else:
            self.outlet.complete()
