"""starmap(pow)

in:  (2, 3) (3, 2) |
out: 8 9 |

Gives each element, a tuple of arguments, through a function.

Back-pressure: asks for its window, as far as downstream asks.
Completes: with upstream.
Fails: with upstream, or when the function raises, behind what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from actors_rs.stages.linear import Operator


class Starmap(Operator):
    """``f(*element)`` for each element."""

    def __init__(self, f: Callable[..., Any]) -> None:
        super().__init__()
        self._f = f

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return (self._f(*element) for element in elements)

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        f = self._f
        for element in elements:
            out.append(f(*element))  # a comprehension would lose `out` if f raises
