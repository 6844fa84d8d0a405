"""``explore``: a test that is run in thousands of worlds."""

from __future__ import annotations

import functools
import inspect
import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, Never

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError, NondeterminismError
from actors_rs.runtime.settings import check_flag
from actors_rs.testing.decisions import FAULT_RATE
from actors_rs.testing.explore.portfolio import PORTFOLIO, decisions_of_runs
from actors_rs.testing.explore.report import Failure
from actors_rs.testing.explore.search import (
    WINDOWS,
    Exploration,
    Plan,
    Scenario,
    check_plan,
    check_scenario_runs,
    replayed,
    search,
)
from actors_rs.testing.explore.settings import SETTINGS, Tally
from actors_rs.testing.explore.traces import Trace, add_schedule, load_schedules, schedule_file
from actors_rs.testing.world import World
from actors_rs.texts import named, repr_of

__all__ = ["check_scenario", "explore"]

MOST_ORDERS = 200_000
"""Runs after which ``exhaustive=True`` gives up, unless the plan says otherwise."""
REPLAYED = ("windows", "memory_limit", "monitor", "most_steps")
"""The fields of a plan that a replay needs."""
PLUGIN = "actors_rs.testing.pytest_plugin"
"""What knows the option ``--replay``: for a pytest that has not loaded it."""


def explore(
    *misused: Never,
    runs: int | None = None,
    portfolio: Sequence[str] = PORTFOLIO,
    faults: float = FAULT_RATE,
    seed: int = 0,
    window: int | Literal["auto"] | Sequence[int | Literal["auto"]] = WINDOWS,
    memory_limit: int | str | None = None,
    monitor: bool = True,
    exhaustive: bool = False,
    most_steps: int = 100_000,
    yardstick: bool = False,
) -> Callable[[Callable[..., object]], Callable[..., None]]:
    """Run the decorated test, whose first argument is a ``World``, in ``runs`` worlds.

    The strategies of ``portfolio`` (``"random"``, ``"pct"``, ``"dfs"``) take turns; ``faults`` is
    how often ``world.fault`` says yes: at 0 never, at 1 always; between them ``"dfs"`` tries each
    fault by itself and with one other choice. ``window`` is what inlets keep requested, one or
    several to choose from, ``"auto"`` among them if you like; ``memory_limit`` is as in
    ``ActorSystem``. With ``exhaustive`` every order is visited instead, with one window and all
    else dull, and the test fails if there are more than ``runs``. Raises ``InvalidArgumentError``
    at once for what makes no sense.

    The rate of a ``yardstick`` is always printed at the end, that of others with ``-v``: it is
    what machines and versions are compared by.
    Traces kept in ``tests/schedules`` are replayed first. A failure is shrunk and carries a note
    with the seed, the trace, the last deliveries, the actors, and the line that replays it.
    """
    _without_arguments(misused)
    check_flag("exhaustive", exhaustive)
    if exhaustive and (portfolio is not PORTFOLIO or faults != FAULT_RATE):
        raise InvalidArgumentError("exhaustive visits every order: it takes no portfolio or faults")
    several = isinstance(window, Sequence) and not isinstance(window, str)
    windows: Any = tuple(window) if several else (window,)  # type: ignore[arg-type]
    if exhaustive and window is not WINDOWS and len(windows) > 1:
        raise InvalidArgumentError(f"exhaustive visits every order of one window, got {windows}")
    strategies = ("exhaustive",) if exhaustive else portfolio
    most = runs if runs is not None else MOST_ORDERS if exhaustive else 2_000
    how = windows, monitor, most_steps, yardstick, memory_limit
    plan = Plan(most, strategies, faults, seed, *how)
    decisions_of_runs(strategies, most, seed, faults)  # raises now what the runs would raise

    return functools.partial(_explored, plan)


def _explored(plan: Plan, test: Callable[..., object]) -> Callable[..., None]:
    """``test``, in as many worlds as ``plan`` says."""
    check_scenario_runs(test)

    @functools.wraps(test)
    def explored(*args: Any, **kwargs: Any) -> None:
        def scenario(world: World) -> object:
            return test(*args, world=world, **kwargs)

        scenario.__qualname__ = f"{test.__qualname__}.__wrapped__"  # to replay it by hand
        check_scenario(scenario, plan, f"{test.__module__}.{test.__qualname__}")

    explored.__signature__ = _without_world(test)  # type: ignore[attr-defined]
    return explored


def _without_arguments(misused: Sequence[object]) -> None:
    if misused:
        raise ArgumentTypeError(
            f"explore takes keywords only, got {repr_of(misused[0])}: write @explore() above a test"
        )


def _without_world(test: Callable[..., object]) -> inspect.Signature:
    """What pytest is to see: the fixtures and parameters that are its own."""
    parameters = dict(inspect.signature(test).parameters)
    if parameters.pop("world", None) is None:
        raise InvalidArgumentError(f"{test.__qualname__} needs a parameter 'world', it has none")
    return inspect.Signature(list(parameters.values()))


def check_scenario(scenario: Scenario, plan: Plan | None = None, name: str = "") -> Exploration:
    """Explore ``scenario``, a function of a ``World``; what ``explore`` does with a test.

    Raises the failure that was found, shrunk and with its report as a note; one that is no
    ``Exception``, a ``SystemExit`` say, as the cause of an ``AssertionError``. What ends the test
    itself is no failure: Ctrl-C, ``pytest.skip``. The options of pytest hold here too.
    """
    check_scenario_runs(scenario)
    check_plan(plan := Plan() if plan is None else plan)
    asked = _with_options(plan)
    test = _current_test() or name or getattr(scenario, "__qualname__", "scenario")
    if SETTINGS.trace is not None:
        with SETTINGS.replays.counted("--replay"):
            _replay(scenario, asked, Trace.parse(SETTINGS.trace), strict=True)
        return Exploration(test, runs=1)
    if SETTINGS.schedules is not None:
        kept_in = str(schedule_file(SETTINGS.schedules, test))
        for trace, why in load_schedules(SETTINGS.schedules, test):
            with SETTINGS.replays.counted(kept_in, why):
                _replay(scenario, asked, trace, strict=False)
    found = search(scenario, asked, test)
    SETTINGS.explored.append(Tally.of(found))
    if found.failure is not None:
        again = "" if _differs(found.failure) else _again(scenario, asked, found.failure.trace)
        _raise(found, test, again)
    if tuple(asked.portfolio) == ("exhaustive",) and not found.complete:
        raise AssertionError(f"{asked.runs} runs were too few to visit every order of {test}")
    return found


def _with_options(plan: Plan) -> Plan:
    """``plan`` with what the command line says."""
    if SETTINGS.runs is not None and tuple(plan.portfolio) != ("exhaustive",):
        plan = replace(plan, runs=SETTINGS.runs)
    return plan if SETTINGS.seed is None else replace(plan, seed=SETTINGS.seed)


def _replay(scenario: Scenario, plan: Plan, trace: Trace, *, strict: bool) -> None:
    failure = replayed(scenario, plan, trace, strict=strict)[1]
    if failure is not None:
        raise failure.as_exception(_again(scenario, plan, failure.trace))


def _raise(found: Exploration, test: str, again: str) -> None:
    failure = found.failure
    assert failure is not None
    raised = failure.as_exception(again, found.runs)
    if SETTINGS.keep and SETTINGS.schedules is not None and not _differs(failure):
        why = named(failure.error).partition("\n")[0]
        kept = add_schedule(SETTINGS.schedules, test, failure.trace, why)
        raised.add_note(f"the trace is kept in {kept}")
    raise raised


def _differs(failure: Failure) -> bool:
    """Whether a run was not the same when it was made again: its trace would replay another."""
    return isinstance(failure.error, NondeterminismError)


def _again(scenario: Scenario, plan: Plan, trace: Trace) -> str:
    """What makes the run again: a line for the shell, outside of pytest a call."""
    if test := _current_test():
        pytest = "pytest" if SETTINGS.schedules is not None else f"pytest -p {PLUGIN}"
        return f"{pytest} {shlex.quote(SETTINGS.argument(test))} --replay {shlex.quote(str(trace))}"
    name = getattr(scenario, "__qualname__", "scenario")
    call = f"replay({name}, {_in_short(plan)}, Trace.parse('{trace}'))"
    return f"{call}, all from actors_rs.testing.explore"


def _in_short(plan: Plan) -> str:
    """``plan`` as far as it matters to a replay, as a call."""
    given, usual = vars(plan), vars(Plan())
    changed = [f"{one}={repr_of(given[one])}" for one in REPLAYED if given[one] != usual[one]]
    return f"Plan({', '.join(changed)})"


def _current_test() -> str:
    """The test that pytest is running, if it is."""
    return os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
