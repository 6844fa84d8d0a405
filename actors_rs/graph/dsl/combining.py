"""Several streams into one: methods of ``Flow``, hence of ``Source`` too, and ``merge``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from actors_rs.errors import GraphError
from actors_rs.graph.blueprint import OutletRef, spec_of
from actors_rs.stages.junctions.merge import Merge

if TYPE_CHECKING:
    from actors_rs.graph.dsl.flow import Flow

__all__ = ["Combining", "merge"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
T = TypeVar("T")


class Combining(Generic[In_contra, Out_co]):
    """What can be made of this stream and others."""

    _out: OutletRef

    def merge(self, *others: Flow[In_contra, Out_co]) -> Flow[In_contra, Out_co]:
        """The elements of this and the others as they come, each stream in its own order."""
        count = 1 + len(others)
        return joined("merge", lambda: Merge(count), (self, *others))


def merge(*flows: Flow[In_contra, Out_co]) -> Flow[In_contra, Out_co]:
    """The elements of all ``flows`` as they come, each stream in its own order."""
    count = len(flows)
    return joined("merge", lambda: Merge(count), flows)


def joined(kind: str, make: Callable[[], Any], flows: tuple[Any, ...]) -> Flow[Any, Any]:
    """``flows`` into a new stage of ``kind`` with an inlet for each."""
    from actors_rs.graph.dsl.flow import Flow

    if not flows:
        raise GraphError(f"{kind} needs at least one stream, got none")
    for flow in flows:
        if not isinstance(flow, Flow):
            raise TypeError(f"{kind} needs Sources or Flows, got {flow!r}")
    return Flow(OutletRef(spec_of(kind, make, *(flow._out for flow in flows))))
