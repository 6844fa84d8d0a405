"""Calls that are made again when the error says: ``retry_after`` of ``map_async``."""

import asyncio

import pytest

from actors_rs import Backoff, RateLimit, Sink, Source
from actors_rs.errors import DeciderError, StageError
from actors_rs.testing.world import World

BACKOFF = Backoff(1.0, factor=2.0, maximum=10.0, jitter=0.0)


class RefusedError(Exception):
    """An answer 429, with its ``Retry-After``."""

    def __init__(self, seconds):
        super().__init__("429")
        self.seconds = seconds


def asked_for(error):
    return error.seconds


def moments(waits, made, *, kind="coroutine"):
    """When the calls for one element are made; call n is refused with ``waits[n]``."""
    with World() as world:
        at: list[float] = []

        def call(x):
            at.append(world.now)
            if len(at) <= len(waits):
                raise RefusedError(waits[len(at) - 1])
            return x

        async def coroutine(x):
            await asyncio.sleep(0)
            return call(x)

        f = coroutine if kind == "coroutine" else call
        flow = made(Source.of("x"), f)
        assert world.start(flow.to(Sink.list())).result() == ["x"]
        return at


def by_keyword(source, f):
    return source.map_async(f, 2, retry=BACKOFF, max_attempts=9, retry_after=asked_for)


def by_method(source, f):
    return source.map_async(f, 2).retry(BACKOFF, 9, after=asked_for)


@pytest.mark.parametrize("made", [by_keyword, by_method])
@pytest.mark.parametrize("kind", ["coroutine", "function"])
def test_the_error_says_how_long_to_wait_and_the_backoff_where_it_does_not(kind, made):
    waits = [30, None, 0.25, None, 0, -5]
    assert moments(waits, kind=kind, made=made) == [0, 30, 32, 32.25, 40.25, 40.25, 40.25]


def test_it_turns_retries_on_with_three_attempts():
    assert moments([7, 8], made=lambda s, f: s.map_async(f, retry_after=asked_for)) == [0, 7, 15]
    with pytest.raises(StageError, match="429"):
        moments([7, 8, 9], made=lambda s, f: s.map_async(f, retry_after=asked_for))


def test_an_error_of_another_kind_is_not_asked():
    def made(source, f):
        return source.map_async(f, retry_on=OSError, retry_after=lambda error: 1 // 0)

    with pytest.raises(StageError, match="429") as told:
        moments([7], made=made)
    assert not told.value.others


def test_a_call_that_waits_as_asked_for_takes_no_place():
    with World() as world:
        at = []

        async def call(x):
            at.append((x, world.now))
            if at.count((x, 0)) and x == "first" and world.now == 0:
                raise RefusedError(60)
            return x

        flow = Source.of("first", "second").map_async(call, 1, ordered=False, retry_after=asked_for)
        assert world.start(flow.to(Sink.list())).result() == ["second", "first"]
        assert at == [("first", 0), ("second", 0), ("first", 60)]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"retry_after": 5}, "map_async: retry_after must be callable, got 5"),
        ({"retry": 5}, "map_async: retry must be a Backoff, got 5"),
    ],
)
def test_a_wrong_option_is_named_as_the_caller_wrote_it(options, what):
    with pytest.raises(TypeError, match=f"^{what} "):
        Source.of("x").map_async(str, **options)


@pytest.mark.parametrize("seconds", ["5", True, float("nan"), float("inf"), 10**400])
def test_seconds_that_are_no_number_fail_the_element_and_say_so(seconds):
    with pytest.raises(StageError, match="429") as told:
        moments([seconds], made=by_keyword)
    (beside,) = told.value.others
    assert isinstance(beside, DeciderError)
    assert "retry: after must give seconds or None, got" in str(beside)


def test_an_answer_that_says_when_needs_the_budget_too():
    def made(source, f):
        budget = RateLimit(1, per=1000, burst=1)
        return source.map_async(f, 2).retry(BACKOFF, 9, budget, after=asked_for)

    with pytest.raises(StageError, match="429") as told:
        moments([1, 1], made=made)
    assert "budget" in str(told.value.__cause__.__notes__)  # type: ignore[union-attr]
