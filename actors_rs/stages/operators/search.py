"""some(predicate), all(predicate), is_empty()

in:  1 2 3 |
out:   True |       (some, even; upstream is cancelled at the 2)

Gives one bool, as soon as it is known.

Back-pressure: takes everything once an element is demanded, and gives one.
Completes: after its answer.
Fails: when upstream fails before the answer is known, or the predicate raises.
Cancels: upstream, as soon as the answer is known or when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from actors_rs.stages.prologue_epilogue import Folding


class Search(Folding):
    """``wanted`` if that is what ``predicate`` says of any element, else the opposite."""

    runs_user = True

    def __init__(self, predicate: Callable[[Any], Any], wanted: bool) -> None:
        super().__init__()
        self._predicate = predicate
        self._wanted = wanted

    def consume(self, elements: Iterator[Any], out: list[Any], /) -> None:
        if self._finds_in(elements):
            out.append(self._wanted)
            self.satisfied = True

    def _finds_in(self, elements: Iterator[Any]) -> bool:
        predicate = self._predicate
        if self._wanted:
            for element in elements:
                if predicate(element):
                    return True
        else:
            for element in elements:
                if not predicate(element):
                    return True
        return False

    def result(self) -> bool:
        return not self._wanted
