"""element_at(1)

in:  a b c |
out:   b |          (upstream is cancelled after it)

Gives the element at an index, from 0; there must be that many.

Back-pressure: asks for its window, once an element is demanded, and for no element after its own.
Completes: after its element.
Fails: when upstream fails before it came, or completes (EmptyStreamError).
Cancels: upstream, after its element or when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from operator import length_hint
from typing import Any

from actors_rs.errors import EmptyStreamError
from actors_rs.stages.prologue_epilogue import Folding
from actors_rs.texts import counted


class ElementAt(Folding):
    """The element that ``index`` others come before."""

    never_waits = True

    def __init__(self, index: int) -> None:
        super().__init__()
        self._index = index
        self._to_skip = index

    def start(self) -> None:
        self.want(self._index + 1)

    def consume(self, elements: Iterator[Any], out: list[Any], /) -> None:
        size = length_hint(elements)
        if size <= self._to_skip:
            self._to_skip -= size
            return
        out.append(next(islice(elements, self._to_skip, None)))
        self.satisfied = True

    def result(self) -> Any:
        came = self._index - self._to_skip
        needed = counted(self._index + 1, "element")
        raise EmptyStreamError(
            f"element_at({self._index}) needs {needed}, and the stream had {came}"
        )
