"""throttle(1, per=2 s)

    in:  1 2 3 - - - - - 4 |
    out: 1 - 2 - 3 - - - 4 |

Lets through so many elements in so much time; elements that come faster wait.
Back-pressure: asks for its window; one element waits in the stage, further ones in the inlet.
Completes: after the last element, which keeps to the rate.
Fails: after the elements that came before the failure, or when the function for the cost raises.
Cancels: at once; the share of the rate that a waiting element had is given back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Protocol

from actors_rs.errors import InvalidArgumentError
from actors_rs.stages.alarm import Alarm
from actors_rs.stages.chunks.chunk import ELEMENTS, ChunkSize
from actors_rs.stages.passing import Buffered
from actors_rs.stages.ports import Frame
from actors_rs.stages.stage import Budget
from actors_rs.texts import repr_of

__all__ = ["Limit", "Throttle"]


class Limit(Protocol):
    """A rate, perhaps shared with other stages. See ``RateLimit``, which is thread-safe."""

    def take(self, most: int, now: float, /) -> int:
        """How many elements of cost 1, up to ``most``, may pass now; they count as passed."""
        ...

    def level(self, now: float, /) -> float:
        """What may pass now, as a cost; below 0 if others are in line, and soon perhaps less."""
        ...

    def take_costs(self, costs: Sequence[float], now: float, /) -> int:
        """How many elements that cost so much, the first ones, may pass now; they have passed."""
        ...

    def reserve(self, cost: float, now: float, /) -> Any:
        """Stand in line for ``cost``; a ticket."""
        ...

    def wait(self, ticket: Any, now: float, /) -> float:
        """Seconds until the ticket's turn; at 0.0 it has come, and is used."""
        ...

    def give_back(self, ticket: Any, /) -> None:
        """Leave the line."""

    def watch(self, stage: Any, /) -> None:
        """Post to ``stage`` whenever the rate changes; held weakly."""

    def unwatch(self, stage: Any, /) -> None:
        """No more of that."""


class Throttle(Buffered):
    """Elements at the pace of ``limit``.

    ``cost`` is called for the elements that can pass now and for one more. It is called again for
    an element only if another stage took from the limit at the same moment.
    """

    def __init__(self, limit: Limit, cost: Callable[[Any], float] | None) -> None:
        super().__init__()
        self._limit = limit
        self._cost = cost
        self._waiting: tuple[Any, Any] | None = None  # an element and its ticket
        self._alarm = Alarm(self)
        self._chunk = ChunkSize(ELEMENTS)
        self._woken = False  # a message says so that was not looked at yet

    @property
    def limit(self) -> Limit:
        """The limit that it keeps."""
        return self._limit

    def start(self) -> None:
        self._limit.watch(self)

    def pass_on(self, budget: Budget) -> None:
        inlet, outlet = self.inlet, self.outlet
        while outlet.demand:
            if self._waiting is not None:
                if not self._waited():
                    return
            elif not inlet.buffered:
                return
            elif self._cost is None:
                self._take_free()
            elif budget.spent():
                return
            else:
                self._take_costly(budget)

    def upstream_ended(self, error: BaseException | None) -> None:
        if self._waiting is None or self.outlet.closed:
            self.end(error)

    def wake(self) -> None:
        """The rate has changed; called on any thread.

        The limit reads the clock now; otherwise the time up to the next element would count at the
        old rate. One message is enough: of many that wait, each one that leaves wakes the others.
        """
        if not self._woken:
            self._woken = True
            self.context.post(self._tell_the_time)

    def _tell_the_time(self) -> None:
        self._woken = False  # before the look: what changes from here on is another message
        self._limit.take(0, self.context.now())

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()
        self._limit.unwatch(self)
        if self._waiting is not None:
            self._limit.give_back(self._waiting[1])

    def held(self) -> list[Any]:
        return [] if self._waiting is None else [self._waiting[0]]

    def release_held(self) -> None:
        self._waiting = None if self._waiting is None else (None, None)

    def details(self) -> dict[str, Any]:
        return {"waiting": self._waiting is not None}

    def _waited(self) -> bool:
        """Give the element that waits if its turn has come."""
        assert self._waiting is not None
        element, ticket = self._waiting
        wait = self._limit.wait(ticket, self.context.now())
        if wait > 0:
            self._alarm.set(wait)
            return False
        self._waiting = None
        self.outlet.emit([element])
        return True

    def _take_free(self) -> None:
        """Pass on as many as the rate allows at this moment; the next one stands in line."""
        inlet, outlet = self.inlet, self.outlet
        frame = inlet.take(outlet.demand)
        free = self._limit.take(len(frame), self.context.now())
        outlet.emit(frame[:free])
        inlet.untake(frame[free:])
        if free < len(frame):
            self._line_up(inlet.take(1)[0], 1.0)

    def _take_costly(self, budget: Budget) -> None:
        """As ``_take_free``, where the elements have to be asked what they cost."""
        inlet, outlet = self.inlet, self.outlet
        frame = inlet.take(min(outlet.demand, self._chunk.size))
        costs, failure = self._costs_of(frame)
        self._chunk.record(len(costs), budget.lap())
        free = self._limit.take_costs(costs, self.context.now())
        outlet.emit(frame[:free])
        inlet.untake(frame[free:])
        if free < len(costs):
            self._line_up(inlet.take(1)[0], costs[free])
        elif failure is not None:
            self.survives(failure, inlet.take(1)[0], inlet.count - 1)

    def _costs_of(self, frame: Frame) -> tuple[list[float], Exception | None]:
        """The costs of its first elements, up to one that cannot pass now or whose cost fails."""
        assert self._cost is not None
        costs: list[float] = []
        level = self._limit.level(self.context.now())
        for element in frame:
            try:
                cost = _checked(self._cost(element))
            except Exception as error:
                return costs, error
            costs.append(cost)
            level -= cost
            if level < 0:
                break
        return costs, None

    def _line_up(self, element: Any, cost: float) -> None:
        self._waiting = (element, self._limit.reserve(cost, self.context.now()))


def _checked(cost: Any) -> float:
    if isinstance(cost, Real) and not isinstance(cost, bool) and 0 <= float(cost) < float("inf"):
        return float(cost)
    raise InvalidArgumentError(
        f"throttle: cost must return a number of at least 0, got {repr_of(cost)}"
    )
