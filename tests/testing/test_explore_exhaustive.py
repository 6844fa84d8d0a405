# mypy: disable-error-code="var-annotated"
"""The exhaustive search: every order once, and nothing of what only takes a world down."""

import pytest

from actors_rs import PooledActor, Sink, Source, merge
from actors_rs.testing.explore import Exhaustive, Plan, explore, search
from actors_rs.testing.explore.systematic import Pruned

pytestmark = pytest.mark.usefixtures("by_itself")


class Step:
    def __init__(self, name, number, touches):
        self.name = name
        self.touched = frozenset({number, *touches})


def orders(*steps):
    """The orders that an exhaustive search tries for steps that are all ready at once."""
    search_, seen = Exhaustive(), []
    while (decisions := search_.next_run()) is not None:
        ready, order = list(steps), ""
        try:
            while ready:
                step = decisions.choose("order", ready)
                ready.remove(step)
                order += step.name
                decisions.ran(step.name, step.touched)
        except Pruned:
            continue
        seen.append(order)
    return seen


def test_an_exhaustive_search_visits_every_order_of_dependent_steps():
    steps = [Step("a", 1, {9}), Step("b", 2, {9}), Step("c", 3, {9})]
    assert sorted(orders(*steps)) == ["abc", "acb", "bac", "bca", "cab", "cba"]


def test_an_exhaustive_search_does_not_swap_independent_steps():
    assert orders(Step("a", 1, ()), Step("b", 2, ()), Step("c", 3, ())) == ["abc"]
    mixed = orders(Step("a", 1, {9}), Step("b", 2, ()), Step("c", 3, {9}))
    assert len(mixed) == 2
    assert {order.replace("b", "") for order in mixed} == {"ac", "ca"}


def test_an_exhaustive_search_finds_both_orders_of_a_race():
    ends = set()

    def scenario(world):
        both = merge(Source.of(1), Source.of(2))
        ends.add(tuple(world.start(both.to(Sink.list())).result()))

    found = search(scenario, Plan(runs=10_000, portfolio=("exhaustive",), windows=(4,)))
    assert found.complete
    assert ends == {(1, 2), (2, 1)}


def test_too_few_runs_for_every_order_are_an_error():
    @explore(exhaustive=True, runs=2)
    def small(world):
        world.start(Source.range(0, 3).to(Sink.list())).result()

    with pytest.raises(AssertionError, match="2 runs were too few to visit every order"):
        small()


# What is left out in mid-run


def merged(chains, elements):
    return merge(*(Source.range(10 * i, elements) for i in range(chains))).to(Sink.list())


def three_at_once(world):
    for run in [world.start(Source.range(0, 1).to(Sink.list())) for _ in range(3)]:
        run.result()


def cancelled_at_any_point(world):
    both = merge(Source.of(1).map(abs), Source.of(2))
    run = world.start(both.to(Sink.list()))
    world.soon("cancel", run.cancel)
    run.wait()


@pytest.mark.parametrize("scenario", [three_at_once, cancelled_at_any_point])
def test_taking_down_a_world_whose_run_was_left_out_is_no_part_of_the_search(scenario):
    found = search(scenario, Plan(runs=5_000, portfolio=("exhaustive",), windows=(4,)))
    assert found.failure is None
    assert found.complete


def test_an_exhaustive_search_of_three_sources_finds_each_order_of_their_elements():
    ends = set()

    def scenario(world):
        ends.add(tuple(world.start(merged(3, 1)).result()))

    assert search(scenario, Plan(runs=5_000, portfolio=("exhaustive",), windows=(4,))).complete
    assert len(ends) == 6


@pytest.mark.parametrize("raised", [None, AssertionError("not yet")])
def test_what_a_scenario_makes_of_a_run_that_was_left_out_is_no_failure(raised):
    left = []

    def scenario(world):
        try:
            three_at_once(world)
        except BaseException as error:  # as a finally block may
            left.append(error)
            if raised:
                raise raised from None

    found = search(scenario, Plan(runs=5_000, portfolio=("exhaustive",), windows=(4,)))
    assert found.failure is None
    assert {type(error) for error in left} == {Pruned}


class Told(PooledActor):
    def __init__(self, got):
        super().__init__()
        self.got = got

    def on_receive(self, message):
        self.got.append(message)


class Tells(PooledActor):
    def __init__(self, whom, name):
        super().__init__()
        self.whom, self.name = whom, name

    def on_receive(self, message):
        self.whom.tell(self.name)


def test_an_exhaustive_search_visits_the_orders_of_what_others_do_while_a_step_waits():
    seen = set()

    def scenario(world):
        got = []
        told = world.spawn(Told, got)
        asked, beside = (world.spawn(Tells, told, name) for name in "ab")

        def ask(x):
            answer = asked.ask(x, block=False)
            beside.tell(x)
            return answer.get()

        flow = Source.of(1).delay(1).map_async(ask, parallelism=1)
        world.start(flow.to(Sink.list())).result()
        world.settle()
        seen.add("".join(got))

    assert search(scenario, Plan(runs=20_000, portfolio=("exhaustive",), windows=(4,))).complete
    assert seen == {"ab", "ba"}
