"""Iterators over elements that know their position.

The built-in ones over lists, tuples and ranges know how many elements are left, and can be moved.
So a stage that calls user code in a C loop knows after an exception which element raised, and which
ones are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import length_hint
from sys import maxsize
from typing import Any

__all__ = ["NOTHING", "behind", "can_skip", "extend", "forgets", "has_ended", "skip_all"]

NOTHING: Iterator[Any] = iter(())
"""One for all, as it never changes: where there are no elements, or none yet."""
_FORGETFUL: tuple[type, ...] = (type(iter([])), type(iter(())))
"""Iterators that release their list or tuple when they are asked for more after the last element.
"""
_SKIPPING = (*_FORGETFUL, type(iter(range(0))))
"""Iterators that can be moved to another position."""


def can_skip(elements: Iterator[Any]) -> bool:
    """Whether ``elements`` can be moved to another position."""
    return isinstance(elements, _SKIPPING)


def skip_all(elements: Iterator[Any]) -> None:
    """End ``elements`` where they are, if they can be moved. Any thread."""
    if can_skip(elements):
        elements.__setstate__(maxsize)  # type: ignore[attr-defined]


def behind(frame: Sequence[Any], index: int) -> Iterator[Any]:
    """A new iterator over the elements of ``frame`` after the first ``index``."""
    elements = iter(frame)
    if not isinstance(elements, _SKIPPING):
        return iter(frame[index:])
    elements.__setstate__(index)  # type: ignore[attr-defined]
    return elements


def extend(
    out: list[Any], results: Iterator[Any], elements: Iterator[Any] | None, what: str
) -> None:
    """Append ``results``, which a loop in C makes, one for each of ``elements``, to ``out``.

    Raises ``RuntimeError`` where ``what`` has raised ``StopIteration``: to the loop that is the
    end, and the elements after it were lost.
    """
    drawn = NOTHING if elements is None else elements
    expected = len(out) + length_hint(drawn)
    out.extend(results)
    if (missing := expected - len(out)) > 0:
        # A range does not tell whether it has ended: see ``skip_all``, which leaves nothing of it.
        ended = has_ended(drawn) if forgets(drawn) else missing > 1 and not length_hint(drawn)
        if not ended:
            raise RuntimeError(f"{what} raised StopIteration")


def forgets(elements: Iterator[Any]) -> bool:
    """Whether ``has_ended`` will tell the end of ``elements``."""
    return isinstance(elements, _FORGETFUL)


def has_ended(elements: Iterator[Any]) -> bool:
    """Whether it is known that ``elements`` were asked for more after the last one."""
    return forgets(elements) and len(elements.__reduce__()) == 2  # it has nothing more to go over
