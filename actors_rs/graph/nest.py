"""Inner streams that run within the actor of the stage that attached them.

For a stream of a few elements an actor of its own costs more than the elements. Where nothing is
lost by it, its logics are advanced in the turns of their host, in which their links are plain
calls. For the logic nothing differs: it has its ports, its context and its ``stop``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager as ContextManager
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.errors import DefectError, StageError
from actors_rs.graph.failing import (
    cannot_tell,
    last_error,
    let_go,
    mind_unheard,
    note_failed,
    recover,
    unheard_failures,
)
from actors_rs.stages.failure import Policy
from actors_rs.stages.handoff import OutletOwner
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Budget, Cancellable, LetGo, StageLogic

if TYPE_CHECKING:
    from actors_rs.graph.blueprint import StageSpec
    from actors_rs.graph.inner_links import InnerLinks
    from actors_rs.graph.life import Life
    from actors_rs.graph.shell import StageActor
    from actors_rs.graph.written import Written
    from actors_rs.stages.brake import Brake

__all__ = ["Nest", "Nested"]


class Nest:
    """The logics that run within one actor; touched in its turns only, but for ``pull_brake``."""

    def __init__(self) -> None:
        self.due: deque[Nested] = deque()
        self.living: dict[Nested, None] = {}
        self.brake: Brake | None = None
        """Of the logic that was the last one to be at work; it may be over with that."""

    def pull_brake(self) -> None:
        """End the piece that is going on; on any thread, at any time. It hits or misses."""
        brake = self.brake  # looked at once: the turn that goes on may set another
        if brake is not None:
            brake.pull()

    def advance(self, host: StageLogic, budget: Budget) -> None:
        """Advance those that are due, and the host in between, until nothing more happens.

        No further one once the time is spent, as the host may have been cancelled meanwhile.
        """
        due = self.due
        while due:
            for _ in range(len(due)):
                if due.popleft().turn(budget):
                    break
            host.advance(budget)
            budget.lap()
            if due and budget.spent():
                return

    def settle(self, budget: Budget) -> None:
        """Advance those that are due, behind the end of the host."""
        while self.due and not budget.spent():
            self.due.popleft().turn(budget)
            budget.lap()

    def drain(self) -> None:
        """Let all take no more from outside."""
        for nested in tuple(self.living):
            nested.act(nested.logic.drain)


class Nested:
    """One logic within the actor of ``host``; its ``StageContext``."""

    resumed = restarted = 0  # it has no policy of its own
    __slots__ = (
        "_host",
        "_life",
        "_nest",
        "_started",
        "dead_letters",
        "error",
        "inner_links",
        "is_due",
        "kind",
        "logic",
        "name",
        "place",
        "site",
    )

    def __init__(
        self,
        host: StageActor,
        nest: Nest,
        life: Life,
        logic: StageLogic,
        spec: StageSpec,
        number: int,
        inner_links: InnerLinks,
    ) -> None:
        self.logic = logic
        self.name = f"{spec.label}#{number}"
        self.inner_links = inner_links
        self.place = spec.label
        self.kind = spec.kind
        self.site = spec.site or host.site
        self.error: BaseException | None = None
        self.dead_letters = 0
        self.is_due = False
        self._host = host
        self._nest = nest
        self._life = life
        self._started = False
        logic.context = self

    @property
    def over(self) -> bool:
        """Whether it has ended, while its host may go on."""
        return self not in self._nest.living

    def wake(self) -> None:
        """Be advanced before the host's turn ends."""
        if not self.is_due:
            self.is_due = True
            self._nest.due.append(self)

    def act(self, action: Callable[[], None]) -> None:
        """Run ``action`` as a part of this logic's turn, which is due then."""
        if self in self._nest.living:
            try:
                action()
            except BaseException as error:
                self.logic.fail(error)
            self.wake()

    def turn(self, budget: Budget) -> bool:
        """What the shell does for a logic that is an actor's; whether the time is spent."""
        self.is_due = False
        logic = self.logic
        if self not in self._nest.living:
            return False
        try:
            if not self._started:
                self._started = True
                logic.start()
            logic.advance(budget)
        except BaseException as error:
            logic.fail(error)
        spent = budget.spent()
        try:
            is_over = logic.finished
        except BaseException as error:
            is_over = cannot_tell(self, error)
        if is_over:
            self._finish()
        elif spent:
            self.wake()  # it may have had more to do
        return spent

    def _finish(self) -> None:
        nest = self._nest
        del nest.living[self]
        if nest.brake is self.logic.brake:
            nest.brake = None  # it holds on to functions of the user's, and they to groups
        for unheard in unheard_failures(self.logic):
            self._host.forgive(unheard)
        mind_unheard(self._life, self, self.error)
        try:
            self.logic.stop(last_error(self.error, self.logic))
        except BaseException as failure:  # whatever it was, the run must end
            note_failed(self._life, self, StageError(self.name, failure, None, self.site))
        self._life.nested_ended(self)
        let_go(self)

    # StageContext

    def post(self, action: Callable[[], None], /) -> None:
        self._host.post(partial(self.act, action))

    def now(self) -> float:
        return self._host.now()

    def chance(self) -> float:
        return self._host.chance()

    def after(self, seconds: float, action: Callable[[], None], /) -> Cancellable:
        return self._host.after(seconds, partial(self.act, action))

    def filling(self, outlet: Outlet, frame: list[Any], /) -> bool:
        """Nothing is sent ahead: whoever takes it has to wait for this turn anyway."""
        self.at_work()
        return False

    def at_work(self) -> None:
        self._nest.brake = self.logic.brake  # before the host may set a timer: it is to be seen
        self._host.at_work()

    def run_blocking(self, job: Callable[[], None], /) -> bool:
        return self._host.run_blocking(job)

    def run_coroutine(
        self, coroutine: Coroutine[Any, Any, Any], done: Callable[[Any], None], /
    ) -> None:
        self._host.run_coroutine(coroutine, done)

    def committing(self) -> ContextManager[None]:
        return self._host.committing()

    def begins_call(self) -> None:
        self._host.begins_call()

    def late(self, value: object, error: BaseException | None, /) -> None:
        self._host.late(value, error)

    def failed(
        self,
        error: BaseException,
        /,
        position: int | None = None,
        *,
        plain: bool = False,
        beside: BaseException | None = None,
    ) -> BaseException:
        self.error = note_failed(self._life, self, error, position, plain, beside)
        return self.error

    def passed_over(
        self, element: Any, error: Exception, position: int | None, policy: Policy, /
    ) -> None:
        raise DefectError(f"stage '{self.name}' has no policy of its own, it cannot go on")

    def report(self, what: object, why: str, error: BaseException | None = None, /) -> None:
        self.dead_letters += 1
        where, place = f"stage '{self.name}'", f"stage '{self.place}'"
        publish = self._host.system.dead_letters.publish
        publish(what, where=where, why=why, error=error, place=place)

    def attach(self, source: object, inlet: Inlet, /) -> None:
        raise DefectError(f"stage '{self.name}' runs within another and has no inner streams")

    def at_hand(self, source: object, /) -> Sequence[Any] | None:
        return self._host.at_hand(source)

    def source_of(self, outlet: Outlet, owner: OutletOwner, /) -> Any:
        raise DefectError(f"stage '{self.name}' runs within another and lends no outlet")

    @property
    def written(self) -> Written:
        return self._life.written

    def recovered(self, error: BaseException, /) -> None:
        recover(self._life, self, error)

    def linger(self, let_go: LetGo, /) -> None:
        raise DefectError(f"stage '{self.name}' runs within another and cannot outlive it")
