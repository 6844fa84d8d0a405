# mypy: disable-error-code="var-annotated, arg-type"
"""Elements in place of those whose calls have failed."""

import asyncio

from actors_rs import Sink, Source
from actors_rs.runtime.supervision.backoff import Backoff
from tests.explored.scenario import Case, Scenario, settle

WAIT = Backoff(1.0, 4.0, jitter=0)


def even(x):
    if x % 2:
        raise OSError("odd")
    return x


async def even_later(x):
    await asyncio.sleep(10 - x)
    return even(x)


def minus(x, error):
    return -x


GIVEN = [0, -1, 2, -3, 4, -5]
CASES = {
    "fallback": Case(lambda up: up(range(6)).map_async(even, 2, fallback=minus), GIVEN),
    "fallback of coroutines": Case(
        lambda up: up(range(6)).map_async(even_later, 2, fallback=minus), GIVEN
    ),
    "fallback by key": Case(
        lambda up: up(range(6)).map_async(even_later, 3, key=lambda x: x % 2, fallback=minus),
        lambda got: [x for x in got if x < 0] == [-1, -3, -5] and sorted(got) == sorted(GIVEN),
        lambda got: [x for x in got if x < 0] == [-1, -3, -5][: sum(x < 0 for x in got)],
    ),
}


def result_or_fallback(world):
    """Each element is given once: its result, or what stands for its last failure."""
    calls, fallen = dict.fromkeys(range(4), 0), []
    kind = world.pick("kind", ("coroutine", "thread"))

    def seconds(x):
        calls[x] += 1
        if calls[x] == 1:
            raise OSError("not yet")
        return 2.0  # just when its time is up

    async def awaited(x):
        await asyncio.sleep(seconds(x))
        return x

    def slept(x):
        world.sleep(seconds(x))
        return x

    def fallback(x, error):
        fallen.append(x)
        return x

    f = awaited if kind == "coroutine" else slept
    by = (lambda x: x % 2) if world.pick("by key", (True, False)) else None
    flow = Source.range(0, 4).map_async(
        f, 2, key=by, timeout=2.0, retry=WAIT, max_attempts=3, fallback=fallback
    )
    run = world.start(flow.to(Sink.list()))
    assert sorted(run.result()) == [0, 1, 2, 3]
    assert all(calls[x] == 3 for x in fallen), (calls, fallen)
    figures = run.snapshot().stages[1].details
    assert figures["fallbacks"] == len(fallen) == len(set(fallen)), (figures, fallen)
    world.sleep(10)
    settle(world)


SCENARIOS = [Scenario("result or fallback", result_or_fallback)]
