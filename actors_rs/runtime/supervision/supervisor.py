"""The supervisor: an actor that starts, restarts and stops its children by its strategy.

It never waits: it sends messages to its children, and their answers overtake all other messages. It
keeps two lists of work: children to stop (the last first, one at a time) and children to start (the
first first; children that depend on each other one at a time). Each event changes the lists, and
``_advance`` does what is possible now.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from pykka import Future
from pykka.messages import _ActorStop

from actors_rs.errors import RestartLimitError
from actors_rs.runtime._primitives import start_thread
from actors_rs.runtime.actors.actor_core import ActorCore
from actors_rs.runtime.actors.actor_ref import Ask
from actors_rs.runtime.actors.contract import NO_MESSAGE, RuntimeMessage
from actors_rs.runtime.actors.future import PooledFuture, release
from actors_rs.runtime.actors.unread import refuse_question
from actors_rs.runtime.eventing.events import Event
from actors_rs.runtime.supervision.affected import Affected
from actors_rs.runtime.supervision.backoff import SHORTEST_WAIT
from actors_rs.runtime.supervision.child_slots import ChildSlots
from actors_rs.runtime.supervision.intensity import Intensity
from actors_rs.runtime.supervision.overdue import OverdueStops
from actors_rs.runtime.supervision.reminders import Hurry, LastCall, LookAtStops, WaitOver
from actors_rs.runtime.supervision.supervised import Child, State
from actors_rs.runtime.supervision.supervisor_ref import SupervisorRef
from actors_rs.texts import counted, few, text_of

__all__ = ["SupervisorActor"]


class SupervisorActor(ActorCore):
    """Runs one supervisor. State that must survive a restart of it lives in ``ChildSlots``."""

    _ref_class_ = SupervisorRef

    def __init__(self, child_slots: ChildSlots) -> None:
        self.child_slots = child_slots
        super().__init__()
        child_slots.ref = self._ref_
        self._strategy = child_slots.strategy
        self._intensity = Intensity(self._strategy.max_restarts, self._strategy.within)
        self._to_stop: deque[Child] = deque()
        self._to_start: deque[Child] = deque()
        self._stopping: set[Child] = set()
        self._starting: set[Child] = set()
        self._affected: Affected[Child] | None = None  # in the round that gathers them
        self._round = 0
        self._waiting = False  # for the backoff of this round
        self._gathering = False  # the round has started nobody: further failures are a part of it
        self._ready = False
        self._stop_wanted = False  # once the children have started
        self._last_call = False  # from now on no child is restarted: a supervisor above must stop
        self._at_once = False  # children stop before any further message
        self._ending = False
        self._ended = False
        self._gave_up: BaseException | None = None
        self._stop_answers: list[Future[Any]] = []
        self._overdue = OverdueStops(child_slots)
        self._look_due = False  # at children that have not stopped yet

    # What children and others tell it

    def child_started(self, child: Child) -> None:
        """``child`` has gone through its ``on_start``."""
        self._starting.discard(child)
        if child.state is State.STARTING:
            child.state = State.RUNNING
        self._advance()

    def child_down(self, child: Child, before: State) -> None:
        """``child`` has ended, which was so ``before``: by itself, by a failure, or as told."""
        child.state = State.DOWN
        self._starting.discard(child)
        self._stopping.discard(child)
        if child.final or child.removed:
            self._retire(child)
        elif before is not State.STOPPING and not self._ending:
            if self._last_call:
                self._begin_end()
            else:
                self._restart(child)
        self._advance()

    def child_added(self, child: Child) -> None:
        """``child`` is one more, which runs already if it was taken over."""
        self.child_slots.order[child] = None
        if self._affected is not None and child.alive:
            self._affected.add(child)
        if child.state is State.DOWN and not self._ending:
            self._to_start.append(child)
        elif self._ending and child.alive:
            self._to_stop.append(child)
        self._advance()

    def child_removed(self, child: Child, leaver: PooledFuture[bool]) -> None:
        """Stop ``child`` for good."""
        if child.state is State.ENDED:
            leaver.set(True)
            return
        if leaver not in child.leavers:
            child.leavers.append(leaver)
        child.removed = True
        if child.state is State.DOWN and (self._ready or self._waiting or self._ending):
            if not self._start_waiting([child]):  # else it stops after its messages
                self._retire(child)
            self._advance()
        elif child.alive and child.state is not State.STOPPING:
            child.halt(last=True, at_once=False)

    def wait_over(self, child: Child | None, number: int) -> None:
        """The backoff of ``child``, or of the round, is over."""
        if child is None:
            self._waiting = self._waiting and number != self._round
            self.look_at_stops()
        elif number == child.serial and child.state is State.DOWN and not self._ending:
            self._to_start.append(child)
        self._advance()

    def look_at_stops(self) -> None:
        """Children that still stop, with nothing else to wait for, may wait for others' answers."""
        stopping = () if self._waiting or self._ended else self._stopping
        if self._overdue.look(stopping, last=self._ending and self._ends_for_good()):
            self._look_soon()

    def time_to_look(self) -> None:
        """``_look_soon`` asked for this."""
        self._look_due = False
        self.look_at_stops()
        self._advance()

    def last_call(self, at_once: bool) -> None:
        """Children that are to start do so, and then all stop: no time for restarts.

        ``at_once``: nor for an ``on_start`` that awaits something.
        """
        self._last_call, self._at_once = True, self._at_once or at_once
        if self._waiting:
            self._begin_end()
        for child in tuple(self._starting):
            self._pass_on(child)

    def hurry(self) -> None:
        """Stop all children at once, in any order."""
        self._begin_end()
        for child in reversed(list(self.child_slots.order)):
            if child.alive:
                child.halt(last=True, at_once=True)
                self._stopping.add(child)

    # Its life

    def __str__(self) -> str:
        return f"{type(self).__name__} '{self.child_slots.path}' ({self.actor_urn})"

    def on_start(self) -> None:
        """Start all children; after a restart, also the children of the predecessor."""
        for child in self.child_slots.order:
            child.intensity = None
        self._to_start.extend(self.child_slots.order)
        self._advance()

    def on_receive(self, message: Any) -> None:
        """A supervisor takes no messages: each one is a dead letter."""
        self._system_.dead_letters.publish(
            message, where=text_of(self), why="a supervisor takes no messages"
        )

    def _started_(self) -> None:
        """Its own supervisor hears that it has started when its children have."""

    def _process_(self, message: Any) -> None:
        if type(message) is Ask and type(message.message) is _ActorStop:
            self._stop_answers.append(message.reply_to)
            self._stop_()
        elif issubclass(type(message), RuntimeMessage):
            try:
                message.receive(self)
            except KeyboardInterrupt:
                raise  # it is put back: each of them may be received again, wherever it got to
            except BaseException as error:
                self._fail_(error, message)
        else:
            super()._process_(message)

    def _process_ask_(self, ask: Ask) -> None:
        names = few(f"'{name}'" for name in self.child_slots.refs())
        path = self.child_slots.path
        why = f"supervisor '{path}' takes no messages, ask one of its children: {names}"
        if not refuse_question(ask, why):
            super()._process_ask_(ask)

    def _stop_(self) -> None:
        """End; if that is for good, children that are still to start handle what they have."""
        waiting = self._ends_for_good() and self._start_waiting(self.child_slots.order)
        if waiting or (self._ends_for_good() and not self._ready):
            self._stop_wanted = True
            self.last_call(self._stops_at_once())
            self._advance()
        else:
            self._begin_end()

    def _start_waiting(self, children: Iterable[Child]) -> bool:
        """Start each child that waits for its restart and has messages; whether there is one."""
        if self._ending or self._stops_at_once():
            return False
        waiting = [child for child in children if child.state is State.DOWN and _has_unread(child)]
        self._to_start.extend(child for child in waiting if child not in self._to_start)
        if waiting:
            self._waiting = False  # the round begins now
        return bool(waiting)

    def _stop_at_once_(self) -> bool:
        self._at_once = True
        return super()._stop_at_once_()

    def _hurry_(self) -> None:
        self.actor_inbox.offer_control(Hurry())

    def _fail_(
        self, error: BaseException, message: Any = NO_MESSAGE, retried: Any = NO_MESSAGE
    ) -> None:
        """A supervisor that fails takes its children with it, in order."""
        if self._ended:
            super()._fail_(error)
        elif self._gave_up is None:
            self._gave_up = error
            self._begin_end()

    def _pass_on(self, child: Child) -> None:
        at_once = self._stops_at_once()
        if child.child_slots is not None:
            child.actor_inbox.offer_control(LastCall(at_once))
        elif at_once:
            child.end_early()

    def _begin_end(self) -> None:
        if not self._ending:
            self._waiting = False
            self._to_start.clear()
            self._to_stop = deque(child for child in self.child_slots.order if child.alive)
            self._ending = True
            if len(self._to_stop) < len(self.child_slots.order) or not self._ends_for_good():
                self._look_soon()
        self._advance()

    def _finish(self) -> None:
        self._ended = True
        try:
            self._end_for_good()
        except KeyboardInterrupt:  # each step may be done twice
            start_thread(self._end_for_good, ())  # no signal comes first
            raise

    def _end_for_good(self) -> None:
        error = self._gave_up
        super()._stop_() if error is None else super()._fail_(error)
        release(self._stop_answers)
        if error is not None and self._supervisor_link_ is None:
            self.child_slots.escalate(error)

    def _give_up_(self) -> None:
        self.actor_stopped.set()
        release(self._stop_answers)
        for child in self.child_slots.order:
            release(child.leavers)

    def _close_(self, error: BaseException | None) -> None:
        self.child_slots.close()
        super()._close_(error)

    # Actions

    def _advance(self) -> None:
        """Do what can be done now; each step ends with a message that leads back here."""
        while self._to_stop and (not self._stopping or self._overdue.in_a_circle):
            child = self._to_stop[-1]
            if child.alive:
                self._halt(child)
            del self._to_stop[-1]
        if self._stopping or self._ended:
            return
        if self._ending:
            self._finish()
            return
        together = self._strategy.together
        while self._to_start and not self._waiting and not (together and self._starting):
            child = self._to_start[0]
            self._gathering, self._affected = False, None
            if child.state is State.DOWN:
                self._starting.add(child)
                child.start()
                if self._last_call:
                    self._pass_on(child)
                if child.removed:
                    child.halt(last=True, at_once=False)
            del self._to_start[0]
        if not self._starting and not self._to_start:
            self._round_over()

    def _round_over(self) -> None:
        if not self._ready:
            self._ready = True
            super()._started_()
        if self._stop_wanted:
            self._begin_end()

    def _halt(self, child: Child) -> None:
        if child.state is not State.STOPPING:
            last = self._ending and self._ends_for_good()
            child.halt(last=last, at_once=not last or self._stops_at_once())
        self._stopping.add(child)

    def _stops_at_once(self) -> bool:
        halt_order = getattr(self._supervisor_link_, "halt_order", None)
        return self._at_once or (halt_order is not None and halt_order.at_once)

    def _ends_for_good(self) -> bool:
        return self._supervisor_link_ is None or self._supervisor_link_.is_last(self._gave_up)

    def _retire(self, child: Child) -> None:
        self.child_slots.order.pop(child, None)
        child.close()

    def _restart(self, child: Child) -> None:
        """``child`` has ended and must be restarted: decide with which others and when."""
        if self._gathering:
            self._widen_round(child)
            return
        intensity = self._intensity_for(child)
        if not intensity.allows(self._system_.now()):
            limit = f"{counted(intensity.max_restarts, 'restart')} within {intensity.within} s"
            self._gave_up = RestartLimitError(self.child_slots.path, child.name, limit, child.error)
            self._begin_end()
            return
        wait = self._strategy.backoff.drawn(intensity.lately, self._system_.chance)
        intensity.waits(wait)
        self._report_restart(child, intensity, wait)
        if self._strategy.together:
            self._round += 1
            self._waiting = self._gathering = True
            self._affected = Affected(self.child_slots.order, self._strategy)
            self._to_start.clear()  # all of them are affected
            self._widen_round(child)
            self._send_after(wait, WaitOver(None, self._round))
        else:
            self._send_after(wait, WaitOver(child, child.serial))

    def _report_restart(self, child: Child, intensity: Intensity, wait: float) -> None:
        fields = {
            "actor": child.label,
            "restarts": intensity.lately + 1,
            "max_restarts": intensity.max_restarts,
            "wait_seconds": wait,
        }
        where = self._system_.name, "", 0, None, None
        self.child_slots.system.events.emit(
            Event("actor_restarted", *where, child.error, fields, child.ref)
        )

    def _intensity_for(self, child: Child) -> Intensity:
        if self._strategy.together:
            return self._intensity
        if child.intensity is None:
            child.intensity = Intensity(self._strategy.max_restarts, self._strategy.within)
        return child.intensity

    def _widen_round(self, child: Child) -> None:
        """Stop and start whom the failures so far concern."""
        assert self._affected is not None  # since the round began
        before, behind = self._affected.by(child)
        self._to_stop.extendleft(one for one in reversed(before) if one.alive)
        self._to_stop.extend(one for one in behind if one.alive)
        self._to_start.extendleft(reversed(before))
        self._to_start.extend(behind)

    def _send_after(self, seconds: float, message: RuntimeMessage) -> None:
        def send() -> None:
            self.actor_inbox.offer_control(message)

        self._system_.timers.after(seconds, send)

    def _look_soon(self) -> None:
        if not self._look_due:
            self._look_due = True
            self._send_after(SHORTEST_WAIT, LookAtStops())


def _has_unread(child: Child) -> bool:
    """Whether there are messages to ``child`` or, if it is a supervisor, to its children."""
    below = child.child_slots.order if child.child_slots is not None else ()
    return len(child.actor_inbox) > 0 or any(map(_has_unread, below))
