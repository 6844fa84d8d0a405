"""Selections: methods of ``Flow`` that pass on some of the elements as they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from actors_rs.graph.checks import at_least, optional_plain_function, plain_function
from actors_rs.language.methods.chain import Chain
from actors_rs.stages.operators.distinct import Distinct
from actors_rs.stages.operators.distinct_until_changed import DistinctUntilChanged
from actors_rs.stages.operators.element_at import ElementAt
from actors_rs.stages.operators.first import First
from actors_rs.stages.operators.skip import Skip
from actors_rs.stages.operators.skip_while import SkipWhile
from actors_rs.stages.operators.take import Take
from actors_rs.stages.operators.take_while import TakeWhile

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["Selections"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


class Selections(Chain[In_contra, Out_co]):
    """Which elements go on. An operator that needs no more elements cancels upstream."""

    __slots__ = ()

    def take(self, count: int) -> Flow[In_contra, Out_co]:
        """The first ``count`` elements; then upstream is cancelled.

        >>> Source.repeat("x").take(2).run(Sink.list())
        ['x', 'x']
        """
        at_least(0, count, "take: count")
        return self.then("take", partial(Take, count))

    def take_while(self, predicate: Callable[[Out_co], object]) -> Flow[In_contra, Out_co]:
        """Elements until ``predicate`` is false for the first time; then upstream is cancelled.

        >>> Source.of("a", "b", "", "c").take_while(bool).run(Sink.list())
        ['a', 'b']
        """
        plain_function(predicate, "take_while: predicate")
        return self.then("take_while", partial(TakeWhile, predicate))

    def skip(self, count: int) -> Flow[In_contra, Out_co]:
        """All but the first ``count`` elements.

        >>> Source.of("header", "a", "b").skip(1).run(Sink.list())
        ['a', 'b']
        """
        at_least(0, count, "skip: count")
        return self.then("skip", partial(Skip, count))

    def skip_while(self, predicate: Callable[[Out_co], object]) -> Flow[In_contra, Out_co]:
        """Elements from the first one on for which ``predicate`` is false.

        >>> Source.of("", "", "a", "").skip_while(lambda line: not line).run(Sink.list())
        ['a', '']
        """
        plain_function(predicate, "skip_while: predicate")
        return self.then("skip_while", partial(SkipWhile, predicate))

    def first(self, predicate: Callable[[Out_co], object] | None = None) -> Flow[In_contra, Out_co]:
        """The first element, or the first for which ``predicate`` is true; then a cancellation.

        Fails with ``EmptyStreamError`` if there is none.

        >>> Source.of(3, 12, 20).first(lambda price: price > 10).run(Sink.list())
        [12]
        """
        optional_plain_function(predicate, "first: predicate")
        return self.then("first", partial(First, predicate))

    def element_at(self, index: int) -> Flow[In_contra, Out_co]:
        """The element number ``index``, counted from 0; then upstream is cancelled.

        Fails with ``EmptyStreamError`` if there are not so many.

        >>> Source.of("a", "b", "c").element_at(1).run(Sink.list())
        ['b']
        """
        at_least(0, index, "element_at: index")
        return self.then("element_at", partial(ElementAt, index))

    def distinct(
        self, key: Callable[[Out_co], Any] | None = None, window: int | None = None
    ) -> Flow[In_contra, Out_co]:
        """Elements whose ``key``, by default they themselves, has not come before.

        With ``window``, has not come among the last ``window`` different keys: without it every key
        is remembered, for as long as the stream runs. Keys must be hashable.

        >>> Source.of("ant", "asp", "bee").distinct(key=lambda word: word[0]).run(Sink.list())
        ['ant', 'bee']
        """
        optional_plain_function(key, "distinct: key")
        if window is not None:
            at_least(1, window, "distinct: window")
        return self.then("distinct", partial(Distinct, key, window))

    def distinct_until_changed(
        self, key: Callable[[Out_co], Any] | None = None
    ) -> Flow[In_contra, Out_co]:
        """Elements whose ``key``, by default they themselves, differs from that before.

        >>> Source.of("on", "on", "off", "on").distinct_until_changed().run(Sink.list())
        ['on', 'off', 'on']
        """
        optional_plain_function(key, "distinct_until_changed: key")
        return self.then("distinct_until_changed", partial(DistinctUntilChanged, key))
