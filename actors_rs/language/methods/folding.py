"""Folds and tests: methods of ``Flow`` that make one element of a whole stream."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple, overload

from actors_rs.graph.checks import function, optional_plain_function, plain_function
from actors_rs.language.initial import Always, copies_of
from actors_rs.language.methods.appending import Appending
from actors_rs.stages.operators.average import Average
from actors_rs.stages.operators.contains import Contains
from actors_rs.stages.operators.count import Count
from actors_rs.stages.operators.extreme import Extreme, ExtremeBy
from actors_rs.stages.operators.last import Last
from actors_rs.stages.operators.reduce import Reduce
from actors_rs.stages.operators.reduce_without_initial import ReduceWithoutInitial
from actors_rs.stages.operators.search import Search
from actors_rs.stages.operators.sum import Sum

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["Folds"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
I = TypeVar("I")  # noqa: E741 - the input of the flow that a method is called on
T = TypeVar("T")
R = TypeVar("R")
Ts = TypeVarTuple("Ts")


class Folds(Appending[In_contra, Out_co]):
    """Folds give their result when upstream completes, tests as soon as they know it.

    One that needs an element fails with ``EmptyStreamError`` where none came.
    """

    __slots__ = ()

    # A checker may take (0, 0) for a tuple of literals, and None for the only value; hence three.
    @overload
    def reduce(  # type: ignore[overload-overlap]
        self, init: R, f: Callable[[R, Out_co], R]
    ) -> Flow[In_contra, R]: ...
    @overload
    def reduce(
        self, init: tuple[*Ts], f: Callable[[tuple[*Ts], Out_co], tuple[*Ts]]
    ) -> Flow[In_contra, tuple[*Ts]]: ...
    @overload
    def reduce(
        self, init: None, f: Callable[[R | None, Out_co], R]
    ) -> Flow[In_contra, R | None]: ...
    def reduce(self, init: Any, f: Callable[[Any, Out_co], Any]) -> Flow[In_contra, Any]:
        """``f(accumulated, element)`` over all elements, from ``init``.

        Each run begins with a deep copy of ``init``; raises ``TypeError`` if it cannot be copied.
        """
        make_init = copies_of(init, "reduce", "reduce_get")
        function(f, "reduce: f")
        return self.then("reduce", partial(Reduce, make_init, f))

    def reduce_get(
        self, make_init: Callable[[], R], f: Callable[[R, Out_co], R]
    ) -> Flow[In_contra, R]:
        """``reduce`` from what ``make_init()`` gives, which is called once in each run."""
        function(make_init, "reduce_get: make_init")
        function(f, "reduce_get: f")
        return self.then("reduce_get", partial(Reduce, make_init, f))

    def reduce_without_initial(self: Folds[I, T], f: Callable[[T, T], T]) -> Flow[I, T]:
        """``f(accumulated, element)`` over all elements, from the first one on."""
        function(f, "reduce_without_initial: f")
        return self.then("reduce_without_initial", partial(ReduceWithoutInitial, f))

    @overload
    def sum(self: Folds[I, int]) -> Flow[I, int]: ...
    @overload
    def sum(self: Folds[I, float]) -> Flow[I, float]: ...
    @overload
    def sum(self) -> Flow[In_contra, Any]: ...
    def sum(self) -> Flow[Any, Any]:
        """The elements added up, from 0."""
        return self.then("sum", Sum)

    def count(self) -> Flow[In_contra, int]:
        """How many elements there were."""
        return self.then("count", Count)

    def average(self) -> Flow[In_contra, float]:
        """The mean of the elements, of which there must be one."""
        return self.then("average", Average)

    def min(self, key: Callable[[Out_co], Any] | None = None) -> Flow[In_contra, Out_co]:
        """The smallest element, or the one with the smallest ``key``; the first of equals."""
        optional_plain_function(key, "min: key")
        return self.then("min", _extreme(builtins.min, key))

    def max(self, key: Callable[[Out_co], Any] | None = None) -> Flow[In_contra, Out_co]:
        """The largest element, or the one with the largest ``key``; the first of equals."""
        optional_plain_function(key, "max: key")
        return self.then("max", _extreme(builtins.max, key))

    def last(self) -> Flow[In_contra, Out_co]:
        """The last element, of which there must be one."""
        return self.then("last", Last)

    def all(self, predicate: Callable[[Out_co], object]) -> Flow[In_contra, bool]:
        """Whether ``predicate`` is true for every element; false cancels upstream at once."""
        plain_function(predicate, "all: predicate")
        return self.then("all", partial(Search, predicate, wanted=False))

    def some(self, predicate: Callable[[Out_co], object]) -> Flow[In_contra, bool]:
        """Whether ``predicate`` is true for any element; true cancels upstream at once."""
        plain_function(predicate, "some: predicate")
        return self.then("some", partial(Search, predicate, wanted=True))

    def contains(
        self, value: object, equal: Callable[[Any, Any], object] | None = None
    ) -> Flow[In_contra, bool]:
        """Whether an element is ``value`` or equal to it; or ``equal(value, element)`` is true."""
        if equal is None:
            return self.then("contains", partial(Contains, value))
        plain_function(equal, "contains: equal")
        return self.then("contains", partial(Search, partial(equal, value), wanted=True))

    def is_empty(self) -> Flow[In_contra, bool]:
        """Whether no element comes; the first one cancels upstream."""
        return self.then("is_empty", partial(Search, Always(False), wanted=False))


def _extreme(
    choose: Callable[..., Any], key: Callable[[Any], Any] | None
) -> Callable[[], Extreme | ExtremeBy]:
    return partial(Extreme, choose) if key is None else partial(ExtremeBy, choose, key)
