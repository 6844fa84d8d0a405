"""The shell: an actor around a stage's logic.

It applies the messages that came to the ports, hands the logic its budget, keeps its times, and
ends exactly once, whatever happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

from actors_rs.errors import StageError, named_by
from actors_rs.graph import failing
from actors_rs.graph.clockwork import StageClock, TurnBudget, is_held_back
from actors_rs.graph.signals import InletLine, OutletLine, Posted, Signal
from actors_rs.graph.stall_watch import Outside
from actors_rs.graph.user_calls import UserCalls
from actors_rs.graph.waiting import work_for
from actors_rs.runtime._primitives import Lock
from actors_rs.runtime.actor import PooledActor
from actors_rs.runtime.actor_ref import Ask
from actors_rs.runtime.blocked import SLOW_TURN_SECONDS
from actors_rs.runtime.dispatchers.pinned import PinnedDispatcher
from actors_rs.runtime.mailbox import EMPTY
from actors_rs.runtime.timers import Timer
from actors_rs.runtime.unread import refuse_question
from actors_rs.stages.failure import Policy
from actors_rs.stages.handoff import OutletOwner
from actors_rs.stages.stage import Cancellable, LetGo, StageLogic, StreamEnd
from actors_rs.texts import repr_of, text_of

if TYPE_CHECKING:
    from actors_rs.graph.inner_links import InnerLinks
    from actors_rs.graph.life import Life
    from actors_rs.graph.nest import Nest
    from actors_rs.graph.written import Written
    from actors_rs.runtime.shutdown import Activity
    from actors_rs.stages.ports import Inlet, Outlet

__all__ = ["InletLine", "OutletLine", "Signal", "StageActor"]

FOREVER = repeat(None)
AHEAD_SECONDS = 0.01
"""After which what lies in an unfinished frame is sent ahead of the rest."""
LOOKS_APART = 0.32
"""How far the looks at a turn that lasts get apart: as far as it has lasted, up to that."""


class StageActor(UserCalls):
    """Runs one stage; is the ``StageContext`` of its logic."""

    # What each stage has is in slots: an instance with more than 30 names in its dict, counted over
    # all instances, gets a dict of its own, of 0.8 KiB.
    __slots__ = (
        "_budget",
        "_metered",
        "_most",
        "inner_links",
        "kind",
        "life",
        "logic",
        "nest",
        "place",
        "site",
        "stopwatch",
    )

    _stops_in_order_ = False  # it ends with its stream
    # What most stages never need has its place in the class until they do.
    clock = StageClock()
    error: BaseException | None = None
    before_start: Callable[[], None] | None = None
    at_boundary = False
    """Whether an outlet leads to a foreign subscriber, which must hear of a cancelled run."""
    drain_boundary: Callable[[], None] | None = None
    """Where an inlet is fed by a foreign publisher: lets it take no more."""
    peers: tuple[Callable[[], bool], ...] = ()
    """For each foreign peer: whether what it may call next can wake this stage. Any thread."""
    resumed = restarted = 0
    """How many elements its policy passed over: going on as it was, and with fresh state."""
    dead_letters = 0
    """How many it left."""
    outside: Outside | None = None
    """What will wake it from outside the run, once it has set something going."""
    _looks = False  # whether somebody will look at frames that take long to be filled
    _far = False  # whether that will be later than a frame begun now can wait
    _hands_over = False
    _look: Timer | None = None  # the last time that was to happen

    def __init__(
        self,
        logic: StageLogic,
        life: Life,
        name: str,
        kind: str,
        site: str,
        dispatcher: str,
        throughput: int | None = None,
    ) -> None:
        PooledActor.__init__(self)  # ``super()`` takes as long as three calls
        self.logic = logic
        self.name = name
        self.kind = kind
        self.site = site
        self.dispatcher = dispatcher
        self._most: Iterable[object] = FOREVER if throughput is None else range(throughput)
        self._metered = life.metered
        if self._metered:
            self.clock = StageClock()
        self.life = life
        """That of the run it is part of, or of its section."""
        self.inner_links: InnerLinks | None = None
        """Where it stands, as a part of an inner stream."""
        self.place: str | None = None
        """What it is called where there is one such stage in each of many inner streams."""
        self.nest: Nest | None = None
        """The inner streams that run within this actor, if there ever was one."""
        self._budget = TurnBudget(life.stopwatch)
        self.stopwatch = life.stopwatch
        logic.context = self

    def __str__(self) -> str:
        return f"stage '{self.name}'"

    @property
    def activity(self) -> Activity:
        """What the system ends it with."""
        return self.life.activity

    @property
    def last_turn(self) -> float:
        """When its last turn began, by the run's stopwatch."""
        return self._budget.began

    # StageContext

    def post(self, action: Callable[[], None], /) -> None:
        self.actor_inbox.offer_control(Posted(action))

    def now(self) -> float:
        return self.system.now()

    def chance(self) -> float:
        return self.system.chance()

    def after(self, seconds: float, action: Callable[[], None], /) -> Cancellable:
        return self.noted_outside().timer(self.system.timers, seconds, lambda: self.post(action))

    def filling(self, outlet: Outlet, frame: list[Any], /) -> bool:
        system = self._system_  # not the property, for each piece
        if system is None or not system.sends_ahead:
            return False
        if outlet.gate is None:
            outlet.gate = Lock()
        outlet.making = frame
        if self._far or not self._looks:
            self._look_soon()
        return True

    def at_work(self) -> None:
        if (self._far or not self._looks) and self.system.sends_ahead:
            self._look_soon()

    def _look_soon(self) -> None:
        if self._far and self._look is not None:
            self._look.cancel()  # or it is going on: then there are two for a while
        self._look_in(AHEAD_SECONDS)

    def _look_in(self, seconds: float) -> None:
        self._far = seconds > AHEAD_SECONDS
        self._looks = True  # before: it may be time before this thread has come any further
        try:
            self._look = self.system.timers.after(seconds, self._look_at_turn)
        except RuntimeError:  # no thread for it, as the pool says: the next piece tries again
            self._looks = False

    def _look_at_turn(self) -> None:
        """On the timers' thread: send on what a turn that lasts has made, and end its piece."""
        self._look = None  # as long as nobody sets another
        self._looks = False  # before looking: a frame begun meanwhile is seen here, or sets a timer
        lasts = self.stopwatch() - self._budget.began
        if lasts < AHEAD_SECONDS:
            self._look_in(AHEAD_SECONDS - lasts)
            return
        if self.actor_inbox.idle:  # it was over long ago; the pool needs no thread more for that
            return
        ahead = (outlet.send_ahead() for outlet in self.logic.outlets)
        made = self._hand_over() if self.at_boundary else [*ahead]
        if self.logic.brake is not None:
            self.logic.brake.pull()
        if self.nest is not None:
            self.nest.pull_brake()
        self._dispatcher_.grow_if_starved()
        # A pull may have come just before there was anything to hit: while the turn lasts, again.
        lasts_on = not self.actor_inbox.idle and not self.actor_stopped.is_set()
        if (lasts_on or any(made)) and not self._looks:
            self._look_in(min(max(lasts, AHEAD_SECONDS), LOOKS_APART))

    def _hand_over(self) -> list[bool]:
        """Send ahead to a foreign subscriber, who may take its time: not on the timers' thread."""
        outlets = self.logic.outlets
        making = [outlet.making is not None for outlet in outlets]
        if any(making) and not self._hands_over:

            def hand_over() -> None:
                try:
                    for outlet in outlets:
                        outlet.send_ahead()
                finally:
                    self._hands_over = False

            self._hands_over = True
            try:
                self.run_blocking(hand_over)
            except RuntimeError:  # no thread for it: the frame comes as a whole
                self._hands_over = False
        return making

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
        self.error = failing.note_failed(self.life, self, error, position, plain, beside)
        return self.error

    def passed_over(
        self, element: Any, error: Exception, position: int | None, policy: Policy, /
    ) -> None:
        self.restarted += policy == "restart"
        self.resumed += policy != "restart"
        named = named_by(self.name, self.site, error, position)  # or it is a part's, by its name
        self.report(element, f"on_failure={repr_of(policy)}", named)

    def upstream_failed(self, error: BaseException, /) -> None:
        """A foreign publisher failed: no stage of ours will tell the run why it ended."""
        self.life.note_failure(error)

    def report(self, what: object, why: str, error: BaseException | None = None, /) -> None:
        dead_letters = self.system.dead_letters
        with dead_letters.counting:
            self.dead_letters += 1
        place = None if self.place is None else f"stage '{self.place}'"
        dead_letters.publish(what, where=text_of(self), why=why, error=error, place=place)

    def attach(self, source: object, inlet: Inlet, /) -> None:
        from actors_rs.graph.inner import attach

        attach(self, self.life, source, inlet)

    def at_hand(self, source: object, /) -> Sequence[Any] | None:
        from actors_rs.graph.inner import at_hand

        return at_hand(source)

    def source_of(self, outlet: Outlet, owner: OutletOwner, /) -> Any:
        from actors_rs.graph.inner import source_of

        return source_of(self, outlet, owner)

    @property
    def written(self) -> Written:
        return self.life.written

    def recovered(self, error: BaseException, /) -> None:
        failing.recover(self.life, self, error)

    def linger(self, let_go: LetGo, /) -> None:
        self.life.linger(self, lambda error: self.post(partial(let_go, error)))

    def forgive(self, error: BaseException) -> None:
        """A stream that this stage had cancelled has failed."""
        if isinstance(error, Exception):
            failing.forgive(self.life, self, error)

    def post_drain(self) -> None:
        """Let the stage take no more from outside; called on any thread."""
        self.post(self._drain)
        self.interrupt()

    def _drain(self) -> None:
        (self.drain_boundary or self.logic.drain)()  # the first turn may have made the boundary
        if self.nest is not None:
            self.nest.drain()

    # The turn

    def _run_turn_(self) -> bool:
        budget, logic, inbox = self._budget, self.logic, self.actor_inbox
        stopwatch = self.stopwatch
        # As ``budget.begin()`` does: each call less is a hundredth of what a turn costs.
        budget.began = budget.lapped = began = stopwatch()
        budget.was_spent = False
        if self._metered:
            self.clock.began = began
        try:
            if self._on_start_due_:
                self._begin_()
            for _ in self._most:
                # Looked into before, since most turns take one message: a call less each.
                if not (inbox.data or inbox.control) or (signal := inbox.take()) is EMPTY:
                    break
                if isinstance(signal, Signal):
                    signal.deliver()
                else:
                    self._process_(signal)
            logic.advance(budget)
            if self.nest is not None:
                self.nest.advance(logic, budget)
        except BaseException as error:
            logic.fail(error)
        ended = stopwatch()
        if self._metered:
            self.clock.end(ended, logic.outlets != () and is_held_back(logic))
        if ended - began > SLOW_TURN_SECONDS:
            self._turn_was_slow_(ended - began)
        ports = logic.outlets or logic.inlets
        try:
            is_over = (not ports or ports[0].closed) and logic.finished  # a cheap look first
        except BaseException as error:
            is_over = failing.cannot_tell(self, error)
        if is_over and (self.nest is None or self._nest_is_empty()):
            self._finish()
            return False
        return budget.was_spent

    def _begin_(self) -> None:
        self._on_start_due_ = False
        self._budget.relieve = self._dispatcher_.relieve
        if isinstance(self._dispatcher_, PinnedDispatcher):
            work_for(self.life.end)
        if (before_start := self.before_start) is not None:
            self.before_start = None  # it may hold a subscriber (3.13)
            before_start()
        self.logic.start()

    def _nest_is_empty(self) -> bool:
        """Whether all inner streams within this actor have ended, as this stage has."""
        assert self.nest is not None
        self._budget.begin()
        self.nest.settle(self._budget)
        return not self.nest.living

    def _finish(self) -> None:
        logic = self.logic
        if (look := self._look) is not None:
            look.cancel()  # it would keep this stage alive for a while
        for unheard in failing.unheard_failures(logic):
            self.forgive(unheard)
        failing.mind_unheard(self.life, self, self.error)
        error = failing.last_error(self.error, logic)
        completed = not isinstance(logic, StreamEnd) or logic.completed
        self.actor_stopped.set()
        self._stops = True
        try:
            logic.stop(error if error is not None or completed else self.life.cancelled_error())
        except BaseException as failure:  # whatever it was, the run must end
            failing.note_failed(self.life, self, StageError(self.name, failure, None, self.site))
        if not self.may_finish():  # given up meanwhile
            self._return_late()
            return
        self._leave_()
        self.life.stage_ended(self)
        failing.let_go(self)
        self.leave_calls()

    def _return_unread_(self, message: Any) -> None:
        """Signals behind the end of a stage are no dead letters: the standard allows them."""
        if isinstance(message, Signal):
            message.dropped()
        else:
            super()._return_unread_(message)

    def _stop_(self) -> None:
        """Told to stop like any actor: the run ends as cancelled, with this stage first."""
        self.life.cancel()
        self.logic.end(self.life.cancelled_error())

    def _process_ask_(self, ask: Ask) -> None:
        if not refuse_question(ask, f"{self} takes no messages, as no stage does"):
            super()._process_ask_(ask)

    def on_receive(self, message: Any) -> Any:
        """A stage takes signals only; what else comes, from a broadcast say, is a dead letter."""
        self.report(message, "a stage takes no messages")
