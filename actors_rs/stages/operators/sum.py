"""sum()

in:  1 2 3 |
out:       6 |

Adds the elements up; 0 if there are none.

Back-pressure: takes everything once an element is demanded, and gives one.
Completes: after its result, when upstream completes.
Fails: when upstream fails, or an element cannot be added; there is no result then.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from actors_rs.stages.chunk_fold import ChunkFold


class Sum(ChunkFold):
    """The elements added up with ``+``, from 0."""

    never_waits = True

    def __init__(self) -> None:
        super().__init__(0)

    def step(self, accumulated: Any, elements: Iterator[Any], /) -> Any:
        return sum(elements, accumulated)
