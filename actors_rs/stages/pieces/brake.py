"""Brake: ends the piece a stage is working on behind the call of the user's that it is in.

A function that was fast may turn slow in the middle of a large piece. Then somebody on another
thread pulls the brake: the stage's loop ends before the next call, what it has made is emitted, and
what is left of the piece goes back to the inlet. The loop itself pays nothing, or next to
nothing, for that: it does not ask whether to go on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import length_hint
from sys import maxsize
from typing import Any, NoReturn, Protocol

from actors_rs.stages.pieces.counted import NOTHING, behind, can_skip, forgets, has_ended
from actors_rs.stages.pieces.views import begun

__all__ = ["Brake", "Halted", "Loop", "halted"]


class Halted(BaseException):
    """Raised in place of a call of the user's function: the element in hand is not taken.

    No error: nobody but the stage ever sees it.
    """


def halted(*_arguments: object) -> NoReturn:
    """What a loop finds in place of the user's function once the brake was pulled."""
    raise Halted


class Loop(Protocol):
    """What an operator does with a piece."""

    one_for_one: bool
    satisfied: bool

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        """Put into ``out`` what comes of ``elements``."""


class Brake:
    """One stage's; ``pull`` may be called on any thread, at any time, and hits or misses.

    A loop that gives exactly one result for each element is made to find no more of them: ``ends``.
    Where it stood is known by the number of results then. Any other loop keeps the user's function
    in a variable ``f``, says ``brake.function = lambda: f``, and finds ``halted`` in there; where
    it stood is known as for any exception. A pull that comes too late for one piece never counts
    for what is taken of the next.
    """

    __slots__ = ("_counted", "_elements", "function", "pulled")

    def __init__(self) -> None:
        self._counted: Iterator[Any] = NOTHING  # knows how many elements of the piece are left
        self._elements: Any = None  # the same, where it can be made to end
        self.function: Any = None
        """Of the loop that is going on: a closure over its variable, and over nothing else."""
        self.pulled = False

    def ends(self, elements: Iterator[Any]) -> None:
        """``elements`` end when the brake is pulled; the caller counts what came of them.

        They are new: a pull that was meant for others must not hit them unseen.
        """
        self.pulled = False  # in this order, and with an iterator of its own for each piece
        self._counted = elements
        self._elements = elements if can_skip(elements) else None

    def run(
        self, loop: Loop, piece: Sequence[Any], left: int, out: list[Any]
    ) -> tuple[int, Exception | None]:
        """Let ``loop`` put into ``out`` what comes of the last ``left`` elements of ``piece``.

        Returns how many are left, also because it is satisfied, and what it raised for the one
        before those. The piece may be a view only if all of it is left.
        """
        one_for_one = loop.one_for_one
        if left == len(piece):
            elements, counted = begun(piece)
        else:
            elements = counted = behind(piece, len(piece) - left)
        before = len(out)
        if one_for_one:
            self.ends(counted)
        rest, failure = 0, None
        try:
            loop.collect(elements, out)
        except Halted:
            return length_hint(counted) + 1, None  # the one it was called with is not taken
        except Exception as error:
            rest, failure = length_hint(counted), error
            self._counted, self._elements = NOTHING, None  # else they keep the piece
        self.function = None  # of the user's, or a group's: neither is kept for longer than it runs
        if loop.satisfied and failure is None:
            return length_hint(counted), None
        if one_for_one and self.pulled:  # the iterator does not know any more
            rest = left - (len(out) - before) - (failure is not None)
        return rest, failure

    def extend(self, out: list[Any], results: Iterator[Any], what: str) -> None:
        """Append ``results``, which a loop in C makes, one for each element, to ``out``.

        Raises ``RuntimeError`` where ``what`` has raised ``StopIteration``: to the loop that is the
        end, and the elements behind it were lost.
        """
        elements = self._counted
        expected = len(out) + length_hint(elements)
        out.extend(results)
        if len(out) < expected:
            # A range does not tell whether it has ended. Where the brake has ended it, the next
            # piece begins with the element that ``what`` has raised for, if it has, and will again.
            ended = has_ended(elements) if forgets(elements) else self.pulled
            if not ended:
                raise RuntimeError(f"{what} raised StopIteration")

    def release(self) -> None:
        """Forget a pull that was meant for what has been done."""
        self.pulled, self._elements = False, None

    def pull(self) -> None:
        """Let the piece end behind the call that is going on, if there is one."""
        elements = self._elements
        self.pulled = True  # before they end: whoever sees the end early must find it
        if elements is not None:
            elements.__setstate__(maxsize)
        self.halt()

    def halt(self) -> None:
        """Put ``halted`` into the variable in which a loop keeps the user's function."""
        function = self.function  # looked at once: the piece may end meanwhile
        if function is not None:
            (cell,) = function.__closure__
            cell.cell_contents = halted

    def through(self, elements: Iterator[Any]) -> Iterator[Any]:
        """``elements`` until the brake is pulled; no element is drawn that is not given."""
        self.release()
        for element in elements:
            yield element
            if self.pulled:
                return
