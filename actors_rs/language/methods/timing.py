"""Time in streams: methods of ``Flow``, and sources that tick.

All of them go by the clock of the system that runs them, and all times are seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Never, TypeVar

from actors_rs.graph.checks import naming_site, plain_function, positive_seconds, wrong_value
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

        The first one comes after ``interval``. Each stage after it requests one tick at a time. A
        tick that nobody has requested is dropped; ``skipped`` in ``run.snapshot()`` counts them.

        >>> Source.tick(0.01).take(3).run(Sink.count())
        3
        """
        seconds = positive_seconds(interval, "Source.tick: interval")
        return source("tick", partial(Tick, seconds), FRESH)

    @staticmethod
    def timer(delay: float) -> Flow[Never, int]:
        """One element, 0, after ``delay`` seconds.

        >>> Source.timer(0.01).run(Sink.list())
        [0]
        """
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

        - ``burst``: how many may pass at once after a pause. By default as many as come in 30 ms,
          and at least 1.
        - ``cost``: an element counts as ``cost(element)``, by default as 1. If that is more than
          the burst, the element passes when its cost has come in.

        A ``RateLimit`` in place of ``n`` is shared by all streams that have it, and can be changed
        while they run.

        >>> Source.of("a", "b").throttle(1_000, per=1.0).run(Sink.list())
        ['a', 'b']
        """
        if cost is not None:
            plain_function(cost, "throttle: cost")
        if not isinstance(n, RateLimit):
            with naming_site():
                RateLimit(n, per, burst)  # raises now, not when the graph runs
            return self.then(
                "throttle",
                partial(begun, Throttle, partial(RateLimit, n, per, burst), cost),
                holds=1,
            )
        if per != 1.0 or burst is not None:
            raise wrong_value("throttle: leave per and burst out: the RateLimit has its own")
        limit = n
        return self.then("throttle", partial(Throttle, limit, cost), holds=1)

    def debounce(self, seconds: float) -> Flow[In_contra, Out_co]:
        """An element when no other has come for ``seconds``; those in between are dropped.

        >>> Source.of("h", "he", "hey").debounce(0.01).run(Sink.list())
        ['hey']
        """
        quiet = positive_seconds(seconds, "debounce: seconds")
        return self.then("debounce", partial(Debounce, quiet), FRESH, holds=1)

    def sample(self, interval: float) -> Flow[In_contra, Out_co]:
        """The newest element every ``interval`` seconds, if one has come since.

        >>> Source.tick(0.001).sample(0.05).take(1).run(Sink.count())
        1
        """
        seconds = positive_seconds(interval, "sample: interval")
        return self.then("sample", partial(Sample, seconds), FRESH, holds=1)

    def delay(self, seconds: float) -> Flow[In_contra, Out_co]:
        """Each element ``seconds`` later; at most a window of them is under way at a time.

        >>> Source.of("a").delay(0.01).run(Sink.list())
        ['a']
        """
        late = positive_seconds(seconds, "delay: seconds")
        return self.then("delay", partial(Delay, late))

    def take_within(self, seconds: float) -> Flow[In_contra, Out_co]:
        """Elements that come within ``seconds`` of the start; then upstream is cancelled.

        >>> Source.never().take_within(0.01).run(Sink.list())
        []
        """
        limit = positive_seconds(seconds, "take_within: seconds")
        return self.then("take_within", partial(TakeWithin, limit))

    def skip_within(self, seconds: float) -> Flow[In_contra, Out_co]:
        """Elements that come later than ``seconds`` after the start.

        >>> Source.timer(0.05).skip_within(0.01).run(Sink.list())
        [0]
        """
        limit = positive_seconds(seconds, "skip_within: seconds")
        return self.then("skip_within", partial(SkipWithin, limit))

    def keep_alive(self, interval: float, value: T) -> Flow[In_contra, Out_co | T]:
        """All elements, and ``value`` whenever none was given for ``interval`` seconds.

        >>> Source.never().keep_alive(0.01, "ping").take(2).run(Sink.list())
        ['ping', 'ping']
        """
        seconds = positive_seconds(interval, "keep_alive: interval")
        return self.then("keep_alive", partial(KeepAlive, seconds, value))

    def initial_timeout(self, seconds: float) -> Flow[In_contra, Out_co]:
        """Fail with ``StreamTimeoutError`` if the first element does not come within ``seconds``.

        >>> Source.of("a").initial_timeout(5).run(Sink.list())
        ['a']
        """
        limit = positive_seconds(seconds, "initial_timeout: seconds")
        return self.then("initial_timeout", partial(InitialTimeout, limit))

    def idle_timeout(self, seconds: float) -> Flow[In_contra, Out_co]:
        """Fail with ``StreamTimeoutError`` if upstream gives nothing for ``seconds`` of demand.

        >>> Source.never().idle_timeout(0.01).recover(lambda error: "idle").run(Sink.list())
        ['idle']
        """
        limit = positive_seconds(seconds, "idle_timeout: seconds")
        return self.then("idle_timeout", partial(IdleTimeout, limit))

    def completion_timeout(self, seconds: float) -> Flow[In_contra, Out_co]:
        """Fail with ``StreamTimeoutError`` if the stream has not ended ``seconds`` after start.

        >>> Source.tick(0.001).completion_timeout(0.05).recover(lambda error: -1).run(Sink.last())
        -1
        """
        limit = positive_seconds(seconds, "completion_timeout: seconds")
        return self.then("completion_timeout", partial(CompletionTimeout, limit))

    def backpressure_timeout(self, seconds: float) -> Flow[In_contra, Out_co]:
        """Fail with ``StreamTimeoutError`` if an element waits ``seconds`` without any demand.

        The next stage downstream requests its window in advance: set that window to 1 to measure
        the stage.

        >>> Source.of("a").backpressure_timeout(5).run(Sink.list())
        ['a']
        """
        limit = positive_seconds(seconds, "backpressure_timeout: seconds")
        return self.then("backpressure_timeout", partial(BackpressureTimeout, limit))
