"""Pace: how many elements a stage that is not linear takes at once.

Large pieces make a fast stage cheap; with a slow function they would delay what is ready and hold
up a cancellation. So a piece starts at one element, grows while pieces take well under the turn's
time and shrinks when they take longer.
"""

from __future__ import annotations

__all__ = ["Pace"]

PIECE_SECONDS = 0.001
"""A piece that takes longer is too large."""
LARGEST = 8192


class Pace:
    """The size of the next piece. A value without a clock: it gets the last piece's seconds."""

    __slots__ = ("size",)

    def __init__(self) -> None:
        self.size = 1

    def record(self, taken: int, seconds: float) -> None:
        """The last piece had ``taken`` elements and took ``seconds``."""
        if seconds > PIECE_SECONDS:
            self.size = max(1, int(taken * PIECE_SECONDS / seconds))
        elif taken >= self.size and seconds * 4 < PIECE_SECONDS:
            size = self.size * 4
            self.size = size if size < LARGEST else LARGEST  # a call of ``min`` costs twenty times
