"""a.merge_sorted(b)

a:   1 4 6 |
b:   2 3 9 |
out: 1 2 3 4 6 9 |

Two sorted inputs into one: always the smaller of the two next elements; of equal elements, the one
of the first input. An input that is not sorted gives its elements in its own order all the same.

Back-pressure: asks both inputs for their windows once downstream asks; waits until each has an
element or has completed.
Completes: when both inputs have completed and what they gave was delivered.
Fails: when an input has failed, after what that input gave; when ``key`` raises and the policy is
to stop; when a comparison raises. The other input is cancelled.
Cancels: both inputs, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from actors_rs.stages.chunks.chunk import ELEMENTS, ChunkSize
from actors_rs.stages.chunks.counted import skip_all
from actors_rs.stages.junction import FanIn
from actors_rs.stages.ports import Frame, Inlet
from actors_rs.stages.stage import Budget
from actors_rs.texts import repr_of


class _Side:
    """One input: the chunk of it that is being merged, with the keys of its elements."""

    def __init__(self, inlet: Inlet, key: Callable[[Any], Any] | None) -> None:
        self.inlet = inlet
        self.elements: Frame = ()
        self.keys: Frame = ()
        self.at = 0
        self.error: Exception | None = None  # of ``key``, for the element after the chunk
        self._key = key
        self.drawing: Iterator[Any] = iter(())

    @property
    def held(self) -> int:
        """How many elements of the chunk are left."""
        return len(self.keys) - self.at

    @property
    def over(self) -> bool:
        """Whether nothing is left and nothing will come."""
        return not self.held and (self.error is not None or self.inlet.exhausted)

    @property
    def lacks_key(self) -> bool:
        """Whether the next element is one whose key could not be had."""
        return self.error is not None and not self.held

    def fill(self, most: int) -> None:
        """Take the next chunk if the last one is used up."""
        if self.held or self.error is not None or not self.inlet.buffered or self.inlet.cancelled:
            return
        self._load(self.inlet.take(most))

    def go_on(self) -> None:
        """Go on after the element whose key raised, which was taken from the ``rest``."""
        self.error = None
        self._load(self.rest)

    def _load(self, elements: Frame) -> None:
        self.at = 0
        self.elements = self.keys = elements
        if self._key is None:
            return
        keys: list[Any] = []
        try:
            self.drawing = iter(self.elements)
            for element in self.drawing:
                keys.append(self._key(element))
        except Exception as error:
            self.error = error
        self.keys = keys

    def release_held(self) -> None:
        """As many as are left, and not which."""
        self.elements, self.keys, self.at = [None] * len(self.rest), (), 0

    @property
    def rest(self) -> Frame:
        """The rest of the chunk, with the elements after one whose key failed."""
        return self.elements[self.at :]

    def position(self) -> int:
        """Of the element whose key could not be had."""
        return self.inlet.count - (len(self.elements) - len(self.keys))

    def next_one(self, which: str) -> str:
        """The next key and where its element stands, for a message."""
        position = self.inlet.count - len(self.elements) + self.at
        return f"{repr_of(self.keys[self.at])} (element {position} of the {which} stream)"

    def give(self, most: int) -> Frame:
        """Elements without a look at the other side."""
        begin, self.at = self.at, min(self.at + most, len(self.keys))
        return self.elements[begin : self.at]


class MergeSorted(FanIn):
    """Chunk by chunk of both inlets; ``key`` is called once for each element."""

    def __init__(self, key: Callable[[Any], Any] | None) -> None:
        super().__init__(2)
        self._sides = [_Side(inlet, key) for inlet in self.inlets]
        self._chunk = ChunkSize(ELEMENTS)

    def advance(self, budget: Budget) -> None:
        demand = self.look_downstream()
        while demand > 0:
            if not self._fill():
                return
            given = self._give(demand)
            if not given:
                break
            self._chunk.record(given, budget.lap())
            demand = self.outlet.demand
            if budget.spent():
                break
        self._end_if_due()

    def held(self) -> list[Any]:
        return [element for side in self._sides for element in side.rest]

    def halt(self) -> None:
        for side in self._sides:
            skip_all(side.drawing)

    def release_held(self) -> None:
        for side in self._sides:
            side.release_held()

    def _give(self, most: int) -> int:
        """Emit what can be said to come next; returns how much that was."""
        one, other = self._sides
        out: Frame = ()
        if one.held and other.held:
            return self._merge(one, other, most)
        if one.over and not self._has_failed(one):
            out = other.give(most)
        elif other.over and not self._has_failed(other):
            out = one.give(most)
        self.outlet.emit(out)
        return len(out)

    def _merge(self, one: _Side, other: _Side, most: int) -> int:
        out: list[Any] = []
        keys, others, i, j = one.keys, other.keys, one.at, other.at
        try:
            while len(out) < most and i < len(keys) and j < len(others):
                if others[j] < keys[i]:
                    out.append(other.elements[j])
                    j += 1
                else:
                    out.append(one.elements[i])
                    i += 1
        except Exception as error:
            self.outlet.emit(out)
            one.at, other.at = i, j
            self.fail(_incomparable(one, other, error) if type(error) is TypeError else error)
            return 0
        one.at, other.at = i, j
        self.outlet.emit(out)
        return len(out)

    def _fill(self) -> bool:
        """Take what can be merged; False if the stage has failed."""
        for side in self._sides:
            side.fill(self._chunk.size)
            while side.lacks_key:
                if not self._passes_over_one_of(side):
                    return False
                side.fill(self._chunk.size)
        return True

    def _passes_over_one_of(self, side: _Side) -> bool:
        """Deal with the element of ``side`` whose key could not be had."""
        position, wrong, error = side.position(), side.elements[side.at], side.error
        side.at += 1
        if error is None or not self.survives(error, wrong, position):
            return False
        side.go_on()
        return True

    def _has_failed(self, side: _Side) -> bool:
        return side.over and (side.error is not None or side.inlet.error is not None)

    def _end_if_due(self) -> None:
        for side in self._sides:
            while side.lacks_key:
                if self.outlet.closed or not self._passes_over_one_of(side):
                    return
        failed = next((side for side in self._sides if self._has_failed(side)), None)
        if failed is not None:
            self.end(failed.inlet.error)
        elif all(side.over for side in self._sides):
            self.end(None)


def _incomparable(one: _Side, other: _Side, error: TypeError) -> TypeError:
    """What to say of ``error``, which came of the next two keys."""
    came = f"{other.next_one('second')} and {one.next_one('first')}"
    explained = TypeError(f"merge_sorted: expected what can be compared, got {came}")
    explained.__cause__ = error
    return explained
