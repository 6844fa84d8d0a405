"""Time in streams: methods of ``Flow``, and sources that tick.

All of them go by the clock of the system that runs them, and all times are seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Never, TypeVar

from actors_rs.graph.checks import plain_function, positive_seconds, telling_where, wrong_value
from actors_rs.language.initial import begun
from actors_rs.language.methods.chain import FRESH, Chain
from actors_rs.language.sources import source
from actors_rs.runtime.rate.rate_limit import RateLimit
from actors_rs.stages.operators.backpressure_timeout import BackpressureTimeout
from actors_rs.stages.operators.completion_timeout import CompletionTimeout
from actors_rs.stages.operators.debounce import Debounce
from actors_rs.stages.operators.delay import Delay
from actors_rs.stages.operators.idle_timeout import IdleTimeout
from actors_rs.stages.operators.initial_timeout import InitialTimeout
from actors_rs.stages.operators.keep_alive import KeepAlive
from actors_rs.stages.operators.sample import Sample
from actors_rs.stages.operators.skip_within import SkipWithin
from actors_rs.stages.operators.take_within import TakeWithin
from actors_rs.stages.operators.throttle import Throttle
from actors_rs.stages.sources.tick import Tick
from actors_rs.stages.sources.timer import TimerSource

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["TimedSources", "Timing"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
T = TypeVar("T")


class TimedSources:
    """Sources that give elements when it is time."""

    @staticmethod
    def tick(interval: float) -> Flow[Never, int]:
        """The number of each tick, from 0, every ``interval`` seconds.

        The first one comes after ``interval``. A tick at which nobody asks is left out.
        """
        seconds = positive_seconds(interval, "Source.tick: interval")
        return source("tick", partial(Tick, seconds), FRESH)

    @staticmethod
    def timer(delay: float) -> Flow[Never, int]:
        """One element, 0, after ``delay`` seconds."""
        seconds = positive_seconds(delay, "Source.timer: delay")
        return source("timer", partial(TimerSource, seconds))


class Timing(Chain[In_contra, Out_co]):
    """Operators in which time plays a part."""

    def throttle(
        self,
        n: float | RateLimit,
        per: float = 1.0,
        burst: float | None = None,
        cost: Callable[[Out_co], float] | None = None,
    ) -> Flow[In_contra, Out_co]:
        """No more than ``n`` elements in ``per`` seconds; faster ones wait.

        ``burst`` may pass at once after a pause, by default what comes in 30 ms, and at least 1.
        With ``cost``, an element counts as ``cost(element)``; one that costs more than the burst
        passes when what it costs has come in. A ``RateLimit`` in place of ``n`` is shared by all
        streams that are given it, and can be changed while they run.
        """
        if cost is not None:
            plain_function(cost, "throttle: cost")
        if not isinstance(n, RateLimit):
            with telling_where():
                RateLimit(n, per, burst)  # raises now, not when the graph runs
            return self.then(
                "throttle",
                partial(begun, Throttle, partial(RateLimit, n, per, burst), cost),
                holds=1,
            )
        if per != 1.0 or burst is not None:
            raise wrong_value("throttle: a RateLimit has its own per and burst")
        limit = n
        return self.then("throttle", partial(Throttle, limit, cost), holds=1)

    def debounce(self, seconds: float) -> Flow[In_contra, Out_co]:
        """An element when no other has come for ``seconds``; those in between are dropped."""
        quiet = positive_seconds(seconds, "debounce: seconds")
        return self.then("debounce", partial(Debounce, quiet), FRESH, holds=1)

    def sample(self, interval: float) -> Flow[In_contra, Out_co]:
        """The newest element every ``interval`` seconds, if one has come since."""
        seconds = positive_seconds(interval, "sample: interval")
        return self.then("sample", partial(Sample, seconds), FRESH, holds=1)

    def delay(self, seconds: float) -> Flow[In_contra, Out_co]:
        """Each element ``seconds`` later; at most a window of them is under way at a time."""
        late = positive_seconds(seconds, "delay: seconds")
        return self.then("delay", partial(Delay, late))

    def take_within(self, seconds: float) -> Flow[In_contra, Out_co]:
        """What comes within ``seconds`` of the start; then upstream is cancelled."""
        limit = positive_seconds(seconds, "take_within: seconds")
        return self.then("take_within", partial(TakeWithin, limit))

    def skip_within(self, seconds: float) -> Flow[In_contra, Out_co]:
        """What comes later than ``seconds`` after the start."""
        limit = positive_seconds(seconds, "skip_within: seconds")
        return self.then("skip_within", partial(SkipWithin, limit))

    def keep_alive(self, interval: float, value: T) -> Flow[In_contra, Out_co | T]:
        """All elements, and ``value`` whenever none was given for ``interval`` seconds."""
        seconds = positive_seconds(interval, "keep_alive: interval")
        return self.then("keep_alive", partial(KeepAlive, seconds, value))

    def initial_timeout(self, seconds: float) -> Flow[In_contra, Out_co]:
        """Fail with ``StreamTimeoutError`` if the first element does not come in time."""
        limit = positive_seconds(seconds, "initial_timeout: seconds")
        return self.then("initial_timeout", partial(InitialTimeout, limit))

    def idle_timeout(self, seconds: float) -> Flow[In_contra, Out_co]:
        """Fail with ``StreamTimeoutError`` if upstream is asked and gives nothing for that long."""
        limit = positive_seconds(seconds, "idle_timeout: seconds")
        return self.then("idle_timeout", partial(IdleTimeout, limit))

    def completion_timeout(self, seconds: float) -> Flow[In_contra, Out_co]:
        """Fail with ``StreamTimeoutError`` if the stream has not ended ``seconds`` after start."""
        limit = positive_seconds(seconds, "completion_timeout: seconds")
        return self.then("completion_timeout", partial(CompletionTimeout, limit))

    def backpressure_timeout(self, seconds: float) -> Flow[In_contra, Out_co]:
        """Fail with ``StreamTimeoutError`` if an element waits that long for downstream to ask.

        The window of the stage behind is asked for in advance: set it to 1 to wait for that stage.
        """
        limit = positive_seconds(seconds, "backpressure_timeout: seconds")
        return self.then("backpressure_timeout", partial(BackpressureTimeout, limit))
