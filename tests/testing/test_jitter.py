# mypy: disable-error-code="var-annotated, arg-type, func-returns-value"
"""Waits with jitter, in a world: drawn by its decisions, so the same run can be made again."""

import pytest

from actors_rs import ChildSpec, OneForOne, PooledActor, Sink, Source
from actors_rs import Supervisor as Tree
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.testing.decisions import Decisions, RandomWalk
from actors_rs.testing.explore import check_scenario
from actors_rs.testing.explore.search import Plan
from actors_rs.testing.world import World

WAIT = Backoff(4.0, 64.0, jitter=0.5)


class Failing:
    """Raises at its first calls."""

    def __init__(self, times):
        self.left = times

    def __call__(self, x):
        if self.left:
            self.left -= 1
            raise OSError("not yet")
        return x


def section(world):
    flow = Source.range(0, 3).map(Failing(2)).restart(WAIT)
    assert world.start(flow.to(Sink.list())).result() == [0, 1, 2]


def retries(world):
    flow = Source.range(0, 3).map_async(Failing(2), parallelism=2).retry(WAIT, max_attempts=5)
    assert world.start(flow.to(Sink.list())).result() == [0, 1, 2]


class Fragile(PooledActor):
    def on_receive(self, message):
        raise OSError(message)


def supervised(world):
    tree = Tree(OneForOne(backoff=WAIT), [ChildSpec(Fragile, name="one")])
    child = world.system.supervise(tree).child("one")
    for _ in range(2):
        child.tell("fail")
        world.sleep(100.0)


CASES = {"a section": section, "retries": retries, "a supervisor": supervised}
each = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


def run(case, decisions):
    with World(decisions) as world:
        case(world)
    return world


@each
def test_two_runs_of_a_seed_are_equal_with_jitter_too(case):
    for seed in range(20):
        one, other = (run(case, RandomWalk(seed)) for _ in "ab")
        assert (one.digest, one.now) == (other.digest, other.now)


@each
def test_the_waits_of_different_seeds_differ(case):
    assert len({run(case, RandomWalk(seed)).digest for seed in range(20)}) > 1
    drawn = [c.what for c in run(case, RandomWalk(1)).decisions.made if c.what == "time:jitter"]
    assert len(drawn) == 2


@each
def test_an_exploration_with_jitter_is_deterministic(case):
    check_scenario(case, Plan(runs=101))


def test_the_dull_chance_is_no_jitter_and_without_jitter_there_is_no_choice():
    world = run(section, Decisions())
    assert world.now == 4.0 + 8.0

    def steady(world):
        flow = Source.range(0, 3).map(Failing(2)).restart(Backoff(4.0, jitter=0))
        world.start(flow.to(Sink.list())).result()

    assert not [c for c in run(steady, RandomWalk(1)).decisions.made if c.what == "time:jitter"]
