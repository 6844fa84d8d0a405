"""Every scenario of the catalogue holds in every order the search finds.

Here in as many runs as its mutants need, in ``stress/`` in as many as the mutants may have.
"""

from dataclasses import replace

import pytest

from actors_rs.testing.explore import check_scenario
from tests.explored.catalogue import SCENARIOS, runs_of


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_scenario_holds_in_every_order(name):
    scenario = SCENARIOS[name]
    check_scenario(scenario.run, replace(scenario.plan, runs=runs_of(name)), name.replace("/", "."))
