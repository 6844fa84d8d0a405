"""last()

in:  1 2 3 |
out:       3 |

Gives the last element; at least one is needed.

Back-pressure: takes everything once an element is demanded, and gives one.
Completes: after its result, when upstream completes.
Fails: when upstream fails, or no element came (EmptyStreamError).
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from actors_rs.stages.chunks.empty import nothing_for
from actors_rs.stages.ports import Frame
from actors_rs.stages.prologue_epilogue import Folding


class Last(Folding):
    """The element before the end."""

    never_waits = True
    released_attributes = ("_last",)

    def __init__(self) -> None:
        super().__init__()
        self._last: deque[Any] = deque(maxlen=1)

    def _pass_on(self, frame: Frame) -> int:
        self._last.append(frame[-1])  # the others need not be looked at
        return len(frame)

    def consume(self, elements: Iterator[Any], out: list[Any], /) -> None:
        self._last.extend(elements)

    def result(self) -> Any:
        if not self._last:
            raise nothing_for("last")
        return self._last[0]
