"""repeat(7, 3)

7 7 7 |

Gives one value again and again.

Back-pressure: gives what was asked for and no more.
Completes: after the last one, if there is a last one, or when drained.
Fails: never.
Cancels: at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any

from actors_rs.stages.inner.inline import InlineStream
from actors_rs.stages.ports import Frame
from actors_rs.stages.source import SourceLogic
from actors_rs.stages.stage import Budget

_FRAME = 1024


class Repeat(SourceLogic):
    """The same value ``count`` times, for ever if that is ``None``."""

    never_waits = True

    def __init__(self, value: Any, count: int | None) -> None:
        super().__init__()
        self._left = self.total = count
        self._frame = [value] * (_FRAME if count is None else min(count, _FRAME))
        self.ended = count == 0

    @staticmethod
    def inline(
        _: object, stream: InlineStream, step: int, value: Any, count: int | None
    ) -> Iterator[Any]:
        values = repeat(value) if count is None else repeat(value, count)
        for stream.counts[step], element in enumerate(values, 1):
            yield element

    def produce(self, most: int, budget: Budget) -> Frame:
        size = min(most, len(self._frame))
        if self._left is not None:
            size = min(size, self._left)
            self._left -= size
            self.ended = self._left == 0
        return self._frame if size == len(self._frame) else self._frame[:size]
