"""One stream to several: methods of ``Flow``, hence of ``Source`` too."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Never, TypeVar, get_args

from actors_rs.graph.blueprint import OutletRef, spec_of
from actors_rs.graph.dsl.checks import at_least, function, one_of
from actors_rs.graph.hub import HubPublisher
from actors_rs.runtime.system import ActorSystem
from actors_rs.stages.junctions.broadcast import Broadcast
from actors_rs.stages.junctions.hub_buffer import OnSlow
from actors_rs.stages.junctions.partition import Partition

if TYPE_CHECKING:
    from actors_rs.graph.dsl.flow import Flow

__all__ = ["Branching"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
T = TypeVar("T")


class Branching(Generic[In_contra, Out_co]):
    """How one stream is given to several."""

    _out: OutletRef

    def broadcast(
        self, count: int, *, name: str | None = None
    ) -> tuple[Flow[In_contra, Out_co], ...]:
        """``count`` flows that get every element, at the pace of the slowest."""
        at_least(1, count, "broadcast: count")
        return self._split("broadcast", lambda: Broadcast(count), count, name)

    def partition(
        self, count: int, f: Callable[[Out_co], int], *, name: str | None = None
    ) -> tuple[Flow[In_contra, Out_co], ...]:
        """``count`` flows; each element goes to the one whose number ``f`` returns."""
        at_least(1, count, "partition: count")
        function(f, "partition: f")
        return self._split("partition", lambda: Partition(count, f), count, name)

    def hub(
        self: Branching[Never, T],
        system: ActorSystem,
        /,
        *,
        replay: int = 0,
        keep_alive: bool = False,
        on_slow: OnSlow = "backpressure",
        name: str | None = None,
    ) -> HubPublisher[T]:
        """A hot Publisher: one run of this source, shared by subscribers that come and go.

        It holds the last ``replay`` elements; see ``HubPublisher`` for who gets what. Raises
        ``InvalidArgumentError`` for an option out of its range or a system that was shut down,
        ``GraphError`` for a flow whose input is open.
        """
        at_least(0, replay, "hub: replay")
        one_of(get_args(OnSlow), on_slow, "hub: on_slow")
        system._check_open()
        return HubPublisher(
            system, self._out, replay=replay, keep_alive=keep_alive, on_slow=on_slow, name=name
        )

    def _split(
        self, kind: str, make: Callable[[], Any], count: int, name: str | None
    ) -> tuple[Flow[In_contra, Any], ...]:
        from actors_rs.graph.dsl.flow import Flow

        spec = spec_of(kind, make, self._out, outlets=count, name=name)
        return tuple(Flow(OutletRef(spec, index)) for index in range(count))
