"""filter(predicate)

in:  1 2 3 4 |
out: 2 4 |          (even)

Gives the elements for which the predicate is true.

Back-pressure: asks for its window, as far as downstream asks; for what was dropped it asks anew.
Completes: with upstream, after what came of its elements.
Fails: with upstream, or when ``predicate`` raises and the policy is to stop; after what came
  before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from types import BuiltinFunctionType, MethodDescriptorType, MethodWrapperType
from typing import Any

from actors_rs.stages.chunks.counted import forgets, has_ended
from actors_rs.stages.linear import Operator

_BUILTIN = (BuiltinFunctionType, MethodDescriptorType, MethodWrapperType, type)


def _filtered(predicate: Callable[[Any], Any], elements: Iterator[Any], out: list[Any], /) -> bool:
    """Filter into ``out``; whether that came to the end of ``elements``.

    A predicate in C may compare elements, say, and a method of theirs raise ``StopIteration``. To
    ``filter`` that is the end as well, but then it has not drawn past the last element.
    """
    if forgets(elements):
        out.extend(filter(predicate, elements))
        return has_ended(elements)  # else it still has its list, and a position in it
    asked: list[None] = []
    behind = filter(asked.append, (None,))  # gives nothing, but notes that it was asked
    out.extend(filter(predicate, chain(elements, behind)))
    return bool(asked)


class Filter(Operator):
    """The elements for which ``predicate`` is true."""

    runs_user = True
    leaves_out = True
    takes_views = True

    def __init__(self, predicate: Callable[[Any], Any]) -> None:
        super().__init__()
        self._predicate = predicate
        # Others may raise StopIteration, which `filter` would take for the end.
        self._is_builtin = isinstance(predicate, _BUILTIN) and predicate is not next

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        predicate = self._predicate
        return (element for element in elements if predicate(element))

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        if self._is_builtin:
            if not _filtered(self._predicate, elements, out):
                raise RuntimeError("filter: predicate raised StopIteration")
            return
        predicate = self._predicate  # bytecode calls a Python function faster than C does
        for element in elements:
            if predicate(element):
                out.append(element)

    def collect_until(self, full: int, elements: Iterator[Any], out: list[Any], /) -> None:
        predicate = self._predicate
        for element in elements:
            if predicate(element):
                out.append(element)
                if len(out) == full:
                    return
