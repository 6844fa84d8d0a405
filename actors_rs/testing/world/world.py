"""``World``: production actors and streams in one thread, in virtual time, each choice decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from actors_rs.engine.run.scope import RunScope
from actors_rs.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    ProtocolViolation,
    Stalled,
    WorldError,
)
from actors_rs.runtime._primitives import blocking_forbidden, driving
from actors_rs.runtime.actors.actor import PooledActor, PooledActorRef
from actors_rs.runtime.dispatch.resources import Resources
from actors_rs.runtime.settings import check_count, check_seconds
from actors_rs.runtime.system.system import ActorSystem, Startable
from actors_rs.testing.decisions import Decisions
from actors_rs.testing.world.clock import VirtualClock, VirtualTimers
from actors_rs.testing.world.conservation import lost
from actors_rs.testing.world.dismantling import take_apart
from actors_rs.testing.world.dispatcher import DeterministicDispatcher
from actors_rs.testing.world.jobs import BlockingJobs, WorldProcesses
from actors_rs.testing.world.log import Delivery
from actors_rs.testing.world.loop import WorldCoroutines
from actors_rs.testing.world.peers import Peer
from actors_rs.testing.world.system import WorldSystem
from actors_rs.testing.world.waits import failures, states, waits
from actors_rs.texts import repr_of

__all__ = ["World"]

A = TypeVar("A", bound=PooledActor)
R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")
WINDOW = 4
"""Elements an inlet keeps requested: small, so that demand runs out all the time."""
MOST_STEPS = 100_000
JITTER = (0.5, 0.0, 1.0, 0.25, 0.75)
"""Chances that jitter is drawn by: none of it first, and as much as there can be."""
AFTERWARDS = 3600.0
"""Seconds of virtual time that runs may take to end, once the scenario has returned."""


NOBODY = "no actor is alive in this world: start what you wait for with world.start(graph)"
"""The error of a wait for a run of another system, which has threads of its own."""


class World:
    """A system whose every free choice is made by ``decisions``; use it in a ``with`` block.

    Inside the block its system is the current one. A call that waits (``run.result()``,
    ``ref.ask(...)``, a probe's expectation) moves the world on instead, in virtual time. When the
    block ends without an error, every run must come to its end; after an error runs are cancelled.

    Coroutines that are cancelled clean up before the block is left, however it ends.

    After a block that an error has left, ``deliveries`` and ``states`` show the world before the
    cancellation.

    ``window`` and ``memory_limit`` are as in ``ActorSystem``, with small windows by default.
    ``monitor`` puts a ``RuleMonitor`` on each link. Raises ``Stalled`` when nothing can run
    although a call waits, or after ``most_steps`` steps.
    """

    def __init__(
        self,
        decisions: Decisions | None = None,
        *,
        window: int | Literal["auto"] = WINDOW,
        memory_limit: int | str | None = None,
        monitor: bool = True,
        most_steps: int = MOST_STEPS,
    ) -> None:
        check_count("most_steps", most_steps)
        if decisions is not None and not isinstance(decisions, Decisions):
            raise ArgumentTypeError(
                f"a world needs decisions, such as RandomWalk(seed) makes, got {repr_of(decisions)}"
            )
        self.decisions = decisions if decisions is not None else Decisions()
        self.choose = self.decisions.choose
        self._clock = VirtualClock()
        self._timers = VirtualTimers(self._clock)
        self._dispatcher = DeterministicDispatcher(self.decisions, self._clock)
        self._most_steps = most_steps
        self._coroutines = WorldCoroutines(self._dispatcher, self._clock, self._timers)
        resources = Resources(
            self._dispatcher,
            self._timers,
            BlockingJobs(self._dispatcher),
            self._coroutines,
            *(WorldProcesses(), True),  # it serves all; no keywords, which take as long as the rest
            self._clock.now,
            self._clock.timing_clock,
            self._clock.wall_clock,
            self._chance,
        )
        self.system = WorldSystem(self._dispatcher, resources, window, memory_limit, monitor)
        self._driving = driving(self)
        self.violations: list[ProtocolViolation] = []
        """Of rules, by peers that are no stages: the scenario fails with the first one."""

    _at_failure: tuple[int, list[str]] | None = None
    """When an error left the block: how many deliveries there had been, a line for each actor."""

    _entered = False

    def __enter__(self) -> Self:
        self._entered = True
        self._driving.__enter__()
        self.system.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            try:
                if error is None:
                    self.finish()
                    if self._coroutines.close(AFTERWARDS):
                        raise self._still_ending()
            except BaseException as failure:
                self._leave(type(failure), failure, None)
                raise
            self._leave(kind, error, trace)
        finally:
            self._driving.__exit__()

    def _leave(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the system. Coroutines clean up after an ``error``, too, and nothing hides it."""
        if error is not None:
            self._at_failure = self._dispatcher.log.delivered, self.states()
            self._coroutines.abandon(AFTERWARDS)
        try:
            self.system.__exit__(kind, error, trace)
        except Stalled:
            if error is None:
                raise
        finally:
            self._coroutines.close(0.0)

    # Calls for scenarios

    def start(self, graph: Startable[ActorSystem, R_co], *, name: str | None = None) -> R_co:
        """As ``system.start(graph, name=)``. Raises ``WorldError`` before the ``with`` block."""
        self._check_entered()
        return self.system.start(graph, name=name)

    def spawn(self, actor_class: type[A], *args: Any, **kwargs: Any) -> PooledActorRef[A]:
        """Start an actor. Raises ``WorldError`` before the ``with`` block."""
        self._check_entered()
        return self.system.spawn(actor_class, *args, **kwargs)

    def _check_entered(self) -> None:
        """A world that was not entered is moved on by nobody: who waits would do so for ever."""
        if not self._entered:
            raise WorldError("a world moves on in its block only: write 'with World() as world:'")

    def pick(self, what: str, options: Sequence[T]) -> T:
        """A choice of the scenario's own, by the stream for data; the first one is the dull one."""
        if not isinstance(options, Sequence):
            raise ArgumentTypeError(f"pick: expected a sequence of options, got {repr_of(options)}")
        try:
            len(options)
        except OverflowError:
            said = f"pick: {repr_of(options)} has more options than Python can count"
            raise InvalidArgumentError(said) from None
        return self.choose(f"data:{what}", options)

    def fault(self, name: str) -> bool:
        """Whether the fault ``name`` happens here and now."""
        return self.choose(f"fault:{name}", (False, True))

    def soon(self, name: str, call: Callable[[], object]) -> None:
        """Make ``call`` a step of its own, at a time that is decided.

        Deliveries show it by its ``name``. All that a step does happens at once: messages that
        others may come between are sent by a call each.
        """
        if not callable(call):
            raise ArgumentTypeError(f"soon: expected a function to call, got {repr_of(call)}")
        self._dispatcher.submit_call(name, call)

    def sleep(self, seconds: float) -> None:
        """Let the world go on for ``seconds`` of its time."""
        check_seconds("sleep", seconds)
        if seconds < 0:
            raise InvalidArgumentError(f"sleep needs seconds of 0 or more, got {seconds}")
        until = self._clock.seconds + seconds
        with blocking_forbidden():
            while self._move(until):
                pass

    def settle(self) -> None:
        """Let the world go on until nothing can run without time moving."""
        with blocking_forbidden():
            while self._dispatcher.ready:
                self._move(None)

    def finish(self) -> None:
        """Let every run come to its end and check that none broke a rule or lost an element.

        Cancelled coroutines have ended, too, and so have generators that were left; everything else
        that could run has run.
        """
        self._let_end()
        while self._dispatcher.ready:
            self.settle()
            self._let_end()  # runs that have begun in these steps
        self.decisions.resumed()
        for violation in self._broken_rules():
            raise violation
        if missing := lost((step.actor for step in self._dispatcher.actors), self._dispatcher.log):
            raise AssertionError(missing)

    def _let_end(self) -> None:
        scopes = self.system.scopes
        if not _all_over(scopes):
            self.until(lambda: _all_over(scopes), AFTERWARDS)
            if unfinished := [scope for scope in scopes if not scope.end.is_over]:
                raise self._stalled(
                    f"{repr_of(unfinished[0])} had not ended after {AFTERWARDS:g} s"
                )
        if (ending := self._coroutines.ending)():
            self.until(lambda: not ending(), AFTERWARDS)
            if ending():
                raise self._still_ending()

    def dismantle(self) -> None:
        """Take everything apart: a world is full of cycles, and thousands of them are garbage."""
        take_apart(self._dispatcher, self.system)
        vars(self).clear()

    def peer(self, label: str) -> Peer:
        """A participant that is no actor; the world notes the signals it gets."""
        return Peer(self._dispatcher, label)

    # Reports

    @property
    def now(self) -> float:
        """Seconds since the world began."""
        return self._clock.seconds

    @property
    def steps(self) -> int:
        """Steps taken so far."""
        return self._dispatcher.steps

    @property
    def digest(self) -> str:
        """Equal for equal runs, in any process and version of Python."""
        return self._dispatcher.log.digest()

    @property
    def behaviour(self) -> str:
        """Equal for runs in which every actor received the same messages in the same order."""
        return self._dispatcher.log.behaviour()

    @property
    def behaviour_key(self) -> int:
        """As ``behaviour``, quicker, and to be compared within one process only."""
        return self._dispatcher.log.behaviour_key()

    @property
    def graph(self) -> str:
        """The names of the actors, or without actors of the peers: a trace belongs to these."""
        begun_with = self._dispatcher.begun_with or self._dispatcher.met_with
        return "".join([f"{label} " for label in begun_with])

    def deliveries(self) -> list[Delivery]:
        """Every message that was taken from a mailbox, and each call of ``soon``, oldest first."""
        most = None if self._at_failure is None else self._at_failure[0]
        return list(islice(self._dispatcher.log.deliveries(), most))

    def states(self) -> list[str]:
        """A line for each actor."""
        return states(self._dispatcher.actors) if self._at_failure is None else self._at_failure[1]

    # The driver of all waits on this thread

    def until(self, done: Callable[[], bool], seconds: float | None, /) -> None:
        """Move on until ``done``, at most ``seconds``; ``Stalled`` if nothing can move."""
        until = None if seconds is None else self._clock.seconds + seconds
        dispatcher, most_steps = self._dispatcher, self._most_steps
        with blocking_forbidden():
            while not done():
                if not dispatcher.run_until(done, most_steps):
                    if not self._pass_time(until):
                        break
                elif dispatcher.steps > most_steps:
                    raise self._endless()
        self.decisions.resumed()

    def step(self, seconds: float | None, /) -> bool:
        """Take one step, or let at most ``seconds`` pass; False when they are over."""
        until = None if seconds is None else self._clock.seconds + seconds
        with blocking_forbidden():
            moved = self._move(until)
        self.decisions.resumed()
        return moved

    def _chance(self) -> float:
        return self.choose("time:jitter", JITTER)

    def _move(self, until: float | None) -> bool:
        """One step, or time passes; False when it is ``until``."""
        if self._dispatcher.run_until(_at_once, self._most_steps):
            if self._dispatcher.steps > self._most_steps:
                raise self._endless()
            return True
        return self._pass_time(until)

    def _pass_time(self, until: float | None) -> bool:
        """Nothing can run: time moves to a timer; False when it is ``until``."""
        self.system.rest()
        if self._dispatcher.ready:
            return True
        if times := self._timers.times(until):
            self._clock.seconds = self.choose("time:jump", times)
            for number, timer in self._timers.take_due():
                self._dispatcher.submit(f"timer-{number}", timer.fire)
            return True
        if until is None:
            raise self._stalled("nothing can run, and no timer is due")
        self._clock.seconds = until
        return False

    def _endless(self) -> Stalled:
        return self._stalled(f"the world took {self._most_steps} steps and has not come to rest")

    def _still_ending(self) -> Stalled:
        return self._stalled(f"what was cancelled had not ended after {AFTERWARDS:g} s")

    def _stalled(self, why: str) -> Stalled:
        actors = self._dispatcher.actors
        graph = [*waits(actors), *self._coroutines.waits()] or [NOBODY]
        graph += failures(actors)
        broken = next(chain(self._broken_rules(), self._reported_violations()), None)
        before = f"; before that: {broken}" if broken else ""
        stalled = Stalled("\n  ".join([f"{why}{before}; who waits for whom:", *graph]))
        stalled.__cause__ = broken
        return stalled

    def _reported_violations(self) -> Iterator[ProtocolViolation]:
        """Those at the entry of a stream, where a run may go on in spite of them."""
        for letter in self.system.dead_letters.recent():
            if isinstance(letter.error, ProtocolViolation):
                yield letter.error

    def _broken_rules(self) -> Iterator[ProtocolViolation]:
        yield from self.violations
        for scope in self.system.scopes:
            yield from (one for one in scope.failures if isinstance(one, ProtocolViolation))


def _at_once() -> bool:
    """One step is enough."""
    return True


def _all_over(scopes: Sequence[RunScope]) -> bool:
    for scope in scopes:  # noqa: SIM110 - runs after each step
        if not scope.end.is_over:
            return False
    return True
