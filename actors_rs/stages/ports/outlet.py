"""``Outlet``: the sending end of a link."""

from __future__ import annotations

from contextlib import AbstractContextManager as ContextManager
from typing import Any

from actors_rs.errors import DefectError
from actors_rs.protocol.demand import UNBOUNDED, less_demand
from actors_rs.stages.chunks.peers import Downstream, Frame

__all__ = ["Outlet"]


class Outlet:
    """The sending end of a link.

    ``demand`` is how many elements may be emitted now, 0 once the outlet is ``closed``: completed,
    failed or cancelled. ``count`` is the number of elements emitted so far. ``unwanted`` is how
    many were emitted after its cancellation and went nowhere. ``foreseen`` is how many elements
    beyond ``demand`` are requested and will be granted in portions: none may be emitted yet, but
    a source of slow elements can begin them.
    """

    inner = False  # whether it feeds an inner stream
    __slots__ = (
        "_downstream",
        "cancelled",
        "cause",
        "closed",
        "count",
        "demand",
        "error",
        "foreseen",
        "gate",
        "is_local",
        "making",
        "name",
        "overdue",
        "sent_ahead",
        "unwanted",
    )

    def __init__(self, name: str = "out") -> None:
        self.name = name
        self.count = self.unwanted = self.sent_ahead = 0
        # A frame that code which may wait is filling, for the next emission. The thread that sends
        # part of it holds ``gate``; without a gate no thread does.
        self.making: list[Any] | None = None
        self.gate: ContextManager[Any] | None = None
        self.overdue = False
        """Whether filling it takes long: an iterator that waits gives no further element first."""
        self.demand = self.foreseen = 0
        self.is_local = False  # whether it leads to another stage of the same actor
        self.closed = self.cancelled = False
        self.cause: BaseException | None = None
        self.error: BaseException | None = None  # its failure
        self._downstream: Downstream | None = None

    @property
    def requested(self) -> int:
        """How many elements downstream still waits for: ``demand``, and those ``foreseen``."""
        return self.demand + self.foreseen

    def connect(self, downstream: Downstream) -> None:
        """Attach the downstream; once, before anything is emitted."""
        self._downstream = downstream

    def emit(self, frame: Frame) -> None:
        """Send a frame of at most ``demand`` elements; an empty one is nothing.

        Raises ``DefectError`` beyond demand (rule 1.1). After cancellation a frame is dropped.
        """
        if self.making is not None:
            frame = self._rest_of(frame)
        size = len(frame)
        if not size or self.cancelled:
            self.unwanted += size
            return
        if self.closed or self._downstream is None:
            raise DefectError(f"rule 1.7: outlet '{self.name}' emitted after its end")
        demand = self.demand
        if demand < UNBOUNDED:
            if size > demand:
                less_demand(demand, size)  # says what is wrong
            self.demand = demand - size
        self.count += size
        self._downstream.push(frame)

    def complete(self) -> None:
        """End the stream; nothing happens if it has ended."""
        if not self.closed and self._downstream is not None:
            self._close()
            self._downstream.complete()

    def fail(self, error: BaseException) -> None:
        """End the stream with an error; nothing happens if it has ended."""
        if not self.closed and self._downstream is not None:
            self._close()
            self.error = error
            self._downstream.fail(error)

    # What follows is called when a signal of the link arrives.

    def request(self, n: int) -> None:
        """Downstream asked for ``n`` more."""
        if not self.closed:
            demand = self.demand + n
            self.demand = demand if demand < UNBOUNDED else UNBOUNDED  # as ``more_demand`` does

    def cancel(self, cause: BaseException | None = None) -> None:
        """Downstream wants no more; ``cause`` if it failed."""
        if not self.closed:
            self._close()
            self.cancelled = True
            self.cause = cause

    def _close(self) -> None:
        if self.making is not None:
            self._rest_of(())
        self.closed = True
        self.demand = 0

    # A frame whose elements go ahead of it

    def send_ahead(self) -> bool:
        """Send what lies in the frame that is being made; whether one is. On any thread."""
        if self.gate is None:
            return False
        with self.gate:
            frame = self.making
            if frame is None or self._downstream is None:
                return False
            if part := frame[self.sent_ahead :]:
                self.sent_ahead += len(part)
                self._downstream.push(part)
            return True

    def _rest_of(self, frame: Frame) -> Frame:
        """Nothing goes ahead any more: the rest of ``frame``; in the stage's turn."""
        assert self.gate is not None
        with self.gate:
            self.making = None
            sent, self.sent_ahead = self.sent_ahead, 0
        if not sent:
            return frame
        self.demand = less_demand(self.demand, sent)
        self.count += sent
        return frame[sent:]
