"""Stops that take long: an actor that has to stop may await an answer from one that is down.

A supervisor starts no child before all children that must stop have stopped. If one of these waits
for an answer from a child that is down, neither would ever go on. So the supervisor answers the
questions to children that are down with ``ActorDeadError``, once it waits for nothing but stops.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from actors_rs.runtime._logging import logger_called
from actors_rs.runtime.actors.late_answer import doing
from actors_rs.runtime.actors.unread import answer_questions
from actors_rs.runtime.supervision.supervised import Child, State
from actors_rs.texts import few

if TYPE_CHECKING:
    from actors_rs.runtime.supervision.supervised import SlotOwner

__all__ = ["OverdueStops"]

LONG = 1.0
"""Seconds of waiting after which a line in the log names the child."""
logger = logger_called("actors_rs.runtime")


class OverdueStops:
    """The stops of one supervisor's children that take long; only in turns of the supervisor."""

    def __init__(self, slots: SlotOwner) -> None:
        self._slots = slots
        self._since: float | None = None
        self._logged = False
        self._refused = 0  # looks that found questions to children that are down

    def look(self, children: Collection[Child], *, last: bool) -> bool:
        """``children`` have not stopped yet: answer questions to children that are down.

        Returns whether to look again, as an actor that stops may ask once more. ``last``: nobody
        is restarted.
        """
        if not children:
            self._since, self._logged, self._refused = None, False, 0
            return False
        stopping = sorted(children, key=str)
        down = [child for child in self._slots.order if child.state is State.DOWN]
        why = "its supervisor stops" if last else _restarts_after(stopping)
        refused = [_refuse(child, why) for child in down]
        self._refused += any(refused)
        self._log_if_long(down, stopping)
        return True

    @property
    def in_a_circle(self) -> bool:
        """Whether answering with errors ends no stop, so the order of the stops cannot be kept.

        Then an actor that stops awaits a sibling, and the sibling asks the failed child again.
        """
        return self._refused > 1

    def _log_if_long(self, down: Sequence[Child], stopping: Sequence[Child]) -> None:
        now = self._slots.system.now()
        if self._since is None:
            self._since = now
        elif not self._logged and now - self._since >= LONG:
            self._logged = True
            what = f"restart of {_named(down)}" if down else f"end of '{self._slots.path}'"
            child = stopping[0]
            logger.warning("%s waits until '%s' has stopped: %s", what, child, doing(child.ref))


def _restarts_after(siblings: Sequence[Child]) -> str:
    return (
        f"it restarts after its siblings have stopped ({_named(siblings)}), which may wait for "
        "this answer: ask again later"
    )


def _named(children: Sequence[Child]) -> str:
    return few(children, lambda child: f"'{child}'")


def _refuse(child: Child, why: str) -> bool:
    """Answer the questions to ``child``, and to its own children if it is a supervisor.

    Returns whether there was one.
    """
    reason = f"'{child}' is down and cannot answer: {why}"
    found = answer_questions(child.actor_inbox, reason, child.error)
    below = child.child_slots.order if child.child_slots is not None else ()
    return any([found, *[_refuse(one, why) for one in below]])
