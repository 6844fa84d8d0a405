"""map(f)

in:  1 2 3 |
out: f(1) f(2) f(3) |

Gives what the function makes of each element.

Back-pressure: asks for its window, as far as downstream asks.
Completes: with upstream, after what came of its elements.
Fails: with upstream, or when ``f`` raises and the policy is to stop; after what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any

from actors_rs.stages.chunks.counted import extend
from actors_rs.stages.inner.inline import InlineStream
from actors_rs.stages.linear import Operator


class Map(Operator):
    """Each element through ``f``."""

    runs_user = True
    takes_views = True
    one_for_one = True

    def __init__(self, f: Callable[[Any], Any]) -> None:
        super().__init__()
        self._f = f
        self._is_python = isinstance(f, FunctionType)

    @staticmethod
    def inline(
        elements: Iterator[Any], stream: InlineStream, step: int, f: Callable[[Any], Any]
    ) -> Iterator[Any]:
        counts, taken = stream.counts, step - 1
        for counts[taken], element in enumerate(elements, 1):
            try:
                result = f(element)
            except BaseException as error:
                stream.stumbled(step, error)
                raise
            yield result

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return (self._f(element) for element in elements)  # see collect: no StopIteration is lost

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        if not self._is_python:
            extend(out, map(self._f, elements), self.drawing, "map: f")
            return
        f = self._f  # bytecode calls a Python function faster than C does
        for element in elements:
            out.append(f(element))  # a comprehension would lose `out` if f raises
