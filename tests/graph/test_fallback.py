# mypy: disable-error-code="var-annotated, arg-type, call-overload, attr-defined"
# mypy: disable-error-code="func-returns-value, union-attr, dict-item, override"
"""``map_async(fallback=)``: an element in place of one whose calls have failed for good."""

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from actors_rs import ActorSystem, Backoff, Sink, Source
from actors_rs.errors import (
    AbandonedCallsError,
    CallExitError,
    CallTimeout,
    RunCancelled,
    StageError,
)
from actors_rs.testing.world import World
from tests.graph.helpers import SECONDS, run
from tests.graph.stuck import Stuck, stuck_system
from tests.rude import rude
from tests.runtime.support import eventually

WAIT = Backoff(1.0, 8.0, jitter=0)
ORDERS = {"ordered": {}, "unordered": {"ordered": False}, "by key": {"key": lambda n: n % 2}}


def said(element, error):
    return f"{element}: {error}"


def details_of(run, kind="map_async"):
    return next(one.details for one in run.snapshot().stages if one.kind == kind)


def ended(flow):
    """What ``flow`` gives in a world, its run, and the second at which it has ended."""
    with World() as world:
        run = world.start(flow.to(Sink.list()))
        return run.result(), run, round(world.now, 2)


def odd_fails(n):
    if n % 2:
        raise OSError("odd")
    return n


async def odd_fails_later(n):
    return odd_fails(n)


def settled(n):
    """A future that has ended."""
    future = Future()
    try:
        future.set_result(odd_fails(n))
    except OSError as error:
        future.set_exception(error)
    return future


MODES = {
    "coroutine": odd_fails_later,
    "thread": odd_fails,
    "future": settled,
    "awaitable": lambda n: odd_fails_later(n),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mode", [*MODES, "executor"])
def test_what_it_returns_is_given_in_place_of_each_element_that_failed(mode, order):
    with ThreadPoolExecutor(2) as pool, ActorSystem() as system:
        executor = pool if mode == "executor" else None
        f = MODES.get(mode, odd_fails)
        flow = Source.range(0, 20).map_async(
            f, 3, executor=executor, fallback=said, **ORDERS[order]
        )
        run = system.start(flow.to(Sink.list()))
        got = run.result(SECONDS)
        expected = [f"{n}: odd" if n % 2 else n for n in range(20)]
        if order == "ordered":
            assert got == expected
        elif order == "unordered":
            assert sorted(map(str, got)) == sorted(map(str, expected))
        else:
            assert [one for one in got if isinstance(one, str)] == expected[1::2]
            assert [one for one in got if isinstance(one, int)] == expected[::2]
        assert details_of(run)["fallbacks"] == 10
        assert not system.dead_letters.recent()


def test_a_stage_without_one_does_not_count_what_it_gives():
    _, run, _ = ended(Source.of(2).map_async(odd_fails))
    assert "fallbacks" not in details_of(run)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("how", ["retry=", ".retry()"])
def test_it_is_called_once_and_only_after_the_last_call(how, order):
    calls, fallen = [], []

    async def f(n):
        calls.append(n)
        if n == 1 or calls.count(n) < 3:
            raise OSError(f"call {calls.count(n)}")
        return n

    def fallback(element, error):
        fallen.append((element, str(error), error.__notes__, calls.count(element)))
        return -element

    options = {"fallback": fallback, **ORDERS[order]}
    if how == "retry=":
        flow = Source.of(1, 2).map_async(f, retry=WAIT, max_attempts=3, **options)
    else:
        flow = Source.of(1, 2).map_async(f, **options).retry(WAIT, 3)
    got, run, at = ended(flow)
    assert (sorted(got), at) == ([-1, 2], 3.0)
    assert fallen == [(1, "call 3", ["that was call 3 of 3"], 3)]
    assert (details_of(run)["retried"], details_of(run)["fallbacks"]) == (4, 1)


@pytest.mark.parametrize("order", ORDERS)
def test_a_call_whose_time_was_up_falls_back_at_that_time_with_call_timeout(order):
    errors = []

    async def seconds(n):
        await asyncio.sleep(n)
        return n

    def fallback(element, error):
        errors.append(error)
        return -element

    flow = Source.of(30, 1).map_async(seconds, 1, timeout=2.0, fallback=fallback, **ORDERS[order])
    got, run, at = ended(flow)
    assert (got, at) == ([-30, 1], 3.0)
    assert [type(error) for error in errors] == [CallTimeout]
    assert errors[0].element == 30
    figures = details_of(run)
    assert (figures["timed_out"], figures["fallbacks"], figures["abandoned"]) == (1, 1, 0)


@pytest.mark.parametrize("where", ["thread", "executor"])
def test_the_element_of_an_abandoned_thread_falls_back_and_its_late_result_is_not_given(where):
    stuck = Stuck(at=0)
    with stuck_system(stuck) as system, ThreadPoolExecutor(2) as pool:
        executor = pool if where == "executor" else None
        flow = Source.range(0, 3).map_async(
            stuck, 1, executor=executor, timeout=0.05, fallback=lambda n, _: f"{n} hung"
        )
        run = system.start(flow.to(Sink.list()))
        assert run.result(20) == ["0 hung", 1, 2]
        assert details_of(run)["abandoned"] == 1
        stuck.release()


def test_a_call_that_raises_system_exit_falls_back_with_call_exit_error():
    def f(_):
        raise SystemExit(3)

    got, _, _ = ended(Source.of(1).map_async(f, fallback=lambda _, error: error))
    assert isinstance(got[0], CallExitError)
    assert isinstance(got[0].__cause__, SystemExit)


def refuses(element, error):
    raise LookupError(f"no {element}")


@pytest.mark.parametrize("order", ORDERS)
def test_if_it_raises_the_element_fails_with_that_error_raised_from_the_first_one(order):
    got = []
    flow = Source.of(2, 4, 7, 8).map_async(odd_fails, 1, fallback=refuses, **ORDERS[order])
    with World() as world, pytest.raises(StageError, match="at element 2: LookupError") as caught:
        world.start(flow.to(Sink.for_each(got.append))).result()
    assert isinstance(error := caught.value.__cause__, LookupError)
    assert str(error.__cause__) == "odd"
    assert got == [2, 4]


@pytest.mark.parametrize("order", ORDERS)
def test_if_it_raises_the_policy_is_asked_about_its_error(order):
    asked = []

    def decide(error, element):
        asked.append((type(error), element))
        return "resume"

    flow = Source.range(0, 4).map_async(odd_fails, 1, fallback=refuses, **ORDERS[order])
    with World() as world:
        run = world.start(flow.on_failure(decider=decide).to(Sink.list()))
        assert run.result() == [0, 2]
        letters = [
            (one.what, str(one.error.__cause__)) for one in world.system.dead_letters.recent()
        ]
    assert asked == [(LookupError, 1), (LookupError, 3)]
    assert letters == [(1, "no 1"), (3, "no 3")]
    assert details_of(run)["fallbacks"] == 0


def first_one(_, error):
    raise error


def its_cause(_, error):
    raise error.__cause__


def test_if_it_raises_the_error_again_the_element_fails_as_without_it():
    with pytest.raises(StageError, match="OSError: odd") as caught:
        run(Source.of(1).map_async(odd_fails, fallback=first_one).to(Sink.list()))
    assert caught.value.__cause__.__cause__ is None


def test_if_it_raises_the_cause_of_the_error_the_two_do_not_cause_each_other():
    def f(n):
        raise OSError("wrapped") from ValueError("inner")

    with pytest.raises(StageError, match="ValueError: inner") as caught:
        run(Source.of(1).map_async(f, fallback=its_cause).to(Sink.list()))
    assert caught.value.__cause__.__cause__ is None


class Frozen(Exception):  # noqa: N818 - it takes no attributes
    def __setattr__(self, name, value):
        raise AttributeError(name)


class Secretive(Exception):  # noqa: N818 - it does not say what caused it
    @property
    def __cause__(self):
        raise ValueError("rude")


def test_an_error_that_takes_no_attributes_is_raised_from_the_first_one_too():
    def fallback(element, error):
        raise Frozen

    with pytest.raises(StageError) as caught:
        run(Source.of(1).map_async(odd_fails, fallback=fallback).to(Sink.list()))
    assert isinstance(error := caught.value.__cause__, Frozen)
    assert str(error.__cause__) == "odd"


def test_an_error_that_does_not_say_its_cause_is_the_failure_of_its_element():
    def fallback(element, error):
        raise Secretive

    flow = Source.of(1, 2).map_async(odd_fails, fallback=fallback).on_failure("resume")
    assert ended(flow)[0] == [2]


def test_it_gets_an_error_whose_class_it_can_ask():
    def f(_):
        raise rude("raises", Exception)

    got, _, _ = ended(Source.of(1).map_async(f, fallback=lambda n, error: error))
    assert isinstance(got[0], TypeError)


# What fails the stage as a whole


def test_too_many_abandoned_threads_fail_the_stage_all_the_same():
    stuck = Stuck()
    with stuck_system(stuck) as system:
        flow = Source.range(0, 100).map_async(
            stuck, 2, timeout=0.02, max_abandoned=3, fallback=lambda n, _: n
        )
        run = system.start(flow.to(Sink.list()))
        with pytest.raises(StageError) as caught:
            run.result(20)
        assert isinstance(caught.value.__cause__, AbandonedCallsError)
        assert details_of(run)["fallbacks"] == 3


def test_a_decider_of_retry_that_raises_fails_the_stage_all_the_same():
    fallen = []
    flow = Source.of(1).map_async(odd_fails, fallback=lambda *given: fallen.append(given))
    with pytest.raises(StageError, match="odd"):
        run(flow.retry(when=lambda error: error.args[5]).to(Sink.list()))
    assert fallen == []


def test_a_lack_of_memory_fails_the_stage_all_the_same():
    def f(_):
        raise MemoryError

    fallen = []
    flow = Source.of(1).map_async(f, fallback=lambda *given: fallen.append(given))
    with pytest.raises(MemoryError):
        run(flow.to(Sink.list()))
    assert fallen == []


@pytest.mark.parametrize("mode", ["coroutine", "thread"])
def test_calls_that_a_cancelled_run_gives_up_do_not_fall_back(mode):
    fallen, begun = [], []

    async def coroutine(n):
        begun.append(n)
        await asyncio.sleep(60)

    stuck = Stuck()
    f = coroutine if mode == "coroutine" else stuck
    with stuck_system(stuck) as system:
        flow = Source.range(0, 9).map_async(f, 2, fallback=lambda *given: fallen.append(given))
        run = system.start(flow.to(Sink.list()))
        eventually(lambda: len(begun or stuck.calls) == 2)
        run.cancel()
        with pytest.raises(RunCancelled):
            run.result(SECONDS)
        stuck.release()
    assert fallen == []


# How it is called


def test_it_is_called_for_one_element_at_a_time():
    under_way, most = [], []

    def fallback(element, error):
        under_way.append(element)
        most.append(len(under_way))
        threading.Event().wait(0.001)
        under_way.remove(element)
        return element

    flow = Source.range(0, 200).map_async(lambda n: n / 0, 8, ordered=False, fallback=fallback)
    assert sorted(run(flow.to(Sink.list()))) == list(range(200))
    assert set(most) == {1}


def test_explain_names_it():
    graph = Source.of(1).map_async(odd_fails, max_attempts=2, fallback=said).to(Sink.list())
    assert (
        "map_async: 2 calls for an element, then fallback gives an element in its place; "
        "if it raises, stop: the first failure cancels upstream and ends the run"
    ) in graph.explain()
