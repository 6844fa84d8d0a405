"""Ports: the two ends of a link as a stage sees them.

An ``Inlet`` keeps a window of elements requested from upstream and holds the frames that arrived;
an ``Outlet`` knows the demand from downstream. Both are plain state, touched by one actor only:
what crosses to another actor goes through the ``Upstream`` or ``Downstream`` they are connected
to, which turns calls into messages.

A frame is a sequence of 1..n elements and is never changed once it was emitted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager as ContextManager
from typing import Any

from actors_rs.errors import DefectError, ProtocolViolation
from actors_rs.protocol.demand import UNBOUNDED, less_demand
from actors_rs.stages.pieces.auto_window import AutoWindow
from actors_rs.stages.pieces.dropped import Dropped
from actors_rs.stages.pieces.frames import Frames
from actors_rs.stages.pieces.peers import Downstream, Frame, Upstream
from actors_rs.stages.pieces.room import Room
from actors_rs.stages.pieces.views import VIEWS

__all__ = ["Frame", "Inlet", "Outlet"]


class Inlet:
    """The receiving end of a link.

    ``window`` elements are kept requested: when a quarter of it has been taken, so that three
    quarters are left, that many are requested anew. ``count`` is the number of elements taken so
    far. With ``room``, an outlet of the same stage, no more is requested than that outlet has been
    asked for: it has room for each element that is under way to the stage, or held. With ``auto``,
    ``window`` follows the pace of the stage, and a window that has become smaller is requested anew
    once it holds less.
    """

    inner = False  # whether an inner stream of the stage feeds it
    __slots__ = (
        "_dropped",
        "_frames",
        "_requested",
        "_since_request",
        "_upstream",
        "auto",
        "buffered",
        "cancelled",
        "closed",
        "count",
        "done",
        "error",
        "feeder",
        "feeder_outlet",
        "forgiving",
        "name",
        "on_drop",
        "on_unheard",
        "opened",
        "room",
        "takes_views",
        "window",
    )

    def __init__(self, name: str = "in", window: int = 4096) -> None:
        self.name = name
        self.window = window
        self.buffered = 0
        self.count = 0
        self.opened = False
        self.room: Room | None = None
        self.auto: AutoWindow | None = None
        self.takes_views = False  # whether the code that takes frames knows a ``View``
        self.feeder = self.feeder_outlet = ""  # names of what feeds it, for figures and pictures
        self.forgiving = False
        """Whether a stream that fails after its cancellation is no failure of the run."""
        self.done = self.cancelled = False
        self.closed = False  # nothing more will come: ``done`` or ``cancelled``
        self.error: BaseException | None = None
        self.on_drop: Callable[[Frame], None] | None = None
        """Gets elements dropped because of a failure, where they are reported; any thread."""
        self.on_unheard: Callable[[BaseException], None] | None = None
        """Gets the error that comes when the stage has ended with another one; any thread."""
        self._dropped: Dropped | None = None  # once cancelled
        self._frames = Frames()
        self._requested = 0
        self._since_request = 0
        self._upstream: Upstream | None = None

    @property
    def exhausted(self) -> bool:
        """Nothing is held and nothing will come: completed, failed or cancelled."""
        return (self.done and not self.buffered) or self.cancelled

    @property
    def capacity(self) -> int:
        """The most that ``window`` may become."""
        return self.window if self.auto is None else self.auto.most

    @property
    def outstanding(self) -> int:
        """Requested from upstream and not yet arrived."""
        return self._requested

    @property
    def dropped(self) -> int:
        """Elements that arrived and were not taken, for the stage wanted no more."""
        return 0 if self._dropped is None else self._dropped.total

    def count_dropped_in(self, sums: list[int]) -> None:
        """Count in ``sums`` too what arrives, or has arrived, and is not taken."""
        if self._dropped is not None:
            self._dropped.pour_into(sums)

    def connect(self, upstream: Upstream) -> None:
        """Attach the upstream; earlier requests are sent to it now."""
        self._upstream = upstream
        if self.cancelled or self.done:
            upstream.cancel(None)
        elif self._requested:
            upstream.request(self._requested)

    def open(self) -> None:
        """Request the first window; later calls do nothing, unless there is more ``room``."""
        if self.closed:
            return
        if self.room is not None:
            most = min(self.window, self.room.demand + self.room.foreseen)
            if (missing := most - self._requested - self.buffered) > 0:
                self.opened = True
                self._request(missing)
        elif not self.opened:
            self.opened = True
            self._request(self.window)

    def take(self, most: int) -> Frame:
        """Up to ``most`` elements, at least one: the caller knows that ``buffered`` is not 0."""
        frames = self._frames
        if frames.begun:
            frame = frames.go_on(most)
            taken = len(frame)
        else:
            whole: Any = frames.whole  # not empty, as something is buffered
            if len(whole) == 1:
                frame, frames.whole = whole[0], None
            else:
                frame = whole.popleft()
            taken = len(frame)
            if taken > most:
                frame, taken = frames.begin(frame, most), most
        self.buffered -= taken
        self.count += taken
        self._since_request += taken
        if self._since_request * 4 >= self.window and not self.done:
            again, self._since_request = self._since_request, 0
            if (auto := self.auto) is not None:
                if self.count >= auto.due or auto.turn.lapped > auto.late:
                    held = self._requested + self.buffered
                    self.window = auto.taking(frame, self.count - taken, held)
                again = self.window - self._requested - self.buffered
            if self.room is None and again > 0:
                self._request(again)
        if self.auto is not None and not self.buffered:
            self.auto.dry(self.done)
        return frame

    def gather(self, count: int) -> Frame:
        """Exactly ``count`` elements, at least one and at most ``buffered``; of several frames."""
        frame = self.take(count)
        if len(frame) == count:
            return frame
        gathered = list(frame)
        while left := count - len(gathered):
            gathered.extend(self.take(left))
        return gathered

    def untake(self, frame: Frame) -> None:
        """Give back the rest of what ``take`` returned; it comes first next time."""
        if frame:
            self._frames.put_back(frame)
            self.buffered += len(frame)
            self.count -= len(frame)
            self._since_request -= len(frame)

    def cancel(self, cause: BaseException | None = None) -> None:
        """Ask for no more and drop what is held."""
        if self.cancelled:
            return
        self._dropped = Dropped(self.buffered)
        self.cancelled = self.closed = True
        if cause is None:
            self.on_drop = None  # downstream has had enough: the rest is not missed
        else:
            self._drop_held()
        self._clear()
        if not self.done and self._upstream is not None:
            self._upstream.cancel(cause)

    def discard(self) -> None:
        """Drop what is held, of a stage that was given up: its links lead nowhere."""
        self._dropped = self._dropped or Dropped(0)
        self._dropped.add(self.buffered)
        self._clear()

    def _clear(self) -> None:
        self._frames.clear()
        self.buffered = 0
        if self.auto is not None:
            self.auto.over()

    def drop(self, frame: Frame) -> None:
        """``frame`` is dropped: it came after the end of the inlet, or of its stage."""
        if self._dropped is not None:
            self._dropped.add(len(frame))
        self._report_dropped(frame)

    def _report_dropped(self, frame: Frame) -> None:
        if self.on_drop is not None:
            self.on_drop(frame)

    def cancel_upstream(self) -> None:
        """Ask for no more, but keep held elements; elements under way may still arrive."""
        if not self.done and not self.cancelled and self._upstream is not None:
            self._upstream.cancel(None)
            self._upstream = None

    # What follows is called when a signal of the link arrives.

    def push(self, frame: Frame) -> None:
        """A frame arrived. After cancellation it is dropped, as rule 2.8 allows.

        Raises ``ProtocolViolation`` for elements beyond demand (1.1) or after the end (1.7).
        """
        if self.closed:
            if not self.cancelled:
                raise ProtocolViolation("1.7", f"an element after the end of '{self.name}'")
            self.drop(frame)
            return
        arrived = len(frame)
        if arrived > self._requested:
            wanted = f"{self._requested} elements requested, {arrived} delivered"
            raise ProtocolViolation("1.1", f"{wanted} to '{self.name}'")
        if type(frame) in VIEWS and not self.takes_views:
            frame = list(frame)
        if (auto := self.auto) is not None and not self.buffered:
            auto.waited += auto.turn.idle - auto.went_dry
        self._requested -= arrived
        self.buffered += arrived
        self._frames.append(frame)

    def complete(self, error: BaseException | None = None) -> None:
        """The stream ended, with ``error`` if it failed; held elements can still be taken."""
        if self.done and not self.cancelled:
            raise ProtocolViolation("1.7", f"a second terminal signal to '{self.name}'")
        self.done = self.closed = True
        self.error = error
        if self.auto is not None and not self.buffered:
            self.auto.over()

    def _drop_held(self) -> None:
        for frame in self._frames.left():
            self._report_dropped(frame)

    def _request(self, n: int) -> None:
        self._requested += n
        if self._upstream is not None:
            self._upstream.request(n)


class Outlet:
    """The sending end of a link.

    ``demand`` is how many elements may be emitted now, 0 once the outlet is ``closed``: completed,
    failed or cancelled. ``count`` is the number of elements emitted so far. ``unwanted`` is how
    many were emitted after its cancellation and went nowhere. ``foreseen`` is how many elements
    beyond ``demand`` are requested and will be granted piece by piece: none may be emitted yet, but
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
