"""``Feedback``: a way back, for graphs in which elements come round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Never, TypeVar

from actors_rs.graph.checks import at_least
from actors_rs.graph.spec import OPEN, Loop, OutletRef, spec_of
from actors_rs.language.sink import Sink
from actors_rs.stages.junctions.feedback import Feedback as FeedbackStage
from actors_rs.stages.stage import StageLogic

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["Feedback"]

T = TypeVar("T")


class Feedback(Generic[T]):
    """A loop: what goes into ``sink`` comes out of ``source``. Both belong into one graph, once.

        loop = Feedback[int](buffer=64)
        flow = loop.source.merge_preferred(numbers).map(halve).divert_to(loop.sink, when=is_even)

    ``buffer`` elements, or twice as many as there are stages in the loop if that is more, wait
    where the loop comes back to; the windows of its stages are so small that all they hold fits in
    there too. If in addition what comes back is served first, as ``merge_preferred`` does above,
    and no stage makes several elements of one, then the loop cannot hold itself up.

    The loop completes when all that flows into it from outside has completed and no element is
    left in it, whatever stages it passes. Loops that lead into each other complete together.
    Elements that a stage gives only then, as ``append`` and ``reduce`` do, cannot go round any
    more: those that reach ``sink`` are dead letters.

    Two loops are a ``GraphError`` that names the stages, when the graph is built: one with a
    ``buffer`` of 0, and one that no element can ever get into. The latter has no source merged into
    it, or its ``zip``, ``merge_sorted`` or the like waits for a first element of the loop; give it
    one with ``loop.source.start_with(...)``. A loop that gets stuck while it runs ends with
    ``Stalled``: one that makes more elements than it has room for, one whose ``zip`` waits while
    no element is left in the loop, one with a ``batch`` without ``within``.
    """

    def __init__(self, buffer: int) -> None:
        at_least(0, buffer, "Feedback: buffer")
        self._loop = Loop(buffer)
        self._source = spec_of("feedback", FeedbackStage, outflow_window=0, loop=self._loop)
        self._sink = spec_of("feedback", StageLogic, OPEN, outlets=0, loop=self._loop)

    def __repr__(self) -> str:
        return f"<Feedback buffer={self._loop.buffer}>"

    @property
    def source(self) -> Flow[Never, T]:
        """What came back."""
        from actors_rs.language.flow import Flow

        return Flow(OutletRef(self._source))

    @property
    def sink(self) -> Sink[T, None]:
        """The way back. It has no result of its own among those of the graph."""
        return Sink(self._sink)
