"""``GroupRoom``: how many elements a ``group_by`` may hold for groups that do not ask."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sized
from functools import partial
from typing import Any

from actors_rs.stages.chunks.kept import Kept
from actors_rs.stages.inner.groups import Groups
from actors_rs.stages.stage import StageLogic

__all__ = ["GroupRoom"]


class GroupRoom:
    """A window of elements, and under a memory limit no more than fit; in turns of ``logic``.

    The limit always leaves one element for a group that runs, so that such groups go on. It does
    not count the elements of groups that nobody runs, and of keys that wait for room: only the
    elements after them may bring the end of another group. If running groups wait for each other,
    the run stands still, and the limit no longer holds for this stage.
    """

    def __init__(
        self, logic: StageLogic, groups: Groups, waiting: Mapping[Any, Sized], max_groups: int
    ) -> None:
        self._logic = logic
        self._groups = groups
        self._waiting = waiting
        self._max_groups = max_groups
        self._kept: Kept | None = None
        self._is_short = False
        """Whether elements wait in the inlet only as they do not fit into the memory."""

    @property
    def _limit(self) -> Kept:
        """There is none where the stage is not to learn of a standstill."""
        if (kept := self._kept) is None:
            logic, watched = self._logic, self._logic.stall_after is not None
            share = logic.context.memory_share() if watched else None
            kept = self._kept = Kept(share, logic.weigh)
        return kept

    def weigh(self, frame: Iterable[Any]) -> None:
        """Elements like the first one of ``frame``, which has one, are held from now on."""
        self._limit.weigh(frame)

    def left(self, window: int, held: int, more: int) -> int:
        """How many of ``more`` elements it may hold, beside the ``held`` ones."""
        wanted = min(window, held + more)
        fitting = self._limit.fitting(wanted, held)
        if fitting <= held < wanted:
            fitting = min(wanted, 1 + self._held_for_nobody())
        self._is_short = fitting <= held < wanted
        return fitting - held

    def report(self, held: int) -> None:
        """``held`` elements are held, until the next turn."""
        self._limit.fitting(held, held)
        self._logic.held_bytes = self._limit.bytes_of(held)

    def over(self) -> None:
        """Nothing is held any more."""
        self._limit.over()
        self._logic.held_bytes = 0

    def unblock(self) -> Callable[[], None] | None:
        """What to do when nothing moves any more, or ``None`` if groups are not the reason."""
        if self._is_short:
            return self._go_beyond
        if not self._waiting and not self._groups.awaits_a_run:
            return None
        end = self._groups.end_standstill
        return partial(end, self._logic, self._waiting, self._max_groups)

    def _go_beyond(self) -> None:
        self.over()
        self._kept, self._is_short = Kept(), False

    def _held_for_nobody(self) -> int:
        for_keys = sum(map(len, self._waiting.values()))
        return for_keys + sum(len(group.held) for group in self._groups if not group.claimed)
