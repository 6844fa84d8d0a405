# mypy: disable-error-code="var-annotated, misc, func-returns-value"
"""Coroutines in a world: they clean up, however the world ends."""

import asyncio
import gc
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import StageError, Stalled, WorldError
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.explore import Plan, check_scenario
from actors_rs.testing.explore.search import search
from actors_rs.testing.world import World

SEEDS = range(60)


@pytest.fixture(autouse=True)
def nothing_thrown_away(monkeypatch):
    """Every warning is an error, and none is raised where nobody sees it."""
    unseen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: unseen.append(repr(what.exc_value)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
        gc.collect()
    assert not unseen, unseen


class Calls:
    """Coroutines that take long, but for the first one, and then clean up for a second.

    It is known which have begun, and which have ended.
    """

    def __init__(self):
        self.begun, self.ended = [], []

    async def __call__(self, x):
        if not x:
            return x
        self.begun.append(x)
        try:
            await asyncio.sleep(100)
            return x
        finally:
            await asyncio.sleep(1)
            self.ended.append(x)

    def start(self, world, to=Sink.list, **options):
        async def call(x):
            return await self(x)

        flow = Source.range(0, 6).map_async(call, **{"parallelism": 3, **options})
        return world.start(flow.to(to()))

    def all_ended(self):
        return sorted(self.begun) == sorted(self.ended)


def taken(world, calls):
    assert calls.start(world, Sink.first).result() == 0


def cancelled(world, calls):
    run = calls.start(world)
    world.soon("cancel", run.cancel)
    run.wait()


def failed(world, calls):
    def fail(x):
        raise OSError(x)

    run = calls.start(world, lambda: Sink.for_each(fail))
    with pytest.raises(StageError, match="OSError: 0"):
        run.result()


def left_by_another(world, calls):
    flow = Source.range(0, 3).map_async(lambda x: calls(x), parallelism=3)
    assert world.start(flow.take(1).to(Sink.list())).result() == [0]


ENDS = [taken, cancelled, failed, left_by_another]


@pytest.mark.parametrize("end_early", ENDS)
def test_coroutines_of_a_run_that_ends_early_clean_up_before_it_has_finished(end_early):
    def scenario(world):
        calls = Calls()
        end_early(world, calls)
        world.finish()
        assert calls.all_ended(), (calls.begun, calls.ended)

    check_scenario(scenario, Plan(runs=len(SEEDS)))


@pytest.mark.parametrize("end_early", ENDS)
def test_coroutines_of_a_run_that_ends_early_clean_up_before_the_world_is_left(end_early):
    for seed in SEEDS:
        calls = Calls()
        with World(RandomWalk(seed)) as world:
            end_early(world, calls)
        assert calls.all_ended(), (seed, calls.begun, calls.ended)
        world.dismantle()


def test_nothing_is_thrown_away_half_way_by_an_exhaustive_search():
    def scenario(world):
        taken(world, calls := Calls())
        world.finish()
        assert calls.all_ended()

    assert search(scenario, Plan(runs=300, portfolio=("exhaustive",))).failure is None


def test_the_clean_up_of_a_coroutine_takes_virtual_time_in_steps_that_are_decided():
    def order(seed):
        told, calls = [], Calls()
        with World(RandomWalk(seed)) as world:
            run = calls.start(world)
            world.sleep(0.5)
            run.cancel()
            world.system.timers.after(1.0, lambda: told.append(len(calls.ended)))
            world.finish()
            assert world.now == 1.5
        return tuple(told)

    assert len({order(seed) for seed in SEEDS}) > 1


def fails(world, begin):
    """A scenario that fails when it has begun something."""
    with world:
        begin(world)
        world.sleep(0.5)
        raise ZeroDivisionError


@pytest.mark.parametrize("end_early", [*ENDS, lambda world, calls: calls.start(world)])
def test_coroutines_clean_up_behind_a_scenario_that_has_failed(end_early):
    calls = Calls()
    with pytest.raises(ZeroDivisionError):
        fails(World(), lambda world: end_early(world, calls))
    assert calls.all_ended(), (calls.begun, calls.ended)


@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_what_a_clean_up_raises_does_not_hide_what_the_scenario_has_failed_with(error):
    async def untidy(x):
        try:
            await asyncio.sleep(9)
        finally:
            raise error

    flow = Source.of(1).map_async(untidy, parallelism=1).to(Sink.list())
    with pytest.raises(ZeroDivisionError):
        fails(World(), lambda world: world.start(flow))


def test_coroutines_clean_up_in_a_world_that_a_thread_has_spoiled():
    calls = Calls()

    def scenario(world, pool):
        with world:
            calls.start(world)
            world.sleep(0.5)
            flow = Source.range(0, 3).map_async(str, parallelism=2, executor=pool)
            run = world.start(flow.to(Sink.list()))
            while not run.done():
                world.step(0.001)

    with ThreadPoolExecutor(1) as pool, pytest.raises(WorldError, match="has one thread"):
        scenario(World(), pool)
    assert calls.begun
    assert calls.all_ended()


async def waits_on(x):
    try:
        await asyncio.sleep(9)
    except asyncio.CancelledError:
        await asyncio.Event().wait()  # here


async def sleeps_on(x):
    while True:
        try:
            await asyncio.sleep(9)  # here
        except asyncio.CancelledError:
            continue


async def never_at_rest(x):
    while True:
        try:
            await asyncio.sleep(0)  # here
        except asyncio.CancelledError:
            continue


def line_of(function):
    code = function.__code__
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()
    return next(n for n in range(code.co_firstlineno, 9_999) if "# here" in lines[n - 1])


@pytest.mark.parametrize("stubborn", [waits_on, sleeps_on, never_at_rest])
def test_a_coroutine_that_swallows_its_cancellation_stalls_the_world_and_is_named(stubborn):
    def scenario(world):
        with world:
            run = world.start(Source.of(1).map_async(stubborn, parallelism=1).to(Sink.list()))
            for _ in range(9):
                world.step(1.0)
            run.cancel()
            run.wait()

    with pytest.raises(Stalled) as caught:
        scenario(World(most_steps=2_000))
    named = f"coroutine '{stubborn.__name__}' ({__file__}:{line_of(stubborn)})"
    assert f"{named} was cancelled and goes on" in str(caught.value)


@pytest.mark.parametrize("stubborn", [waits_on, sleeps_on, never_at_rest])
def test_a_coroutine_that_swallows_its_cancellation_does_not_hide_a_failure(stubborn):
    flow = Source.of(1).map_async(stubborn, parallelism=1).to(Sink.list())

    def begin(world):
        world.start(flow)
        for _ in range(9):
            world.step(1.0)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails(World(most_steps=2_000), begin)


@pytest.mark.parametrize(("seconds", "most"), [(10**9, 0), (1, 3 * 3600), (0, 10_000)])
def test_a_world_that_has_failed_lets_stubborn_coroutines_go_on_for_an_hour_and_not_for_ever(
    seconds, most
):
    woken, tidy = [], []

    async def stubborn(x):
        while True:
            try:
                await asyncio.sleep(seconds)
                woken.append(x)
            except asyncio.CancelledError:
                continue

    async def cleans_up(x):
        try:
            await asyncio.sleep(10**9)
        finally:
            for _ in range(100):
                await asyncio.sleep(seconds and 1)
            tidy.append(x)

    def begin(world):
        for f in (stubborn, cleans_up):
            world.start(Source.of(1).map_async(f, parallelism=1).to(Sink.ignore()))
        for _ in range(40):
            world.step(0)
        woken.clear()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails(World(), begin)
    assert tidy == [1]
    assert len(woken) <= most


def test_a_stream_that_waits_for_a_coroutine_says_in_which_line_that_waits():
    async def never(x):
        await asyncio.Event().wait()

    with pytest.raises(Stalled) as caught, World() as world:
        world.start(Source.of(1).map_async(never, parallelism=1).to(Sink.list())).result()
    line = never.__code__.co_firstlineno + 1
    assert f"never' ({__file__}:{line}) has not ended" in str(caught.value)


def test_a_task_that_runs_beside_the_streams_ends_with_the_world_and_is_not_waited_for():
    ended, tasks = [], []

    async def beside():
        try:
            await asyncio.sleep(1e9)
        finally:
            await asyncio.sleep(1)
            ended.append("beside")

    async def call(x):
        tasks.append(asyncio.create_task(beside()))
        await asyncio.sleep(1)
        return x

    with World() as world:
        flow = Source.of(1).map_async(call, parallelism=1).to(Sink.list())
        assert world.start(flow).result() == [1]
        world.finish()
        assert (world.now, ended) == (1, [])
    assert ended == ["beside"]


@pytest.mark.parametrize("keep", [False, True])
def test_generators_that_coroutines_leave_are_released(keep):
    def scenario(world):
        released, kept = [], []

        async def pages():
            try:
                for page in range(5):
                    await asyncio.sleep(0.01)
                    yield page
            finally:
                await asyncio.sleep(1)
                released.append(1)

        async def first(x):
            generator = pages()
            kept.append(generator if keep else None)
            async for page in generator:
                if page == 1:
                    return x
            return None

        flow = Source.range(0, 3).map_async(first, parallelism=2).to(Sink.list())
        assert world.start(flow).result() == [0, 1, 2]
        world.finish()
        assert len(released) == (0 if keep else 3)  # those that somebody has are not left yet
        return released, kept

    for seed in SEEDS:
        with World(RandomWalk(seed)) as world:
            released, _ = scenario(world)
        assert len(released) == 3


@pytest.mark.parametrize(("cancellable", "ends"), [(True, 1), (False, 100)])
def test_a_timeout_cancels_a_coroutine_while_a_sleep_of_the_world_goes_on(cancellable, ends):
    async def coroutine(x):
        await asyncio.sleep(100)

    with World() as world:
        f = coroutine if cancellable else lambda x: world.sleep(100)
        failed = Source.of("x").map_async(f, timeout=1.0, fallback=lambda x, error: world.now)
        assert world.start(failed.to(Sink.list())).result() == [1]
        assert world.now == ends
