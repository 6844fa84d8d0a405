"""``Inlet``: the receiving end of a link."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.errors import ProtocolViolation
from actors_rs.stages.chunks.auto_window import AutoWindow, Paced
from actors_rs.stages.chunks.dropped import Dropped
from actors_rs.stages.chunks.frames import FEW, Frames
from actors_rs.stages.chunks.peers import Frame, Upstream
from actors_rs.stages.chunks.room import Room
from actors_rs.stages.chunks.views import VIEWS, View
from actors_rs.stages.chunks.window_policy import FIRST_WINDOW

__all__ = ["Inlet"]


class Inlet:
    """The receiving end of a link.

    ``window`` elements are kept requested: when a quarter of it has been taken, so that three
    quarters are left, that many are requested anew. ``count`` is the number of elements taken so
    far. With ``room``, an outlet of the same stage, no more is requested than that outlet has been
    asked for: it has room for each element that is under way to the stage, or held. With ``auto``,
    ``window`` follows the pace of the stage, and a window that has become smaller is requested anew
    once it holds less. ``follow`` makes ``auto`` when a few elements have been taken: most inner
    streams have fewer, and there may be a million of them.
    """

    inner = False  # whether an inner stream of the stage feeds it
    __slots__ = (
        "_dropped",
        "_frames",
        "_most",
        "_paced_by",
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
        "total",
        "window",
    )

    def __init__(self, name: str = "in", window: int = 4096) -> None:
        self.name = name
        self.window = window
        self.buffered = 0
        self.count = 0
        self.opened = False
        self.room: Room | None = None
        self.total: int | None = None
        """How many elements it requests at most in all; ``None`` for any number."""
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
        self._most = 0  # how large ``auto`` may make the window; 0 if ``follow`` was not called
        self._paced_by: Paced | None = None  # the stage that makes ``auto``, until it has
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
        return (self._most or self.window) if self.auto is None else self.auto.most

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

    def follow(self, stage: Paced) -> None:
        """Let ``window``, which is the most then, follow the pace of ``stage``; before it opens."""
        self._paced_by, self._most = stage, self.window
        self.window = min(FIRST_WINDOW, self.window)

    def _begin_auto(self, stage: Paced) -> None:
        self.auto, self._paced_by = stage.auto_window(self._most), None

    def connect(self, upstream: Upstream) -> None:
        """Attach the upstream; earlier requests are sent to it now."""
        self._upstream = upstream
        if self.cancelled or self.done:
            upstream.cancel(None)
        elif self._requested:
            upstream.request(self._requested)

    def open(self) -> None:
        """Request the first window; later calls do nothing, unless there is more ``room``, or the
        stage has drained a small automatic window, which may grow."""
        if self.closed:
            return
        if self._most and self.window <= FIRST_WINDOW and not self.buffered:
            self._look_again()
        if self.room is not None:
            most = min(self.window, self.room.demand + self.room.foreseen)
            missing = most - self._requested - self.buffered
            # Where the window is the limit, a quarter of it at a time, as ``take`` does.
            if missing > 0 and (most < self.window or missing * 4 >= most):
                self.opened = True
                self._request(missing)
        elif not self.opened:
            self.opened = True
            self._request(self.window)

    def _look_again(self) -> None:
        if self.auto is not None:
            self.window = self.auto.dried(self.count)
            self._request_up_to_window()

    def widen(self, window: int) -> None:
        """Keep ``window`` elements requested, if that is more; an automatic window at most."""
        if self.auto is not None:
            self.auto.widen(window)
        elif self._paced_by is not None:
            self._most = max(window, self._most)
        elif window > self.window:
            self.window = window
            self._request_up_to_window()

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
            if (stage := self._paced_by) is not None:
                self._begin_auto(stage)
            if (auto := self.auto) is not None:
                if self.count >= auto.due or auto.turn.lapped > auto.late:
                    held = self._requested + self.buffered
                    self.window = auto.taking(frame, self.count - taken, held)
                again = self.window - self._requested - self.buffered
            if self.room is None and again > 0:
                self._request(again)
        if (auto := self.auto) is not None and not self.buffered:
            auto.waited -= auto.turn.idle
            if self.done:
                auto.over()
        return frame

    def take_joined(self, most: int) -> Frame:
        """As ``take``, but short frames that wait are taken together.

        A frame costs a stage the same with few elements as with many. Each stage may cut a frame,
        when a thread had to wait in the middle of it, so a long chain would get ever shorter ones.
        """
        frame = self.take(most)
        left = most - len(frame)
        if not left or not self.buffered or len(frame) >= FEW or isinstance(frame, View):
            return frame
        if not self._frames.begins_short(left):
            return frame
        joined = list(frame)
        while self.buffered and self._frames.begins_short(most - len(joined)):
            joined.extend(self.take(most))
        return joined

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
            if (auto := self.auto) is not None and not self.buffered:
                auto.waited += auto.turn.idle
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

    def unlink(self) -> None:
        """The stage has ended: release its peers, so that it is freed without the collector."""
        self._upstream = self._paced_by = None
        if self.auto is not None:
            self.auto.unlink()

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
            auto.waited += auto.turn.idle
        self._requested -= arrived
        self.buffered += arrived
        self._frames.append(frame)
        if auto is not None and auto.on_arrival:
            held = self._requested + self.buffered
            self.window = auto.taking(frame, self.count, held)
            self._request_up_to_window()

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

    def _request_up_to_window(self) -> None:
        missing = self.window - self._requested - self.buffered
        if missing > 0 and self.room is None and self.opened and not self.closed:
            self._request(missing)

    def _request(self, n: int) -> None:
        if self.total is not None:
            n = min(n, self.total - self.count - self.buffered - self._requested)
            if n <= 0:
                return
        self._requested += n
        if self._upstream is not None:
            self._upstream.request(n)
