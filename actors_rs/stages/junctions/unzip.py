"""unzip()

in:    (1 a) (2 b) (3 c) |
out 0: 1 2 3 |
out 1: a b c |          (at the pace of the slowest)

Back-pressure: asks upstream for what all outlets have asked for.
Completes: all outlets, when the input has completed and all of it was given.
Fails: all outlets, when the input has failed, after what it gave; when an element has not as many
  parts (``len``) as there are outlets; when a stage after one of them has failed.
Cancels: upstream, when all outlets have been cancelled; one that was gets its parts no longer.
"""

from __future__ import annotations

from typing import Any

from actors_rs.stages.junctions.broadcast import Broadcast
from actors_rs.stages.ports import Frame, Outlet
from actors_rs.texts import repr_of


class Unzip(Broadcast):
    """The parts of each element, one to each outlet."""

    def give(self, frame: Frame, active: list[Outlet]) -> None:
        count = len(self.outlets)
        good = frame
        if not _all_have(count, frame):
            good = frame[: next(i for i, one in enumerate(frame) if not _all_have(count, (one,)))]
        if good:
            for outlet, part in zip(self.outlets, zip(*good, strict=True), strict=True):
                outlet.emit(part)
        if good is not frame:
            wrong: Any = frame[len(good)]
            error = TypeError(f"unzip({count}) needs sequences of {count}, got {repr_of(wrong)}")
            position = self.inlet.count - len(frame) + len(good)
            self.inlet.untake(frame[len(good) + 1 :])
            self.fail_for(wrong, error, position)


def _all_have(count: int, frame: Frame) -> bool:
    """Whether each element of ``frame`` has ``count`` parts."""
    try:
        return set(map(len, frame)) == {count}
    except TypeError:
        return False
