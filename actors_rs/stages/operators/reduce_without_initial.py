"""reduce_without_initial(max)

in:  1 3 2 |
out:       3 |

Folds all elements into one value, from the first one on; at least one is needed.

Back-pressure: takes everything once an element is demanded, and gives one.
Completes: after its result, when upstream completes.
Fails: when upstream fails, f raises, or no element came (EmptyStreamError).
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from actors_rs.errors import EmptyStreamError
from actors_rs.stages.chunk_fold import NOTHING
from actors_rs.stages.prologue_epilogue import Folding


class ReduceWithoutInitial(Folding):
    """``f(accumulated, element)`` over all elements after the first."""

    runs_user = True
    released_attributes = ("_accumulated",)

    def __init__(self, f: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self._accumulated: Any = NOTHING
        self._f = f

    def consume(self, elements: Iterator[Any], out: list[Any], /) -> None:
        f, accumulated = self._f, self._accumulated
        if accumulated is NOTHING:
            accumulated = next(elements, NOTHING)
        try:
            for element in elements:
                accumulated = f(accumulated, element)
        finally:
            self._accumulated = accumulated

    def result(self) -> Any:
        if self._accumulated is NOTHING:
            raise EmptyStreamError(
                "reduce_without_initial needs an element, and the stream had none: reduce(init, f) "
                "needs none"
            )
        return self._accumulated
