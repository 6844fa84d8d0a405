"""``Island``: the actor that runs stages. There is no other one.

An island runs one or more *members*; each member is a stage. A turn of the island delivers the
signals in its mailbox. A signal makes its member due. The turn then advances the members that are
due, first come, first served, until none is due or the time is up. It ends with its last member.

An island that does not return from a call of the user's is given up: its members count as ended,
and the thread takes no other job. When the thread returns, it releases the resources of the
members, and nothing else. The result or the error of the call is a dead letter.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

from actors_rs.engine.links import Signal
from actors_rs.engine.run.waiting import work_for
from actors_rs.engine.severing import sever
from actors_rs.engine.timing import TurnBudget
from actors_rs.runtime.actors.actor import PooledActor
from actors_rs.runtime.actors.actor_ref import Ask
from actors_rs.runtime.actors.mailbox import EMPTY
from actors_rs.runtime.actors.unread import refuse_question
from actors_rs.runtime.dispatch.pinned import PinnedDispatcher
from actors_rs.runtime.dispatch.timers import Timer
from actors_rs.texts import text_of

if TYPE_CHECKING:
    from actors_rs.engine.contract import Scope
    from actors_rs.engine.member import Member
    from actors_rs.runtime.dispatch.dispatcher import Dispatcher
    from actors_rs.runtime.system.parts import Activity

__all__ = ["Island"]

FOREVER = repeat(None)
AHEAD_SECONDS = 0.005
"""After which elements of an unfinished frame go ahead: threads need the rest of 10 ms."""
LOOKS_APART = 0.32
"""How far the looks at a turn that lasts get apart: as far as it has lasted, up to that."""


class Island(PooledActor):
    """Runs ``members``; ``name`` is what it is called, after the first of them."""

    _stops_in_order_ = False  # it ends with its streams
    # What each island has is in slots: a run may have a million of them.
    __slots__ = (
        "_due",
        "_joined",
        "_living",
        "_most",
        "budget",
        "current",
        "planned",
        "scope",
        "timing_clock",
    )

    # What most islands never need has its place in the class until they do.
    given_up = False
    """Whether it was in a call that had not returned when it ended."""
    _looks = False  # whether another thread looks at frames that fill slowly
    _far = False  # whether that will be later than a frame begun now can wait
    _hands_over = False
    _look: Timer | None = None  # the last time that was to happen

    def __init__(
        self, scope: Scope, name: str, dispatcher: str, throughput: int | None = None
    ) -> None:
        PooledActor.__init__(self)  # ``super()`` takes as long as three calls
        self.name = name
        self.dispatcher = dispatcher
        self.scope = scope
        """The scope of its run, or of its section."""
        self.planned: tuple[Member, ...] = ()
        """The members it began with, also when they have ended."""
        self.current: Member | None = None
        """The member that is being advanced."""
        self._joined: dict[Member, None] | None = None  # while it ran, and have not ended
        self._living = 0  # members that have not ended
        self._due: OrderedDict[Member, None] | None = None  # made when it is needed, to save memory
        self._most: Iterable[object] = FOREVER if throughput is None else range(throughput)
        self.budget = TurnBudget(scope.timing_clock)
        self.timing_clock = scope.timing_clock

    def __str__(self) -> str:
        return f"stage '{self.name}'"

    @property
    def _activity_(self) -> Activity:
        """What shutdown ends it with: its run."""
        return self.scope.activity

    @property
    def last_turn(self) -> float:
        """When its last turn began, by the run's ``timing_clock``."""
        return self.budget.began

    @property
    def sends_ahead(self) -> bool:
        """Whether the timers' thread looks at turns that last."""
        system = self._system_
        return system is not None and system.sends_ahead

    # Its members

    def begin_with(self, *members: Member) -> None:
        """Run ``members`` from the first turn on."""
        self.planned = members
        self._living = len(members)
        for member in members:
            member.wake()

    def add(self, member: Member) -> None:
        """``member`` joins; in a turn."""
        if self._joined is None:
            self._joined = {}
        self._joined[member] = None
        self._living += 1
        member.wake()

    def members(self) -> list[Member]:
        """Members that run or began here; in a world all that ever ran here. Any thread."""
        return [*self.planned, *(self._joined or {}).copy()]

    @property
    def busy(self) -> Member | None:
        """The member that a turn is at, or else one that has not ended. Any thread."""
        living = (member for member in self.members() if not member.has_left)
        return self.current or next(living, None)

    def add_due(self, member: Member) -> None:
        """Advance ``member`` after all members that are due already."""
        if self._due is None:
            self._due = OrderedDict()
        self._due[member] = None

    def add_first(self, member: Member) -> None:
        """Advance ``member`` before the other members that are due."""
        member.is_due = True
        self.add_due(member)
        self._due.move_to_end(member, last=False)  # type: ignore[union-attr]  # it has one now

    def left_by(self, member: Member) -> None:
        """``member`` has ended; with the last one the island leaves the system."""
        if not member.has_left:
            member.has_left = True
            self._living -= 1  # with no call in between, after which Ctrl-C might come
        if self._joined and not member.system.keeps_ended:
            self._joined.pop(member, None)
        if not self._living and not self.given_up:
            self.actor_stopped.set()
            if (look := self._look) is not None:
                look.cancel()  # it would keep the stage alive for a while
            self._leave_()

    # The turn

    def _run_turn_(self) -> bool:
        budget, inbox = self.budget, self.actor_inbox
        # As ``budget.begin()`` does: each call less is a hundredth of what a turn costs.
        now = self.timing_clock()
        budget.idle += now - budget.lapped
        budget.began = budget.lapped = now
        budget.was_spent = False
        try:
            if self._on_start_due_:
                self._begin_()
            for _ in self._most:
                # Looked into before, since most turns take one message: a call less each.
                if not (inbox.data or inbox.control) or (signal := inbox.take()) is EMPTY:
                    break
                if isinstance(signal, Signal):
                    self._deliver(signal)
                else:
                    self._process_(signal)
            self._advance_due(budget)
        except BaseException as error:  # Ctrl-C between two steps: nobody else would hear of it
            self._fail_all(error)
        self.current = None
        return bool(self._due and self._living)

    def _fail_all(self, error: BaseException) -> None:
        self._due = None
        for member in self.members():
            if member.ended:
                member.leave()  # if it has not come to that
            else:
                member.is_due = False
                member.wake()
                member.logic.fail(error)

    def _advance_due(self, budget: TurnBudget) -> None:
        if (due := self._due) is None:
            return
        while due:
            self.current = member = due.popitem(last=False)[0]
            member.advance(budget)
            if due and not self._goes_on(budget):
                return
        self._due = None

    def _goes_on(self, budget: TurnBudget) -> bool:
        """Whether another member may be advanced in this turn."""
        return not (self.given_up or budget.was_spent or budget.spent())

    def _deliver(self, signal: Signal) -> None:
        member: Any = signal.member
        self.current = member
        if member.ended:
            signal.dropped()
            return
        try:
            if member.start_due:
                member.begin()
            signal.deliver()
        except BaseException as error:
            member.logic.fail(error)
        if signal.goes_first:
            # A stage that is cancelled ends its inner streams before they take another chunk.
            member.wake_first()
        else:
            member.wake()

    def _begin_(self) -> None:
        self._on_start_due_ = False
        self.budget.relieve = self._dispatcher_.relieve
        if isinstance(self._dispatcher_, PinnedDispatcher):
            work_for(self.scope.end)
        for member in self.planned:
            self.current = member
            try:
                member.begin()
            except BaseException as error:
                member.logic.fail(error)

    def _advise_(self, function: str, seconds: float) -> None:
        if (member := self.busy) is not None:
            member.advise(function, seconds)

    def _return_unread_(self, message: Any, when: str = "") -> None:
        """Signals after the end of a stage are no dead letters: the standard allows them."""
        if isinstance(message, Signal):
            message.dropped()
        else:
            super()._return_unread_(message, when)

    def _stop_(self) -> None:
        """Told to stop like any actor: the run ends as cancelled, with these stages first."""
        self.scope.cancel()
        for member in self.members():
            member.logic.end(self.scope.cancelled_error())
            member.wake()

    def _process_ask_(self, ask: Ask) -> None:
        if not refuse_question(ask, f"{self} takes no messages, as no stage does"):
            super()._process_ask_(ask)

    def on_receive(self, message: Any) -> Any:
        """A stage takes signals only; what else comes, from a broadcast say, is a dead letter."""
        self._system_.dead_letters.publish(
            message, where=text_of(self), why="a stage takes no messages"
        )

    # What lasts within a turn

    def look_soon(self) -> None:
        """A frame is begun that is filled by code that may wait: look at it if that lasts."""
        if self._looks and not self._far:
            return
        if self._far and self._look is not None:
            self._look.cancel()  # or it is going on: then there are two for a while
        self._look_in(AHEAD_SECONDS)

    def _look_in(self, seconds: float) -> None:
        self._far = seconds > AHEAD_SECONDS
        self._looks = True  # before: it may be time before this thread has come any further
        try:
            self._look = self._system_.timers.after(seconds, self._look_at_turn)
        except RuntimeError:  # no thread for it, as the pool says: the next chunk tries again
            self._looks = False

    def _look_at_turn(self) -> None:
        """On the timers' thread: send on what a turn that lasts has made."""
        self._look = None  # as long as nobody sets another
        self._looks = False  # before looking: a frame begun meanwhile is seen here, or sets a timer
        lasts = self.timing_clock() - self.budget.began
        if lasts < AHEAD_SECONDS:
            self._look_in(AHEAD_SECONDS - lasts)
            return
        if self.actor_inbox.idle:  # it was over long ago; the pool needs no thread more for that
            return
        made = False
        if (member := self.current) is not None:
            made = self._send_ahead(member)
        self._dispatcher_.grow_if_starved()
        # It may have come just before there was anything to send: while the turn lasts, again.
        lasts_on = not self.actor_inbox.idle and not self.actor_stopped.is_set()
        if (lasts_on or made) and not self._looks:
            self._look_in(min(max(lasts, AHEAD_SECONDS), LOOKS_APART))

    def _send_ahead(self, member: Member) -> bool:
        """Send on what ``member`` has made of a frame; whether there is one."""
        for outlet in member.logic.outlets:
            outlet.overdue = True
        if member.at_boundary:
            return self._hand_over(member)
        sent = [outlet.send_ahead() for outlet in member.logic.outlets]  # all of them
        return any(sent)

    def _hand_over(self, member: Member) -> bool:
        """Send ahead to a foreign subscriber, who may take its time: not on the timers' thread."""
        outlets = member.logic.outlets
        making = any(outlet.making is not None for outlet in outlets)
        if making and not self._hands_over:

            def hand_over() -> None:
                try:
                    for outlet in outlets:
                        outlet.send_ahead()
                finally:
                    self._hands_over = False

            self._hands_over = True
            try:
                member.run_blocking(hand_over)
            except RuntimeError:  # no thread for it: the frame comes as a whole
                self._hands_over = False
        return making

    # How it is given up

    def thread_in_turn(self) -> int | None:
        """The thread that is in a turn of it, if one is. Any thread."""
        dispatcher: Dispatcher | None = getattr(self, "_dispatcher_", None)  # none yet
        if dispatcher is None or self.actor_inbox.idle:
            return None
        return dispatcher.thread_of(self)

    def give_up(self, error: BaseException) -> bool:
        """End all members with ``error``, if a thread is in a turn. On any other thread."""
        busy = self.busy
        if self.thread_in_turn() is None or busy is None:
            return False
        call = busy.call_in_turn()
        gone = self._claimed()
        if not gone:
            return False  # the last one has come to its end just now
        self.given_up = True
        gone += self._claimed()  # that were attached meanwhile
        jobs = [job for member in gone for job in member.jobs.copy()]
        self._end_without_thread(gone, error)
        busy.warn_abandoned(call)
        for member in gone:
            member.give_up_jobs(member.jobs.intersection(jobs))
            member.leave_calls()  # calls that have begun just now
        return True

    def _claimed(self) -> list[Member]:
        """The members whose end is the caller's to tell."""
        return [member for member in self.members() if not member.has_left and member.may_finish()]

    def _end_without_thread(self, gone: Sequence[Member], error: BaseException) -> None:
        in_turn = True
        for member in gone:
            member.given_up_with = error
        try:
            for member in gone:
                member.let_commit()
            self._dispatcher_.abandon(self)
            for member in gone:
                sever(member, error)
                member.ended = member.has_left = True
            self.actor_stopped.set()
            unread, in_turn = self.actor_inbox.seize()
            for message in unread:
                self._return_unread_(message)
        finally:
            self._be_gone_(error)
            for member in gone:
                member.scope.stage_ended(member)
        if not in_turn:  # it has come back just now
            self._return_late()

    def _turn_halted_(self) -> None:
        """The turn is over that it was given up in."""
        if self.given_up:
            self._return_late()

    def _return_late(self) -> None:
        for member in self.members():
            member.return_late()
