"""How a system ends: in named phases, within one deadline.

1. *stop intake*: runs take no more input, or are cancelled;
2. *drain*: elements in flight are delivered; a run that takes too long is cancelled;
3. *stop actors*: in the reverse order of their start;
4. *end dead letters*: subscribers get the last ones, including dead letters of the stopping;
5. *join threads*.

Each phase is logged at level DEBUG. One line at level WARNING names what was cancelled and has not
stopped a second later, or the actors that have not stopped in order five seconds later, and what
they do. One line at level ERROR names the parts that have not stopped by the deadline.
They are left running on daemon threads; nothing else is.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from typing import Any

from pykka.messages import _ActorStop

from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import on_main_thread
from actors_rs.runtime.actors.actor_ref import Ask
from actors_rs.runtime.actors.contract import (
    RUNTIME_MESSAGES,
    ActorBase,
    RuntimeMessage,
)
from actors_rs.runtime.actors.late_answer import doing
from actors_rs.runtime.actors.mailbox import EMPTY
from actors_rs.runtime.actors.unread import return_all_unread
from actors_rs.runtime.condition import Condition
from actors_rs.runtime.system.parts import Activity, Closeable, SystemParts
from actors_rs.runtime.system.signals import NOW_SECONDS, signal_that_came
from actors_rs.texts import class_name_of, few, text_of

__all__ = ["Shutdown"]

LONGEST_RESERVE = 1.0
"""Seconds, at most, that draining leaves for all phases after it."""
JOIN_SECONDS = 0.02
"""Seconds reserved for each set of threads that is still to join."""
BRIEFLY = 0.1
"""Seconds that a later shutdown waits for threads of which an earlier one has given up some."""
PATIENCE = 1.0
"""Seconds after which a line in the log names what the shutdown waits for, once all must stop."""
ORDERLY_PATIENCE = 5.0
"""The same for actors that first handle the messages that they have."""
logger = logger_called("actors_rs.runtime")


class Shutdown:
    """One shutdown of one system; for the thread that waits for it."""

    def __init__(self, system: SystemParts, *, drain: bool, timeout: float) -> None:
        self._system = system
        self._drain = drain
        self._timeout = max(0.0, timeout)
        self._deadline = system.now() + self._timeout
        self._hurried = False
        self._stuck: list[Activity] = []
        self._late: list[tuple[ActorBase, str]] = []  # and what it does
        self._impatient_at = float("inf") if drain else system.now() + PATIENCE

    def run(self) -> None:
        """Go through the phases; returns when the last one is over or the time is up.

        Ctrl-C and a signal end the wait: all that is left stops at once, and then this raises.
        """
        self._system._shutdowns.append(self)
        try:
            self._shorten(self._system._shutdown_limit)  # it may be older than the entry
            self._go_through_phases()
        except (KeyboardInterrupt, SystemExit):
            last = Shutdown(self._system, drain=False, timeout=NOW_SECONDS)
            last._late += self._late  # given up, and not in the log yet
            last._go_through_phases()
            raise
        finally:
            self._system._shutdowns.remove(self)

    def hurry(self, seconds: float) -> None:
        """Be over within ``seconds``: actors stop at once, in no order. Any thread."""
        self._shorten(seconds)
        self._drain, self._hurried = False, True
        self._wake()
        self._system.event_loop.hurry(seconds * 0.8)  # other threads are joined after it

    def _shorten(self, seconds: float) -> None:
        self._timeout = min(self._timeout, seconds)
        self._deadline = min(self._deadline, self._system.now() + seconds)

    def _go_through_phases(self) -> None:
        observers = self._system._observers()
        activities = [a for a in self._system._living_activities() if a not in observers]
        self._enter("stop intake" if self._drain else "cancel", len(activities), "runs")
        for activity in activities:
            activity.drain() if self._drain else activity.cancel(self._grace(1.0))
        self._enter("drain", len(activities), "runs")
        self._end(activities)
        self._system._refuse_more()
        for activity in self._system._living_activities():
            if activity not in (*activities, *observers):  # begun while the others were ended
                activity.cancel(self._grace(0.8))
        self._stop_actors(observers)
        self._end_dead_letters(observers)
        threads = self._join_threads()
        if late := [*self._not_ended(), *threads]:
            logger.error(
                "shutdown of '%s' has ended; still busy: %s", self._system.name, ", ".join(late)
            )

    def _enter(self, phase: str, count: int, what: str) -> None:
        logger.debug("shutdown of '%s': %s (%d %s)", self._system.name, phase, count, what)

    def _left(self, reserved: float) -> float:
        """Seconds left when a part of the reserve, from 0 to 1, is kept for the later phases."""
        reserve = min(LONGEST_RESERVE, self._timeout / 4) * reserved
        return max(0.0, self._deadline - reserve - self._system.now())

    def _grace(self, reserved: float) -> float:
        """What calls of the user's have of that to return."""
        return min(self._system.cancel_grace, self._left(reserved) * 0.8)

    def _end(self, activities: Sequence[Activity], reserved: float = 1.0) -> None:
        """Wait for ``activities``; cancel late ones, and name the ones that do not end then."""
        late = [one for one in activities if not self._patiently(one.wait, self._left(reserved))]
        for activity in late:
            activity.cancel(self._grace(reserved - 0.2))
        self._stuck += [a for a in late if not a.wait(self._left(reserved - 0.2))]

    def _stop_actors(self, observers: Sequence[Activity]) -> None:
        """Stop all actors except those in ``observers``."""
        system = self._system
        self._enter("stop actors", len(system.children()), "actors")
        spared = {a._urn_number_ for a in system.children() if a._activity_ in observers}
        self._impatient_at = min(self._impatient_at, system.now() + ORDERLY_PATIENCE)
        self._await_all_but(spared, 0.6)

    def _await_all_but(self, spared: set[int], reserved: float) -> None:
        """Tell all actors but ``spared`` to stop, the last one first, and wait for them."""
        system = self._system

        def others() -> list[ActorBase]:
            left = [a for a in system.children() if a._urn_number_ not in spared]
            return [a for a in left if a._urn_number_ not in system._given_up]

        system._spared = len(system.children()) - len(others())
        system._tell_to_stop(others(), at_once=not self._drain)
        self._wait_until(lambda: self._hurried or not others(), self._left(reserved) * 0.8)
        if others():
            system._stop_line.hurry(others())
            self._wait_until(lambda: not others(), self._left(reserved))
            self._give_up(others())

    def _wait_until(self, so: Callable[[], bool], seconds: float) -> None:
        system = self._system
        with system._lock:
            emptied = system._emptied = system._emptied or Condition()
        self._patiently(lambda left: emptied.wait_for(so, left), seconds)

    def _wake(self) -> None:
        """Let each shutdown that waits for actors look again."""
        if (emptied := self._system._emptied) is not None:
            emptied.notify_all()

    def _patiently(self, ended: Callable[[float], bool], seconds: float) -> bool:
        """Whether it has ``ended`` within ``seconds``; says what is waited for if that is long."""
        patience = max(0.0, self._impatient_at - self._system.now())
        if patience >= seconds:
            return ended(seconds)
        if ended(patience):
            return True
        self._impatient_at = float("inf")
        self._say_what_for()
        return ended(seconds - patience)

    def _say_what_for(self) -> None:
        """Log the wait: after one Ctrl-C, silence would look like a program that hangs."""
        system = self._system
        names = [text_of(one) for one in system._living_activities()]
        names += [_shown(actor) for actor in sorted(system.children(), key=_is_idle)]
        logger.warning(
            "shutdown of '%s' waits for at most %.3g s for these to stop: %s%s",
            system.name,
            self._left(0.0),
            few(names),
            _how_to_stop_waiting(),
        )

    def _end_dead_letters(self, observers: Sequence[Activity]) -> None:
        system = self._system
        self._enter("end dead letters", len(observers), "runs")
        system.dead_letters.complete()
        self._end(observers, 0.6)
        self._await_all_but(set(), 0.3)

    def _give_up(self, actors: Sequence[ActorBase]) -> None:
        """Wait for ``actors`` no more.

        Their unread messages are dead letters, and questions to them fail. They take no more.
        """
        busy = [actor for actor in actors if not _is_idle(actor)]  # the others wait for these
        self._late += [(actor, _shown(actor)) for actor in busy or actors]
        for actor in actors:
            if actor._stops_in_order_:  # else it is a stage
                self._return_messages(actor)
            self._system._given_up.add(actor._urn_number_)  # last: an interrupted one is due again
        self._wake()

    def _return_messages(self, actor: ActorBase) -> None:
        self._system.delayed.end(actor._urn_number_)
        if not _is_idle(actor):
            self._system._hanging.add(actor._urn_number_)
        message = _message_of(actor)
        if type(message) is Ask:  # a message of tell may still be handled
            actor._return_unread_(message, "was given up while")
        actor.actor_inbox.refuse()
        return_all_unread(actor, actor.actor_inbox.take_refused)
        actor._give_up_()

    def _not_ended(self) -> list[str]:
        """Runs and actors to name, without the ones that ended while threads were joined."""
        stuck = [text_of(activity) for activity in self._stuck if not activity.wait(0.0)]
        living = self._system.children()
        late = [name for actor, name in self._late if any(actor is one for one in living)]
        return stuck + list(dict.fromkeys(late))

    def _join_threads(self) -> list[str]:
        """The names of the threads that are still busy."""
        system = self._system
        with system._lock:
            pinned = list(system._pinned)
        parts: list[Closeable] = [system.processes, system.blocking, system.event_loop, *pinned]
        parts += [system._dispatcher, system.timers]
        self._enter("join threads", len(parts), "sets of threads and processes")
        latest = float("inf")
        if not self._late and any(a._urn_number_ in system._given_up for a in system.children()):
            latest = system.now() + BRIEFLY  # an earlier shutdown waited for them
        late: list[str] = []
        for behind, part in zip(range(len(parts) - 1, -1, -1), parts, strict=True):
            until = min(latest, self._deadline)  # which ``hurry`` may bring forward
            late += part.close(max(0.0, until - system.now() - behind * JOIN_SECONDS))
        return late


def _is_idle(actor: ActorBase) -> bool:
    return actor._pending_ is None and actor._thread_() is None


def _shown(actor: ActorBase) -> str:
    """Its name, and what it does; a stage has a run that says so."""
    name = text_of(actor)
    if _is_idle(actor) or not actor._stops_in_order_:
        return name
    return f"{name} ({doing(actor.actor_ref)}{_in_hand(actor)})"


def _in_hand(actor: ActorBase) -> str:
    """The class of the message of the user's that it handles; a ``__repr__`` might hang as well."""
    message = _message_of(actor)
    if type(message) is Ask:
        message = message.message
    kind = type(message)
    ours = kind in RUNTIME_MESSAGES or kind is _ActorStop or issubclass(kind, RuntimeMessage)
    if ours or message is EMPTY or message is None:  # as in a hook
        return ""
    return f"; it handles a message of type {class_name_of(message)}"


def _message_of(actor: ActorBase) -> Any:
    pending = actor._pending_
    return actor._in_hand_ if pending is None else pending.message


def _how_to_stop_waiting() -> str:
    if not on_main_thread():
        return ""
    if signal_that_came() == signal.SIGTERM:
        return "; another signal stops the wait"
    return "; press Ctrl-C to stop waiting"
