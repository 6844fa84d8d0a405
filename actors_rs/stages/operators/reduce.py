"""reduce(0, add)

in:  1 2 3 |
out:       6 |

Folds all elements into one value; the initial value if there are none.

Back-pressure: takes everything once an element is demanded, and gives one.
Completes: after its result, when upstream completes.
Fails: when upstream fails, or f raises; there is no result then.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from actors_rs.stages.prologue_epilogue import Folding


class Reduce(Folding):
    """``f(accumulated, element)`` over all elements, from what ``make_init`` gives."""

    runs_user = True
    released_attributes = ("_accumulated",)

    def __init__(self, make_init: Callable[[], Any], f: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self._make_init = make_init
        self._accumulated: Any = None
        self._f = f

    def start(self) -> None:
        self._accumulated = self._make_init()

    def consume(self, elements: Iterator[Any], out: list[Any], /) -> None:
        f, accumulated = self._f, self._accumulated
        try:
            for element in elements:
                accumulated = f(accumulated, element)
        finally:
            self._accumulated = accumulated

    def result(self) -> Any:
        return self._accumulated
