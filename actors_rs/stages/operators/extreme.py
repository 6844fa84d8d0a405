"""min(), max()

in:  3 1 2 |
out:       1 |      (min)

Gives the smallest or the largest element, the first one among equals; at least one is needed.

Back-pressure: takes everything once an element is demanded, and gives one.
Completes: behind its result, when upstream completes.
Fails: when upstream fails, elements cannot be compared, or none came (EmptyStreamError).
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from actors_rs.errors import EmptyStreamError
from actors_rs.stages.piece_fold import NOTHING, PieceFold, first_of


class Extreme(PieceFold):
    """What ``choose``, the built-in ``min`` or ``max``, chooses of all elements."""

    def __init__(self, choose: Callable[..., Any], key: Callable[[Any], Any] | None) -> None:
        super().__init__(NOTHING)
        self._choose = choose
        self._key = key

    def step(self, accumulated: Any, elements: Iterator[Any], /) -> Any:
        if accumulated is not NOTHING and not self._is_beaten(accumulated, elements):
            elements = chain((accumulated,), elements)
        return self._choose(elements, key=self._key)

    def _is_beaten(self, accumulated: Any, elements: Iterator[Any]) -> bool:
        """Whether the first of ``elements`` takes the place of ``accumulated``, as in rising data.

        One loop over all goes on with that first element then, and so does one over ``elements``
        alone, without ``chain``, which costs a third of a comparison an element. Keys are not
        asked for: a function of the user's is called once an element.
        """
        if self._key is not None:
            return False
        first = first_of(elements)
        try:
            return self._choose(accumulated, first) is not accumulated
        except Exception:
            return False  # the loop over both raises it again, where positions are counted

    def result(self) -> Any:
        if self.accumulated is NOTHING:
            name = self._choose.__name__
            raise EmptyStreamError(f"{name} needs an element, the stream had none")
        return self.accumulated
