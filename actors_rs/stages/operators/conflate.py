"""conflate(seed, f)

    in:       1 2 3 4 5 |
    asks for: 1 - - 1 - 1
    out:      a - - b - c |     (a = seed(1), b = f(f(seed(2), 3), 4), c = seed(5))

Puts together what comes while downstream does not ask, and gives the sum of it when it does.
Back-pressure: none to upstream; a fast downstream gets seed(element) for each element.
Completes: when upstream has and what was put together was given.
Fails: when upstream has, or f or seed raises, after what was put together.
Cancels: at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from actors_rs.stages.passing import Detached
from actors_rs.stages.stage import Budget


class Conflate(Detached):
    """One accumulated value at most; ``None`` is a value like any other."""

    gives_each = True

    def __init__(self, seed: Callable[[Any], Any], f: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self._seed = seed
        self._f = f
        self._sum: list[Any] = []  # one value or none
        self._conflated = 0

    @property
    def holds(self) -> bool:
        return bool(self._sum)

    def take_in(self, elements: Iterator[Any], /) -> None:
        seed, f, held = self._seed, self._f, self._sum
        room = self.outlet.demand
        out: list[Any] = []
        try:
            for element in elements:
                if len(out) < room:
                    out.append(seed(element))
                elif held:
                    held[0] = f(held[0], element)
                    self._conflated += 1
                else:
                    held.append(seed(element))
        finally:
            self.outlet.emit(out)

    def give(self, budget: Budget) -> None:
        if self._sum and self.outlet.demand:
            self.outlet.emit([self._sum.pop()])

    def held(self) -> list[Any]:
        return [*self._sum]

    def release_held(self) -> None:
        self._sum = [None] * len(self._sum)

    def details(self) -> dict[str, Any]:
        return {"conflated": self._conflated}
