"""amb(a, b)

a:       .
b:     1   2 3 |
out:   1   2 3 |        (. cancelled: b was the first to signal)

All streams are started; the first that gives an element or ends is the one that counts, and the
others are cancelled.

Back-pressure: asks each stream for a window when downstream asks; then the one that counts for
  what downstream asks for.
Completes: when the stream that counts has.
Fails: when the stream that counts does. What fails after its cancellation does no harm.
Cancels: every stream that is running.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from actors_rs.stages.inner.logic import InnerInlet, InnerStreamsLogic
from actors_rs.stages.stage import Budget


class Amb(InnerStreamsLogic):
    """``streams``, all started at once; ``None`` among them is the stage's own input."""

    def __init__(self, streams: Sequence[Any]) -> None:
        super().__init__()
        self._streams = [stream for stream in streams if stream is not None]
        if None in streams:
            self.running += 1
            self.inlets.append(InnerInlet("in", self.window, self.line))
        self._winner: InnerInlet | None = None

    def start(self) -> None:
        for stream in self._streams:
            self.begin(stream, forgiving=True)

    def advance(self, budget: Budget) -> None:
        outlet = self.outlet
        if outlet.cancelled:
            self.end(outlet.cause)
        if self._winner is None and self.line:
            self._choose()
        if outlet.demand:
            for inlet in self.inlets:
                inlet.open()
        self.line.clear()
        if self._winner is not None and not outlet.closed:
            self._winner.in_line = False
            if not self.flow(self._winner):
                self.end(None)

    def _choose(self) -> None:
        """The first in line is the one that counts."""
        self._winner = self.line[0]
        for inlet in tuple(self.inlets):
            if isinstance(inlet, InnerInlet) and inlet is not self._winner:
                self.drop(inlet)
