"""How many partitions travel in one job of Spark's: several, while the last ones were small.

Every job costs some 25 ms, which is more than a tiny partition takes.
"""

from __future__ import annotations

__all__ = ["QUICK_SECONDS", "JobSize"]

QUICK_SECONDS = 0.25
"""A job that took longer, divided by the jobs it shared the cores with, is followed by jobs of one:
its last partition would keep the others waiting."""
_SMALL_BYTES = 2**20
_SMALL_CHUNKS = 8
"""Of a partition: where bytes are not known, as of rows, chunks are."""


class JobSize:
    """Begins with one partition a job, doubles after each job that was small and quick, up to
    ``most``, and falls back to one after any other."""

    def __init__(self, most: int) -> None:
        self.most = max(1, most)
        self.now = 1

    def ended(self, partitions: int, seconds: float, chunks: int, size: int) -> None:
        """A job has ended well, with so many chunks, and bytes as far as they are known.

        ``seconds``: the time of the job, divided by the jobs that ran when it began.
        """
        small = size <= _SMALL_BYTES and chunks <= _SMALL_CHUNKS * partitions
        if not small or seconds > QUICK_SECONDS:
            self.now = 1
        elif partitions >= self.now:
            self.now = min(self.most, 2 * self.now)

    def failed(self) -> None:
        """A job has failed."""
        self.now = 1
