# mypy: disable-error-code="var-annotated, union-attr"
"""How often faults happen in an exploration: as often as it was told, whatever the strategy."""

from collections import Counter

import pytest

from actors_rs.errors import InvalidArgumentError
from actors_rs.testing.explore import BoundedDfs, Plan, check_scenario, replay, search

pytestmark = pytest.mark.usefixtures("by_itself")

PORTFOLIOS = [("random",), ("pct",), ("dfs",), ("random", "pct", "random", "dfs")]


@pytest.mark.parametrize("portfolio", PORTFOLIOS, ids=" ".join)
@pytest.mark.parametrize(("rate", "always"), [(0, False), (0.0, False), (1, True), (1.0, True)])
def test_at_a_rate_of_0_no_fault_happens_and_at_1_each_does(portfolio, rate, always):
    faults = Counter()

    def scenario(world):
        for _ in range(4):
            world.pick("x", range(3))
            faults[world.fault("disk")] += 1

    check_scenario(scenario, Plan(runs=400, faults=rate, portfolio=portfolio))
    assert list(faults) == [always]
    assert faults[always] > 200


def test_between_them_dfs_tries_each_fault_by_itself_and_with_one_other_choice():
    seen = set()

    def scenario(world):
        seen.add(tuple(world.fault("disk") for _ in range(3)))

    plan = Plan(runs=400, faults=1e-9, portfolio=("dfs",), windows=(4,))
    assert check_scenario(scenario, plan).complete
    assert {sum(faults) for faults in seen} == {0, 1, 2}
    assert len(seen) == 7


def test_dfs_makes_each_run_once_where_all_faults_happen():
    dfs, seen = BoundedDfs(2, fault_rate=1), []
    while (decisions := dfs.next_run()) is not None:
        made = [decisions.choose(f"{stream}:x", range(3)) for stream in ("data", "fault", "data")]
        seen.append(tuple(made))
    assert seen[0] == (0, 1, 0)
    assert len(seen) == len(set(seen)) == 3 * 3
    assert {fault for _, fault, _ in seen} == {1}


def test_what_fails_where_all_faults_happen_is_shrunk_and_replayed():
    def scenario(world):
        faults = [world.fault("disk") for _ in range(4)]
        assert not (world.pick("x", range(9)) > 5 and any(faults))

    plan = Plan(runs=400, faults=1.0, portfolio=("dfs",))
    failure = search(scenario, plan).failure
    assert sorted(failure.trace.deviations.values()) == [1, 6]
    with pytest.raises(AssertionError):
        replay(scenario, plan, failure.trace)


@pytest.mark.parametrize("rate", [-0.1, 1.1, "x", float("nan")])
def test_dfs_needs_a_rate_of_faults(rate):
    with pytest.raises(InvalidArgumentError, match="fault_rate must be a rate from 0 to 1"):
        BoundedDfs(2, fault_rate=rate)
