"""average()

in:  1 2 6 |
out:       3.0 |

Tells the arithmetic mean of the elements; at least one is needed.

Back-pressure: takes everything once an element is demanded, and gives one.
Completes: after its result, when upstream completes.
Fails: when upstream fails, an element cannot be added, or none came (EmptyStreamError).
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import length_hint
from typing import Any

from actors_rs.stages.chunk_fold import ChunkFold
from actors_rs.stages.chunks.empty import nothing_for


class Average(ChunkFold):
    """The sum of the elements, divided by their number."""

    never_waits = True

    def __init__(self) -> None:
        super().__init__(0)
        self._number = 0

    def step(self, accumulated: Any, elements: Iterator[Any], /) -> Any:
        return sum(elements, accumulated)

    def consume(self, elements: Iterator[Any], out: list[Any], /) -> None:
        before = length_hint(elements)
        try:
            super().consume(elements, out)
        except Exception:
            before -= 1  # the one that cannot be added is none of them
            raise
        finally:
            self._number += before - length_hint(elements)

    def result(self) -> Any:
        if not self._number:
            raise nothing_for("average")
        return self.accumulated / self._number
