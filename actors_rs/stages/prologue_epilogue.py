"""Operators that give elements of their own before the first element or after the last one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import length_hint
from typing import Any

from actors_rs.stages.linear import Operator
from actors_rs.stages.ports import Frame
from actors_rs.stages.stage import Budget

__all__ = ["Addition", "Calls", "Folding", "PrologueEpilogue"]


class PrologueEpilogue(Operator):
    """An operator with ``prologue`` and ``epilogue``, drawn as they are demanded."""

    asks_ahead = True

    def __init__(self) -> None:
        super().__init__()
        self._epilogue_given = False

    def prologue(self) -> Iterable[Any]:
        """Elements that come before all others; of known length. Called once."""
        return ()

    def epilogue(self, error: BaseException | None) -> Iterable[Any]:
        """The elements that follow the last one; of known length. Asked once, when upstream ended.

        With the ``error`` if upstream failed: then only elements that were held back are due. Not
        asked when the operator is satisfied or downstream has cancelled.
        """
        return ()

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return elements

    def start(self) -> None:
        self._draw(self.prologue())

    def _draw(self, results: Iterable[Any]) -> None:
        """Give ``results`` next, as demanded; no element is at fault should that fail."""
        iterator = iter(results)
        if length_hint(iterator):
            self._frame, self._left = (), 0
            self._elements = self._results = iterator

    def _end_if_due(self, budget: Budget) -> None:
        inlet = self.inlet
        due = inlet.exhausted and not inlet.cancelled and not self.satisfied
        if due and not self._epilogue_given:
            self._epilogue_given = True
            self._draw(self.epilogue(inlet.error))
            if self._results is not None:  # given like any others: there may be many
                self.advance(budget)
                return
        super()._end_if_due(budget)


class Addition(PrologueEpilogue):
    """An operator that only adds to what it passes on."""

    one_for_one = True

    def _pass_on(self, frame: Frame) -> int:
        self.outlet.emit(frame)  # as it is: a frame is never changed
        return len(frame)


class Folding(PrologueEpilogue):
    """An operator that gives at most one result, at the end or as soon as it is known.

    Subclasses give ``consume`` and ``result``. One element of demand lets it take all.
    """

    def consume(self, elements: Iterator[Any], out: list[Any], /) -> None:
        """Take ``elements``, a chunk of the input; after an exception, earlier effects must stand.

        A result that is known early is appended to ``out``; then the operator is satisfied.
        """
        raise NotImplementedError

    def result(self) -> Any:
        """The result of all elements; not called when upstream failed."""
        raise NotImplementedError

    def epilogue(self, error: BaseException | None) -> Iterable[Any]:
        return [self.result()] if error is None else ()

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        self.consume(elements, out)

    def _fills(self, out: list[Any]) -> None:
        """Nothing of ``out`` can go ahead of the rest."""

    def _advance_frame(self) -> int:
        if self._results is not None:
            return super()._advance_frame()
        return self._pass_on(self.inlet.take(self.chunk.gathered))


class Calls:
    """An iterator over what functions return, each called when its result is drawn."""

    __slots__ = ("_functions",)

    def __init__(self, functions: Iterable[Callable[[], Any]]) -> None:
        self._functions = iter(functions)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        function = next(self._functions)
        try:
            return function()
        except StopIteration as error:
            raise RuntimeError("a function that gives an element raised StopIteration") from error

    def __length_hint__(self) -> int:
        return length_hint(self._functions)
