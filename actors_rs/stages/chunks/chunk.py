"""``ChunkSize``: how many elements a stage takes between two looks at the clock and its ports.

A large chunk makes a fast stage cheap. With a slow function it would delay what is ready and hold
up a cancellation. So a chunk starts at one element, grows fourfold while four times as many would
fit into a millisecond, and after a chunk that took longer it is as large as fits. A function may
turn slow at any call. So a linear stage, which gathers the results of many chunks, takes at most 64
elements at a time if it calls functions of its user. Other stages emit after each chunk.
"""

from __future__ import annotations

__all__ = ["CALLS", "CHUNK_SECONDS", "ELEMENTS", "FRAME", "ChunkSize"]

CALLS = 64
"""The largest chunk of a linear stage that calls functions of its user."""
ELEMENTS = 8192
"""The largest chunk of any other stage."""
CHUNK_SECONDS = 0.001
"""A chunk that takes longer is too large."""
FRAME = 2048
"""Elements of which a stage gathers the results, over several chunks, before it emits them."""


class ChunkSize:
    """The size of the next chunk. A value without a clock: the stage says what a chunk took.

    Not thread-safe: the stage has it.

    >>> chunk = ChunkSize()
    >>> chunk.record(1, seconds=0.000_010)
    >>> chunk.size
    4
    >>> chunk.record(4, seconds=0.002)
    >>> chunk.size
    2
    """

    __slots__ = ("most", "size")

    def __init__(self, most: int = CALLS) -> None:
        self.size = 1
        self.most = most

    def record(self, taken: int, seconds: float) -> None:
        """The last chunk had ``taken`` elements and took ``seconds``."""
        if seconds > CHUNK_SECONDS:
            self.size = max(1, int(taken * CHUNK_SECONDS / seconds))
        elif taken >= self.size and seconds * 4 < CHUNK_SECONDS:
            size = self.size * 4
            self.size = size if size < self.most else self.most  # ``min`` takes longer

    @property
    def gathered(self) -> int:
        """Elements to take from the inlet at once: several chunks only while chunks are quick."""
        size = self.size
        return size if size < self.most or size > FRAME else FRAME
