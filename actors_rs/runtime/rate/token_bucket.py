"""A token bucket, as a value: how much of a rate is left at a moment.

It fills at ``rate`` tokens a second up to ``capacity``. Tokens taken beyond its content are a debt,
which is paid before the next token is given. So the first to ask is served first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["TokenBucket"]


@dataclass(frozen=True, slots=True)
class TokenBucket:
    """``level`` tokens at the time ``at``; below 0 is a debt. Times are seconds of one clock."""

    rate: float
    capacity: float
    level: float
    at: float

    @classmethod
    def full(cls, rate: float, capacity: float, now: float) -> TokenBucket:
        """One that has had time to fill."""
        return cls(rate, capacity, capacity, now)

    def at_time(self, now: float) -> TokenBucket:
        """The same at ``now``; the past changes nothing."""
        if now <= self.at:
            return self
        level = min(self.capacity, self.level + (now - self.at) * self.rate)
        return TokenBucket(self.rate, self.capacity, level, now)

    def less(self, tokens: float) -> TokenBucket:
        """With ``tokens`` taken out, or, if negative, put back."""
        level = min(self.capacity, self.level - tokens)
        return TokenBucket(self.rate, self.capacity, level, self.at)  # ``replace`` takes five times

    def changed(self, rate: float, capacity: float) -> TokenBucket:
        """From now on with another rate and capacity."""
        return replace(self, rate=rate, capacity=capacity, level=min(self.level, capacity))
