# mypy: disable-error-code="var-annotated, arg-type, call-overload, union-attr, attr-defined"
"""``map_async(timeout=, retry=)``: a call has only so long, and its place goes to the next one."""

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import pytest

from actors_rs import Backoff, Sink, Source
from actors_rs.errors import (
    AbandonedCallsError,
    ArgumentTypeError,
    CallTimeout,
    InvalidArgumentError,
    RunCancelled,
    StageError,
)
from actors_rs.testing.world import World
from tests.graph.stuck import Stuck, letters, stuck_system
from tests.runtime.support import eventually

WAIT = Backoff(1.0, 8.0, jitter=0)


async def seconds(n):
    """Take ``n`` seconds."""
    await asyncio.sleep(n)
    return n


def ended(world, flow):
    """What ``flow`` gives in ``world``, and the second at which it has ended."""
    got = world.start(flow.to(Sink.list())).result()
    return got, round(world.now, 2)


def details_of(run, kind="map_async"):
    return next(one.details for one in run.snapshot().stages if one.kind == kind)


@pytest.mark.parametrize("ordered", [True, False])
def test_a_coroutine_has_its_time_and_is_cancelled_then(ordered):
    cancelled = []

    async def f(n):
        try:
            return await seconds(n)
        except asyncio.CancelledError:
            cancelled.append(n)
            raise

    with World() as world:
        flow = Source.of(1, 30, 1, 1).map_async(f, 1, ordered, timeout=2.0).on_failure("resume")
        assert ended(world, flow) == ([1, 1, 1], 5.0)
    assert cancelled == [30]


def test_its_error_says_stage_element_and_seconds():
    flow = Source.of("a", "b").map_async(lambda _: seconds(9), 2, timeout=0.5).named("fetch")
    with World() as world, pytest.raises(StageError, match="'fetch' failed at element 0") as caught:
        world.start(flow.to(Sink.list())).result()
    error = caught.value.__cause__
    assert isinstance(error, CallTimeout)
    assert isinstance(error, TimeoutError)
    assert (error.stage, error.element, error.seconds) == ("fetch", "a", 0.5)
    assert "the call for 'a' took longer than 0.5 s" in str(error)


def test_an_element_whose_time_is_up_follows_on_failure_and_is_a_dead_letter():
    with World() as world:
        flow = Source.of(1, 9).map_async(seconds, timeout=2.0).on_failure("resume")
        assert ended(world, flow)[0] == [1]
        (letter,) = world.system.dead_letters.recent()
        assert letter.what == 9
        assert isinstance(letter.error.__cause__, CallTimeout)


FUTURES = {
    "coroutine": lambda n: seconds(n),
    "future of the user's": lambda n: Future(),
}


@pytest.mark.parametrize("kind", FUTURES)
def test_what_a_function_returns_to_be_waited_for_is_cancelled(kind):
    made = []

    def f(n):
        made.append(FUTURES[kind](n))
        return made[-1]

    with World() as world:
        flow = Source.of(50, 60).map_async(f, 1, timeout=2.0).on_failure("resume")
        run = world.start(flow.to(Sink.list()))
        assert run.result() == []
        assert details_of(run)["timed_out"] == 2
        assert details_of(run)["abandoned"] == 0
    if kind == "future of the user's":
        assert all(future.cancelled() for future in made)


def test_a_function_that_sleeps_keeps_its_thread_but_not_its_place():
    """In a world a call is one step, within which the others have theirs."""
    with World() as world:

        def f(n):
            world.sleep(n)
            return n

        seen = []
        flow = Source.of(20, 1).map_async(f, 1, timeout=2.0).on_failure("resume")
        run = world.start(flow.to(Sink.for_each(lambda n: seen.append((n, round(world.now))))))
        run.result()
        assert seen == [(1, 3)]
        world.sleep(30)
        letter = world.system.dead_letters.recent()[-1]
        assert letter.what == 20
        assert letter.why == "its call had timed out after 2 s when it returned"


def test_a_thread_is_abandoned_and_counted_and_the_next_call_has_its_place():
    stuck = Stuck(at=0)
    with stuck_system(stuck) as system:
        flow = Source.range(0, 4).map_async(stuck, 1, timeout=0.05).on_failure("resume")
        run = system.start(flow.to(Sink.list()))
        assert run.result(20) == [1, 2, 3]
        assert details_of(run)["abandoned"] == details_of(run)["timed_out"] == 1
        assert system.statistics().abandoned == 1
        stuck.release()
        eventually(lambda: letters(system, "had timed out after 0.05 s when it returned"))


def test_a_thread_that_returns_late_makes_no_further_call_beside_the_others():
    stuck = Stuck(at=0)
    more = Stuck()
    with stuck_system(stuck) as system:

        def f(n):
            return more(n) if n > 1 else stuck(n)

        flow = Source.range(0, 6).map_async(f, 1, timeout=0.3, max_abandoned=9)
        run = system.start(flow.on_failure("resume").to(Sink.list()))
        eventually(lambda: 2 in more.calls)
        stuck.release()
        eventually(lambda: letters(system, "had timed out"))
        more.release()
        run.result(20)
        assert details_of(run)["under_way"] == 0
        assert sorted(stuck.calls) == [0, 1]
        assert sorted(more.calls) == [2, 3, 4, 5]


def test_more_abandoned_calls_than_allowed_fail_the_stage_whatever_its_policy():
    stuck = Stuck()
    with stuck_system(stuck) as system:
        flow = Source.range(0, 100).map_async(stuck, 2, timeout=0.02, max_abandoned=3)
        run = system.start(flow.on_failure("resume").to(Sink.list()))
        with pytest.raises(StageError) as caught:
            run.result(20)
        assert isinstance(caught.value.__cause__, AbandonedCallsError)
        assert "4 calls that had timed out have not returned" in str(caught.value)
        assert len(stuck.calls) <= 6


def test_a_coroutine_that_refuses_its_cancellation_counts_as_abandoned_after_as_long_again():
    async def stubborn(n):
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(30)
                return n

    with World() as world:
        flow = Source.of(1, 2, 3).map_async(stubborn, 1, timeout=2.0, max_abandoned=0)
        with pytest.raises(StageError) as caught:
            ended(world, flow.on_failure("resume"))
        assert isinstance(caught.value.__cause__, AbandonedCallsError)
        assert world.now <= 6.5


def test_a_call_of_an_executor_that_has_begun_is_abandoned_too():
    stuck = Stuck(at=0)
    with stuck_system(stuck) as system, ThreadPoolExecutor(2) as pool:
        flow = Source.range(0, 3).map_async(stuck, 1, executor=pool, timeout=0.1)
        run = system.start(flow.on_failure("resume").to(Sink.list()))
        assert run.result(20) == [1, 2]
        assert details_of(run)["abandoned"] == 1
        stuck.release()


def test_calls_of_one_key_follow_each_other_past_one_whose_time_is_up():
    with World() as world:
        flow = Source.of(1, 30, 2, 3).map_async(seconds, 4, key=lambda n: n % 2, timeout=5.0)
        got, now = ended(world, flow.on_failure("resume"))
    assert got == [1, 3, 2]
    assert now == 7.0


def test_a_call_may_be_made_again_with_a_time_of_its_own():
    calls = []

    async def f(n):
        calls.append(n)
        return await seconds(n if len(calls) > 2 else 100)

    with World() as world:
        flow = Source.of(1).map_async(f, timeout=2.0, retry=WAIT, retry_on=(CallTimeout,))
        run = world.start(flow.to(Sink.list()))
        assert run.result() == [1]
        assert round(world.now, 2) == 2 + 1 + 2 + 2 + 1  # two calls, two waits, the third call
        assert details_of(run)["attempts"] == 3
        assert details_of(run)["retried"] == details_of(run)["timed_out"] == 2


@pytest.mark.parametrize("options", [{}, {"ordered": False}, {"key": abs}], ids=str)
def test_a_call_that_is_made_again_behind_a_failure_has_a_time_of_its_own(options):
    attempts = []

    async def f(n):
        attempts.append(n)
        if attempts.count(n) == 1:
            raise OSError
        return await seconds(60 if attempts.count(n) == 2 else 0)

    with World() as world:
        flow = Source.of(1, 2).map_async(f, 2, timeout=2.0, retry=WAIT, **options)
        got, at = ended(world, flow)
    assert (got, at) == ([0, 0], 5.0)  # a wait of 1 s, a time of 2 s, a wait of 2 s
    assert attempts == [1, 2] * 3


def test_a_thread_that_hangs_behind_a_failure_is_abandoned():
    stuck, attempts = Stuck(), []

    def f(n):
        attempts.append(n)
        if len(attempts) == 1:
            raise OSError
        return stuck(n) if len(attempts) == 2 else n

    with stuck_system(stuck) as system:
        retry = Backoff(0.1, jitter=0)
        run = system.start(Source.of(1).map_async(f, timeout=0.2, retry=retry).to(Sink.list()))
        assert run.result(20) == [1]
        assert details_of(run)["timed_out"] == 1


class Failing:
    """Fails ``times`` for each element of ``elements``."""

    def __init__(self, error, times, elements):
        self.left = dict.fromkeys(elements, times)
        self.error = error

    async def __call__(self, n):
        await asyncio.sleep(0.1)
        if self.left.get(n):
            self.left[n] -= 1
            raise self.error
        return n


def test_calls_that_fail_are_made_again_while_others_go_on_and_the_order_is_kept():
    f = Failing(OSError("busy"), 2, [0])
    seen = []

    async def noted(n):
        result = await f(n)
        seen.append(n)
        return result

    with World() as world:
        flow = Source.range(0, 4).map_async(noted, 2, retry=WAIT, retry_on=(OSError,))
        run = world.start(flow.to(Sink.list()))
        world.sleep(0.5)
        assert seen == [1, 2, 3], "the wait holds no place"
        assert details_of(run)["resting"] == 1
        assert run.result() == [0, 1, 2, 3]
        assert details_of(run)["attempts"] == 4 + 2


def test_an_error_of_another_kind_is_not_tried_again():
    f = Failing(ValueError("bad"), 1, [0])
    with World() as world, pytest.raises(StageError, match="ValueError: bad"):
        ended(world, Source.of(0).map_async(f, retry=WAIT, retry_on=OSError))
    assert f.left == {0: 0}


def test_max_attempts_says_how_many_calls_there_are():
    f = Failing(OSError("down"), 99, [0])
    flow = Source.of(0).map_async(f, retry=WAIT, retry_on=(OSError,), max_attempts=4)
    with World() as world, pytest.raises(StageError, match="OSError: down"):
        ended(world, flow)
    assert f.left == {0: 95}


@pytest.mark.parametrize("given", [{"retry_on": OSError}, {"max_attempts": 3}])
def test_each_argument_about_retries_turns_them_on(given):
    f = Failing(OSError("busy"), 2, [0])
    with World() as world:
        assert ended(world, Source.of(0).map_async(f, **given))[0] == [0]
    assert f.left == {0: 0}


def test_a_cancellation_ends_the_waits_of_calls_that_are_to_be_made_again():
    f = Failing(OSError("down"), 99, range(9))
    with World() as world:
        flow = Source.range(0, 4).map_async(f, retry=Backoff(600, 600), retry_on=(OSError,))
        run = world.start(flow.to(Sink.list()))
        world.sleep(1)
        run.cancel()
        with pytest.raises(RunCancelled):
            run.result()
        assert world.now < 10
        left = dict(f.left)
        world.sleep(2000)
        assert f.left == left, "no call is made behind the end"


REFUSED = {
    "timeout": (lambda: Source.of(1).map_async(id, timeout=0), InvalidArgumentError, "timeout"),
    "timeout text": (lambda: Source.of(1).map_async(id, timeout="2"), ArgumentTypeError, "timeout"),
    "most": (
        lambda: Source.of(1).map_async(id, max_abandoned=-1),
        InvalidArgumentError,
        "max_aband",
    ),
    "most alone": (
        lambda: Source.of(1).map_async(id, max_abandoned=16),
        InvalidArgumentError,
        r"max_abandoned=16 .*add timeout=",
    ),
    "retry": (lambda: Source.of(1).map_async(id, retry=3), ArgumentTypeError, "Backoff"),
    "retry_on": (lambda: Source.of(1).map_async(id, retry_on=(3,)), ArgumentTypeError, "retry_on"),
    "attempts": (
        lambda: Source.of(1).map_async(id, max_attempts=0),
        InvalidArgumentError,
        "max_attempts",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_makes_no_sense_is_refused_where_it_is_written(what):
    call, error, text = REFUSED[what]
    with pytest.raises(error, match=text):
        call()
