"""skip(2)

in:  1 2 3 4 |
out: 3 4 |

Leaves out so many elements, then gives all.

Back-pressure: asks for its window, as far as downstream asks; for what was left out it asks anew.
Completes: with upstream, after what came of its elements.
Fails: with upstream, after what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from actors_rs.stages.linear import Operator
from actors_rs.stages.ports import Frame


class Skip(Operator):
    """All but the first ``count`` elements."""

    never_waits = True

    def __init__(self, count: int) -> None:
        super().__init__()
        self._to_skip = count
        self.one_for_one = count == 0

    def _pass_on(self, frame: Frame) -> int:
        if self._to_skip:
            return super()._pass_on(frame)
        self.outlet.emit(frame)  # as it is: a frame is never changed
        return len(frame)

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        if self._to_skip:
            self._to_skip -= sum(1 for _ in islice(elements, self._to_skip))
            self.one_for_one = self._to_skip == 0
        return elements
