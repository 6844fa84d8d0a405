"""from_iterable(["a", "b"])

    a b |

Draws the elements of an iterable. A list, tuple or range is sliced. Any other iterable is iterated
anew for each run. So a generator, or another iterator, can be run once, and is an error when it has
ended already. Give a function that returns an iterable to run it again and again.

Back-pressure: draws what was asked for and no more.
Completes: when the iterable has ended, which shows when one more is requested; when drained, after
the elements that were drawn.
Fails: when the iterable raises, after what came before.
Cancels: by closing the iterator, if it can be closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any

from actors_rs.stages.inner.inline import InlineStream
from actors_rs.stages.iterators import Rest, close, iterator_of, once
from actors_rs.stages.ports import Frame
from actors_rs.stages.source import IteratorSource
from actors_rs.stages.stage import Budget


class IterableSource(IteratorSource):
    """The elements of an iterable, drawn as they are demanded."""

    def __init__(self, make: Callable[[], Iterable[Any]]) -> None:
        super().__init__()
        self._make = make
        self._interruptible: Iterator[Any] | None = None

    @staticmethod
    def inline(
        _: object, stream: InlineStream, step: int, make: Callable[[], Iterable[Any]]
    ) -> Iterator[Any]:
        try:  # not before an element is asked for
            stream.opened = opened = iterator_of(make(), "Source.from_iterable")
        except BaseException as error:
            stream.stumbled(step, error)
            raise
        for stream.counts[step], element in enumerate(opened, 1):
            yield element
        _note_end(make)

    def produce(self, most: int, budget: Budget) -> Frame:
        frame = super().produce(most, budget)
        if self.ended:
            _note_end(self._make)
        return frame

    def elements(self) -> Iterable[Any]:
        elements = iterator_of(self._make(), "Source.from_iterable")
        if self.interrupt is not None:
            self._interruptible = elements
            return _drawn_only(elements)
        begins = getattr(type(elements), "__iter__", None)
        return once(elements) if isinstance(begins, FunctionType) else elements

    def stop(self, error: BaseException | None) -> None:
        super().stop(error)
        elements = self._interruptible
        if not self.interrupted or self.interrupt != getattr(elements, "close", None):
            close(elements)  # which one that closes it has done


def _drawn_only(elements: Iterator[Any]) -> Iterator[Any]:
    """``elements``, for a single ``iter``; the caller closes them."""
    while True:
        try:
            element = next(elements)
        except StopIteration:
            return
        yield element


def _note_end(make: Callable[[], Iterable[Any]]) -> None:
    """What ``make`` gives was drawn to its end."""
    if isinstance(make, Rest):
        make.ended = True
