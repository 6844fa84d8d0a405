"""filter(predicate)

in:  1 2 3 4 |
out: 2 4 |          (even)

Gives the elements for which the predicate is true.

Back-pressure: asks for its window, as far as downstream asks; for what was dropped it asks anew.
Completes: with upstream, behind what came of its elements.
Fails: with upstream, or when ``predicate`` raises and the policy is to stop; behind what came
  before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import length_hint
from types import BuiltinFunctionType, MethodDescriptorType, MethodWrapperType
from typing import Any

from actors_rs.stages.linear import Operator

_BUILTIN = (BuiltinFunctionType, MethodDescriptorType, MethodWrapperType, type)


class Filter(Operator):
    """The elements for which ``predicate`` is true."""

    def __init__(self, predicate: Callable[[Any], Any]) -> None:
        super().__init__()
        self._predicate = predicate
        # Others may raise StopIteration, which `filter` would take for the end.
        self._is_builtin = isinstance(predicate, _BUILTIN) and predicate is not next

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return (element for element in elements if self._predicate(element))

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        if self._is_builtin:
            out.extend(filter(self._predicate, elements))
            if length_hint(elements):  # it compared elements, say, and a method of theirs raised
                raise RuntimeError("filter: predicate raised StopIteration")
            return
        predicate = self._predicate  # bytecode calls a Python function faster than C does
        for element in elements:
            if predicate(element):
                out.append(element)
