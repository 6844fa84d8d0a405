"""A slot of a supervisor: an address, and the actor that runs there at the moment.

The address (mailbox, URN, reference) exists before the first actor and stays when one actor follows
another. While no actor runs, the mailbox is halted: messages wait, and the slot belongs to the
supervisor, which starts an actor in it or closes it. While an actor runs, the slot is the
supervisor link of the actor. So no two threads write a field at a time, and no lock is needed.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Protocol

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.actors.actor_core import ActorCore
from actors_rs.runtime.actors.actor_ref import PooledActorRef, being_made, next_urn_number
from actors_rs.runtime.actors.address import Address
from actors_rs.runtime.actors.contract import Home, RuntimeMessage, is_fatal
from actors_rs.runtime.actors.future import PooledFuture, release
from actors_rs.runtime.actors.mailbox import Mailbox
from actors_rs.runtime.actors.stop_flag import StopFlag
from actors_rs.runtime.supervision.child_spec import ChildSpec
from actors_rs.runtime.supervision.intensity import Intensity

if TYPE_CHECKING:
    from actors_rs.runtime.actors.contract import ActorBase
    from actors_rs.runtime.supervision.strategies import Strategy

__all__ = ["Child", "ChildEvents", "SlotOwner", "State", "SupervisingSystem"]


class State(Enum):
    """Where a child is, as its supervisor sees it."""

    DOWN = auto()  # nobody lives there: not yet, or to be restarted
    STARTING = auto()
    RUNNING = auto()
    STOPPING = auto()  # told to stop by the supervisor
    ENDED = auto()


class SupervisingSystem(Home, Protocol):
    """A system, as supervision sees it."""

    @property
    def _orphaned(self) -> bool: ...

    def enter(self, actor: ActorCore) -> None:
        """``actor`` lives here, in place of the one before it with the same address."""

    def _note_restart(self) -> None:
        """Count an actor that follows another one in its place."""

    def _check_open(self) -> None: ...


class SlotOwner(Protocol):
    """The children of one supervisor, as one of them sees it."""

    path: str
    ref: PooledActorRef[Any] | None
    order: dict[Child, None]

    @property
    def system(self) -> SupervisingSystem:
        """Where the supervisor and its children live."""
        ...

    @property
    def strategy(self) -> Strategy:
        """Who is restarted when a child fails."""
        ...

    def offer(self, message: RuntimeMessage) -> bool:
        """Send to the supervisor; False if it has ended."""
        ...

    def tell(self, message: RuntimeMessage) -> None:
        """Send to the supervisor; raises ``InvalidArgumentError`` if it has ended."""

    def refs(self) -> dict[str, PooledActorRef[Any]]:
        """All children by name."""
        ...

    def child_of(self, path: str) -> Child:
        """The child at ``path``; raises if there is none."""
        ...

    def forget(self, child: Child) -> None:
        """``child`` has ended; its name is free."""

    def close(self) -> None:
        """No child will live again."""

    def disown(self) -> None:
        """The threads are in the parent of this process."""


class ChildEvents(Protocol):
    """A supervisor, as the messages about its children see it."""

    def child_started(self, child: Child) -> None:
        """``child`` has gone through its ``on_start``."""

    def child_down(self, child: Child, before: State) -> None:
        """``child`` has ended."""

    def child_added(self, child: Child) -> None:
        """``child`` is one more."""

    def child_removed(self, child: Child, leaver: PooledFuture[bool]) -> None:
        """Stop ``child`` for good."""


class _NewAddress:
    def __init__(self) -> None:
        self._urn_number_ = next_urn_number()
        self.actor_inbox = Mailbox()
        self.actor_inbox.halted = True
        self.actor_stopped = StopFlag()


class Child:
    """One place; is the ``SupervisorLink`` of the actor in it."""

    restarts = 0
    """How many actors have followed another one here."""
    _ends_early = False
    """Whether ``end_early`` was called since its start."""

    def __init__(
        self,
        home: SlotOwner,
        name: str,
        spec: ChildSpec,
        child_slots: SlotOwner | None = None,
        ref: PooledActorRef[Any] | None = None,
    ) -> None:
        system = home.system
        address: Address = _NewAddress() if ref is None else ref
        self._urn_number_ = address._urn_number_
        self.actor_inbox = address.actor_inbox
        self.actor_stopped = address.actor_stopped
        self.home = home
        self.name = name
        self.label = f"{home.path}/{name}"
        self.spec = spec
        self.child_slots = child_slots
        """The children of this child, if it is a supervisor."""
        self.state = State.DOWN
        self.serial = 0
        """How many actors have lived here since it has a supervisor."""
        self.ended_serial = 0
        """Which of them was the last to end."""
        self.intensity: Intensity | None = None
        self.leavers: list[PooledFuture[bool]] = []
        """Who asked to have this child stopped for good."""
        self.removed = False
        self.error: BaseException | None = None
        """The exception that the last actor failed with."""
        self.final = False
        """Whether the last actor has ended for good, regardless of the strategy."""
        self.halt_order: Halt | None = None
        self.actor: ActorBase | None = None
        self._made_serial = 0
        self._origin = system.context()
        self._context_ = self._origin
        self.ref: PooledActorRef[Any] = (
            spec.actor_class._ref_class_(self, spec.actor_class) if ref is None else ref
        )
        if ref is None:
            self._dispatcher_ = system.dispatcher_for(object.__new__(spec.actor_class))
        self.ref._home = system
        self._dispatcher_name: str = spec.actor_class.dispatcher

    def __str__(self) -> str:
        return self.label

    # In a turn of the supervisor

    @property
    def alive(self) -> bool:
        """Whether an actor runs here, so that ending it takes a message and an answer."""
        return self.state in (State.STARTING, State.RUNNING, State.STOPPING)

    def start(self) -> None:
        """Have the next actor made and started, in turns of its own."""
        if self.serial > 0 or self.actor is not None:  # which was taken over
            self.restarts += 1
            self.home.system._note_restart()
        self.serial += 1
        self.halt_order, self.error, self.final, self._ends_early = None, None, False, False
        self._context_ = self._origin.copy()
        self._dispatcher_.schedule(self._first_turn)
        self.state = State.STARTING

    def halt(self, *, last: bool, at_once: bool) -> None:
        """Ask the actor to stop: for good or not, now or after the messages in its mailbox."""
        offer = self.actor_inbox.offer_control if at_once else self.actor_inbox.offer
        offer(Halt(self, self.serial, last, at_once))
        self.state = State.STOPPING
        if last and at_once:  # a restart waits for its message's end
            self.end_early()

    def end_early(self) -> None:
        """Cancel the coroutine that the actor awaits, now or once there is one."""
        self._ends_early = True  # before the look: an actor that is being made looks at it
        if self.actor is not None:
            self.actor._end_early_()

    def close(self) -> None:
        """Nobody will live here any more: answer or dead-letter what waits."""
        self.state = State.ENDED
        if not self.actor_inbox.closed:  # as it is if the actor ended before it was taken over
            actor = self.actor if self.actor is not None else self._stand_in()
            actor._close_(self.error)
        self.actor = None
        self.home.forget(self)
        release(self.leavers)

    # In turns of the child: its first, and then as its supervisor link

    @property
    def supervisor(self) -> PooledActorRef[Any]:
        """The parent of this child."""
        assert self.home.ref is not None  # it has an address before any child lives
        return self.home.ref

    @property
    def retries(self) -> bool:
        """Whether the strategy wants the message that failed the child to be handled again."""
        return self.home.strategy.failed_message == "retry"

    def identify(self, actor: ActorBase, /) -> None:
        """Give a new actor the fields that outlive it."""
        actor._urn_number_ = self._urn_number_
        actor.actor_inbox = self.actor_inbox
        actor.actor_stopped = self.actor_stopped
        actor._ref_ = self.ref
        actor._system_ = self.home.system
        actor._context_ = self._context_
        actor._dispatcher_ = self._dispatcher_
        actor._on_start_due_ = True
        if self.actor is not None and self.actor._watchers_ is not None:
            actor._watchers_ = self.actor._watchers_

    def is_last(self, error: BaseException | None, /) -> bool:
        """Whether ending now, with or without ``error``, is certainly for good."""
        if self.spec.restart == "temporary" or is_fatal(error):
            return True
        if self.halt_order is not None:
            return self.halt_order.last
        return self.spec.restart == "transient" and error is None

    def started(self, actor: ActorBase, /) -> None:
        """``on_start`` has returned."""
        self.home.offer(Started(self, self.serial))

    def ended(self, error: BaseException | None, /) -> None:
        """The last hook has run."""
        final = self.is_last(error)
        self.error, self.final, self.ended_serial = error, final, self.serial

    def report(self) -> None:
        """The turn is over: the place is the supervisor's."""
        if self.supervisor.actor_inbox.refuses:  # it was given up: its turns may have no thread
            self.close()
        if not self.home.offer(Down(self, self.ended_serial)):  # nobody is there to decide
            self.close()

    def _first_turn(self) -> None:
        made = self.actor is not None and self._made_serial == self.serial
        actor: Any = self.actor if made else self._context_.run(self._make)
        if actor is None:
            self.report()
        elif actor._dispatcher_ is self._dispatcher_:
            actor._turn_()
        else:
            self._move_to(actor)

    def _move_to(self, actor: ActorCore) -> None:
        """Its constructor chose another dispatcher: that runs it, and its successors, from now."""
        before, self._dispatcher_ = self._dispatcher_, actor._dispatcher_
        self._dispatcher_name = actor.dispatcher
        actor._schedule_turn_()
        if before.kind == "pinned":
            before.close(0)

    def _make(self) -> ActorCore | None:
        spec = self.spec
        kind: Any = spec.actor_class
        try:
            actor: ActorCore = kind.__new__(kind, *spec.args, **spec.kwargs)
            actor._supervisor_link_ = self
            with being_made(actor, self.ref):
                kind.__init__(actor, *spec.args, **spec.kwargs)
            if getattr(actor, "_ref_", None) is None:
                raise InvalidArgumentError(f"{kind.__name__}.__init__ must call super().__init__()")
            if actor.dispatcher != self._dispatcher_name:
                actor._dispatcher_ = self.home.system.dispatcher_for(actor)
        except BaseException as error:
            system = self.home.system
            system.dead_letters.failures.add(f"'{self}' could not be made", kind.__name__, error)
            if is_fatal(error):
                system.fatal(error)
            self.ended(error)
            return None
        self.actor, self._made_serial = actor, self.serial
        if self._ends_early:
            actor._end_early_()
        self.actor_inbox.resume(actor)
        self.home.system.enter(actor)
        return actor

    def _stand_in(self) -> ActorCore:
        """In place of an actor that was never made."""
        actor: Any = object.__new__(self.spec.actor_class)
        actor._supervisor_link_ = self
        if self.child_slots is not None:
            actor.child_slots = self.child_slots  # which it closes
        self.identify(actor)
        return actor  # type: ignore[no-any-return]


class Halt(RuntimeMessage):
    """A supervisor's wish that the child stops; of no meaning to a later actor in its place."""

    __slots__ = ("at_once", "child", "last", "serial")

    def __init__(self, child: Child, serial: int, last: bool, at_once: bool) -> None:
        self.child = child
        self.serial = serial
        self.last = last
        self.at_once = at_once

    def receive(self, actor: ActorBase, /) -> None:
        if self.serial == self.child.serial:
            self.child.halt_order = self
            actor._stop_()


class Started(RuntimeMessage):
    """To the supervisor: the child's ``on_start`` has returned."""

    __slots__ = ("child", "serial")

    def __init__(self, child: Child, serial: int) -> None:
        self.child = child
        self.serial = serial

    def receive(self, actor: ChildEvents, /) -> None:  # type: ignore[override]
        if self.serial == self.child.serial:
            actor.child_started(self.child)


class Down(RuntimeMessage):
    """To the supervisor: nobody lives at the child's place any more.

    An interrupted turn of the child may tell it twice, which counts once. An interrupted turn of
    the supervisor receives the same one again.
    """

    __slots__ = ("before", "child", "serial")

    def __init__(self, child: Child, serial: int) -> None:
        self.child = child
        self.serial = serial
        self.before: State | None = None
        """The state of the child at the first receipt of this message."""

    def receive(self, actor: ChildEvents, /) -> None:  # type: ignore[override]
        if self.before is None and self.child.state is not State.DOWN:
            self.before = self.child.state
        if self.before is not None and self.serial == self.child.serial:
            actor.child_down(self.child, self.before)

    def unread(self, actor: object, /) -> None:
        self.child.close()  # it had been taken over, and its supervisor never got to know it


class TakeOver(RuntimeMessage):
    """To an actor that runs already: it has a supervisor from now on."""

    __slots__ = ("child",)

    def __init__(self, child: Child) -> None:
        self.child = child

    def receive(self, actor: ActorBase, /) -> None:
        child = self.child
        child.actor, child._dispatcher_ = actor, actor._dispatcher_
        child._dispatcher_name = actor.dispatcher
        actor._supervisor_link_ = child

    def unread(self, actor: ActorBase, /) -> None:
        """It ended before it had a supervisor, as any actor does."""
        self.child.final = True
        self.child.report()
