"""stateful_map(list, f)

in:  1 2 3 |
out: 1 3 6 |        (f adds to a state of its own)

Gives each element through a function with a state, and what on_complete makes of the last one.

Back-pressure: asks for its window, as far as downstream asks.
Completes: with upstream, after what on_complete gives.
Fails: with upstream, or when a function raises, after what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from actors_rs.stages.iterators import no_pair
from actors_rs.stages.prologue_epilogue import PrologueEpilogue


class StatefulMap(PrologueEpilogue):
    """``f(state, element)`` gives the next state and a result; the first state is ``create()``."""

    runs_user = True
    one_for_one = True
    released_attributes = ("_state",)

    def __init__(
        self,
        create: Callable[[], Any],
        f: Callable[[Any, Any], tuple[Any, Any]],
        on_complete: Callable[[Any], Any] | None,
    ) -> None:
        super().__init__()
        self._create = create
        self._f = f
        self._on_complete = on_complete
        self._state: Any = None

    def start(self) -> None:
        self._state = self._create()

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        f = self._f
        for element in elements:
            step = f(self._state, element)
            try:
                self._state, result = step
            except (TypeError, ValueError):
                raise _no_pair(step) from None
            yield result

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        f, state = self._f, self._state
        try:
            for element in elements:
                step = f(state, element)
                try:
                    state, result = step
                except (TypeError, ValueError):
                    raise _no_pair(step) from None
                out.append(result)
        finally:
            self._state = state

    def epilogue(self, error: BaseException | None) -> Iterable[Any]:
        if error is not None or self._on_complete is None:
            return ()
        result = self._on_complete(self._state)
        return () if result is None else (result,)


def _no_pair(step: Any) -> TypeError:
    return no_pair("stateful_map: f", "(next state, result)", step)
