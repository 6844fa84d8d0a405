"""The groups of a ``group_by``: which are open, what each holds, who was used when.

Plain state without ports or clock, but for each group's own outlet: a group emits by itself what it
holds as far as it is asked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from reprlib import repr as short
from typing import Any, Literal, TypeAlias

from actors_rs.stages.ports import Outlet

__all__ = ["OVERFLOW", "Group", "Groups", "OnOverflow", "why_stuck"]

NAMED = 5
"""Most keys that an error names."""

OnOverflow: TypeAlias = Literal["backpressure", "evict_idle", "fail", "divert"]


class _Overflow:
    def __repr__(self) -> str:
        return "OVERFLOW"


OVERFLOW = _Overflow()
"""The key of the group that takes what has no group of its own, with ``on_overflow="divert"``."""


class Group(Outlet):
    """One group: an outlet with the elements that were not asked for yet."""

    __slots__ = ("_line", "announced", "claimed", "ending", "held", "in_line", "key", "used")

    def __init__(self, key: Any, number: int, line: deque[Group]) -> None:
        super().__init__(f"group {number}")
        self.key = key
        self.held: list[Any] = []
        self.announced = False  # its stream was given to downstream
        self.claimed = False  # somebody runs that stream
        self.ending = False  # completes, or fails, when what it holds is given
        self.used = 0.0  # when its last element came
        self.in_line = False
        self._line = line

    def request(self, n: int) -> None:
        super().request(n)
        self.get_in_line()

    def cancel(self, cause: BaseException | None = None) -> None:
        if not self.closed:
            super().cancel(cause)
            self.get_in_line()

    def get_in_line(self) -> None:
        """Be looked at, once however much has happened."""
        if not self.in_line:
            self.in_line = True
            self._line.append(self)

    def give(self, frame: list[Any]) -> None:
        """Emit what is held and ``frame``, as far as it is demanded; hold the rest."""
        if self.held:
            self.held += frame
        elif len(frame) <= self.demand or self.cancelled:
            self.emit(frame)
        else:
            self.held = frame
        if self.held and self.demand:
            most = self.demand
            self.emit(self.held[:most])
            self.held = self.held[most:]


class Groups:
    """The open groups by key, those that were used longest ago first."""

    def __init__(self) -> None:
        self.open: dict[Any, Group] = {}
        self.ending: dict[Group, None] = {}
        """Groups that are to end and still hold elements; their keys are free."""

    def __iter__(self) -> Iterator[Group]:
        yield from self.open.values()
        yield from self.ending

    def touch(self, group: Group, now: float) -> None:
        """``group`` was used just now."""
        group.used = now
        del self.open[group.key]
        self.open[group.key] = group

    def forget_a_cancelled_one(self) -> bool:
        """Make room by forgetting that somebody had enough of a group."""
        for key, group in self.open.items():
            if group.cancelled:
                del self.open[key]
                return True
        return False

    def idle_since(self, moment: float) -> list[Group]:
        """Groups that were not used after ``moment`` and hold nothing."""
        idle = []
        for group in self.open.values():
            if group.used > moment:
                break
            if not group.held:
                idle.append(group)
        return idle

    def unclaimed(self) -> list[Group]:
        """Groups that hold elements, were given to downstream, and which nobody runs."""
        return [g for g in self if g.held and g.announced and not g.claimed and not g.closed]


def why_stuck(unclaimed: Sequence[Group], waiting: Sequence[Any], max_groups: int) -> str:
    """What keeps everything waiting: groups that nobody runs, else keys without room."""
    if unclaimed:
        return (
            f"nobody runs the streams of groups {_named([group.key for group in unclaimed])}, "
            "for which elements are held: run all groups at once, for instance with "
            "flat_map(f, breadth=max_groups)"
        )
    return (
        f"max_groups={max_groups} groups are open, none of them ends, and keys wait for room: "
        f"{_named(waiting)}; set idle_timeout, or another on_overflow"
    )


def _named(keys: Sequence[Any]) -> str:
    more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
    return ", ".join(map(short, keys[:NAMED])) + more
