"""The elements that a hub holds, and its readers' positions. Pure: no ports, no threads.

Elements are known by their position in the stream. The buffer holds the last ``replay`` of them;
each ``Reader`` has the position of the element it gets next. One step is ``wanted``, ``add``,
``read`` for each reader, ``trim``.

Two bounds hold for elements taken from upstream: a reader has requested them, and no reader comes
to lag more than ``replay`` elements. With ``on_slow`` a reader may lag further, but not at once: it
is ``late`` only when it still requests nothing after all its messages were read. ``mark_late`` and
a pause after it are for that.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from actors_rs.protocol.demand import less_demand
from actors_rs.stages.ports import Frame

__all__ = ["HubBuffer", "OnSlow", "Reader"]

OnSlow: TypeAlias = Literal["backpressure", "drop", "fail"]
"""What happens to a reader that lags ``replay`` elements and requests nothing."""


class Reader:
    """One subscriber's place. ``demand`` and ``foreseen`` are as an outlet has them.

    ``position`` is the position of the next element; ``asked``: whether it ever requested one.
    """

    __slots__ = ("asked", "demand", "foreseen", "late", "position")

    def __init__(self, position: int) -> None:
        self.position = position
        self.demand = self.foreseen = 0
        self.asked = self.late = False

    def asks(self, demand: int, foreseen: int = 0) -> None:
        """It wants ``demand`` elements now, and ``foreseen`` more after them."""
        self.demand, self.foreseen = demand, foreseen
        self.asked = self.asked or demand + foreseen > 0


class HubBuffer:
    """The last ``replay`` elements of a stream and the readers' places in it.

    ``end`` is the position after the newest element, ``start`` the position of the oldest one held,
    ``dropped`` the number of elements that readers have missed.
    """

    def __init__(self, replay: int, on_slow: OnSlow = "backpressure") -> None:
        self.replay = replay
        self.on_slow = on_slow
        self.start = self.end = 0
        self.dropped = 0
        self._readers: list[Reader] = []
        self._slots: list[Any] = []
        self._blank = 0  # slots in front whose elements were released; removed many at a time

    def join(self) -> Reader:
        """A new reader, at the oldest element held."""
        reader = Reader(self.start)
        self._readers.append(reader)
        return reader

    def leave(self, reader: Reader) -> None:
        """``reader`` wants no more, and holds nobody up."""
        self._readers.remove(reader)

    def wanted(self) -> int:
        """How many elements to take from upstream now."""
        asked_for = max((r.position + r.demand for r in self._readers), default=0)
        room = min(
            (r.position + r.demand + self.replay for r in self._readers if self._is_heeded(r)),
            default=asked_for,
        )
        return max(0, min(asked_for, room) - self.end)

    def mark_late(self) -> bool:
        """Note who holds the others up and asks for nothing; whether there is anybody new.

        If so, the next step should be taken only after what readers have sent was heard.
        """
        if self.on_slow == "backpressure" or not any(r.demand for r in self._readers):
            return False
        late = [r for r in self._readers if self._is_heeded(r) and self._holds_up(r)]
        for reader in late:
            reader.late = True
        return bool(late)

    def add(self, frame: Frame) -> None:
        """Elements came; readers that requested them read them before ``trim``."""
        self._slots.extend(frame)
        self.end += len(frame)

    def read(self, reader: Reader) -> Frame:
        """What ``reader`` has asked for and did not get yet, as far as it is here."""
        count = min(reader.demand, self.end - reader.position)
        if not count:
            return ()
        frame = self._between(reader.position, reader.position + count)
        reader.position += count
        reader.demand = less_demand(reader.demand, count)
        reader.late = False
        return frame

    def trim(self) -> list[tuple[Reader, int]]:
        """Release all but the last ``replay`` elements; gives readers that missed some, how many.

        A reader that has never requested has not begun: it misses nothing, and will begin later.
        """
        oldest = max(self.start, self.end - self.replay)
        missed: list[tuple[Reader, int]] = []
        for reader in self._readers:
            if reader.position < oldest:
                if reader.asked:
                    missed.append((reader, oldest - reader.position))
                    self.dropped += oldest - reader.position
                reader.position = oldest
        self._forget(oldest)
        return missed

    def held(self) -> list[Any]:
        """The elements held, oldest first."""
        return self._between(self.start, self.end)

    def clear(self) -> None:
        """Hold nothing any more."""
        self._forget(self.end)

    def _is_heeded(self, reader: Reader) -> bool:
        """Whether the hub must wait for ``reader``, so that it does not lag too far."""
        return self.on_slow == "backpressure" or (reader.asked and not reader.late)

    def _holds_up(self, reader: Reader) -> bool:
        behind = self.end - reader.position
        return not reader.demand and not reader.foreseen and behind >= self.replay

    def _between(self, first: int, behind: int) -> list[Any]:
        offset = self._blank - self.start
        return self._slots[first + offset : behind + offset]

    def _forget(self, until: int) -> None:
        gone = until - self.start
        self._slots[self._blank : self._blank + gone] = [None] * gone
        self._blank += gone
        self.start = until
        if self._blank * 2 >= len(self._slots):
            del self._slots[: self._blank]
            self._blank = 0
