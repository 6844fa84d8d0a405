"""distinct_until_changed()

in:  1 1 2 2 1 |
out: 1 2 1 |

Emits the elements whose key differs from the key of the element before.

Back-pressure: asks for its window, as far as downstream asks.
Completes: with upstream.
Fails: with upstream, or when the key raises, after what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from actors_rs.stages.chunk_fold import NOTHING
from actors_rs.stages.linear import Operator


class DistinctUntilChanged(Operator):
    """Elements whose ``key`` differs from the key of the element before."""

    runs_user = True
    leaves_out = True
    released_attributes = ("_last",)

    def __init__(self, key: Callable[[Any], Any] | None) -> None:
        super().__init__()
        self._key = key
        self._last: Any = NOTHING

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        key = self._key
        for element in elements:
            mark = element if key is None else key(element)
            if self._last is NOTHING or mark != self._last:
                self._last = mark
                yield element
