"""map_not_none(f)

in:  1 2 3 |
out: f(1) f(3) |    (f(2) is None)

Gives each element through a function, and drops what is None.

Back-pressure: asks for its window, as far as downstream asks.
Completes: with upstream.
Fails: with upstream, or when the function raises, after what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from actors_rs.stages.linear import Operator


class MapNotNone(Operator):
    """What ``f`` gives for each element, unless that is ``None``."""

    runs_user = True
    leaves_out = True
    takes_views = True

    def __init__(self, f: Callable[[Any], Any]) -> None:
        super().__init__()
        self._f = f

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        f = self._f
        results = (f(element) for element in elements)
        return (result for result in results if result is not None)

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        f = self._f
        for element in elements:
            if (result := f(element)) is not None:
                out.append(result)

    def collect_until(self, full: int, elements: Iterator[Any], out: list[Any], /) -> None:
        f = self._f
        for element in elements:
            if (result := f(element)) is not None:
                out.append(result)
                if len(out) == full:
                    return
