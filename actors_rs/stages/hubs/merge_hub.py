"""merge_hub()

a:   1   3 |
b:         4 5 |        (attached after a)
out: 1   3 4 5 |        (completes once the hub was closed)

The elements of streams that come and go, as they come, frame by frame in turn.

Back-pressure: asks each stream for its window once downstream asks; gives only what was asked for.
Completes: when the hub was closed or drained and all streams attached before have ended.
Fails: with the first stream that fails, if told so; else that stream is reported and forgotten.
Cancels: all streams that are attached, when downstream cancels; none can be attached any more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.stages.inner.logic import InnerInlet, InnerStreamsLogic
from actors_rs.stages.ports import Inlet
from actors_rs.stages.stage import Budget

__all__ = ["MergeHubLogic"]


class MergeHubLogic(InnerStreamsLogic):
    """Inner streams that are attached from outside; the hub learns of start and stop."""

    recovers = True

    def __init__(self, *, fails: bool, began: Callable[[], None], ended: Callable[[], None]):
        super().__init__()
        self._fails = fails
        self._began = began
        self._ended = ended
        self._fresh: list[Inlet] = []  # not opened yet
        self._closing = False

    def admit(self, source: Any) -> Inlet | None:
        """Attach ``source``; in the stage's turn. It leaves when its inlet is cancelled.

        ``None`` if it cannot be started, which is a failure of that stream like any other.
        """
        try:
            inlet = self.begin(source, forgiving=True)
        except Exception as error:
            if self._fails:
                raise
            self.context.report(source, "a stream attached to a merge_hub cannot be run", error)
            return None
        self._fresh.append(inlet)
        return inlet

    def close(self) -> None:
        """Nothing more will be attached; in the stage's turn."""
        self._closing = True

    drain = close

    def start(self) -> None:
        self._began()

    def stop(self, error: BaseException | None) -> None:
        self._ended()

    @property
    def waits_outside(self) -> bool:  # type: ignore[override]
        return not self._closing  # for streams to come, even after present ones have ended

    def advance(self, budget: Budget) -> None:
        outlet, line = self.outlet, self.line
        if outlet.cancelled:
            self.end(outlet.cause)
        if outlet.demand:
            for inlet in self._fresh:
                inlet.open()
            self._fresh.clear()
        while line and outlet.demand > 0:
            self._look_at(self.first_in_line())
        for inlet in self.take_out_of_line(_has_ended):  # an end needs no demand
            self._look_at(inlet)
        if self._closing and not self.running:
            self.end(None)

    def flow(self, inlet: InnerInlet) -> bool:
        outlet, error = self.outlet, inlet.error
        while inlet.buffered and outlet.demand:
            outlet.emit(inlet.take(outlet.demand))
        if not inlet.exhausted:
            return True
        self.forget(inlet)
        if error is not None and self._fails:
            self.end(error)
        elif error is not None:
            self.context.recovered(error)
            self.context.report(None, "a stream attached to a merge_hub failed", error)
        return False

    def leave(self, inlet: Inlet) -> None:
        """Cancel the stream of ``inlet``, if it has not ended; in the stage's turn."""
        if isinstance(inlet, InnerInlet) and inlet in self.inlets:
            self.drop(inlet)

    def _look_at(self, inlet: InnerInlet) -> None:
        if not inlet.cancelled and self.flow(inlet) and inlet.buffered:
            inlet.get_in_line()


def _has_ended(inlet: InnerInlet) -> bool:
    return inlet.exhausted
