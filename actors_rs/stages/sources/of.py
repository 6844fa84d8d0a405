"""of(1, 2, 3)

1 2 3 |

Gives the elements of something that can be sliced, in frames.

Back-pressure: gives what was asked for and no more.
Completes: after the last element, or when drained.
Fails: never.
Cancels: at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from actors_rs.stages.inner.inline import InlineStream
from actors_rs.stages.ports import Frame
from actors_rs.stages.source import SourceLogic
from actors_rs.stages.stage import Budget

_SLICED = (list, tuple, range)


def is_sliced(elements: object) -> TypeGuard[Sequence[Any]]:
    """Whether it can be given in frames as it is: no subclass, whose slices may be anything."""
    return type(elements) in _SLICED


class SequenceSource(SourceLogic):
    """The elements of something that can be sliced, frame by frame: a tuple, list or range."""

    never_waits = True
    holds_elements = True

    def __init__(self, elements: Sequence[Any]) -> None:
        super().__init__()
        self._elements = elements
        self._next = 0
        self.total = len(elements)
        self.ended = not elements

    @staticmethod
    def inline(
        _: object, stream: InlineStream, step: int, elements: Sequence[Any]
    ) -> Iterator[Any]:
        return iter(elements)

    def produce(self, most: int, budget: Budget) -> Frame:
        frame = self._elements[self._next : self._next + most]
        self._next += len(frame)
        self.ended = self._next >= len(self._elements)
        return frame
