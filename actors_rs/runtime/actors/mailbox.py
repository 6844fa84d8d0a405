"""The mailbox: two lanes, closeable, scheduled at most once.

Control messages (request, cancel, timers) overtake data messages (frames, completion, user
messages), and each lane keeps its order. ``put`` and ``close`` share one lock, so a message is
either read by the actor, handed back by ``close``, or refused: none is lost in between.

Many threads put; only the turn that runs the actor takes, ends the turn or closes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from pykka import ActorDeadError

from actors_rs.runtime._primitives import RLock, start_thread
from actors_rs.runtime.dispatch.dispatcher import Dispatcher, Turn

__all__ = ["BOTH", "EMPTY", "Mailbox", "MailboxStatistics"]


Lane: TypeAlias = "list[Any] | deque[Any]"
LONG = 64
"""A lane with more messages is a deque: the first of a list is removed by moving the others."""


NONE, CONTROL_ALONE, BOTH = 0, 1, 2
"""How many lanes take messages: none after ``close``, one after ``refuse``."""


class _Empty:
    def __repr__(self) -> str:
        return "EMPTY"


EMPTY: Final = _Empty()
"""What ``take`` returns when both lanes are empty (``None`` is an ordinary message)."""


@dataclass(frozen=True, slots=True)
class MailboxStatistics:
    """A mailbox at one moment: unread messages of each lane, and whether it takes more.

    ``data`` are messages of users. An orderly stop waits among them, and counts as one.
    """

    control: int
    data: int
    closed: bool


class Owner(Protocol):
    """Whose it is: ``_dispatcher_`` gets ``_turn_`` when it goes from idle to holding work."""

    @property
    def _dispatcher_(self) -> Dispatcher: ...

    def _turn_(self) -> None: ...


def _paused() -> None:
    """Stands for the turn of an actor that waits for its coroutine; never called."""


class Mailbox:
    """An actor's inbox; fits pykka's ``ActorInbox`` (``put``, ``get``, ``empty``).

    A new mailbox is dormant: it keeps its messages and schedules no turn. The code that starts the
    actor schedules the first turn; after that turn the mailbox schedules turns itself. ``owner`` is
    the actor, until it ends. References find the actor through it, so they need no weak reference
    each.

    A ``halted`` mailbox is closed, or its actor has ended and another one may follow. Its messages
    stay, and no turn is scheduled. The supervisor of the actor, one thread at a time, then calls
    ``resume`` or ``close``.
    """

    __slots__ = ("_lock", "_open_lanes", "_scheduled", "control", "data", "halted", "owner")

    def __init__(self) -> None:
        self._lock = RLock()  # reentrant: a ``__del__`` may run here and put a message.
        # Made on demand, as most actors are idle. They are lists, of 0.1 KiB: a deque has 0.6 KiB,
        # and each group waits for its actor with one message in each.
        self.data: Lane | None = None
        """The data lane, if there is anything in it; to look into, nothing else. As ``control``."""
        self.control: Lane | None = None
        self._scheduled: Turn | bool = True
        self._open_lanes = BOTH
        self.halted = False
        self.owner: Owner | None = None

    def __len__(self) -> int:
        return len(self.data or ()) + len(self.control or ())

    def statistics(self) -> MailboxStatistics:
        """A snapshot; cheap, from any thread."""
        return MailboxStatistics(len(self.control or ()), len(self.data or ()), self.refuses)

    def offer(self, message: Any) -> bool:
        """Put into the data lane. False when that is closed. Any thread.

        ``KeyboardInterrupt`` and ``RecursionError`` may be raised in here. Then the message may
        have been put; every message that was put is read.
        """
        dispatcher: Dispatcher | None = None
        enqueue: Callable[[Turn], object] | None = None
        try:
            with self._lock:
                if self._open_lanes < BOTH:
                    return False
                if self.data is None:
                    data: Lane = []
                    if self.data is None:  # a ``__del__`` may have put something meanwhile
                        self.data = data
                self.data.append(message)
                if self._scheduled:
                    return True
                owner: Any = self.owner  # an idle mailbox has one
                dispatcher, turn = owner._dispatcher_, owner._turn_
                enqueue = dispatcher.enqueue
                # From here until after the call, Python checks for no signal and makes no object,
                # so neither Ctrl-C nor a ``__del__`` can interrupt. The call is no deeper than the
                # one above. So both happen, or none.
                if self._scheduled:
                    return True
                self._scheduled = turn
                enqueue(turn)
            dispatcher.enqueued()
        except BaseException:
            if dispatcher is not None and enqueue is not None:
                try:
                    start_thread(dispatcher.take_over, (enqueue,))  # no signal comes first
                except RuntimeError:  # there is none
                    dispatcher.take_over(enqueue)
            raise
        return True

    def offer_control(self, message: Any) -> bool:
        """Put into the control lane, in all else as ``offer``."""
        dispatcher: Dispatcher | None = None
        enqueue: Callable[[Turn], object] | None = None
        try:
            with self._lock:
                if self._open_lanes < CONTROL_ALONE:
                    return False
                if self.control is None:
                    control: Lane = []
                    if self.control is None:  # as in ``offer``
                        self.control = control
                self.control.append(message)
                if self._scheduled:
                    return True
                owner: Any = self.owner
                dispatcher, turn = owner._dispatcher_, owner._turn_
                enqueue = dispatcher.enqueue
                if self._scheduled:
                    return True
                self._scheduled = turn
                enqueue(turn)
            dispatcher.enqueued()
        except BaseException:
            if dispatcher is not None and enqueue is not None:
                try:
                    start_thread(dispatcher.take_over, (enqueue,))  # no signal comes first
                except RuntimeError:  # there is none
                    dispatcher.take_over(enqueue)
            raise
        return True

    def put(self, message: Any, /) -> None:
        """Put into the data lane; raises ``ActorDeadError`` when closed. Any thread."""
        if not self.offer(message):
            raise ActorDeadError("the actor of this mailbox has stopped")

    def take(self) -> Any:
        """Next message, control lane first, or ``EMPTY``. Only in the actor's turn."""
        lane: Any = self.control or self.data
        if not lane:
            return EMPTY
        message: Any = EMPTY
        short = type(lane) is list
        if short and len(lane) > LONG:
            lane, short = self._lengthened(lane), False
        try:
            message = lane[0]
            return lane.pop(0) if short else lane.popleft()
        except KeyboardInterrupt:  # it comes after the call
            lane.insert(0, message)
            raise
        except IndexError:  # ``take_refused`` was faster, or one who closes it again
            return EMPTY

    def _lengthened(self, lane: Lane) -> deque[Any]:
        """``lane`` as what takes the first of many in one step; in the actor's turn."""
        with self._lock:
            long = deque(lane)
            if lane is self.control:
                self.control = long
            else:
                self.data = long
        return long

    get = take

    def empty(self) -> bool:
        """Whether both lanes are empty at this moment."""
        return not self.data and not self.control

    def end_turn(self, again: bool = False) -> bool:
        """End the turn. True: messages are left (or ``again``), and the caller schedules anew.

        Also True for a mailbox that was halted in the meantime; there, no turn is scheduled.
        """
        lock = self._lock
        try:
            lock.acquire()  # a ``with`` costs twice as much, and this is done in every turn
            if again or self.data or self.control or self.halted:
                return True
            self.data = self.control = None
            self._scheduled = False
            return False
        finally:
            try:
                lock.release()
            except RuntimeError:  # Ctrl-C came while it waited
                pass

    def put_back(self, message: Any) -> None:
        """Put before all others in the data lane; only in the actor's turn."""
        with self._lock:
            if self.data is None:
                self.data = []
            self.data.insert(0, message)

    def resume(self, owner: Owner) -> None:
        """``owner`` takes a halted mailbox over; its first turn is scheduled by the caller."""
        self.owner = owner
        self.halted = False

    def halt(self) -> None:
        """Its actor has ended in this turn; its supervisor decides on a successor next."""
        self._scheduled = self.halted = True

    def next_turn(self, owner: Owner) -> Turn:
        """The turn that goes on where this one ends: the same again, so that ``owes`` knows it."""
        turn = self._scheduled
        if turn is _paused:
            turn = self._scheduled = owner._turn_
        return owner._turn_ if isinstance(turn, bool) else turn

    def pause(self) -> None:
        """The turn ends, and none is due: a coroutine hands in the next one when it has ended."""
        self._scheduled = _paused

    def owes(self, turn: Turn) -> bool:
        """Whether ``turn``, which was interrupted at some place, is the one that is due or runs.

        If it had ended, the mailbox is idle, or a sender has handed in another turn.
        """
        owner = getattr(turn, "__self__", None)
        is_first = self._scheduled is True and (
            self.owner is owner or not hasattr(owner, "_turn_")  # a child that is not made yet
        )
        return is_first or self._scheduled is turn

    @property
    def idle(self) -> bool:
        """Whether no turn is running or due at this moment."""
        return not self._scheduled

    def close(self) -> Sequence[Any]:
        """Refuse messages from now on; return the unread ones, control lane first.

        They stay in the data lane until they are taken, so one who is interrupted can go on.
        """
        with self._lock:
            self._open_lanes = NONE
            self.halted = self._scheduled = True
            left = [*(self.control or ()), *(self.data or ())]
            self.control, self.data = None, left or None
            self.owner = None
        return left

    def refuse(self) -> None:
        """Close the data lane, for an actor that nobody waits for; ``take_refused`` empties it.

        Called outside of its turns. A turn that goes on finds the order to stop first.
        """
        with self._lock:
            if self._open_lanes == BOTH:
                self._open_lanes = CONTROL_ALONE
                if self.data:
                    self.data.reverse()  # the first message is taken from the end, in one step

    def take_refused(self) -> Any:
        """The next message of a data lane that was refused, or ``EMPTY``; any thread."""
        with self._lock:
            if not self.data:
                return EMPTY
            message = self.data[-1]
            try:
                self.data.pop()
            except (KeyboardInterrupt, SystemExit):  # of a signal, after the call
                self.data.append(message)
                raise
            return message

    @property
    def refuses(self) -> bool:
        """Whether the data lane is closed, by ``refuse`` or ``close``."""
        return self._open_lanes < BOTH

    def waiting(self) -> tuple[Any, ...]:
        """The messages in the data lane at this moment; they stay there."""
        with self._lock:
            return tuple(self.data or ())

    def sift(self, kept: Callable[[Any], Any]) -> None:
        """Put what ``kept`` returns in place of each data message, for ``EMPTY`` nothing.

        Only while it is halted, so that no turn takes messages. Senders wait for ``kept``.
        """
        with self._lock:
            before = tuple(self.data or ())
            left = [one for message in before if (one := kept(message)) is not EMPTY]
            came = tuple(self.data or ())[len(before) :]  # from a ``__del__`` that ran just now
            self.data = [*left, *came] or None

    def _all_data(self) -> list[Any]:
        """What lies in the data lane, which is empty then for a turn that goes on, too."""
        unread = list(self.data or ())
        if self.data is not None:
            self.data.clear()
        return unread

    def seize(self) -> tuple[list[Any], bool]:
        """Close it from outside of the actor's turns, and empty it; whether one runs or is due."""
        with self._lock:
            in_turn = not self.idle
            self._open_lanes = NONE
            self.halted = self._scheduled = True
            left = [*(self.control or ()), *self._all_data()]
            self.control = None
            self.owner = None
            return left, in_turn

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return not self._open_lanes
