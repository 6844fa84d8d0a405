"""Runs a mutant's scenarios until one of them sees the bug."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from actors_rs.testing.decisions import Decisions, Pct, RandomWalk
from actors_rs.testing.explore.portfolio import decisions_of_runs
from actors_rs.testing.explore.search import run_once
from tests.explored.catalogue import SCENARIOS
from tests.explored.scenario import Scenario
from tests.mutants.mutant import Mutant
from tests.mutants.threads import MODELS


@dataclass(frozen=True)
class Kill:
    """What saw the bug: the scenario, the ``run`` from 1, who made its choices, what was seen."""

    scenario: str
    run: int
    strategy: str
    seed: int | None
    seen: str


def kill(mutant: Mutant) -> Kill | None:
    """The first run that fails with ``mutant``; ``None`` if it survives all of its scenarios."""
    with mutant.applied(), quiet():
        if mutant.model:
            return _run_model(mutant.model)
        for name in mutant.killers:
            found = _first_failure(name, SCENARIOS[name])
            if found is not None:
                return found
    return None


def _run_model(name: str) -> Kill | None:
    try:
        holds, interleavings = MODELS[name]()
    except Exception as error:  # in one of the threads
        return Kill(name, 1, "threads", None, type(error).__name__)
    return None if holds else Kill(name, interleavings, "threads", None, "AssertionError")


def _first_failure(name: str, scenario: Scenario) -> Kill | None:
    plan = scenario.plan
    choices = decisions_of_runs(plan.portfolio, plan.runs, plan.seed, plan.faults)
    for number, decisions in enumerate(choices, 1):
        world, error = run_once(scenario.run, plan, decisions)
        if error is not None:
            return Kill(name, number, *_who(decisions), type(error).__name__)
        world.dismantle()
    return None


def _who(decisions: Decisions) -> tuple[str, int | None]:
    """The strategy, and the seed of this very run if it draws."""
    if isinstance(decisions, RandomWalk):
        return ("pct" if isinstance(decisions, Pct) else "random"), decisions.seed
    return "dfs", None


@contextmanager
def quiet() -> Iterator[None]:
    """No log lines: a mutant makes many."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
