"""``WindowPolicy``: how many elements a link may hold, given how fast and how heavy they were.

A window starts small. It grows eightfold while the stage would drain it within 5 ms at the measured
pace: a larger window saves turns. It shrinks to the work of 250 ms, since a run that drains goes
through all of it, and to 16 MiB.
"""

from __future__ import annotations

from math import inf

from actors_rs.stages.chunks.weights import lately

__all__ = [
    "FIRST_WINDOW",
    "MOST_BYTES",
    "MOST_ELEMENTS",
    "MOST_SECONDS",
    "HeldPolicy",
    "WindowPolicy",
]

FIRST_WINDOW = 8
"""Elements asked for before anything is known of them."""
GROWTH = 8
GROW_SECONDS = 0.005
"""A window that is drained within that is too small."""
MOST_SECONDS = 0.25
"""A window that is drained in more than that is too large."""
MOST_BYTES = 16 * 2**20
MOST_ELEMENTS = 4096


class WindowPolicy:
    """The size of a link's window; a value without a clock, told what was drained.

    Not thread-safe: the stage downstream of the link has it.

    >>> policy = WindowPolicy()
    >>> policy.size
    8
    >>> policy.drained(8, seconds=0.0001, weight=100)
    512
    >>> policy.drained(512, seconds=25.6, weight=100)
    5
    """

    __slots__ = ("_drained", "_seconds", "any_pace", "most", "size", "weight")

    def __init__(self, most: int = MOST_ELEMENTS, *, any_pace: bool = False) -> None:
        self.most = most
        self.any_pace = any_pace
        """Whether the stage wants a large window however long it takes over one."""
        self.size = min(FIRST_WINDOW, most)
        self.weight = 0.0
        """Bytes of an element, as they were lately."""
        self._drained = 0
        self._seconds = 0.0

    def drained(self, elements: int, seconds: float, weight: float, *, asked: float = inf) -> int:
        """The size, now that ``elements`` more have left the link, in ``seconds`` it held some.

        ``weight`` is the weight of one element, in bytes. A window that holds ``asked`` elements
        does not grow: with more of them the stage waits for downstream. The policy judges the pace
        of a whole window, or of its part that was drained after ``MOST_SECONDS``. It believes a
        heavier element at once, and a lighter one half.
        """
        self.weight = lately(self.weight, weight)
        self._drained += elements
        self._seconds += seconds
        if self._drained >= self.size or self._seconds > MOST_SECONDS:
            self._follow_pace(asked)
        size = min(self.size, self.most)
        if size * self.weight > MOST_BYTES:
            size = max(1, int(MOST_BYTES / self.weight))
        self.size = size
        return size

    def _follow_pace(self, asked: float) -> None:
        seconds = self._seconds * self.size / max(1, self._drained)  # of a whole window
        if self.any_pace:
            seconds = GROW_SECONDS
        elif seconds > MOST_SECONDS:
            self.size = max(1, int(self.size * MOST_SECONDS / seconds))
        while seconds <= GROW_SECONDS and self.size < min(asked, self.most):
            self.size *= GROWTH
            seconds *= GROWTH
        self._drained, self._seconds = 0, 0.0


class HeldPolicy(WindowPolicy):
    """The policy of a link whose elements are to wait in it: as many as it may hold, at any pace.

    >>> HeldPolicy(4096).drained(1, seconds=60.0, weight=2**20)
    4096
    """

    __slots__ = ()

    def drained(self, elements: int, seconds: float, weight: float, *, asked: float = inf) -> int:
        """The most; ``weight`` counts as in any policy."""
        self.weight = lately(self.weight, weight)
        return self.most
