"""first()

in:  1 2 3 |
out: 1 |            (upstream is cancelled after the first)

Gives the first element for which the predicate is true; there must be one.

Back-pressure: asks for one element, with a predicate for its window.
Completes: after its element.
Fails: when upstream fails before it came, the predicate raises, or no element fits
  (EmptyStreamError).
Cancels: upstream, after its element or when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from actors_rs.stages.chunks.empty import nothing_for
from actors_rs.stages.prologue_epilogue import Folding


class First(Folding):
    """The first element, or the first for which ``predicate`` is true."""

    runs_user = True

    def __init__(self, predicate: Callable[[Any], Any] | None) -> None:
        super().__init__()
        self._predicate = predicate

    def start(self) -> None:
        if self._predicate is None:
            self.want(1)

    def consume(self, elements: Iterator[Any], out: list[Any], /) -> None:
        predicate = self._predicate
        for element in elements:
            if predicate is None or predicate(element):
                out.append(element)
                self.satisfied = True
                return

    def result(self) -> Any:
        if self._predicate is None:
            raise nothing_for("first")
        needed = "an element its predicate is true for"
        raise nothing_for("first", needed, "filter(predicate) and ")
