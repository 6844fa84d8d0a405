"""Steps: the next actions of a deterministic world, one at a time.

A step is the turn of an actor, a job that would block a thread, a callback of a coroutine, or a
timer that is due. ``name`` is the same in every run that made the same decisions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.runtime._primitives import blocking_allowed, current_thread_id
from actors_rs.runtime.actors.mailbox import EMPTY, Mailbox

if TYPE_CHECKING:
    from actors_rs.runtime.actors.actor_core import ActorCore
    from actors_rs.testing.world.conduct import Conductor

__all__ = ["ActorStep", "Job", "Step", "WorldMailbox"]

NO_LIMIT = 1 << 60
TICKS = (0.0006, 0.0011, 0.003)
"""Seconds a look at ``timing_clock`` may take: chunks stop growing; they shrink; turns end."""
_TURNS: dict[int, tuple[tuple[int, float], ...]] = {}
_take, _offer, _offer_control = Mailbox.take, Mailbox.offer, Mailbox.offer_control


def turns(waiting: int) -> tuple[tuple[int, float], ...]:
    """Choices for a turn with ``waiting`` messages: how many it takes, and the tick of its clock.

    The dull choice is all of them in no time; others: all in some time, or one, some, all but one.
    """
    if waiting not in _TURNS:
        fewer = {1, waiting // 2, waiting - 1} - {0} if waiting > 1 else set()
        some = [(size, 0.0) for size in sorted(fewer)]
        _TURNS[waiting] = ((NO_LIMIT, 0.0), *some, *((NO_LIMIT, tick) for tick in TICKS))
    return _TURNS[waiting]


class Step:
    """One thing that can be done next."""

    __slots__ = ("name", "number")

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        """The number of the actor, 0 for what is none."""

    def run(self) -> None:
        """Do it."""
        raise NotImplementedError


class Job(Step):
    """A call that is no turn of an actor."""

    __slots__ = ("_call",)

    def __init__(self, name: str, call: Callable[[], Any]) -> None:
        super().__init__(name, 0)
        self._call = call

    def run(self) -> None:
        self._call()


class ActorStep(Step):
    """The turns of one actor, known by its number in the order in which a world met them."""

    __slots__ = ("actor", "allowance", "dispatcher", "error", "mailbox", "turn")

    def __init__(self, dispatcher: Conductor, actor: ActorCore, number: int, name: str) -> None:
        self.name = name
        self.number = number
        self.dispatcher = dispatcher
        self.actor = actor
        self.mailbox = actor.actor_inbox
        self.turn = actor._turn_  # the world hands in this step in its place
        self.allowance = NO_LIMIT
        self.error: BaseException | None = None
        """The error of its failure, unless it is a stage."""

    def note_end(self) -> None:
        """Keep the error with which the actor ends, if it does: it does not keep it itself."""
        self.actor._leave_ = partial(self._left, self.actor._leave_)  # type: ignore[method-assign]

    def _left(self, leave: Callable[..., None], error: BaseException | None = None) -> None:
        self.error = error
        leave(error)

    def __call__(self) -> None:
        """The first turn of a supervised actor, in the step in which it was made."""
        outer, self.dispatcher.running = self.dispatcher.running, self.number
        self.run()
        self.dispatcher.running = outer

    def run(self) -> None:
        """One turn: how much of the mailbox it takes and how long it seems to last is decided."""
        dispatcher, mailbox = self.dispatcher, self.mailbox
        waiting = len(mailbox.data or ()) + len(mailbox.control or ())
        choose = dispatcher.choose  # as a variable, here and below: called as methods, what
        # instances hold takes twice as long
        turn = choose("size", _TURNS.get(waiting) or turns(waiting))
        self.allowance, dispatcher.clock.tick = turn
        if self.actor.dispatcher == "pinned":  # it may wait, and other steps run
            with blocking_allowed():
                self.turn()
        else:
            self.turn()


class WorldMailbox(Mailbox):
    """The production mailbox, which also tells the world what is put and taken.

    Actors get it when they enter a world: their mailbox becomes one of this class.
    """

    __slots__ = ()

    def take(self) -> Any:
        """Next message, or ``EMPTY`` when the turn has taken what it was decided to take."""
        owner = self.owner
        if owner is None:
            return _take(self)
        step: ActorStep = owner._world_step_  # type: ignore[attr-defined]
        if not step.allowance:
            return EMPTY
        message = _take(self)
        if message is EMPTY:
            return EMPTY
        step.allowance -= 1
        dispatcher = step.dispatcher
        note = dispatcher.note_taken
        note((dispatcher.steps, step.number, message))
        return message

    get = take

    def offer(self, message: Any) -> bool:
        """Put into the data lane, on the thread of the world."""
        if (owner := self.owner) is not None:
            step: ActorStep = owner._world_step_  # type: ignore[attr-defined]
            dispatcher = step.dispatcher
            if current_thread_id() != dispatcher.thread:
                dispatcher.refuse_thread(step, message)
            note = dispatcher.note_put
            note((dispatcher.running, step.number, message))
            if dispatcher.reached is not None:
                dispatcher.reached.add(step.number)
        return _offer(self, message)

    def offer_control(self, message: Any) -> bool:
        """Put into the control lane, on the thread of the world."""
        if (owner := self.owner) is not None:
            step: ActorStep = owner._world_step_  # type: ignore[attr-defined]
            dispatcher = step.dispatcher
            if current_thread_id() != dispatcher.thread:
                dispatcher.refuse_thread(step, message)
            note = dispatcher.note_put
            note((dispatcher.running, step.number, message))
            if dispatcher.reached is not None:
                dispatcher.reached.add(step.number)
        return _offer_control(self, message)
