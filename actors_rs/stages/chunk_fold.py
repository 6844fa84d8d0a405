"""Folds that take a chunk of the input at once, with a function that loops in C."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from operator import length_hint
from typing import Any

from actors_rs.stages.prologue_epilogue import Folding

__all__ = ["NOTHING", "ChunkFold", "first_of"]


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()
"""Stands for the accumulated value of a fold that begins with its first element."""


def _made_of(reduced: Any) -> Iterator[Any]:
    """The iterator that ``reduced`` was made of, where it stood then."""
    make, arguments, *state = reduced
    made: Any = make(*arguments)
    if state and state[0] is not None:
        made.__setstate__(state[0])
    return made  # type: ignore[no-any-return]


def first_of(elements: Iterator[Any]) -> Any:
    """The element that ``elements`` of a ``step`` give next. They stay where they are."""
    return next(_made_of(elements.__reduce__()))


class ChunkFold(Folding):
    """``step(accumulated, elements)`` gives the next accumulated value, chunk by chunk."""

    released_attributes = ("accumulated",)

    def __init__(self, init: Any) -> None:
        super().__init__()
        self.accumulated = init

    def step(self, accumulated: Any, elements: Iterator[Any], /) -> Any:
        """What ``accumulated`` becomes of ``elements``. Changes nothing else: may be repeated."""
        raise NotImplementedError

    def consume(self, elements: Iterator[Any], out: list[Any], /) -> None:
        if not length_hint(elements):
            return  # after an element that was passed over
        begin = elements.__reduce__()  # as ``copy`` would, which takes ten times as long
        try:
            self.accumulated = self.step(self.accumulated, elements)
        except Exception:
            again = _made_of(begin)
            good = length_hint(again) - length_hint(elements) - 1
            if good > 0:  # the elements before the failing one count
                before = list(islice(again, good))  # an islice would take ``again`` with it
                self.accumulated = self.step(self.accumulated, iter(before))
            raise

    def result(self) -> Any:
        return self.accumulated
