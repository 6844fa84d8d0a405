"""unfold(1, lambda n: (n, n * 2) if n < 8 else None)

1 2 4 |

Gives elements that a function makes of a state.

Back-pressure: calls the function for what was asked for and no more.
Completes: when the function returns ``None``, or when drained.
Fails: when the function raises or returns no pair, after what came before.
Cancels: at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from actors_rs.stages.iterators import no_pair
from actors_rs.stages.source import IteratorSource


class Unfold(IteratorSource):
    """``f(state)`` gives ``(element, next state)``, or ``None`` at the end."""

    def __init__(self, state: Any, f: Callable[[Any], tuple[Any, Any] | None]) -> None:
        super().__init__()
        self._state = state
        self._f = f

    def elements(self) -> Iterator[Any]:
        state = self._state
        while (step := self._f(state)) is not None:
            try:
                element, state = step
            except (TypeError, ValueError):
                raise no_pair("unfold: f", "(element, next state) or None", step) from None
            yield element
