"""aggregate_by(first_letter, 0, lambda n, _: n + 1)

in:  ant bee asp |
out:             (a, 2) (b, 1) |

Folds the elements of each key into one value: ``group_by`` without groups, so nothing can stall.
The keys come in the order of their first elements.

Back-pressure: takes everything once an element is demanded, and gives one for each key.
Completes: after the last key, when upstream has completed.
Fails: when upstream fails, one of the functions raises, or beyond ``max_keys`` with ``fail``; there
  is no result then. ``emit_oldest`` gives the key that came first, which may come again, and
  ``drop`` leaves elements of further keys out and counts them.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from actors_rs.stages.iterators import check_key
from actors_rs.stages.prologue_epilogue import PrologueEpilogue
from actors_rs.stages.windows.spans import OnTooMany, evicts_oldest

_NEW = object()


class AggregateBy(PrologueEpilogue):
    """Pairs of a key and what ``fold`` made of its elements, from what ``make_init`` gives."""

    runs_user = True
    conserves = False
    released_attributes = ("_values",)

    def __init__(
        self,
        key: Callable[[Any], Any],
        make_init: Callable[[], Any],
        fold: Callable[[Any, Any], Any],
        max_keys: int,
        on_overflow: OnTooMany,
    ) -> None:
        super().__init__()
        self._key = key
        self._make_init = make_init
        self._fold = fold
        self._max_keys = max_keys
        self._on_overflow = on_overflow
        self._values: dict[Any, Any] = {}
        self._dropped = self._emitted_early = 0

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        key, f, values = self._key, self._fold, self._values
        get, most = values.get, self._max_keys
        for element in elements:
            of = key(element)
            try:
                value = get(of, _NEW)
            except TypeError:
                check_key(of, "aggregate_by: key")
                raise
            if value is _NEW:
                if len(values) >= most and not self._has_room(of, out):
                    continue
                value = self._make_init()
            values[of] = f(value, element)

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        out: list[Any] = []
        for element in elements:  # one at a time: each may give the oldest key
            self.collect(iter((element,)), out)
            yield from out
            out.clear()

    def epilogue(self, error: BaseException | None) -> Iterable[Any]:
        return iter(self._values.items()) if error is None else ()

    def details(self) -> dict[str, Any]:
        figures = {"dropped": self._dropped, "emitted_early": self._emitted_early}
        return {"keys": len(self._values or ()), **figures}

    def _advance_frame(self) -> int:
        if self._results is not None or self._on_overflow == "emit_oldest":
            return super()._advance_frame()
        return self._pass_on(self.inlet.take(self.chunk.gathered))  # it gives nothing yet

    def _has_room(self, key: Any, out: list[Any]) -> bool:
        """Whether there is room for ``key``, perhaps in place of the oldest one."""
        if not evicts_oldest(self._on_overflow, self._max_keys, key):
            self._dropped += 1
            return False
        oldest = next(iter(self._values))
        out.append((oldest, self._values.pop(oldest)))
        self._emitted_early += 1
        return True
