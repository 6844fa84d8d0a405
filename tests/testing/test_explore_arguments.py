# mypy: disable-error-code="arg-type"
"""What ``explore`` refuses, where the test is written."""

import pytest

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.testing.explore import Plan, Trace, check_scenario, explore, replay, search
from actors_rs.testing.explore.traces import graph_id


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"runs": 0}, "runs must be at least 1, got 0"),
        (
            {"portfolio": ("astrology",)},
            "expected one of .*'random', .*got 'astrology'",
        ),
        ({"portfolio": ()}, "at least one strategy, got none"),
        ({"faults": 2}, "faults must be a rate from 0 to 1, got 2"),
        ({"window": 0}, "window must be at least 1"),
        ({"window": ()}, "window must be at least one number, got none"),
        ({"most_steps": 0}, "most_steps must be at least 1, got 0"),
        ({"exhaustive": True, "portfolio": ("dfs",)}, "exhaustive visits every order: it takes no"),
        ({"exhaustive": True, "faults": 0.5}, "it takes no portfolio or faults"),
        ({"exhaustive": True, "window": (1, 4)}, r"every order of one window, got \(1, 4\)"),
    ],
)
def test_wrong_arguments_are_errors_where_the_test_is_written(arguments, said):
    with pytest.raises(InvalidArgumentError, match=said):
        explore(**arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"runs": "5"}, "runs must be an int, got '5'"),
        ({"runs": 2.5}, "runs must be an int, got 2.5"),
        ({"portfolio": 3}, "portfolio must be names of strategies, got 3"),
        ({"portfolio": [["random"]]}, r"portfolio must be names of strategies, got \[\['rand"),
        ({"faults": "often"}, "faults must be a rate from 0 to 1, got 'often'"),
        ({"seed": None}, "seed must be an int, got None"),
        ({"window": (4, "2")}, "window must be an int, got '2'"),
        ({"most_steps": "5"}, "most_steps must be an int, got '5'"),
        ({"exhaustive": "no"}, "exhaustive must be True or False, got 'no'"),
        ({"monitor": "x"}, "monitor must be True or False, got 'x'"),
        ({"yardstick": 3}, "yardstick must be True or False, got 3"),
    ],
)
def test_arguments_of_another_kind_are_errors_where_the_test_is_written(arguments, said):
    with pytest.raises(ArgumentTypeError, match=said):
        explore(**arguments)


TRACE = Trace("1f2e3d4c", {})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: check_scenario(str, 300), r"a plan is needed, such as Plan\(runs=300\), got 300"),
        (lambda: check_scenario(str, 0), "a plan is needed, .* got 0"),
        (lambda: search(str, "x"), "a plan is needed, .* got 'x'"),
        (lambda: replay(str, 3, TRACE), "a plan is needed, .* got 3"),
        (lambda: replay(str, Plan(), "v1:aa:1=1"), "replay needs a trace, .* got 'v1:aa:1=1'"),
        (lambda: check_scenario(3), "a scenario must be a function, got 3"),
        (lambda: Plan(windows=4), r"windows must be numbers such as \(1, 4\), got 4"),
        (lambda: Plan(windows={1, 2}), r"windows must be numbers such as \(1, 4\), got {1, 2}"),
        (lambda: Trace.parse(None), "a trace is parsed from a word, got None"),
    ],
)
def test_what_a_scenario_is_explored_with_is_refused_before_anything_runs(call, said):
    with pytest.raises(ArgumentTypeError, match=said):
        call()


def test_a_decorator_without_parentheses_is_an_error_that_says_how_to_write_it():
    with pytest.raises(ArgumentTypeError, match=r"got <function .*: write @explore\(\) above"):

        @explore
        def test(world):
            pass


async def awaited(world):
    pass


def generating(world):
    yield


async def generating_awaited(world):
    yield


@pytest.mark.parametrize(
    ("test", "kind"),
    [
        (awaited, "coroutine function"),
        (generating, "generator function"),
        (generating_awaited, "async generator function"),
    ],
)
def test_a_test_that_would_pass_without_having_run_is_refused(test, kind):
    said = f"must be a plain function, got the {kind} {__name__}.{test.__name__}: run.result"
    with pytest.raises(InvalidArgumentError, match=said):
        explore()(test)


CALLS = [
    lambda scenario: search(scenario, Plan(runs=1)),
    lambda scenario: replay(scenario, Plan(), Trace(graph_id(""), {})),
    check_scenario,
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("test", [awaited, generating])
def test_a_scenario_that_would_pass_without_having_run_is_refused_wherever_it_is_given(call, test):
    said = rf"must be a plain function, .* {__name__}\.{test.__name__}"
    with pytest.raises(InvalidArgumentError, match=said):
        call(test)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("test", "kind"),
    [(awaited, "coroutine"), (generating, "generator"), (generating_awaited, "async generator")],
)
def test_what_a_scenario_returns_instead_of_running_it_is_refused(call, test, kind):
    said = f"nobody runs the {kind} that the scenario returned: run.result.. moves the world on"
    with pytest.raises(InvalidArgumentError, match=said):
        call(lambda world: test(world))
