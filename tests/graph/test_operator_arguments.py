# mypy: disable-error-code="arg-type, call-arg, misc, type-var, var-annotated"
"""What cannot work is refused when the blueprint is built, with what was expected and what came."""

import functools
import inspect
import threading
from typing import Any

import pytest

from actors_rs import Feedback, Flow, Graph, Sink, Source
from actors_rs.errors import InvalidArgumentError
from tests.graph.helpers import SECONDS

APART = {"with_index", "with_attributes"}
"""``first`` is any int; errors about attributes name a stage: test_blueprint_errors."""


def alone(*kinds: str) -> dict[str, Any]:
    """The arguments of operators that have such a type, each with a call that gives it alone.

    So the arguments of a new operator need no row. Methods that need others too have rows below.
    """
    found = {}
    for name, method in operators():
        given = list(inspect.signature(method).parameters.values())[1:]
        for one in given:
            if str(one.annotation).startswith(kinds) and not needed(given, one):
                found |= row(name, one)
    return found


def operators() -> list[tuple[str, Any]]:
    """The methods of ``Flow`` that give a flow."""
    return [
        (name, method)
        for name, method in inspect.getmembers_static(Flow, inspect.isfunction)
        if name[0] != "_"
        and name not in APART
        and str(method.__annotations__["return"]).startswith("Flow[")
    ]


def needed(given: list[Any], one: Any) -> list[Any]:
    """The arguments that a call must have besides ``one``."""
    several = (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    return [
        other
        for other in given
        if other is not one and other.default is other.empty and other.kind not in several
    ]


def row(method: str, one: Any) -> dict[str, Any]:
    if one.kind is one.VAR_POSITIONAL:
        return {f"{method}: each argument": lambda s, value: getattr(s, method)(value)}
    return {f"{method}: {one.name}": lambda s, value: getattr(s, method)(**{one.name: value})}


def is_optional(what: str) -> bool:
    method, _, name = what.partition(": ")
    one = inspect.signature(getattr(Flow, method)).parameters.get(name)
    return one is not None and one.default is None


CALLABLE = alone("Callable[") | {
    "scan: f": lambda s, f: s.scan(0, f),
    "stateful_map: create": lambda s, f: s.stateful_map(f, max),
    "stateful_map: f": lambda s, f: s.stateful_map(int, f),
    "reduce: f": lambda s, f: s.reduce(0, f),
    "reduce_get: make_init": lambda s, f: s.reduce_get(f, max),
    "reduce_get: f": lambda s, f: s.reduce_get(int, f),
    "contains: equal": lambda s, f: s.contains(0, f),
    "stateful_map: on_complete": lambda s, f: s.stateful_map(int, max, f),
    "sort_within: key": lambda s, f: s.sort_within(1, f),
}
OPTIONAL = {what: build for what, build in CALLABLE.items() if is_optional(what)}
FUNCTIONS = {what: build for what, build in CALLABLE.items() if what not in OPTIONAL}
COUNTS: dict[str, Any] = alone("int") | {
    "retry: max_attempts": lambda s, n: s.map_async(str, 1).retry(max_attempts=n),
    "sliding: step": lambda s, n: s.sliding(2, n),
    "buffer: n": lambda s, n: s.buffer(n, "drop_oldest"),
    "map_async: parallelism": lambda s, n: s.map_async(str, n),
    "Source.range: count": lambda s, n: Source.range(0, n),
    "Source.repeat: count": lambda s, n: Source.repeat(0, n),
}
FROM_NOUGHT = {
    *("take: count", "skip: count", "element_at: index", "with_total: n"),
    *("restart: max_restarts", "Source.range: count", "Source.repeat: count"),
}
"""Counts that may be 0; all others are at least 1."""
FLAGS: dict[str, Any] = {
    "map_async: ordered": lambda s, b, system: s.map_async(str, 1, ordered=b),
    "map_processes: ordered": lambda s, b, system: s.map_processes(str, ordered=b),
    "flat_map_processes: ordered": lambda s, b, _: s.flat_map_processes(list, ordered=b),
    "from_sink_and_source: coupled": lambda s, b, _: Flow.from_sink_and_source(
        Sink.ignore(), s, coupled=b
    ),
    "buffer: dead_letters": lambda s, b, system: s.buffer(1, "fail", dead_letters=b),
    "on_failure: section": lambda s, b, system: s.map(str).on_failure("resume", section=b),
    "hub: keep_alive": lambda s, b, system: s.hub(system, keep_alive=b),
    "partition_hub: keep_alive": lambda s, b, system: s.partition_hub(system, max, keep_alive=b),
    "csv: header": lambda s, b, system: Source.csv("x", header=b),
    "sqlite: dicts": lambda s, b, system: Source.sqlite("x", "SELECT 1", dicts=b),
}


async def later(*_: Any) -> bool:
    return False


class Later:
    async def __call__(self, *_: Any) -> bool:
        return False


@pytest.mark.parametrize("f", [later, Later(), functools.partial(later, 1)])
@pytest.mark.parametrize("what", sorted({*FUNCTIONS, *OPTIONAL} - {"map_async: f"}))
def test_a_coroutine_function_is_refused_where_nobody_would_await_it(what, f):
    make = FUNCTIONS.get(what) or OPTIONAL[what]
    expected = f"^{what} must be a plain function, got the coroutine function .*: map_async.f. awa"
    with pytest.raises(TypeError, match=expected):
        make(Source.of(1), f)


@pytest.mark.parametrize("what", [*FUNCTIONS, *OPTIONAL])
def test_what_is_no_function_is_refused(what):
    with pytest.raises(TypeError, match=f"^{what} must be callable, got 7 "):
        {**FUNCTIONS, **OPTIONAL}[what](Flow(), 7)


@pytest.mark.parametrize("what", FUNCTIONS)
def test_none_is_no_function(what):
    with pytest.raises(TypeError, match=f"^{what} must be callable, got None "):
        FUNCTIONS[what](Flow(), None)


@pytest.mark.parametrize("what", COUNTS)
def test_a_count_out_of_range_or_of_no_integer_is_refused(what):
    least, build = int(what not in FROM_NOUGHT), COUNTS[what]
    build(Source.of(1), least)
    with pytest.raises(InvalidArgumentError, match=f"{what} must be at least {least}, got"):
        build(Flow(), least - 1)
    for wrong in ("3", 2.0, True):
        with pytest.raises(TypeError, match=f"{what} must be an int, got {wrong!r}"):
            build(Flow(), wrong)


@pytest.mark.parametrize("what", COUNTS)
def test_a_count_beyond_what_python_can_iterate_is_refused_when_the_blueprint_is_built(what):
    build = COUNTS[what]
    build(Source.of(1), 2**63 - 1)
    for wrong in (2**63, 10**5000):
        says = f"{what} must be below 2\\*\\*63, got .*test_operator_arguments.py:"
        with pytest.raises(InvalidArgumentError, match=says):
            build(Flow(), wrong)


@pytest.mark.parametrize("what", FLAGS)
def test_a_flag_that_is_neither_true_nor_false_is_refused(what, shared):
    build = FLAGS[what]
    build(Source.of(1), True, shared)
    for wrong in ("yes", "", 1, 0, None):
        with pytest.raises(TypeError, match=f"{what} must be True or False, got {wrong!r} "):
            build(Source.of(1), wrong, shared)


def test_every_flag_of_the_language_is_among_those():
    classes = (Flow, Sink, Graph, Feedback)
    methods = [method for each in classes for _, method in inspect.getmembers(each, callable)]
    found = {
        f"{method.__name__}: {name}"
        for method in methods
        if not method.__name__.startswith("_") and method.__name__ != "then"
        for name, kind in getattr(method, "__annotations__", {}).items()
        if kind == "bool" and name != "return"
    }
    assert found - {"run: progress"} == set(FLAGS)  # of that: test_progress


@pytest.mark.parametrize("fold", ["scan", "reduce"])
def test_an_initial_value_that_cannot_be_copied_is_refused_with_the_way_out(fold):
    with pytest.raises(TypeError, match=f"{fold}: init must be .* copied.*give \\w+ a function"):
        getattr(Flow(), fold)(threading.Lock(), lambda a, x: a)


@pytest.mark.parametrize("fold", ["scan", "reduce"])
def test_an_initial_value_is_the_blueprints_own_and_copied_for_each_run(shared, fold):
    def collect(seen, x):
        seen["all"].append(x)
        return seen

    init = {"all": []}
    flow = getattr(Source.range(0, 3), fold)(init, collect).last().map(lambda seen: seen["all"])
    init["all"].append("later")
    for _ in range(2):
        assert shared.start(flow.to(Sink.first())).result(SECONDS) == [0, 1, 2]
    assert init == {"all": ["later"]}
