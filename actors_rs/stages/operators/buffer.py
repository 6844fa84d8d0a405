"""buffer(2, overflow="drop_oldest")

    in:       1 2 3 4 5 |
    asks for: - - - - 1 1
    out:      - - - - 4 5 |

Holds up to that many elements for downstream; ``overflow`` says what becomes of further ones.
Back-pressure: with "backpressure", the default, passed on; else none to upstream.
Completes: when upstream has and all that is held was given.
Fails: when upstream has and all that is held was given; with overflow="fail" the same, after what
  is held, with a BufferOverflowError.
Cancels: at once; held elements are dropped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal, TypeAlias

from actors_rs.errors import BufferOverflowError
from actors_rs.stages.passing import Detached
from actors_rs.stages.stage import Budget
from actors_rs.texts import repr_of

__all__ = ["Buffer", "Overflow"]

Overflow: TypeAlias = Literal["backpressure", "drop_oldest", "drop_newest", "drop_all", "fail"]
"""What happens when a buffer is full and an element comes: upstream waits; the oldest that is
held, the one that came or all that are held are dropped; the stream fails."""


class Buffer(Detached):
    """``size`` elements, and a way to deal with more. What upstream waits for is an inlet's task:
    "backpressure" is a ``Buffered`` with a window, not this."""

    gives_each = True

    def __init__(self, size: int, overflow: Overflow, dead_letters: bool) -> None:
        super().__init__()
        self._size = size
        self._overflow = overflow
        self._dead_letters = dead_letters
        self._held: deque[Any] = deque()
        self._dropped = 0

    @property
    def holds(self) -> bool:
        return bool(self._held)

    def take_in(self, elements: Iterator[Any], /) -> None:
        # Nothing is held while downstream asks, so what it asks for need not be stored first.
        self.outlet.emit(list(islice(elements, self.outlet.demand)))
        held = self._held
        held.extend(islice(elements, self._size - len(held)))
        for element in elements:
            if len(held) < self._size:  # there is room again: all were dropped
                held.append(element)
            elif self._overflow == "fail":
                self._drop([element, *elements])
                self.fail_behind(BufferOverflowError(self.context.name, self._size))
            else:
                self._drop(self._make_room_for(element))

    def give(self, budget: Budget) -> None:
        held = self._held
        if held and self.outlet.demand:
            count = min(self.outlet.demand, len(held))
            self.outlet.emit([held.popleft() for _ in range(count)])

    def held(self) -> list[Any]:
        return [*self._held]

    def release_held(self) -> None:
        self._held = deque([None] * len(self._held))

    def details(self) -> dict[str, Any]:
        return {"held": len(self._held), "dropped": self._dropped}

    def _make_room_for(self, element: Any) -> list[Any]:
        """Put ``element`` into a full buffer by the overflow rule. Returns the dropped elements."""
        held = self._held
        match self._overflow:
            case "drop_oldest":
                dropped = [held.popleft()]
            case "drop_all":
                dropped = [*held]
                held.clear()
            case _:
                return [element]
        held.append(element)
        return dropped

    def _drop(self, elements: list[Any]) -> None:
        self._dropped += len(elements)
        if self._dead_letters:
            for element in elements:
                self.context.report(
                    element, f"dropped by a buffer, overflow={repr_of(self._overflow)}"
                )
