# mypy: disable-error-code="no-untyped-def"
"""What an inlet with an automatic window requests, by a clock that the test moves."""

from functools import partial

import pytest

from actors_rs import Flow
from actors_rs.delivery import acknowledged
from actors_rs.runtime.memory_budget import MemoryBudget, Share
from actors_rs.stages.chunks.auto_window import AutoWindow
from actors_rs.stages.chunks.window_policy import (
    FIRST_WINDOW,
    MOST_ELEMENTS,
    HeldPolicy,
    WindowPolicy,
)
from actors_rs.stages.operators.batch import Batch
from actors_rs.stages.operators.filter import Filter
from actors_rs.stages.operators.map import Map
from actors_rs.stages.operators.reduce import Reduce
from actors_rs.stages.operators.skip import Skip
from actors_rs.stages.operators.skip_while import SkipWhile
from actors_rs.stages.operators.sliding import Sliding
from actors_rs.stages.operators.take import Take
from actors_rs.stages.operators.take_while import TakeWhile
from actors_rs.stages.ports import Inlet
from tests.stages.harness import Alone, Upstream

MIB = 2**20


class Turns:
    """The turns of an island, as the test says they were."""

    def __init__(self):
        self.lapped = 1000.0
        self.idle = 1000.0

    def work(self, seconds):
        self.lapped += seconds

    def rest(self, seconds):
        self.lapped += seconds
        self.idle += seconds


class Link:
    """An inlet, its upstream, which delivers at once, and a stage that takes one at a time."""

    def __init__(self, element=0, most=MOST_ELEMENTS):
        self.turns = Turns()
        self.element = element
        self.up = Upstream()
        self.inlet = Inlet("in", most)
        policy = WindowPolicy(most)
        self.inlet.auto = AutoWindow(self.turns, policy)
        self.inlet.window = policy.size
        self.inlet.connect(self.up)
        self.inlet.open()

    def deliver(self):
        if self.inlet.outstanding:
            self.inlet.push([self.element] * self.inlet.outstanding)

    def run(self, elements, *, each=0.0, rest=0.0):
        for _ in range(elements):
            if not self.inlet.buffered:
                self.turns.rest(rest)
                self.deliver()
            self.inlet.take(1)
            assert self.inlet.buffered + self.inlet.outstanding <= max(self.inlet.window, self.held)
            self.turns.work(each)
        return self.inlet.window

    @property
    def held(self):
        """The elements that a larger window, a moment ago, may have left."""
        return self.inlet.buffered + self.inlet.outstanding


def test_the_first_request_is_small():
    assert Link().up.requests == [FIRST_WINDOW]


def test_a_fast_stage_comes_to_have_the_whole_window_requested():
    link = Link()
    assert link.run(10_000, each=1e-7) == MOST_ELEMENTS
    assert link.held > MOST_ELEMENTS * 3 // 4


def run_operator(logic, asked, elements=10_000):
    """The window of a fast operator, of which ``asked`` results are always demanded."""
    alone = Alone(logic, window=FIRST_WINDOW)
    logic.inlet.auto = AutoWindow(Turns(), WindowPolicy(), stage=logic)
    while logic.inlet.count < elements:
        alone.request(asked - logic.outlet.demand)
        alone.turn(partial(logic.inlet.push, range(logic.inlet.outstanding)))
    return logic.inlet.window


@pytest.mark.parametrize(("asked", "window"), [(1, 8), (8, 8), (9, 64), (64, 64), (4096, 4096)])
def test_a_window_grows_while_downstream_asks_for_more_than_it_holds(asked, window):
    assert run_operator(Map(lambda n: n), asked) == window


ONE_FOR_ONE = {
    "batch": lambda: Batch(2, None),
    "acknowledged": lambda: acknowledged(Flow(), lambda *_: None)._out.spec.make(),
    "skip": lambda: Skip(3),
    "skip of none": lambda: Skip(0),
    "skip_while": lambda: SkipWhile(lambda n: n < 3),
    "sliding": lambda: Sliding(2, 1),
    "take": lambda: Take(100_000),
    "take_while": lambda: TakeWhile(lambda n: True),
}


@pytest.mark.parametrize("operator", ONE_FOR_ONE)
def test_the_window_of_an_operator_that_passes_elements_on_grows_as_downstream_asks(operator):
    make = ONE_FOR_ONE[operator]
    assert run_operator(make(), 4) <= 64
    assert run_operator(make(), 4096) == MOST_ELEMENTS


def test_the_window_of_an_operator_that_drops_all_grows_however_little_is_asked_for():
    assert run_operator(Filter(lambda n: n < 0), 1) == MOST_ELEMENTS


def test_the_window_of_an_operator_that_needs_all_elements_for_a_result_grows():
    assert run_operator(Reduce(int, lambda a, n: a + n), 1) == MOST_ELEMENTS


def test_a_stage_of_fifty_milliseconds_comes_to_hold_five_elements():
    link = Link()
    assert link.run(20, each=0.05) == 5
    assert link.held <= 5


def test_a_stage_that_turns_slow_requests_nothing_until_it_holds_less_than_its_new_window():
    link = Link()
    link.run(10_000, each=1e-7)
    link.deliver()
    link.run(1_200, each=0.05)
    before = link.up.requested
    link.run(1_000, each=0.05)
    assert link.up.requested == before
    link.run(4_000, each=0.05)
    assert link.held <= 5


def test_a_stage_that_waits_for_upstream_is_not_slow_for_that():
    link = Link()
    assert link.run(10_000, each=1e-6, rest=60.0) == MOST_ELEMENTS


def test_a_stage_that_leaves_elements_lying_is_slow_although_it_does_nothing():
    link = Link()
    link.deliver()
    for _ in range(30):
        link.turns.rest(0.1)
        link.deliver()
        link.inlet.take(1)
    assert link.inlet.window == 2


@pytest.mark.parametrize(("mebibytes", "window"), [(1, 16), (5, 3), (40, 1)])
def test_heavy_elements_are_requested_within_sixteen_mebibytes(mebibytes, window):
    link = Link(bytes(mebibytes * MIB))
    link.run(50, each=1e-6)
    assert link.inlet.window <= window
    assert link.held <= window


def test_the_capacity_of_an_automatic_window_is_the_most_it_may_be():
    assert Link(most=100).inlet.capacity == 100
    assert Link(most=100).run(1_000) == 100


def test_what_is_given_back_was_not_drained():
    link = Link()
    link.run(2)
    for _ in range(200):
        link.inlet.untake(link.inlet.take(1))
        link.turns.work(0.1)
    link.run(2)
    assert link.inlet.window == 1


# Elements that wait in the inlet, under a limit of memory


@pytest.fixture
def memory():
    return MemoryBudget(16 * MIB)


def held_inlet(memory, most=64):
    inlet = Inlet("in", most)
    policy = HeldPolicy(most)
    policy.size = 1
    inlet.auto = AutoWindow(Turns(), policy, Share(memory), on_arrival=True)
    inlet.window = policy.size
    inlet.connect(up := Upstream())
    inlet.open()
    return inlet, up


def test_a_link_whose_elements_wait_asks_for_those_that_fit_once_the_first_has_come(memory):
    inlet, up = held_inlet(memory)
    assert up.requests == [1]
    inlet.push([bytes(MIB)])
    assert inlet.buffered == 1
    assert up.requested == inlet.window == 7, "half of the limit, an element being a bit more"
    assert memory.reserved >= 7 * MIB


def test_a_link_whose_elements_wait_and_are_light_has_its_whole_window_at_once(memory):
    inlet, up = held_inlet(memory)
    inlet.push([0])
    assert up.requests == [1, 63]


def test_a_link_whose_elements_wait_asks_for_no_more_when_they_turn_heavy(memory):
    inlet, up = held_inlet(memory)
    inlet.push([0])
    inlet.push([bytes(10 * MIB)] * 3)
    assert up.requests == [1, 63]
    assert inlet.window == 1


def test_a_window_that_may_become_larger_does_so_with_the_next_elements(memory):
    inlet, up = held_inlet(memory, most=4)
    inlet.push([0])
    inlet.widen(100)
    inlet.widen(50)
    assert up.requested == 4
    inlet.push([0])
    assert up.requested == inlet.capacity == 100


def test_a_window_that_is_a_number_is_widened_at_once():
    inlet = Inlet("in", 4)
    inlet.connect(up := Upstream())
    inlet.widen(8)
    inlet.open()
    inlet.widen(20)
    inlet.widen(10)
    assert up.requests == [8, 12]
