"""The groups of a ``group_by``: which are open, what each holds, who was used when.

Plain state without ports or clock, but for each group's own outlet: a group emits by itself what it
holds as far as it is asked.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Literal, TypeAlias

from actors_rs.errors import Stalled
from actors_rs.stages.chunks.chunk import ELEMENTS, ChunkSize
from actors_rs.stages.inner.inner_ports import InnerOutput
from actors_rs.stages.iterators import check_key
from actors_rs.stages.stage import StageLogic
from actors_rs.texts import few, short_repr_of

__all__ = [
    "OVERFLOW",
    "Closed",
    "Group",
    "Groups",
    "OnOverflow",
    "Sorted",
    "why_stuck",
]

FRAME = 16
"""Elements that a frame should have, if they come soon."""
FULL_FRAME = 64
"""Elements in a frame, in the mean, for which no turn more is waited."""
WAITING_SECONDS = 0.03
"""Seconds of sorting for which at most an element waits."""
FAST = 64
"""A chunk of so many elements means that they come fast, and none waits for long."""

Homeless: TypeAlias = tuple[Any, list[Any]] | None
"""A key for which there is no room, and its first element."""
Closed: TypeAlias = Literal["reopen", "drop"]
OnOverflow: TypeAlias = Literal["backpressure", "evict_idle", "fail", "divert"]


class _Overflow:
    def __repr__(self) -> str:
        return "OVERFLOW"


OVERFLOW = _Overflow()
"""The key of the group that takes what has no group of its own, with ``on_overflow="divert"``."""


class Group(InnerOutput):
    """One group: an outlet with the elements that were not asked for yet."""

    __slots__ = ("_line", "claimed", "ending", "held", "in_line", "key", "used")

    def __init__(self, key: Any, number: int, line: deque[Group]) -> None:
        super().__init__(f"group {number}")
        self.key = key
        self.held: list[Any] | tuple[()] = ()  # of a million groups few hold something
        self.claimed = False  # a run took that stream
        self.ending = False  # completes, or fails, when what it holds is given
        self.used = 0.0  # when its last element came, or went
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
            self.held = self.held[most:] or ()


class Sorted:
    """Elements by key that wait, so that they share a frame with the elements that follow."""

    __slots__ = ("_numbers", "_ready", "_seconds", "chunk", "count", "frames", "latest")

    def __init__(self) -> None:
        self.frames: defaultdict[Any, list[Any]] = defaultdict(list)
        self.latest: dict[Any, int] = {}
        """The number of each key's latest element, where that matters."""
        self.count = 0
        self.chunk = ChunkSize(ELEMENTS)
        self._numbers = count()
        self._seconds = 0.0
        self._ready = 0  # elements that could be sorted if others were given first

    def sort(self, key: Callable[[Any], Any], elements: Iterator[Any]) -> Homeless:
        """Add ``elements`` to the groups of their keys; if it raises, the last one is at fault."""
        frames, mark = self.frames, None
        try:
            for element in elements:
                frames[mark := key(element)].append(element)
        except TypeError:
            check_key(mark, "group_by: key")
            raise
        return None

    def sort_for_room(
        self,
        opened: Mapping[Any, Any],
        most: int,
        key: Callable[[Any], Any],
        elements: Iterator[Any],
    ) -> Homeless:
        """As ``sort``, up to an element for whose key ``most`` groups leave no room.

        Returns that one: when those before it were given, it is known which group is idle longest.
        """
        frames, latest, mark = self.frames, self.latest, None
        room = most - len(opened) - sum(key not in opened for key in frames)
        try:
            for element in elements:
                mark = key(element)
                if mark not in frames and mark not in opened:
                    if room <= 0:
                        return mark, [element]
                    room -= 1
                frames[mark].append(element)
                latest[mark] = next(self._numbers)
        except TypeError:
            check_key(mark, "group_by: key")
            raise
        return None

    def take(self) -> dict[Any, list[Any]]:
        """All that waits."""
        frames, self.frames, self.latest = self.frames, defaultdict(list), {}
        self.count, self._seconds = 0, 0.0
        return frames

    def wait_for_more(self, ready: int, groups: int) -> bool:
        """Whether to sort later than now, when ``ready`` elements could be.

        Only as long as they become more from one time to the next.
        """
        before, self._ready = self._ready, 0
        if before < ready < FRAME * groups:
            self._ready = ready
        return self._ready > 0

    def record(self, elements: int, seconds: float) -> None:
        """So many came, in so many seconds."""
        self.count += elements
        self._seconds += seconds
        self.chunk.record(elements, seconds)

    def may_wait(self, groups: int) -> bool:
        """Whether all may wait for what is there already, and is sorted in the next turn."""
        few = self.count < FULL_FRAME * groups
        return few and self._seconds < WAITING_SECONDS and self.chunk.size >= FAST


class Groups:
    """The open groups by key; if ``by_use``, the groups that were used longest ago come first.

    ``by_use`` makes it an ``OrderedDict``: to find its first entry, a dict from whose front much
    was taken goes over all the gaps. Its keys are the groups, as an ``OrderedDict`` asks its keys
    for their hash at every step, and the hash of a user's key is the user's code.
    """

    def __init__(self, by_use: bool) -> None:
        self.open: dict[Any, Group] = {}
        self.used: OrderedDict[Group, None] | None = OrderedDict() if by_use else None
        """The same groups."""
        self.ending: dict[Group, None] = {}
        """Groups that are to end and still hold elements; their keys are free."""
        self._to_end: deque[Group] = deque()
        self._cancelled: OrderedDict[Group, None] = OrderedDict()  # open ones that can make room
        self._awaited: dict[Group, None] = {}  # were given to downstream, and nobody runs them

    def __iter__(self) -> Iterator[Group]:
        """Those there are now; on any thread, so in single steps of a dict."""
        return iter([*list(self.open.values()), *list(self.ending)])

    def to_end(self) -> Iterator[Group]:
        """Each group that is open, the first one first; goes on where it was left before."""
        left = self._to_end
        left.extend(() if left else self.open.values())
        while left:
            group = left.popleft()
            if self.open.get(group.key) is group:
                yield group

    def add(self, group: Group) -> None:
        """``group`` is open from now on."""
        self.open[group.key] = group
        if self.used is not None:
            self.used[group] = None

    def touch(self, group: Group, now: float) -> None:
        """``group`` was used just now."""
        group.used = now
        if self.used is not None:
            self.used.move_to_end(group)
        if group in self._cancelled:
            self._cancelled.move_to_end(group)

    def touch_all(self, keys: Iterable[Any], now: float) -> None:
        """The groups of ``keys`` that are open were used just now, the last one last."""
        for key in keys:
            if (group := self.open.get(key)) is not None:
                self.touch(group, now)

    def remove(self, group: Group) -> None:
        """Free the key of ``group``, which is open."""
        del self.open[group.key]
        if self.used is not None:
            del self.used[group]
        self._cancelled.pop(group, None)

    def was_cancelled(self, group: Group) -> None:
        """The receiver of ``group`` wants no more of it; the group may be open or not."""
        has_place = group.key is not OVERFLOW  # that one takes none, so it has none to give up
        if has_place and self.open.get(group.key) is group:
            self._cancelled[group] = None

    def forget_a_cancelled_one(self) -> bool:
        """Make room: forget one group whose receiver wanted no more of it."""
        if not self._cancelled:  # asked for each new key, however many groups are open
            return False
        self.remove(next(iter(self._cancelled)))
        return True

    def announce(self, group: Group) -> None:
        """The stream of ``group`` was given to downstream."""
        if not group.claimed and not group.closed:
            self._awaited[group] = None

    def is_run(self, group: Group) -> None:
        """A run has begun with ``group``, or it has ended."""
        self._awaited.pop(group, None)

    @property
    def awaits_a_run(self) -> bool:
        """Whether there are such groups as ``unclaimed`` gives. Any thread."""
        return any(not group.closed for group in [*self._awaited])

    def unclaimed(self) -> list[Group]:
        """Groups that hold elements, were given to downstream, and which nobody runs."""
        return [group for group in self._awaited if not group.closed]

    def end_standstill(self, logic: StageLogic, waiting: Iterable[Any], max_groups: int) -> None:
        """Nothing moves any more: fail, or cancel groups that downstream took and will not run."""
        unclaimed = self.unclaimed()
        if unclaimed and logic.outlets[0].cancelled:
            for group in unclaimed:
                why = f"{len(group.held)} elements of a group that nobody runs"
                logic.context.report(group.key, why)
                group.cancel()
        else:
            why = why_stuck(unclaimed, list(waiting), max_groups)
            logic.fail(Stalled(f"group_by '{logic.context.name}' has stood still: {why}"))


def why_stuck(unclaimed: Sequence[Group], waiting: Sequence[Any], max_groups: int) -> str:
    """What keeps everything waiting: groups that nobody runs, else keys without room."""
    if unclaimed:
        more = " + 1" if any(group.key is OVERFLOW for group in unclaimed) else ""
        keys = few((group.key for group in unclaimed), short_repr_of)
        return (
            f"nobody runs the streams of groups {keys}, "
            "for which elements are held: run all groups at once, for instance with "
            f"flat_map(f, breadth=max_groups{more})"
        )
    return (
        f"max_groups={max_groups} groups are open, none of them ends, and keys wait for room: "
        f"{few(waiting, short_repr_of)}; set idle_timeout, or another on_overflow"
    )
