"""count()

in:  a b c |
out:       3 |

Tells how many elements there were.

Back-pressure: takes everything once an element is demanded, and gives one.
Completes: after its result, when upstream completes.
Fails: when upstream fails; there is no result then.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from operator import length_hint
from typing import Any

from actors_rs.stages.chunk_fold import ChunkFold
from actors_rs.stages.ports import Frame


class Count(ChunkFold):
    """How many elements there were."""

    never_waits = True

    def __init__(self) -> None:
        super().__init__(0)

    def _pass_on(self, frame: Frame) -> int:
        self.accumulated += len(frame)  # the elements need not be looked at
        return len(frame)

    def step(self, accumulated: Any, elements: Iterator[Any], /) -> Any:
        size = length_hint(elements)
        deque(elements, maxlen=0)
        return accumulated + size
