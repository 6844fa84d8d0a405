"""``pipe``: a flow of several, left to right."""

from __future__ import annotations

from typing import Any, TypeVar, overload

from actors_rs.graph.checks import wrong_kind
from actors_rs.language.flow import Flow
from actors_rs.texts import repr_of

__all__ = ["pipe"]

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")


@overload
def pipe(source: Flow[A, B], /) -> Flow[A, B]: ...
@overload
def pipe(source: Flow[A, B], f1: Flow[B, C], /) -> Flow[A, C]: ...
@overload
def pipe(source: Flow[A, B], f1: Flow[B, C], f2: Flow[C, D], /) -> Flow[A, D]: ...
@overload
def pipe(
    source: Flow[A, Any],
    f1: Flow[Any, Any],
    f2: Flow[Any, Any],
    f3: Flow[Any, Any],
    /,
    *flows: Flow[Any, Any],
) -> Flow[A, Any]: ...


def pipe(source: Flow[Any, Any], /, *flows: Flow[Any, Any]) -> Flow[Any, Any]:
    """``source``, then each of ``flows``, left to right.

    >>> from actors_rs import pipe
    >>> pipe(Source.of("3", "4"), Flow().map(int), Flow().sum()).run(Sink.list())
    [7]
    """
    if not isinstance(source, Flow):
        raise wrong_kind(f"pipe needs a Source or a Flow, got {repr_of(source)}")
    for flow in flows:
        if not isinstance(flow, Flow):
            raise wrong_kind(f"pipe needs Flows after the first part, got {repr_of(flow)}")
        source = source.via(flow)
    return source
