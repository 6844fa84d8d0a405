# mypy: disable-error-code="arg-type, call-arg, misc, type-var, var-annotated"
"""A function of which a call runs nothing is refused where nobody awaits or draws what it gives."""

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor

import pytest

from actors_rs import Flow, Sink, Source
from actors_rs.delivery import acknowledged
from actors_rs.testing.explore import check_scenario
from tests.graph.helpers import SECONDS
from tests.pairwise import every_two


async def coroutine(*_):
    return True


async def async_generator(*_):
    yield True


def generator(*_):
    yield True


def kept(f):
    """``f`` as what users have too: an object that can be called, and a method."""

    class Kept:
        __call__ = f
        method = f

    return Kept


KINDS = {
    "coroutine function": coroutine,
    "async generator function": async_generator,
    "generator function": generator,
}
ASYNC = ("coroutine function", "async generator function")
FORMS = {
    "plain": lambda f: f,
    "partial": lambda f: functools.partial(f, 1),
    "partial of an object": lambda f: functools.partial(kept(f)(), 1),
    "object": lambda f: kept(f)(),
    "method": lambda f: kept(f)().method,
}

CALLED = {
    "filter: predicate": lambda f: Flow().filter(f),
    "all: predicate": lambda f: Flow().all(f),
    "some: predicate": lambda f: Flow().some(f),
    "contains: equal": lambda f: Flow().contains(0, f),
    "take_while: predicate": lambda f: Flow().take_while(f),
    "skip_while: predicate": lambda f: Flow().skip_while(f),
    "first: predicate": lambda f: Flow().first(f),
    "distinct: key": lambda f: Flow().distinct(f),
    "distinct_until_changed: key": lambda f: Flow().distinct_until_changed(f),
    "sort_within: key": lambda f: Flow().sort_within(1, f),
    "min: key": lambda f: Flow().min(f),
    "max: key": lambda f: Flow().max(f),
    "merge_sorted: key": lambda f: Flow().merge_sorted(Source.of(1), f),
    "group_by: key": lambda f: Flow().group_by(f, 3),
    "map_async: key": lambda f: Flow().map_async(str, 1, key=f),
    "map_async: fallback": lambda f: Flow().map_async(str, 1, fallback=f),
    "map_processes: fallback": lambda f: Flow().map_processes(str, fallback=f),
    "batch: weight": lambda f: Flow().batch(weight=f, max_weight=1),
    "throttle: cost": lambda f: Flow().throttle(1, cost=f),
    "partition: f": lambda f: Flow().partition(2, f),
    "partition: on_failure: decider": lambda f: Flow().partition(2, int, decider=f),
    "divert_to: when": lambda f: Flow().divert_to(Sink.list(), f),
    "on_termination: f": lambda f: Flow().on_termination(f),
    "monitor: f": lambda f: Flow().monitor(f),
    "map_error: f": lambda f: Flow().map_error(f),
    "map_async: retry_after": lambda f: Flow().map_async(str, 1, retry_after=f),
    "retry: after": lambda f: Flow().map_async(str, 1).retry(after=f),
    "retry: when": lambda f: Flow().map_async(str, 1).retry(when=f),
    "on_failure: decider": lambda f: Flow().map(str).on_failure(decider=f),
    "Source.unfold_resource: close": lambda f: Source.unfold_resource(int, int, f),
    "for_each: f": lambda f: Sink.for_each(f),
    "acknowledged: ack": lambda f: acknowledged(Flow(), f),
}
DRAWN = {
    "map: f": lambda f: Flow().map(f),
    "map_not_none: f": lambda f: Flow().map_not_none(f),
    "stateful_map: create": lambda f: Flow().stateful_map(f, max),
    "reduce_get: make_init": lambda f: Flow().reduce_get(f, max),
    "expand: f": lambda f: Flow().expand(f),
    "Source.defer: each argument": lambda f: Source.defer(f),
    "Source.unfold_resource: open": lambda f: Source.unfold_resource(f, next, print),
}
STREAMS = {
    "flat_map: f": lambda f: Flow().flat_map(f),
    "concat_map: f": lambda f: Flow().concat_map(f),
    "switch_map: f": lambda f: Flow().switch_map(f),
    "catch: f": lambda f: Flow().catch(f),
    "recover_with: a Source, or a function giving one,": lambda f: Flow().recover_with(f),
    "Source.from_iterable: iterable": lambda f: Source.from_iterable(f),
}


@pytest.mark.parametrize(("what", "form", "kind"), every_two(CALLED, FORMS, KINDS))
def test_a_callback_predicate_or_key_must_be_run_by_a_call(what, kind, form):
    says = f"^{what} must be a plain function, got the {kind} .*test_deferred_functions.py:"
    with pytest.raises(TypeError, match=says):
        CALLED[what](FORMS[form](KINDS[kind]))


@pytest.mark.parametrize(("what", "form", "kind"), every_two(DRAWN, FORMS, ASYNC))
def test_a_function_that_only_an_event_loop_runs_gives_no_elements(what, kind, form):
    with pytest.raises(TypeError, match=f"^{what} must be a plain function, got the {kind} "):
        DRAWN[what](FORMS[form](KINDS[kind]))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", STREAMS)
def test_where_a_stream_is_wanted_generator_functions_are_welcome_and_coroutine_functions_not(
    what, form
):
    for kind in ("generator function", "async generator function"):
        STREAMS[what](FORMS[form](KINDS[kind]))
    with pytest.raises(TypeError, match=f"^{what} must be a plain function, got the coroutine "):
        STREAMS[what](FORMS[form](coroutine))


@pytest.mark.parametrize("what", DRAWN)
def test_a_generator_function_is_welcome_where_what_it_gives_is_an_element_or_drawn(what):
    DRAWN[what](generator)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("key", [None, str])
def test_a_coroutine_function_which_no_executor_runs_is_refused_with_one(form, key):
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(ValueError, match=r"^map_async: .* event loop, .* no executor, got "),
    ):
        Flow().map_async(FORMS[form](coroutine), 1, executor=executor, key=key)


def test_a_coroutine_function_is_awaited_by_map_async_and_an_async_generator_by_nobody():
    Flow().map_async(coroutine, 1)
    with pytest.raises(TypeError, match=r"map_async: f .* got the async generator function"):
        Flow().map_async(async_generator, 1)


def test_a_class_is_called_to_make_an_object_whatever_a_call_of_that_would_do():
    class Later:
        def __init__(self, element):
            self.element = element

        async def __call__(self):
            return self.element

    (later,) = Source.of(7).map(Later).run(Sink.list())
    assert asyncio.run(later()) == 7


@pytest.mark.parametrize("kind", KINDS)
def test_the_decider_of_a_section_and_of_a_sink_must_be_run_by_a_call(kind):
    for build in (
        lambda f: Flow().map(str).on_failure(decider=f, section=True),
        lambda f: Sink.list().on_failure(decider=f),
    ):
        with pytest.raises(TypeError, match=f"^on_failure: decider must be .* got the {kind} "):
            build(KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_called_when_a_run_has_ended_must_be_run_by_a_call(shared, kind):
    run = shared.start(Source.of(1).to(Sink.list()))
    with pytest.raises(TypeError, match=f"^Run.when_ended: action must be .* got the {kind} "):
        run.when_ended(KINDS[kind])
    with pytest.raises(TypeError, match=r"^Run.when_ended: action must be callable, got 'abc' "):
        run.when_ended("abc")
    assert run.result(SECONDS) == [1]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_scenario_must_be_run_by_a_call(kind, form):
    with pytest.raises(ValueError, match=f"a scenario must be a plain function, got the {kind} "):
        check_scenario(FORMS[form](KINDS[kind]))
