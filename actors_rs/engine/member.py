"""``Member``: a stage in the island that runs it; the ``StageContext`` of its logic.

It has the stage's name, assembly site, policy, timers, figures and errors, whichever island runs
it. An island has one member as a rule; see ``island.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from actors_rs.engine import failure as failures
from actors_rs.engine.calls import UserCalls
from actors_rs.engine.links import Posted, Signal
from actors_rs.engine.run_events import emit
from actors_rs.engine.severing import unlink
from actors_rs.engine.timing import LONG, StageClock, TurnBudget, is_held_back, moved_by
from actors_rs.errors import StageError
from actors_rs.raised import named_by
from actors_rs.runtime._primitives import Lock
from actors_rs.runtime.dispatch.blocked import SLOW_TURN_SECONDS
from actors_rs.runtime.eventing.operations import Operation
from actors_rs.runtime.memory_budget import Share
from actors_rs.stages.chunks.auto_window import AutoWindow, auto_window_of
from actors_rs.stages.context import Followed, Kind
from actors_rs.stages.failure import Policy
from actors_rs.stages.inner.handoff import OutletOwner
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Cancellable, Release, StageLogic, StreamEnd
from actors_rs.texts import repr_of, text_of

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningIsland, Scope, WholeRun
    from actors_rs.engine.inner.inner_links import InnerLinks
    from actors_rs.engine.written import Written
    from actors_rs.graph.spec import OutletRef
    from actors_rs.runtime.actors.mailbox import Mailbox
    from actors_rs.runtime.system.parts import Activity
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["Member"]

_NO_CLOCK = StageClock()
"""Of stages that keep no account of their time."""


_ENDED = StageLogic()
"""Stands for the logic of an ended inner stage, whose figures are in the run's sums."""


class Member(UserCalls):
    """One stage of a run. Call its methods in turns of its island, unless they say "Any thread"."""

    # What each stage has is in slots: a run may have a million of them.
    __slots__ = (
        "_metered",
        "clock",
        "ended",
        "has_left",
        "inner_label",
        "inner_links",
        "is_due",
        "island",
        "kind",
        "logic",
        "name",
        "scope",
        "site",
        "start_due",
    )

    # What most stages never need has its place in the class until they do.
    error: BaseException | None = None
    before_start: Callable[[], None] | None = None
    at_boundary = False
    """Whether an outlet leads to a foreign subscriber, which must hear of a cancelled run."""
    drain_boundary: Callable[[], None] | None = None
    """Where an inlet is fed by a foreign publisher: lets it take no more."""
    resumed = restarted = 0
    """How many elements its policy passed over: going on as it was, and with fresh state."""
    peers: tuple[Callable[[], bool], ...] = ()
    """A function for each foreign peer: whether its next call may wake this stage. Any thread."""
    dead_letters = 0
    """How many it left."""
    cut = False
    """Whether it is the source of an inner stream that a drain ended, perhaps before its end."""
    in_hand = 0
    """How many elements it had taken and not given on when it ended."""
    paused = False
    """Whether it gives nothing for now, see ``engine/run/adjusting.py``."""
    forgiving = False
    """Whether a stream that fails when this stage wants it no more is no failure of the run."""

    def __init__(
        self,
        logic: StageLogic,
        scope: Scope,
        island: RunningIsland,
        name: str,
        kind: str,
        site: str,
    ) -> None:
        self.logic = logic
        self.scope = scope
        """The scope of its run, or of its section."""
        self.island = island
        self.name = name
        self.kind = kind
        self.site = site
        self.inner_label: str | None = None
        """The name that it shares with the same stage of other inner streams."""
        self.inner_links: InnerLinks | None = None
        """Where it stands, as a part of an inner stream."""
        self.is_due = False
        """Whether its island will advance it."""
        self.start_due = True
        """Whether it has not begun."""
        self.ended = self.has_left = False
        self._metered = scope.metered
        self.clock = StageClock() if self._metered else _NO_CLOCK
        logic.context = self

    def __str__(self) -> str:
        return f"stage '{self.name}'"

    @property
    def activity(self) -> Activity:
        """The run, which the system ends at a shutdown."""
        return self.scope.activity

    @property
    def system(self) -> ActorSystem:
        """Where its island is an actor."""
        return self.island.system

    @property
    def mailbox(self) -> Mailbox:
        """The mailbox of its island."""
        return self.island.actor_inbox

    # StageContext

    def post(self, action: Callable[[], None], /) -> None:
        self.island.actor_inbox.offer_control(Posted(self, action))

    def now(self) -> float:
        return self.island.system.now()

    def chance(self) -> float:
        return self.island.system.chance()

    def after(self, seconds: float, action: Callable[[], None], /) -> Cancellable:
        timers = self.island.system.timers
        return self.noted_outside().timer(timers, seconds, lambda: self.post(action))

    def memory_share(self) -> Share | None:
        """See ``StageContext``. Any thread."""
        memory = self.scope.system.memory
        return None if memory is None else Share(memory)

    def auto_window(self, most: int, /) -> AutoWindow:
        """See ``Paced``."""
        return auto_window_of(self.logic, self.island.budget, most)

    def filling(self, outlet: Outlet, frame: list[Any], /) -> bool:
        island = self.island
        outlet.overdue = False  # before anybody may see that it is again
        if not island.sends_ahead:
            return False
        if outlet.is_local:  # its reader waits for the end of this turn in any case
            island.look_soon()
            return False
        if outlet.gate is None:
            outlet.gate = Lock()
        outlet.making = frame
        island.look_soon()
        return True

    def failed(
        self,
        error: BaseException,
        /,
        position: int | None = None,
        *,
        plain: bool = False,
        beside: BaseException | None = None,
    ) -> BaseException:
        if self.given_up_with is not None:
            self.report_late(None, named_by(self.name, self.site, error, position))
            return error
        self.error = failures.note_failed(self.scope, self, error, position, plain, beside)
        self.event("stage_failed", error=self.error, position=position)
        return self.error

    def event(
        self,
        name: str,
        /,
        *,
        partition: int | None = None,
        error: BaseException | None = None,
        **fields: Any,
    ) -> None:
        stage = self.inner_label or self.name  # inner streams come and go: their label stays
        emit(self.scope, name, stage=stage, partition=partition, error=error, fields=fields)

    def operation(self, kind: Kind, number: int, attempt: int = 1, /) -> Followed | None:
        operations = self.island.system.events.operations
        if not operations.are_followed:
            return None
        run = cast("WholeRun", self.scope.activity).number
        return operations.begin(
            Operation(kind, run, self.inner_label or self.name, number, attempt)
        )

    def abort(self, error: BaseException, /) -> None:
        self.scope.abort(named_by(self.name, self.site, error, None))

    def passed_over(
        self, element: Any, error: Exception, position: int | None, policy: Policy, /
    ) -> None:
        self.restarted += policy == "restart"
        self.resumed += policy != "restart"
        kind = "element_restarted" if policy == "restart" else "element_resumed"
        self.event(kind, error=error, position=position)
        named = named_by(self.name, self.site, error, position)  # or it is a part's, by its name
        self.report(element, f"on_failure={repr_of(policy)}", named)

    def upstream_failed(self, error: BaseException, /) -> None:
        """A foreign publisher failed: no stage of ours will tell the run why it ended."""
        self.scope.note_failure(error)

    def report(
        self,
        what: object,
        why: str,
        error: BaseException | None = None,
        /,
        *,
        partition: int | None = None,
    ) -> None:
        dead_letters = self.island.system.dead_letters
        with dead_letters.counting:
            self.dead_letters += 1
        place = None if self.inner_label is None else f"stage '{self.inner_label}'"
        where, fields = text_of(self), {**self._fields, "partition": partition}
        dead_letters.publish(what, where=where, why=why, error=error, place=place, fields=fields)

    def attach(self, source: object, inlet: Inlet, /) -> None:
        self.scope.inner_streams.attach(self, self.scope, source, inlet)

    def at_hand(self, source: object, /) -> Sequence[Any] | None:
        return self.scope.inner_streams.at_hand(source)

    def handoff(self, outlet: Outlet, owner: OutletOwner, /) -> OutletRef:
        return self.scope.inner_streams.handoff(self, outlet, owner)

    @property
    def written(self) -> Written:
        return self.scope.written

    def recovered(self, error: BaseException, /) -> None:
        failures.recover(self.scope, self, error)

    def stop_reason(self) -> BaseException | None:
        return cast("WholeRun", self.scope.activity).stop_reason

    def linger(self, release: Release, /) -> None:
        self.scope.linger(self, lambda error: self.post(partial(release, error)))

    def forgive(self, error: BaseException) -> None:
        """A stream that this stage had cancelled has failed."""
        if isinstance(error, Exception):
            failures.forgive(self.scope, self, error)

    # Signals

    def send(self, signal: Signal) -> bool:
        """Send ``signal`` to this stage; False if its island has ended. Any thread."""
        signal.member = self
        return self.island.actor_inbox.offer(signal)

    def send_control(self, signal: Signal) -> bool:
        """As ``send``, but before the elements that wait. Any thread."""
        signal.member = self
        return self.island.actor_inbox.offer_control(signal)

    def post_drain(self) -> None:
        """Let the stage take no more from outside; called on any thread."""
        self.post(self.drain)
        if not self.logic.inlets:  # others have to give on what comes
            self.interrupt()

    def pause(self, paused: bool) -> None:
        """Give nothing until it is called with ``False``, or until the run drains or ends."""
        self.paused = paused
        self.wake()

    def drain(self) -> None:
        """Take no more from outside. What an inner stream holds is inside, and goes on."""
        self.paused = False
        if self.inner_links is not None and not self.logic.inlets and not self.ended:
            if self.logic.holds_elements:
                return
            self.cut = True
        (self.drain_boundary or self.logic.drain)()  # the first turn may have made the boundary

    # The turn

    def wake(self) -> None:
        """Be advanced before the turn of its island ends, or in the next one."""
        if not self.is_due:
            self.is_due = True
            self.island.add_due(self)

    def wake_first(self) -> None:
        """As ``wake``, before the other members that are due."""
        self.island.add_first(self)

    def advance(self, budget: TurnBudget) -> None:
        """Let the logic do what its ports allow, keep its times, and end it when it is over."""
        self.is_due = False
        if self.ended:  # a peer of the same island may have had something for it
            return
        if self.paused and not any(outlet.closed for outlet in self.logic.outlets):
            return
        logic, clock, began, before = self.logic, self.clock, budget.lapped, -1
        if self._metered:
            clock.began = began
            clock.until_sample = left = clock.until_sample - 1
            if left < 0:
                before = moved_by(logic)
        try:
            if self.start_due:
                self.begin()
            logic.advance(budget)
        except BaseException as error:
            logic.fail(error)
        budget.lapped = ended = budget.now()
        if self._metered:
            clock.end(ended, logic.outlets != () and is_held_back(logic))
        if before >= 0 or ended - began >= LONG:
            if self._metered:
                clock.note(ended - began, before, logic)
            if ended - began > SLOW_TURN_SECONDS:
                self.island._turn_was_slow_(ended - began)
        ports = logic.outlets or logic.inlets
        try:
            is_over = (not ports or ports[0].closed) and logic.finished  # a cheap look first
        except BaseException as error:
            is_over = failures.cannot_tell(self, error)
        if is_over:
            self._finish()
        elif budget.was_spent:  # it may have more to do
            self.wake() if logic.outlets else self.wake_first()  # a sink before more comes

    def begin(self) -> None:
        """Before anything else."""
        self.start_due = False
        if (before_start := self.before_start) is not None:
            self.before_start = None  # it may hold a subscriber (3.13)
            before_start()
        self.logic.start()

    def _finish(self) -> None:
        logic = self.logic
        for unheard in failures.unheard_failures(logic):
            self.forgive(unheard)
        failures.mind_unheard(self.scope, self, self.error)
        error = failures.last_error(self.error, logic)
        completed = not isinstance(logic, StreamEnd) or logic.completed
        self.ended = True
        self._stops = True
        try:
            logic.stop(error if error is not None or completed else self.scope.cancelled_error())
        except BaseException as failure:  # after any exception the run must end
            failures.note_failed(self.scope, self, StageError(self.name, failure, None, self.site))
        if self.may_finish():
            self.leave()
        else:  # given up meanwhile
            self.return_late()

    def leave(self) -> None:
        """It has ended: leave the island and the run. Done again after an interruption."""
        failures.count_in_hand(self)
        self.island.left_by(self)
        self.scope.stage_ended(self)
        failures.release(self)
        is_inner = self.inner_label is not None
        if is_inner and self.given_up_with is None and not self.system.keeps_ended:
            unlink(self)
            self.logic = _ENDED
            self.island.planned = tuple(m for m in self.island.planned if m is not self)
        self.leave_calls()
