"""How long calls or turns of a stage took: a histogram in bounded memory."""

from __future__ import annotations

from itertools import accumulate
from math import frexp, ldexp

__all__ = ["Latencies"]

_LEAST, _MOST = 1e-7, 1e6
"""Seconds; shorter and longer times count as these."""
_PARTS = 8
"""Buckets for each doubling of the time."""


class Latencies:
    """Counts times in buckets whose ends differ by an eighth: at most 350 numbers.

    One thread at a time may add; any thread may read.

    >>> latencies = Latencies()
    >>> for _ in range(99):
    ...     latencies.add(0.010)
    >>> latencies.add(1.0)
    >>> [round(one, 3) for one in latencies.quantiles(0.5, 0.995)]
    [0.01, 1.062]
    """

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def add(self, seconds: float, weight: int = 1) -> None:
        """Count ``weight`` calls that took ``seconds``."""
        fraction, exponent = frexp(min(max(seconds, _LEAST), _MOST))
        bucket = _PARTS * exponent + int(2 * _PARTS * fraction)
        counts = self._counts
        counts[bucket] = counts.get(bucket, 0) + weight

    def quantiles(self, *shares: float) -> list[float | None]:
        """The seconds that each of ``shares`` of the calls took at most, to a sixteenth.

        ``None`` before the first call.
        """
        buckets = sorted(self._counts.copy().items())
        total = sum(count for _, count in buckets)
        return [_quantile(buckets, share * total) if total else None for share in shares]


def _quantile(buckets: list[tuple[int, int]], wanted: float) -> float:
    seen = accumulate(count for _, count in buckets)
    bucket = next(
        bucket for (bucket, _), so_far in zip(buckets, seen, strict=True) if so_far >= wanted
    )
    exponent, part = divmod(bucket - _PARTS, _PARTS)
    return ldexp((part + _PARTS + 0.5) / (2 * _PARTS), exponent)
