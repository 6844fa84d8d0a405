"""Composition: methods of ``Flow`` that say which stages share an actor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from actors_rs.graph.checks import cannot_run
from actors_rs.graph.fusing import fused
from actors_rs.graph.spec import OPEN, OutletRef
from actors_rs.language.sources import flow_class

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["Composition"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


class Composition(Generic[In_contra, Out_co]):
    """A stage is an actor of its own unless it is fused."""

    _out: OutletRef

    def fuse(self) -> Flow[In_contra, Out_co]:
        """This flow, with adjacent linear operators (``map``, ``filter``, ...) as one actor.

        They take no turns for each other then, and do not run at the same time. Errors name the
        operator by its name or kind, with its line and its element. What has several inputs or
        outlets, a thread, a timer or attributes of its own or inner streams stays as it is.
        """
        if self._out is OPEN:
            raise cannot_run("fuse: an empty Flow() has no stage to fuse")
        return flow_class()(fused(self._out))

    def async_boundary(self) -> Flow[In_contra, Out_co]:
        """What follows shares no actor with this, ``fuse()`` or not: they run at the same time."""
        return self._changed("async_boundary", boundary=True)

    def _changed(self, how: str, **changes: Any) -> Flow[In_contra, Out_co]:
        raise NotImplementedError
