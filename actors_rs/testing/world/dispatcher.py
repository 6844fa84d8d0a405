"""The deterministic dispatcher: one thread, one step at a time, and each choice decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from actors_rs.engine.island import Island
from actors_rs.errors import WorldError
from actors_rs.runtime._primitives import current_thread_id
from actors_rs.runtime.actors.actor_core import ActorCore
from actors_rs.runtime.dispatch.dispatcher import DispatcherStatistics, Turn
from actors_rs.testing.decisions import Decisions
from actors_rs.testing.world.clock import VirtualClock
from actors_rs.testing.world.conduct import Choose, Named, Noted
from actors_rs.testing.world.log import Log
from actors_rs.testing.world.steps import ActorStep, Job, Step, WorldMailbox
from actors_rs.texts import class_name_of

__all__ = ["DeterministicDispatcher"]


class DeterministicDispatcher:
    """Runs steps in the order that ``decisions`` take. For the thread that made it."""

    kind = "world"

    def __init__(self, decisions: Decisions, clock: VirtualClock) -> None:
        self.clock = clock
        self.choose: Choose = decisions.choose
        self.log = Log(self._ports)
        self.thread = current_thread_id()
        self.ready: list[Step] = []
        self.steps = 0
        self.actors: list[ActorStep] = []
        self.begun_with: list[str] = []
        """Names of the actors that were started before the first step."""
        self._namesakes: dict[str, int] = {}
        """The number of actors by name."""
        self.met_with: list[str] = []
        """Names of the peers, which are no actors, from before the first step."""
        self.refused: WorldError | None = None
        """The error that made this world unusable, kept since user code may have caught it."""
        self._decisions = decisions
        self._under_way: list[Step] = []  # a step that waits lets others run within it
        self.running = 0
        """The number of the actor that runs, or the peer that acts, 0 for all other steps."""
        self.note_taken: Callable[[Noted], None] = self.log.taken.append
        self.note_put: Callable[[Noted], None] = self.log.put.append
        self.reached: set[int] | None = set() if decisions.notes_effects else None
        """Whom the step that runs has sent messages to, if that is asked for."""
        self._calls = 0
        self._stepping = False
        self._waited = False  # the step that runs, or that has just run: for other steps

    def adopt(self, actor: ActorCore) -> None:
        """``actor`` is about to start in this world."""
        name = vars(actor).get("name")  # a stage's name, or the user's name for an actor
        label = (
            name
            if isinstance(name, str) and name
            else getattr(actor._supervisor_link_, "label", None)
        )
        label = label or class_name_of(actor)
        if not self.steps:
            self.begun_with.append(label)
        number = self._enrol(label)
        name = self.log.names[number]
        step = ActorStep(self, actor, number, name)
        self.actors.append(step)
        if not isinstance(actor, Island):  # which has its error
            step.note_end()
        actor._world_step_ = step  # type: ignore[attr-defined]
        actor._turn_ = step  # type: ignore[method-assign]
        actor.actor_inbox.__class__ = WorldMailbox

    def adopt_peer(self, label: str) -> int:
        """A peer that is no actor takes part in this world; returns its number."""
        if not self.steps:
            self.met_with.append(label)
        return self._enrol(label)

    def _enrol(self, label: str) -> int:
        names = self.log.names
        number = len(names)
        self._namesakes[label] = namesakes = self._namesakes.get(label, 0) + 1
        name = label if namesakes == 1 else f"{label}#{namesakes}"
        names.append(name if name not in names else f"{name}#{number}")
        return number

    def name_of(self, number: int) -> str:
        """The name of the actor or peer with this number."""
        return self.log.names[number]

    def schedule(self, turn: Turn, /) -> None:
        """Let ``turn``, of an actor as a rule, take part in the choice of the next step."""
        step = turn if isinstance(turn, Step) else Job(getattr(turn, "__qualname__", "turn"), turn)
        self.ready.append(step)

    enqueue = schedule

    def enqueued(self) -> None:
        """Nothing to do: the choice includes submitted steps."""

    def take_over(self, _: Callable[[Turn], object], /) -> None:
        """Nothing to do, for the same reason."""

    def submit(self, name: str, call: Callable[[], Any]) -> None:
        """Let ``call`` take part in the choice of the next step."""
        self.ready.append(Job(name, call))
        if self.reached is not None:
            self.reached.add(0)

    def submit_call(self, name: str, call: Callable[[], Any]) -> None:
        """As ``submit``, for a call of the scenario itself, shown in deliveries as ``name``."""
        self._calls += 1
        called, log, numbered = self.log.called, self.log, f"{name}-{self._calls}"

        def noted() -> None:
            called.append((len(log.taken), self.steps, name))
            call()

        self.submit(numbered, noted)

    def run_until(self, done: Callable[[], bool], most: int) -> bool:
        """Run steps, at least one, until ``done`` or until the world has taken more than ``most``.

        False if there is none to run. Raises what spoiled the world.
        """
        ready, choose, reached, outer = self.ready, self.choose, self.reached, self.running
        within, self._stepping, depth = self._stepping, True, len(self._under_way)
        if within and reached is not None:
            self._decisions.resumed()  # the waiting step's effects were not noted yet
        try:
            while self.refused is None:
                if not ready:
                    return False
                if len(ready) > 1 or reached is not None:
                    step = choose("order", ready)
                    ready.remove(step)
                else:
                    step = ready.pop()
                self.steps += 1
                self.running = step.number
                self._under_way.append(step)
                step.run()
                self._under_way.pop()
                self.running = outer
                if reached is not None:
                    self._note_effects(step, reached)
                if done() or self.steps > most:
                    return True
        finally:
            self.running = outer
            self._stepping = self._waited = within
            del self._under_way[depth:]
        raise self.refused

    def _note_effects(self, step: Step, reached: set[int]) -> None:
        """``step`` has run. One that waited has seen effects of other steps, as a scenario does.

        So it, and the last of them, depend on everything.
        """
        if self._waited:
            self._decisions.resumed()
            self._waited = False
        else:
            self._decisions.ran(step.name, frozenset(reached) | {step.number})
        reached.clear()

    def relieve(self) -> None:
        """Nothing: there is no other thread."""

    def grow_if_starved(self) -> None:
        """Nothing, for the same reason."""

    def thread_of(self, owner: object) -> int | None:
        """The world's thread, if it is in a turn of ``owner``, in which others have theirs."""
        within = any(getattr(step, "actor", None) is owner for step in self._under_way)
        return self.thread if within else None

    def abandon(self, owner: object) -> bool:
        """False: there is one thread, which comes back from every step."""
        return False

    def close(self, timeout: float, /) -> tuple[str, ...]:
        """Nothing to end: there is no thread."""
        return ()

    def statistics(self) -> DispatcherStatistics:
        """A snapshot."""
        return DispatcherStatistics(0, len(self.ready), self.steps)

    def _ports(self) -> dict[int, str]:
        """The ports of all stages, each by its place."""
        found: dict[int, str] = {}
        for step in self.actors:
            for member in step.actor.members() if isinstance(step.actor, Island) else ():
                logic = member.logic
                inlets: Sequence[Any] = logic.inlets
                for place, port in enumerate((*inlets, *logic.outlets), -len(inlets)):
                    found[id(port)] = f"{port.name}.{place if place >= 0 else place + len(inlets)}"
        return found

    def refuse_thread(self, step: Named, message: Any) -> NoReturn:
        """A message came on a thread that is not of this world."""
        self.refused = WorldError(
            f"a deterministic world has one thread, but a {class_name_of(message)} came to "
            f"'{step.name}' on another one: let map_async or the world itself run what is slow"
        )
        raise self.refused
