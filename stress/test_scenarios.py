# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""The scenarios of tests/explored in as many runs as the mutants get."""

import pytest

from actors_rs.testing.explore import check_scenario
from tests.explored.catalogue import SCENARIOS


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_scenario_holds_in_every_order(name):
    scenario = SCENARIOS[name]
    check_scenario(scenario.run, scenario.plan, name.replace("/", "."))
