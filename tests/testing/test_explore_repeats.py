# mypy: disable-error-code="var-annotated"
"""Runs are made again: what is not the same then is told, and not what it has led to."""

import random
import traceback
from contextlib import suppress
from itertools import count

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import NondeterminismError, StageError
from actors_rs.testing.explore import Plan, check_scenario, search
from actors_rs.testing.explore.settings import SETTINGS

pytestmark = pytest.mark.usefixtures("by_itself")


def doubled(world, f=abs):
    return world.start(Source.range(0, 3).map(f).to(Sink.list())).result()


def test_what_depends_on_more_than_its_input_is_found_with_the_first_difference():
    drawn, numbers = random.Random(1), count()

    def scenario(world):
        flow = Source.range(0, 3).map(lambda x: (x, drawn.random(), next(numbers)))
        world.start(flow.to(Sink.list())).result()

    with pytest.raises(NondeterminismError, match=r"delivery \d+ was first '.*', then '.*'"):
        check_scenario(scenario, Plan(runs=200))


def test_a_run_that_fails_is_made_again_and_its_failure_is_the_cause_of_what_differs():
    numbers = count()

    def scenario(world):
        runs = next(numbers)
        doubled(world, lambda x: x + (runs == 5))
        assert runs != 5, "the sixth"

    with pytest.raises(NondeterminismError, match=r"delivery \d+ was first .*, then") as caught:
        check_scenario(scenario, Plan(runs=50))
    assert str(caught.value.__cause__).startswith("the sixth")


@pytest.mark.parametrize(
    ("fails", "said"),
    [
        ({7}, "the first failed with KeyError: 7, the second passed"),
        ({1}, "the first passed, the second failed with KeyError: 1"),
    ],
)
def test_runs_that_are_alike_and_end_differently_are_told_with_both_ends(fails, said):
    numbers = count()

    def scenario(world):
        doubled(world)
        if (run := next(numbers)) in fails:
            raise KeyError(run)

    with pytest.raises(NondeterminismError, match=f"made two runs with two ends: .*; {said}"):
        check_scenario(scenario, Plan(runs=50))


def test_what_outlives_a_run_is_told_instead_of_a_trace_that_would_pass_elsewhere():
    kept = []

    def scenario(world):
        doubled(world)
        kept.append(0)
        assert len(kept) < 20, "too many"

    said = "passed in the first run of all, and made again now it failed with AssertionError: too"
    with pytest.raises(NondeterminismError, match=said) as caught:
        check_scenario(scenario, Plan(runs=50))
    assert isinstance(caught.value.__cause__, AssertionError)
    assert "after 19 runs" in caught.value.__notes__[0]


def test_a_run_that_differs_is_not_told_how_to_be_replayed_and_its_trace_is_not_kept(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(SETTINGS, "schedules", tmp_path)
    monkeypatch.setattr(SETTINGS, "keep", True)
    kept = []

    def scenario(world):
        doubled(world)
        kept.append(0)
        assert len(kept) < 20, "too many"

    with pytest.raises(NondeterminismError) as caught:
        check_scenario(scenario, Plan(runs=50))
    told = "".join(caught.value.__notes__)
    assert "replay it" not in told
    assert "trace: v1" not in told
    assert "is kept in" not in "".join(caught.value.__notes__)
    assert list(tmp_path.iterdir()) == []


class Order:
    """Shown with its address."""


def test_addresses_in_what_an_exception_says_make_no_other_run():
    kept = []

    def scenario(world):
        orders = [Order() for _ in range(3)]
        kept.append(orders)  # or the next run would have them at the same places
        places = dict(zip(orders[:2], range(2), strict=True))
        empty: list[Order] = []
        placed = Source.from_iterable(orders).map(lambda order: places[order])
        with pytest.raises(StageError):
            world.start(placed.map(lambda n: empty.index(orders[n])).to(Sink.list())).result()
        assert world.start(placed.to(Sink.list())).result() == [0, 1, 2]

    with pytest.raises(StageError, match=r"KeyError: <.*Order object at 0x"):
        check_scenario(scenario, Plan(runs=5))


@pytest.mark.parametrize("policy", ["stop", "resume"])
def test_an_exception_that_each_run_raises_keeps_the_frames_of_none(policy):
    constant, lengths = OSError("constant"), []

    def fails(x):
        lengths.append(len(list(traceback.walk_tb(constant.__traceback__))))
        raise constant

    def scenario(world):
        run = world.start(Source.of(1).map(fails).on_failure(policy).to(Sink.list()))
        with suppress(StageError):
            run.result()

    assert search(scenario, Plan(runs=90)).failure is None
    assert set(lengths[2:]) == {0}  # the first run is made twice, and kept until then


def test_every_strategy_of_the_usual_portfolio_has_runs_that_are_made_twice():
    made = []

    def scenario(world):
        made.append((type(world.decisions).__name__, doubled(world)))

    assert search(scenario, Plan(runs=500)).failure is None
    assert len(made) == 500 + 5
    twice = [101 * n + n for n in range(5)]  # each run made again shifts the others by one
    assert {made[at][0] for at in twice} == {"RandomWalk", "Pct", "Scripted"}
    assert {made[at + 1][0] for at in twice} == {"Scripted"}
