"""``Feedback``: a way back, for graphs in which elements come round."""

from __future__ import annotations

from typing import Generic, Never, TypeVar

from actors_rs.graph.checks import at_least
from actors_rs.graph.spec import OPEN, Loop, OutletRef, spec_of
from actors_rs.language.flow import Flow
from actors_rs.language.sink import Sink
from actors_rs.stages.junctions.feedback import Feedback as FeedbackStage
from actors_rs.stages.stage import StageLogic

__all__ = ["Feedback"]

T = TypeVar("T")


class Feedback(Generic[T]):
    """A loop: elements that go into ``sink`` come out of ``source``. Both belong into one graph.

    ``buffer`` elements wait where the loop comes back to, or twice as many as there are stages in
    the loop if that is more. The windows of its stages are so small that all they hold fits in
    there too. A loop cannot block itself if ``merge_preferred`` serves the elements that come back
    first, and no stage makes several elements of one.

    The loop completes when all that flows into it from outside has completed and no element is left
    in any of its stages. Loops that lead into each other complete together. Elements that a stage
    gives only then, as ``append`` and ``reduce`` do, cannot go round any more: if they reach
    ``sink``, they are dead letters.

    Two loops are a ``GraphError`` that names the stages, when the graph is built:

    - A loop with a ``buffer`` of 0.
    - A loop that no element can ever get into. It has no source merged into it, or its ``zip``,
      ``merge_sorted`` or the like waits for a first element of the loop. Give it one with
      ``loop.source.start_with(...)``.

    A loop that gets stuck while it runs ends with ``Stalled``. It makes more elements than it has
    room for, its ``zip`` waits while no element is left in the loop, or it has a ``batch`` without
    ``within``.

    >>> loop = Feedback(buffer=64)
    >>> halves = loop.source.merge_preferred(Source.of(12, 7)).map(lambda n: n / 2)
    >>> done = halves.divert_to(loop.sink, when=lambda n: n > 2)
    >>> sorted(done.run(Sink.list()))
    [1.5, 1.75]
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
        """The elements that came back."""
        return Flow(OutletRef(self._source))

    @property
    def sink(self) -> Sink[T, None]:
        """The way back. It adds no result to the results of the graph."""
        return Sink(self._sink)
