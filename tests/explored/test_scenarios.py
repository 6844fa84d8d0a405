"""Every scenario of the catalogue holds in every order the search finds.

Here in as many runs as are made in a minute, in ``stress/`` in as many as the mutants get.
"""

from dataclasses import replace

import pytest

from actors_rs.testing.explore import check_scenario
from tests.explored.catalogue import SCENARIOS

RUNS = 500


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_scenario_holds_in_every_order(name):
    scenario = SCENARIOS[name]
    check_scenario(scenario.run, replace(scenario.plan, runs=RUNS), name.replace("/", "."))
