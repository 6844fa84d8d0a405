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
from actors_rs.stages.sinks.ignore import Ignore
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


def test_a_stage_that_gave_back_all_that_it_had_is_not_slow_for_that():
    link = Link()
    link.run(10_000, each=1e-7)
    for _ in range(50):
        link.inlet.untake(link.inlet.gather(link.inlet.buffered)[-1:])
        assert {link.run(1, each=1e-7, rest=1.0) for _ in range(20)} == {MOST_ELEMENTS}


class Stage:
    """One whose inlet follows its pace; it counts how often that is measured."""

    def __init__(self):
        self.turns = Turns()
        self.asked = lambda: 4096
        self.made = 0

    def auto_window(self, most):
        self.made += 1
        return AutoWindow(self.turns, WindowPolicy(most), stage=self)


def followed(logic=None, most=MOST_ELEMENTS):
    """An inlet whose window follows a stage, and that stage."""
    stage, inlet = Stage(), Inlet() if logic is None else logic.inlet
    inlet.window = most
    inlet.follow(stage)
    return stage, inlet


def test_nothing_measures_the_pace_of_a_stage_until_it_has_taken_a_quarter_of_the_first_window():
    stage, inlet = followed()
    inlet.connect(up := Upstream())
    inlet.open()
    assert (up.requests, inlet.capacity) == ([FIRST_WINDOW], MOST_ELEMENTS)
    inlet.push([1, 2, 3])
    inlet.take(1)
    assert (stage.made, inlet.auto) == (0, None)
    inlet.take(1)
    inlet.take(1)
    assert (stage.made, inlet.auto is None, inlet.capacity) == (1, False, MOST_ELEMENTS)


def test_a_window_that_nothing_measures_yet_may_become_larger():
    _, inlet = followed(most=100)
    inlet.widen(200)
    inlet.widen(150)
    assert (inlet.window, inlet.capacity) == (FIRST_WINDOW, 200)


def test_a_fast_operator_grows_its_window_as_soon_as_downstream_asks_for_more():
    logic = Map(lambda n: n)
    followed(logic)[0].asked = logic.asked
    alone = Alone(logic, window=FIRST_WINDOW)
    alone.request(FIRST_WINDOW).push(*range(FIRST_WINDOW))
    assert logic.inlet.window == FIRST_WINDOW, "downstream has asked for no more"
    alone.request(4096)
    assert logic.inlet.window == logic.inlet.outstanding == MOST_ELEMENTS


def test_a_stage_that_is_busy_with_other_things_does_not_come_to_want_less():
    stage, inlet = followed()
    inlet.connect(Upstream())
    inlet.open()
    inlet.push(range(FIRST_WINDOW))
    stage.turns.work(0.01)
    for _ in range(4):
        inlet.take(2)
    for _ in range(10):
        stage.turns.work(0.1)
        inlet.open()
    assert inlet.window == FIRST_WINDOW


def test_elements_that_turn_heavy_within_the_first_window_are_weighed():
    _, inlet = followed()
    inlet.connect(Upstream())
    inlet.open()
    inlet.push([0] * 4 + [bytes(MIB)] * 4)
    for _ in range(FIRST_WINDOW):
        inlet.take(1)
    inlet.open()
    assert inlet.window <= 16


class Slow(Ignore):
    """A sink that takes so many seconds over each element."""

    def __init__(self, seconds):
        super().__init__()
        self.seconds = seconds
        self.stage, self.inlet.window = followed(self)[0], FIRST_WINDOW

    def consume(self, elements):
        for _ in elements:
            self.stage.turns.work(self.seconds)


@pytest.mark.parametrize(("seconds", "window"), [(1e-7, 4096), (1e-4, 64), (0.01, 8), (0.05, 5)])
def test_the_window_of_a_sink_fits_its_pace_after_its_first_frame(seconds, window):
    alone = Alone(logic := Slow(seconds), window=FIRST_WINDOW)
    alone.push(*range(FIRST_WINDOW))
    assert logic.inlet.window == window
    assert logic.inlet.outstanding <= max(window, FIRST_WINDOW)


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
