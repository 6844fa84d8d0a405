"""Edges: methods of ``Flow`` that give values before, after or instead of the elements."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from actors_rs.graph.checks import function
from actors_rs.language.initial import Always
from actors_rs.language.methods.chain import Chain
from actors_rs.stages.operators.default_if_empty import DefaultIfEmpty
from actors_rs.stages.operators.end_with import EndWith
from actors_rs.stages.operators.start_with import StartWith

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["Edges"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
T = TypeVar("T")


class Edges(Chain[In_contra, Out_co]):
    """Values at the edges of a stream, without a stream of their own."""

    __slots__ = ()

    def start_with(self, *values: T) -> Flow[In_contra, Out_co | T]:
        """``values``, then the elements.

        >>> Source.of("a").start_with("header").run(Sink.list())
        ['header', 'a']
        """
        return self.then("start_with", partial(StartWith, Always(values)))

    def start_with_get(self, *functions: Callable[[], T]) -> Flow[In_contra, Out_co | T]:
        """The results of ``functions``, each called when its result is demanded, then the elements.

        >>> Source.of("a").start_with_get(lambda: "header").run(Sink.list())
        ['header', 'a']
        """
        for f in functions:
            function(f, "start_with_get: each argument")
        return self.then("start_with_get", partial(StartWith.calling, functions))

    def end_with(self, *values: T) -> Flow[In_contra, Out_co | T]:
        """The elements, then ``values`` once upstream has completed.

        >>> Source.of("a").end_with("END").run(Sink.list())
        ['a', 'END']
        """
        return self.then("end_with", partial(EndWith, Always(values)))

    def end_with_get(self, *functions: Callable[[], T]) -> Flow[In_contra, Out_co | T]:
        """The elements, then the results of ``functions``, each called when it is demanded.

        >>> Source.of("a").end_with_get(lambda: "END").run(Sink.list())
        ['a', 'END']
        """
        for f in functions:
            function(f, "end_with_get: each argument")
        return self.then("end_with_get", partial(EndWith.calling, functions))

    def default_if_empty(self, *values: T) -> Flow[In_contra, Out_co | T]:
        """The elements, or ``values`` if there are none, also where a drain has cut the stream.

        >>> Source.empty().default_if_empty("nothing").run(Sink.list())
        ['nothing']
        """
        return self.then("default_if_empty", partial(DefaultIfEmpty, values))
