"""group_by(key, max_groups=2)

in:       a1 b1 a2 b2 a3 |
out:      A  B           |      (streams, each given when its first element comes)
A:        a1    a2    a3 |
B:           b1    b2    |

Sorts the elements into a stream for each key. It holds elements without demand, a window of them
for all groups together, so one slow group does not block the others at once. Under a memory limit
it holds no more than fit, but always one for groups that run, and all for groups that do not.

A group ends with upstream, when its receiver cancels it, when it makes room for another group, or
when it was idle for ``idle_timeout`` seconds: no element came for it or was given of it. If its key
comes again, a new group opens, which begins with all that the receiver had not requested. Elements
that it had requested and did not take are counted as ``unwanted``, see ``snapshot``. A receiver
that took nothing, or dropped the stream unused: the held elements are dropped and counted. With
``closed="drop"`` a group that its receiver cancelled stays cancelled: elements for its key are
dropped and counted, until its place is needed or it was idle. The extra group of ``divert`` takes
no place, so only idleness ends that one.

Back-pressure: when a window of elements is held for groups that do not ask. A new key beyond
``max_groups`` waits for room (``backpressure``), ends the group that was idle longest
(``evict_idle``), goes to one extra group for all such keys (``divert``), or fails the stage.
Completes: when upstream has; each group after its held elements.
Fails: when upstream fails, each group after its held elements. When ``key`` raises and the stage's
policy is to stop. Beyond ``max_groups`` with ``fail``. With ``Stalled`` when the run has stood
still for ``stall_after`` seconds and a group that was given is not run, or none ends.
Cancels: upstream, when the stream of groups and all groups are cancelled.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from functools import partial
from operator import length_hint
from typing import Any

from actors_rs.errors import TooManyGroupsError
from actors_rs.stages.inner.group_room import GroupRoom
from actors_rs.stages.inner.groups import OVERFLOW, Group, Groups, OnOverflow, Sorted
from actors_rs.stages.inner.idle_groups import IdleGroups
from actors_rs.stages.inner.inner_ports import InnerOutput
from actors_rs.stages.inner.port_set import PortSet
from actors_rs.stages.ports import Frame, Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic
from actors_rs.texts import short_repr_of


class GroupBy(StageLogic):
    """A stream of streams. ``wrap(key, handoff)`` makes the stream of a group that is emitted."""

    window_follows = "weight"  # a frame for each group costs what it costs
    ends_with_run = True  # groups that are not run have no sink downstream

    def __init__(
        self,
        key: Callable[[Any], Any],
        max_groups: int,
        on_overflow: OnOverflow,
        wrap: Callable[[Any, Any], Any],
        idle_timeout: float | None = None,
        stall_after: float | None = None,
        drops: bool = False,
    ) -> None:
        self.inlet = Inlet()
        self.inlets = (self.inlet,)
        self.outlet = Outlet()
        self._past = InnerOutput("past")  # keeps count of what went to groups that ended
        self._past.closed = True
        self._ports: PortSet[Outlet] = PortSet(self.outlet, self._past)
        self.outlets: Sequence[Outlet] = self._ports
        self._key = key
        self._max_groups = max_groups
        self._on_overflow = on_overflow
        self._evicts = on_overflow == "evict_idle"
        self._wrap = wrap
        self.stall_after = stall_after
        self._drops = drops  # what comes for a group that its receiver has cancelled
        self._over = False
        self._groups = Groups(self._evicts or idle_timeout is not None)
        self._line: deque[Group] = deque()  # groups that have news
        self._unannounced: deque[tuple[Group, Any]] = deque()
        self._waiting: OrderedDict[Any, list[Any]] = OrderedDict()  # of keys that have no room
        self._held = 0
        self._opened = 0
        self._dropped = 0
        self._sorted = Sorted()
        for_room = partial(self._sorted.sort_for_room, self._groups.open, max_groups)
        self._sort_by = for_room if self._evicts else self._sorted.sort
        self._room = GroupRoom(self, self._groups, self._waiting, max_groups)
        self._idle = IdleGroups(self, self._groups, idle_timeout, self._end)

    def advance(self, budget: Budget) -> None:
        self._look_at_groups()
        if self.outlet.cancelled:
            self._nobody_wants_groups()
        elif self.outlet.demand:
            self.inlet.open()
        if not self._lets_others_go_first():
            while self.inlet.buffered and self._left > 0:
                self._sort(budget)
                if budget.spent():
                    break
        self._admit_waiting()
        self._announce()
        self._end_if_due(budget)
        self._room.report(self._held)

    # Elements

    @property
    def _left(self) -> int:
        """How many elements more it may hold, as far as there are any."""
        more = self._sorted.count + self.inlet.buffered
        return self._room.left(self.inlet.capacity, self._held, more)

    def _lets_others_go_first(self) -> bool:
        """Whether to sort one round later, as frames of an element or two are expensive.

        As long as each round brings more elements or room: it never waits for a slow group.
        """
        inlet, groups, room = self.inlet, len(self._groups.open), self._left
        arriving = not inlet.done or room < inlet.buffered
        waits = arriving and self._sorted.wait_for_more(min(inlet.buffered, room), groups)
        if waits:
            self.context.post(_go_on)
        return waits

    def _sort(self, budget: Budget) -> None:
        """Sort what has arrived, chunk by chunk, and give each group its part in one frame.

        With many groups frames are what costs, so they wait for what is here for the next turn.
        """
        inlet, ready, room = self.inlet, self._sorted, self._left - self._sorted.count
        while inlet.buffered and room > 0:
            frame = inlet.take(min(room, ready.chunk.size))
            room -= len(frame)
            self._room.weigh(frame)
            self._sort_frame(frame)
            if inlet.cancelled:
                return
            ready.record(len(frame), budget.lap())
            if budget.spent():
                break
        if not (inlet.buffered and room > 0 and ready.may_wait(len(self._groups.open))):
            self._give_all()

    def _sort_frame(self, frame: Frame) -> None:
        elements, sort = iter(frame), self._sort_by
        self.drawing = elements

        def before_the_end() -> None:
            self._give_all()
            self.inlet.untake(list(elements))

        while length_hint(elements):
            try:
                homeless = sort(self._key, elements)
            except Exception as error:
                left = length_hint(elements)
                position = self.inlet.count - left - 1
                if not self.survives(error, frame[-left - 1], position, first=before_the_end):
                    return
            else:
                if homeless:
                    self._give_all()
                    self._give_new(*homeless, self._idle.now())

    def _give_all(self) -> None:
        """Give each group what was sorted for it, new ones last: they may be too many."""
        groups, now, latest = self._groups, self._idle.now(), self._sorted.latest
        frames, opened, new = self._sorted.take(), groups.open, []
        for key, frame in frames.items():
            if (group := opened.get(key)) is None:
                new.append((key, frame))
            else:
                self._give(group, frame)
        for key, frame in new:
            self._give_new(key, frame, now)
        if self._evicts or self._idle.seconds is not None:
            groups.touch_all(sorted(latest, key=latest.__getitem__) if latest else frames, now)

    def _give(self, group: Group, frame: list[Any]) -> None:
        if group.cancelled:
            self._drop(frame, group)
            return
        held = len(group.held)
        group.give(frame)
        self._held += len(group.held) - held

    def _give_new(self, key: Any, frame: list[Any], now: float) -> None:
        """The first elements of a group, or of one that is not to be opened."""
        if self.outlet.cancelled or self.inlet.cancelled:  # it has failed: there were too many
            self._drop(frame, self.outlet)
        elif key in self._waiting:
            self._waiting[key] += frame
            self._held += len(frame)
        elif self._has_room():
            self._give(self._open(key, now), frame)
        elif self._on_overflow == "divert":
            group = self._groups.open.get(OVERFLOW) or self._open(OVERFLOW, now)
            self._groups.touch(group, now)
            self._give(group, frame)
        elif self._on_overflow == "fail":
            self.fail(TooManyGroupsError(self.context.name, self._max_groups, short_repr_of(key)))
            self._drop(frame, self.outlet)
        else:
            self._waiting[key] = frame
            self._held += len(frame)

    def _drop(self, elements: Sequence[Any], outlet: Outlet) -> None:
        """Nobody gets ``elements``, which were for ``outlet``; they are missed if it has failed."""
        self._dropped += len(elements)
        if self.on_lost is not None and (outlet.cause is not None or not outlet.cancelled):
            self.on_lost(elements)

    def held(self) -> list[Any]:
        frames = [*(group.held for group in self._groups), *self._waiting.values()]
        return [element for frame in (*frames, *self._sorted.frames.values()) for element in frame]

    def _has_room(self) -> bool:
        """Whether a group can be opened, perhaps in place of another one."""
        groups = self._groups
        count = len(groups.open) - (OVERFLOW in groups.open)
        if count < self._max_groups or groups.forget_a_cancelled_one():
            return True
        if self._evicts:
            self._end(next(iter(groups.used or ())))
            return True
        return False

    def _admit_waiting(self) -> None:
        while self._waiting and not self.outlet.closed and self._has_room():
            key, frame = self._waiting.popitem(last=False)
            self._held -= len(frame)
            self._give(self._open(key, self._idle.now()), frame)

    # Groups

    def _open(self, key: Any, now: float, *, free: bool = True) -> Group:
        """A new group for ``key``, which is ``free`` unless another group may be open for it."""
        group = Group(key, self._opened, self._line)
        group.used = now
        self._opened += 1
        if free:
            self._groups.add(group)
        self._ports.append(group)
        self._unannounced.append((group, self._wrap(key, self.context.handoff(group, self))))
        self._idle.mind()
        return group

    def name_of(self, group: Group, /) -> str:
        return f"group {short_repr_of(group.key)} of '{self.context.name}'"

    def claimed(self, group: Group, /) -> None:
        group.claimed = True
        self._groups.is_run(group)

    def lost(self, group: Group, /) -> None:
        group.cancel()

    def _announce(self) -> None:
        """Give downstream as many new groups as it asks for."""
        waiting = self._unannounced
        given = [waiting.popleft() for _ in range(min(len(waiting), self.outlet.demand))]
        for group, _ in given:
            self._groups.announce(group)
        self.outlet.emit([stream for _, stream in given])

    def _look_at_groups(self) -> None:
        """Serve the groups that were asked or cancelled since the last turn."""
        line = self._line
        while line:
            group = line.popleft()
            group.in_line = False
            if group.cancelled:
                self._was_cancelled(group)
            elif group.held:
                self._give(group, [])
                if group.ending and not group.held:
                    self._end_now(group)
                elif not group.held:
                    self._idle.gave_all(group)

    def _was_cancelled(self, group: Group) -> None:
        """Its held elements open another group, if its receiver took any; else that never ends."""
        held, group.held = group.held, ()
        self._held -= len(held)
        was_open = self._groups.open.get(group.key) is group
        again = group.claimed and group.cause is None and group.count and not self._drops
        if self._drops:
            self._groups.was_cancelled(group)
        elif was_open:
            self._groups.remove(group)
        self._forget(group)
        if not held or not again or self.outlet.closed:
            self._drop(held, group)
            return
        new = self._open(group.key, self._idle.now(), free=was_open)
        self._give(new, held)
        if not was_open:
            new.ending = True
            self._groups.ending[new] = None

    def _end(self, group: Group) -> None:
        """End ``group`` after its held elements; its key is free from now on."""
        self._groups.remove(group)
        if group.cancelled:
            return
        if group.held:
            group.ending = True
            self._groups.ending[group] = None
        else:
            self._end_now(group)

    def _end_now(self, group: Group) -> None:
        if self.inlet.exhausted and self.inlet.error is not None:
            group.fail(self.inlet.error)
        else:
            group.complete()
        self._forget(group)

    def _forget(self, group: Group) -> None:
        self._groups.ending.pop(group, None)
        self._groups.is_run(group)
        self._past.count += group.count
        self._ports.remove(group)

    # Ends

    def _nobody_wants_groups(self) -> None:
        """Downstream takes no more groups: open ones go on, elements for others are dropped."""
        if self.outlet.cause is not None:
            self.end(self.outlet.cause)
        while self._unannounced:
            self._unannounced.popleft()[0].cancel()
        for frame in self._waiting.values():
            self._held -= len(frame)
            self._drop(frame, self.outlet)
        self._waiting.clear()
        self._look_at_groups()
        if not self._ports.has_others:
            for frame in self._sorted.take().values():
                self._drop(frame, self.outlet)
            self.inlet.cancel()

    def _end_if_due(self, budget: Budget) -> None:
        """After the end of upstream, end the groups that hold nothing any more."""
        inlet = self.inlet
        if not inlet.exhausted or inlet.cancelled:
            return
        for group in self._groups.to_end():
            self._end(group)
            budget.lap()
            if budget.spent():  # or a million actors hold their ends at a time
                return
        self._admit_waiting()
        self._announce()  # whom this let in, or nothing might ever wake this stage for them
        # Stay open for a group that an unwanted element opens, and for a cancellation before a run.
        opens_more = self._ports.has_others and not self._drops
        if not (self._waiting or self._unannounced or opens_more or self._groups.awaits_a_run):
            if inlet.error is not None:
                self.outlet.fail(inlet.error)
            else:
                self.outlet.complete()

    @property
    def finished(self) -> bool:
        ended = self.outlet.closed and self.inlet.exhausted
        return ended and (self._over or not self._ports.has_others)

    def end(self, error: BaseException | None) -> None:
        self._over = True
        super().end(error)

    def stop(self, error: BaseException | None) -> None:
        self._idle.cancel()
        self._room.over()

    # Standing still

    @property
    def waits_outside(self) -> bool:  # type: ignore[override]
        """Whether user code may run a group that was given, at any time."""
        return self.stall_after is None and self._groups.awaits_a_run

    def unblock(self) -> Callable[[], None] | None:
        return self._room.unblock()

    def held_back(self) -> bool:
        return self._held > 0

    def details(self) -> dict[str, Any]:
        counts = {"opened": self._opened, "held": self._held, "dropped": self._dropped}
        return {"groups": len(self._groups.open), **counts}


def _go_on() -> None:
    """Nothing to do but to advance once more."""
