"""All scenarios by name, as ``theme/name``."""

from importlib import import_module

from tests.explored.scenario import Scenario, scenario_of

THEMES = (
    "linear",
    "junctions",
    "inner",
    "generators",
    "failing",
    "timing",
    "rates",
    "calls",
    "windows",
    "sections",
    "hubs",
    "entries",
    "delivery",
    "actors",
)


def _all_of(theme: str) -> dict[str, Scenario]:
    module = import_module(f"tests.explored.scenarios.{theme}")
    cases = [scenario_of(name, case) for name, case in module.CASES.items()]
    return {f"{theme}/{one.name}": one for one in (*cases, *module.SCENARIOS)}


SCENARIOS = {name: one for theme in THEMES for name, one in _all_of(theme).items()}

RUNS = 50
MORE_RUNS = {
    "inner/breadth": 100,
    "inner/wanted no more": 100,
    "junctions/partition": 100,
    "junctions/sink and source": 100,
    "linear/chain": 100,
    "linear/sort_within": 100,
    "sections/sections within sections": 200,
    "sections/cancelled as it fails": 200,
    "linear/accounted for": 500,
    "inner/group_by that wait": 1_500,
    "linear/resumed": 2_500,
}
"""Scenarios with a bug in the museum that is seen only later."""


def runs_of(name: str) -> int:
    """In how many runs ``make test`` explores a scenario: in them each of its mutants is killed."""
    return MORE_RUNS.get(name, RUNS)
