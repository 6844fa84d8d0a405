"""Ends the groups of a ``group_by`` that were not used for a time.

A group that holds elements is not idle, however long it has been. So its time begins anew when it
has given the last of them.
"""

from __future__ import annotations

from collections.abc import Callable

from actors_rs.stages.alarm import Alarm
from actors_rs.stages.inner.groups import Group, Groups
from actors_rs.stages.stage import StageLogic

__all__ = ["IdleGroups"]

DUE = 1e-9  # seconds: a shorter wait is rounding


class IdleGroups:
    """Calls ``end`` for each open group that was idle for ``seconds``; with ``None`` for none.

    As long as groups are open its alarm is set, to ring before the next one of them can be due.
    """

    def __init__(
        self,
        logic: StageLogic,
        groups: Groups,
        seconds: float | None,
        end: Callable[[Group], None],
    ) -> None:
        self.seconds = seconds
        self._logic = logic
        self._groups = groups
        self._end = end
        self._alarm = Alarm(logic, self._end_all)

    def now(self) -> float:
        """The time, if it matters."""
        return 0.0 if self.seconds is None else self._logic.context.now()

    def mind(self) -> None:
        """A group was opened just now."""
        if self.seconds is not None and not self._alarm.pending:
            self._alarm.set(self.seconds)

    def gave_all(self, group: Group) -> None:
        """An open group has given the last element that it held."""
        if self.seconds is not None:
            self._groups.touch(group, self.now())

    def cancel(self) -> None:
        """Mind no group any more."""
        self._alarm.cancel()

    def _end_all(self) -> None:
        assert self.seconds is not None
        idle, rest = self._look(self.seconds, self.now())
        for group in idle:
            self._end(group)
        if self._groups.open:
            self._alarm.set(rest)

    def _look(self, seconds: float, now: float) -> tuple[list[Group], float]:
        """The groups to end, and in how many seconds to look again.

        The groups that were used longest ago come first. So this looks at one group that is not due
        yet. Groups that are due but hold elements are no more than a window of elements.
        """
        idle: list[Group] = []
        for group in self._groups.used or ():
            rest = group.used + seconds - now
            if rest > DUE:
                return idle, rest
            if not group.held:
                idle.append(group)
        return idle, seconds
