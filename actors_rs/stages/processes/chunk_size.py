"""``ChunkSize``: how many elements go to a worker process at a time. A pure value.

A chunk should be some 25 ms of work. Then the cost of handing it over, some 0.2 ms, does not
matter. A lost worker, a cancellation, or a result that others wait for costs no more than that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

__all__ = ["ChunkSize", "Measured"]

TARGET_SECONDS = 0.025
"""Work in a chunk, in a worker."""
MOST_ELEMENTS = 65_536
MOST_BYTES = 4 << 20
"""Of elements and results of a chunk as they travel."""
GROWTH = 8
"""How much longer a chunk may be than the one before it, which alone is known."""
MOST_SPARE = 6
MOST_HELD_BYTES = 8 << 20
"""Of chunks of a worker that wait or have ended."""
SHORTEST = 8
"""What part of a chunk the last ones have at least."""
MOST_AHEAD = 2.0
"""How much longer than the aim a chunk may take for which another one waits in its worker."""
WEIGHT = 0.3
"""Of the last chunk in the mean."""
SEEN_BEFORE_STAYING = 512
"""Calls that must have been quick before any is made in this process."""
QUICK_SECONDS = 5e-6
"""A call that may be made in this process takes no longer: others would hold up everything here."""
SLOWED_DOWN = 2.0
"""How much longer than that calls may take here before they go to workers again."""


class Measured(NamedTuple):
    """The measured cost of a chunk. Seconds and bytes are for all of its elements together."""

    elements: int
    calling: float
    """In calls, in the worker."""
    pickling: float
    """There, to unpickle elements and pickle results."""
    packing: float
    """The same in this process."""
    nbytes: int


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """``elements`` is the size of the next chunk; the rest are means for one element."""

    elements: int = 1
    most: int = MOST_ELEMENTS
    fixed: bool = False
    """Whether the user has said how many."""
    may_stay: bool = False
    """Whether calls may be made in this process where a worker costs more than it saves."""
    calling: float = 0.0
    pickling: float = 0.0
    packing: float = 0.0
    nbytes: float = 0.0
    seen: int = 0
    here: bool = False
    """Whether calls are made in this process."""

    def after(self, chunk: Measured, workers: int) -> ChunkSize:
        """The size after ``chunk`` of one of ``workers`` workers."""
        n = max(1, chunk.elements)
        weight = 1.0 if self.seen == 0 else WEIGHT
        # The first call of all may have imported half the world: let the second outweigh it.
        weight = 0.9 if 0 < self.seen < 3 else weight
        mean = replace(
            self,
            calling=_mean(self.calling, chunk.calling / n, weight),
            pickling=_mean(self.pickling, chunk.pickling / n, weight),
            packing=_mean(self.packing, chunk.packing / n, weight),
            nbytes=_mean(self.nbytes, chunk.nbytes / n, weight),
            seen=self.seen + chunk.elements,
        )
        return replace(mean, elements=mean._next(chunk.elements), here=mean._stays(workers))

    def after_here(self, elements: int, seconds: float) -> ChunkSize:
        """The size after ``elements`` calls in this process."""
        calling = _mean(self.calling, seconds / max(1, elements), WEIGHT)
        quick = calling <= SLOWED_DOWN * QUICK_SECONDS
        return replace(self, calling=calling, here=quick, elements=self.elements if quick else 1)

    def _next(self, before: int) -> int:
        if self.fixed:
            return self.elements
        work = max(self.calling + self.pickling, 1e-9)
        wanted = min(TARGET_SECONDS / work, MOST_BYTES / max(self.nbytes, 1.0))
        grown = max(before, self.elements) * GROWTH
        return max(1, min(int(wanted), grown, self.most))

    def _stays(self, workers: int) -> bool:
        """Whether ``workers`` workers, and what they cost here, give no more than calls here do."""
        if not self.may_stay or self.fixed or self.seen < SEEN_BEFORE_STAYING:
            return False
        beside = max((self.calling + self.pickling) / workers, self.packing)
        return self.calling <= min(QUICK_SECONDS, beside + self.packing)

    @property
    def ahead(self) -> bool:
        """Whether a worker gets the next chunk before it is done with one.

        It need not wait for anybody here then. It may for longer calls: another worker could be
        done sooner.
        """
        work = (self.calling + self.pickling) * self.elements
        return self.seen > 0 and work <= MOST_AHEAD * TARGET_SECONDS

    @property
    def spare(self) -> int:
        """How many chunks for each worker may wait or have ended besides those under way.

        Results in order wait for a worker that is late, and the others are to go on meanwhile.
        While chunks grow there is one: elements that wait in a chunk cannot join a larger one.
        """
        if self._next(self.elements) >= 2 * self.elements:
            return 1
        light = MOST_HELD_BYTES / (max(self.nbytes, 1.0) * self.elements)
        return max(1, min(MOST_SPARE, int(light))) if self.ahead else 1

    def take(self, buffered: int, free: int, last: int = 0) -> int:
        """How many of ``buffered`` elements the next chunk gets; 0: it waits for more.

        With ``free`` places at workers nobody waits: they share what there is. Else only a whole
        chunk is worth to be made up in advance. If these are the ``last`` elements for so many
        places, chunks get shorter, so that all end at the same time.
        """
        if last and not self.fixed:
            shortest = max(1, self.elements // SHORTEST)
            return min(self.elements, max(shortest, -(-buffered // (2 * last))), buffered)
        if free > 0:
            return min(self.elements, -(-buffered // free))
        return self.elements if buffered >= self.elements else 0


def _mean(before: float, now: float, weight: float) -> float:
    return before + weight * (now - before)
