"""Composition: methods of ``Flow`` that say which stages share an actor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from actors_rs.graph.checks import cannot_run
from actors_rs.graph.fusing import fused
from actors_rs.graph.spec import OPEN, OutletRef
from actors_rs.language.methods.chain import flow_of

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["Composition"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


class Composition(Generic[In_contra, Out_co]):
    """A stage is an actor of its own unless the user fuses it."""

    _out: OutletRef

    def fuse(self) -> Flow[In_contra, Out_co]:
        """This flow with all its stages in one actor, from its input or its sources on.

        The stages take no turns for each other then, and do not run at the same time: a slow
        function holds up the stages before and after it. Each stage keeps its name, policy, errors,
        figures and back-pressure. ``Graph.explain()`` prints the actors that result. A stage keeps
        an actor of its own in two cases:

        - An ``async_boundary()``, another ``dispatcher`` or another ``throughput`` separates it.
        - It is a source that may wait for its next element, as a generator or a file may.

        If the flow comes out of a stage with several outlets, the stages after it are fused.
        ``with_attributes`` and ``on_failure`` directly after ``fuse()`` hold for all its stages.

        >>> Source.of("3", "4").map(int).map(abs).fuse().run(Sink.list())
        [3, 4]
        """
        if self._out is OPEN:
            raise cannot_run("fuse: an empty Flow() has no stage to fuse")
        return flow_of(fused(self._out))

    def async_boundary(self) -> Flow[In_contra, Out_co]:
        """Separate the next stages, also within ``fuse()``: they run at the same time as these.

        >>> Source.of("3").map(int).async_boundary().map(abs).fuse().run(Sink.list())
        [3]
        """
        return self._changed("async_boundary", boundary=True)

    def _changed(self, how: str, **changes: Any) -> Flow[In_contra, Out_co]:
        raise NotImplementedError
