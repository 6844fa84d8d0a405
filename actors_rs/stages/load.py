"""How busy a stage is with calls that others make for it: threads, the event loop, Spark."""

from __future__ import annotations

from actors_rs.stages.latencies import Latencies

__all__ = ["Load"]


class Load:
    """Adds up the seconds of calls under way, of which there are ``most`` at a time.

    The stage's turns say how many are under way; any thread may read.
    """

    __slots__ = ("_state", "latencies", "most")

    def __init__(self, most: int) -> None:
        self.most = most
        self.latencies: Latencies | None = None
        """How long each call took, where the stage says so."""
        self._state = (0.0, 0, 0.0)  # seconds up to the time of the last change, calls since then

    def now_under_way(self, calls: int, now: float) -> None:
        """From ``now`` on, ``calls`` are under way."""
        seconds, before, since = self._state
        if calls != before:
            self._state = seconds + before * (now - since), calls, now

    @property
    def under_way(self) -> int:
        """How many calls are under way."""
        return self._state[1]

    def call_ended(self, seconds: float) -> None:
        """A call has ended after ``seconds``; in a turn of the stage."""
        if (latencies := self.latencies) is None:
            latencies = self.latencies = Latencies()
        latencies.add(seconds)

    def seconds(self, now: float) -> float:
        """Seconds of all calls up to ``now``: two calls in one second count as two."""
        seconds, calls, since = self._state
        return seconds + calls * max(0.0, now - since)
