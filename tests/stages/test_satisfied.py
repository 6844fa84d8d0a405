# mypy: disable-error-code="attr-defined, method-assign, var-annotated"
"""An operator that has had enough has taken what it needed, and nothing behind that."""

import pytest

from actors_rs.stages.failure import OnFailure
from actors_rs.stages.operators.contains import Contains
from actors_rs.stages.operators.element_at import ElementAt
from actors_rs.stages.operators.first import First
from actors_rs.stages.operators.search import Search
from actors_rs.stages.operators.take import Take
from actors_rs.stages.operators.take_while import TakeWhile
from actors_rs.stages.sinks.first import First as FirstSink
from tests.stages.harness import Alone

OPERATORS = {
    "take": (lambda: Take(3), 3, [0, 1, 2]),
    "take_while": (lambda: TakeWhile(lambda n: n < 3), 4, [0, 1, 2]),
    "first": (lambda: First(None), 1, [0]),
    "first that": (lambda: First(lambda n: n > 2), 4, [3]),
    "element_at": (lambda: ElementAt(4), 5, [4]),
    "contains": (lambda: Contains(3), 4, [True]),
    "some": (lambda: Search(lambda n: n > 2, True), 4, [True]),
    "all": (lambda: Search(lambda n: n < 3, False), 4, [False]),
}
operators = pytest.mark.parametrize(("make", "takes", "gives"), OPERATORS.values(), ids=OPERATORS)
frames = pytest.mark.parametrize(
    "frames", [[range(10)], [list(range(10))], [(0, 1), (2, 3, 4), (5, 6, 7, 8, 9)]]
)
demands = pytest.mark.parametrize("demand", [100, 2, 1])


def given_by(logic, frames, demand):
    """What ``logic`` gives of ``frames``, asked ``demand`` by ``demand``, and what it dropped."""
    stage = Alone(logic, window=100).request(demand)
    came = 0
    for frame in frames:
        if not stage.up.cancelled:
            asked = frame[: stage.up.requested - came]
            came += len(asked)
            stage.push(*asked)
    while not stage.down.ended:
        stage.request(demand)
    assert stage.down.completed
    assert stage.up.cancelled
    assert logic.inlet.count + logic.inlet.dropped == came
    return stage.down.elements


@operators
@frames
@demands
def test_no_more_counts_as_taken_than_was_needed(make, takes, gives, frames, demand):
    logic = make()
    assert given_by(logic, frames, demand) == gives
    assert logic.inlet.count == takes


@demands
def test_with_a_policy_it_is_the_same(demand):
    logic = TakeWhile(lambda n: n < 5 if n != 1 else [][n])
    logic.on_failure = OnFailure("resume")
    stage = Alone(logic, window=100)
    stage.passed = []
    stage.passed_over = lambda *what: stage.passed.append(what[0])
    stage.request(demand).push(*range(10))
    while not stage.down.completed:
        stage.request(demand)
    assert (stage.down.elements, stage.passed) == ([0, 2, 3, 4], [1])
    assert (logic.inlet.count, logic.inlet.dropped) == (6, 4)


KNOWING = {
    "take": (lambda: Take(3), 3),
    "first": (lambda: First(None), 1),
    "element_at": (lambda: ElementAt(4), 5),
    "the sink first": (FirstSink, 1),
}


@pytest.mark.parametrize("window", [1, 2, 4, 100])
@pytest.mark.parametrize(("make", "takes"), KNOWING.values(), ids=KNOWING)
def test_an_operator_that_knows_how_many_elements_it_takes_requests_no_more(make, takes, window):
    stage = Alone(make(), window=window)
    if stage.downs:
        stage.request(100)
    else:
        stage.turn()
    for n in range(takes):
        assert stage.up.requested > n, "it waits for an element that it has not requested"
        stage.push(n)
    assert stage.up.cancelled
    assert stage.up.requested == takes
