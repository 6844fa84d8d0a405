"""The search: run after run of one scenario, until one fails or enough have been made."""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any, Literal, TypeAlias

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError, WorldError
from actors_rs.runtime._primitives import cpu_seconds
from actors_rs.runtime.memory_budget import budget_of
from actors_rs.runtime.settings import check_count, check_flag
from actors_rs.stages.functions import deferred_kind
from actors_rs.testing.decisions import FAULT_RATE, Decisions, Replay, Scripted
from actors_rs.testing.explore.guard import no_real_time_or_threads
from actors_rs.testing.explore.portfolio import PORTFOLIO, decisions_of_runs
from actors_rs.testing.explore.repeats import check_repeats
from actors_rs.testing.explore.report import Failure, pytest_outcomes
from actors_rs.testing.explore.shrink import shrink
from actors_rs.testing.explore.systematic import Pruned
from actors_rs.testing.explore.traces import Trace, graph_id
from actors_rs.testing.faults import is_injected
from actors_rs.testing.world import World
from actors_rs.texts import qualified_name_of, repr_of

__all__ = [
    "Exploration",
    "Plan",
    "Scenario",
    "check_plan",
    "check_scenario_runs",
    "replay",
    "replayed",
    "run_once",
    "search",
]

Scenario: TypeAlias = Callable[[World], object]
WINDOWS = (4, 1, 2, 16)
TWICE_EVERY = 101
"""Every how many runs one is made a second time, to see whether it is the same.

No multiple of this and the next number may be the turn of one strategy only.
"""
GUARDED_EVERY = 1_001
"""Every how many runs it is looked whether the real clock is read, which costs much."""
NOT_AWAITED = "run.result() moves the world on, nothing is awaited"
COLLECT_EVERY = 2_000
"""Runs between two collections of garbage."""


@dataclass(frozen=True)
class Plan:
    """How a scenario is explored. See ``explore`` for what the fields mean."""

    runs: int = 2_000
    portfolio: Sequence[str] = PORTFOLIO
    faults: float = FAULT_RATE
    seed: int = 0
    windows: Sequence[int | Literal["auto"]] = WINDOWS
    monitor: bool = True
    most_steps: int = 100_000
    yardstick: bool = False
    memory_limit: int | str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.windows, Sequence) or isinstance(self.windows, str):
            raise ArgumentTypeError(
                f"windows must be numbers such as (1, 4), got {repr_of(self.windows)}"
            )
        if not self.windows:
            raise InvalidArgumentError("window must be at least one number, got none")
        for window in self.windows:
            if window != "auto":
                check_count("window", window)
        check_count("most_steps", self.most_steps)
        check_flag("monitor", self.monitor)
        check_flag("yardstick", self.yardstick)
        budget_of(self.memory_limit)  # raises for what is no limit

    def world(self, decisions: Decisions) -> World:
        """A world for one run; its window is the first thing that is decided."""
        window = decisions.choose("data:window", self.windows)
        return World(
            decisions,
            window=window,
            memory_limit=self.memory_limit,
            monitor=self.monitor,
            most_steps=self.most_steps,
        )


def check_plan(plan: Plan) -> None:
    """Raise ``ArgumentTypeError`` for what is none."""
    if not isinstance(plan, Plan):
        raise ArgumentTypeError(f"a plan is needed, such as Plan(runs=300), got {repr_of(plan)}")


def check_scenario_runs(scenario: Callable[..., object]) -> None:
    """Raise for what is no function, or returns at once and would pass without having run."""
    if not callable(scenario):
        raise ArgumentTypeError(f"a scenario must be a function, got {repr_of(scenario)}")
    if kind := deferred_kind(scenario):
        name = qualified_name_of(scenario)
        raise InvalidArgumentError(
            f"a scenario must be a plain function, got the {kind} {name}: {NOT_AWAITED}"
        )


@dataclass
class Exploration:
    """The result of an exploration: the numbers of ``runs`` and of different ``behaviours``.

    ``seconds`` are processor time. ``complete``: whether no further run exists. ``failure`` is
    the first one found, shrunk. ``yardstick``: see ``explore``.
    """

    name: str
    runs: int = 0
    seconds: float = 0.0
    complete: bool = False
    behaviours: set[int] = field(default_factory=set)
    failure: Failure | None = None
    yardstick: bool = False

    @property
    def rate(self) -> float:
        """Runs per second of one core."""
        return self.runs / self.seconds if self.seconds else 0.0

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.runs} interleavings, {len(self.behaviours)} behaviours, "
            f"{self.rate:.0f} per second and core"
        )


def run_once(
    scenario: Scenario, plan: Plan, decisions: Decisions, *, guarded: bool = False
) -> tuple[World, BaseException | None]:
    """One run: the final state of its world, and its failure.

    Raises ``Pruned`` if it was pruned, also if the scenario has caught that exception.
    """
    world, failed, gave = plan.world(decisions), None, None
    try:
        with no_real_time_or_threads() if guarded else nullcontext(), world:
            gave = scenario(world)
    except BaseException as error:
        if _ends_the_search(error):
            raise
        failed = error
    if decisions.pruned:
        raise Pruned from failed
    if isinstance(gave, _UNRUN):
        raise _nothing_ran(gave)
    return world, failed


_UNRUN = CoroutineType, GeneratorType, AsyncGeneratorType


def _nothing_ran(gave: Any) -> InvalidArgumentError:
    """A scenario, such as a lambda, has made something and let nobody run it."""
    if isinstance(gave, CoroutineType):
        gave.close()  # or Python would warn of it, too
    kind = type(gave).__name__.replace("_", " ")
    return InvalidArgumentError(f"nobody runs the {kind} that the scenario returned: {NOT_AWAITED}")


def _ends_the_search(error: BaseException) -> bool:
    """Whether ``error`` is no failure: Ctrl-C was pressed, or the test is skipped or left."""
    if isinstance(error, KeyboardInterrupt):
        return not is_injected(error)
    if isinstance(error, (Pruned, *pytest_outcomes("Skipped", "Exit"))):
        return True
    hypothesis = sys.modules.get("hypothesis.errors")
    return hypothesis is not None and isinstance(error, hypothesis.StopTest)


def search(scenario: Scenario, plan: Plan, name: str = "scenario") -> Exploration:
    """Explore until a run fails, or as ``plan`` says."""
    check_plan(plan)
    check_scenario_runs(scenario)
    found, began = Exploration(name, yardstick=plan.yardstick), cpu_seconds()
    choices = decisions_of_runs(plan.portfolio, plan.runs, plan.seed, plan.faults)
    first: dict[int, int] | None = None
    with _undisturbed():
        for decisions in choices:
            twice = not found.runs % TWICE_EVERY
            guarded = not found.runs % GUARDED_EVERY
            try:
                world, error = run_once(scenario, plan, decisions, guarded=guarded)
            except Pruned:
                continue
            found.runs += 1
            found.behaviours.add(world.behaviour_key)
            doubtful = twice or error is not None
            if doubtful and not isinstance(error, WorldError):  # which says why they would differ
                error = check_repeats(partial(run_once, scenario, plan), world, error, first)
            if first is None:
                first = world.decisions.deviations
            if error is not None:
                found.failure = _explain(scenario, plan, world, error)
                break
            world.dismantle()
            if not found.runs % COLLECT_EVERY:
                gc.collect()
    found.complete = choices.exhausted
    found.seconds = cpu_seconds() - began
    return found


def replay(scenario: Scenario, plan: Plan, trace: Trace, *, strict: bool = True) -> World:
    """Make the run of ``trace`` again, looked at like the first of a search; raises what it raises.

    A ``BaseException`` such as ``SystemExit`` is the cause of an ``AssertionError``. Raises
    ``TraceMisfit``, an ``InvalidArgumentError``, for a trace of another graph, and if ``strict``
    also where a decision is not there any more.
    """
    check_plan(plan)
    if not isinstance(trace, Trace):
        raise ArgumentTypeError(
            f"replay needs a trace, such as Trace.parse(word) gives, got {repr_of(trace)}"
        )
    check_scenario_runs(scenario)
    world, failure = replayed(scenario, plan, trace, strict=strict)
    if failure is not None:
        raise failure.as_exception()
    return world


def replayed(
    scenario: Scenario, plan: Plan, trace: Trace, *, strict: bool
) -> tuple[World, Failure | None]:
    """As ``replay``, but returns a failure, with the trace of what was really decided."""
    made = Replay(trace.deviations) if strict else Scripted(trace.deviations)
    world, error = run_once(scenario, plan, made, guarded=True)
    trace.check_graph(world.graph)
    if isinstance(made, Replay):
        made.check_fits(failed=error is not None)
    if error is None:
        return world, None
    return world, Failure(error, Trace(trace.graph, made.deviations), world)


def _explain(scenario: Scenario, plan: Plan, world: World, error: BaseException) -> Failure:
    """The failure, shrunk as far as it goes.

    A ``WorldError`` is of what no decision makes: it may come in no other run, or wait for ever.
    """

    def attempt(script: dict[int, int]) -> tuple[World, BaseException | None]:
        return run_once(scenario, plan, Scripted(script))

    if not isinstance(error, WorldError):
        world, error = shrink(attempt, world, error)
    trace = Trace(graph_id(world.graph), world.decisions.deviations)
    return Failure(error, trace, world, plan.seed)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Thousands of runs: no log lines of ours, and no collection of garbage within a run."""
    ours = logging.getLogger("actors_rs")
    level, collecting = ours.level, gc.isenabled()
    ours.setLevel(logging.CRITICAL + 1)
    gc.disable()
    gc.freeze()  # the collector skips objects that exist by now
    try:
        yield
    finally:
        ours.setLevel(level)
        gc.unfreeze()
        if collecting:
            gc.enable()
