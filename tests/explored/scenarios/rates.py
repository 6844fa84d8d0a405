# mypy: disable-error-code="var-annotated, arg-type"
"""Rate matching, and calls that run beside the stage."""

import asyncio
from itertools import repeat

from actors_rs import UNBOUNDED, RateLimit, Sink, Source
from actors_rs.errors import BufferOverflowError, StageError
from actors_rs.runtime.supervision.backoff import Backoff
from tests.explored.scenario import Case, Scenario, failure_of, settle


def rising(got):
    return got == sorted(set(got))


async def slow(x):
    await asyncio.sleep(10 - x)
    return x


CASES = {
    "buffer": Case(lambda up: up(range(9)).buffer(3).map(int), range(9)),
    "buffer drop_oldest": Case(
        lambda up: up(range(9)).buffer(2, "drop_oldest").map(int).with_attributes(window=1),
        lambda got: rising(got) and got[-2:] == [7, 8],
        rising,
    ),
    "buffer drop_newest": Case(
        lambda up: up(range(9)).buffer(2, "drop_newest").map(int).with_attributes(window=1),
        lambda got: rising(got) and got[:2] == [0, 1],
        rising,
    ),
    "conflate": Case(
        lambda up: up(range(9)).conflate(lambda x: [x], lambda xs, x: [*xs, x]),
        lambda got: [x for xs in got for x in xs] == list(range(9)),
        lambda got: [x for xs in got for x in xs] == list(range(sum(map(len, got)))),
    ),
    "expand": Case(
        lambda up: up(range(6)).expand(lambda x: [x, x]),
        lambda got: got == sorted(got) and set(got) == set(range(6)),
        lambda got: got == sorted(got) and set(got) == set(range(len(set(got)))),
    ),
    "map_async": Case(
        lambda up: up(range(6)).map_async(lambda x: x * x, parallelism=2), [0, 1, 4, 9, 16, 25]
    ),
    "map_async unordered": Case(
        lambda up: up(range(6)).map_async(lambda x: x, parallelism=2, ordered=False),
        lambda got: sorted(got) == list(range(6)),
        lambda got: len(set(got)) == len(got),
    ),
    "map_async of coroutines": Case(
        lambda up: up(range(6)).map_async(slow, parallelism=2), range(6)
    ),
    "map_async in time": Case(
        lambda up: up(range(6)).map_async(slow, 2, timeout=7.5).on_failure("resume"),
        rising,  # a world may be late for a result that comes in time
        rising,
    ),
    "map_async in time, unordered": Case(
        lambda up: up(range(6)).map_async(slow, 2, False, timeout=7.5).on_failure("resume"),
        lambda got: len(set(got)) == len(got),
        lambda got: len(set(got)) == len(got),
    ),
    "map_async by key": Case(
        lambda up: up(range(8)).map_async(slow, parallelism=3, key=lambda x: x % 2),
        lambda got: [x for x in got if x % 2] == [1, 3, 5, 7] and sorted(got) == list(range(8)),
        lambda got: rising([x for x in got if x % 2]) and rising([x for x in got if not x % 2]),
    ),
    "map_processes": Case(
        lambda up: up(range(12)).map_processes(lambda x: x * x, 2), [x * x for x in range(12)]
    ),
    "map_processes unordered": Case(
        lambda up: up(range(12)).map_processes(lambda x: x, 2, ordered=False),
        lambda got: sorted(got) == list(range(12)),
        lambda got: len(set(got)) == len(got),
    ),
    "map_processes that fails": Case(
        lambda up: up(range(12)).map_processes(lambda x: 12 // (x % 4), 2).on_failure("resume"),
        [12, 6, 4] * 3,
    ),
    "flat_map_processes": Case(
        lambda up: up(range(6)).flat_map_processes(range, 2),
        [y for x in range(6) for y in range(x)],
    ),
    "map_async by key on threads": Case(
        lambda up: up(range(6)).map_async(lambda x: x, parallelism=3, key=lambda x: x % 2),
        lambda got: [x for x in got if x % 2] == [1, 3, 5] and sorted(got) == list(range(6)),
        lambda got: rising([x for x in got if x % 2]) and rising([x for x in got if not x % 2]),
    ),
}


def overflows(world):
    """Whatever a buffer drops is counted."""
    how = world.pick("overflow", ("drop_oldest", "drop_newest", "drop_all"))
    flow = Source.range(0, 12).buffer(2, how)
    run = world.start(flow.to(Sink.list().with_attributes(window=1)))
    got = run.result()
    assert got == sorted(set(got)), got
    stage = next(one for one in run._scope.stages() if one.kind == "buffer")
    dropped = stage.logic.details()["dropped"]
    assert len(got) + dropped == 12, f"{len(got)} were given, {dropped} dropped"
    settle(world)


def drop_oldest_in_full(world):
    """What is left of a buffer that drops the oldest are the newest elements."""
    late = Source.timer(1.0).append(Source.repeat(0))
    flow = Source.range(0, 40).buffer(3, "drop_oldest").zip(late)
    got = [x for x, _ in world.start(flow.to(Sink.list())).result()]
    assert len(got) < 40, "nothing was dropped"
    assert got[-3:] == [37, 38, 39], got
    settle(world)


def further(failure):
    return getattr(failure, "others", ())


def a_full_buffer_fails(world):
    got = []
    flow = Source.range(0, 16).buffer(2, "fail").throttle(1, per=1.0, burst=1)
    run = world.start(flow.with_attributes(window=1).to(Sink.for_each(got.append)))
    failure = failure_of(run)
    assert isinstance(failure, BufferOverflowError), repr(failure)
    assert not further(failure), f"further failures: {further(failure)}"
    assert got == list(range(len(got))), got
    assert len(got) >= 2, f"only {got} came before the failure"
    settle(world)


class Asking:
    """A foreign Subscriber that requests so many at once, before anything comes."""

    def __init__(self, *requests):
        self.requests, self.elements, self.end = requests, [], None

    def on_subscribe(self, subscription):
        for n in self.requests:
            subscription.request(n)

    def on_next(self, element):
        self.elements.append(element)

    def on_error(self, error):
        self.end = error

    def on_complete(self):
        self.end = "complete"


NOT_TO_BE_USED = {
    "drop_oldest": lambda flow: flow.buffer(1, "drop_oldest"),
    "drop_newest": lambda flow: flow.buffer(1, "drop_newest"),
    "drop_all": lambda flow: flow.buffer(1, "drop_all"),
    "fail": lambda flow: flow.buffer(1, "fail"),
    "conflate": lambda flow: flow.conflate(int, lambda kept, x: [kept, x]),
}


def requested_in_advance(world):
    """What a Subscriber has requested is neither dropped nor put together, nor does it fail."""
    asking = Asking(*world.pick("requests", ((12,), (UNBOUNDED,), (3, 9), (1, UNBOUNDED))))
    how = world.pick("operator", tuple(NOT_TO_BE_USED))
    world.system.publisher(NOT_TO_BE_USED[how](Source.range(0, 12))).subscribe(asking)
    world.finish()
    assert asking.elements == list(range(12)), f"{how}: {asking.elements}"
    assert asking.end == "complete", asking.end
    settle(world)


def expanded_without_end(world):
    """The newest element again and again, until there is a newer one."""
    flow = Source.of(1).append(Source.timer(1.0).map(lambda _: 2)).expand(repeat)
    got = world.start(flow.throttle(1, 0.4, burst=1).take(6).to(Sink.list())).result()
    assert got == sorted(got), got
    assert len(got) <= 6
    settle(world)


class Calls:
    """A function whose calls are counted, and those that are under way at a time."""

    def __init__(self, fails=0):
        self.begun = self.running = self.most = self.ended = 0
        self.fails = fails
        self.of = {}

    async def __call__(self, x):
        self.begun += 1
        self.running += 1
        self.most = max(self.most, self.running)
        self.of[x] = self.of.get(x, 0) + 1
        try:
            await asyncio.sleep(1 + x % 2)
            self.ended += 1
        finally:
            self.running -= 1
        if self.of[x] <= self.fails:
            raise OSError(f"{x} not yet")
        return x


def sleeping_calls(world):
    """Coroutines sleep in virtual time, and their results keep the order of the elements."""
    flow = Source.range(0, 4).map_async(slow, parallelism=2)
    assert world.start(flow.to(Sink.list())).result() == [0, 1, 2, 3]
    assert world.now >= 10
    settle(world)


def no_more_than_parallelism(world):
    calls = Calls()

    async def f(x):
        return await calls(x)

    ordered = world.pick("ordered", (True, False))
    flow = Source.range(0, 7).map_async(f, parallelism=2, ordered=ordered)
    assert sorted(world.start(flow.to(Sink.list())).result()) == list(range(7))
    assert calls.most <= 2, f"{calls.most} calls at a time"
    assert calls.begun == 7, f"{calls.begun} calls"
    settle(world)


def time_or_result(world):
    """A call whose time is up when it returns is given or passed over, never both, nor neither."""
    kind = world.pick("kind", ("coroutine", "thread"))

    async def awaited(x):
        await asyncio.sleep(2.0)
        return x

    def slept(x):
        world.sleep(2.0)
        return x

    f = awaited if kind == "coroutine" else slept
    flow = Source.range(0, 6).map_async(f, 2, world.pick("ordered", (True, False)), timeout=2.0)
    run = world.start(flow.on_failure("resume").to(Sink.list()))
    got = run.result()
    passed_over = [one.what for one in world.system.dead_letters.recent() if "resume" in one.why]
    assert sorted([*got, *passed_over]) == list(range(6)), (got, passed_over)
    figures = run.snapshot().stages[1].details
    assert figures["timed_out"] == len(passed_over), figures
    world.sleep(10)
    settle(world)


def time_is_up_with_retries(world):
    """Each call that is made again has a time of its own, and the last one counts."""
    calls = dict.fromkeys(range(4), 0)

    async def f(x):
        calls[x] += 1
        await asyncio.sleep(1.0 if calls[x] > 2 else 50.0)
        return x

    by = (lambda x: x % 2) if world.pick("by key", (True, False)) else None
    flow = Source.range(0, 4).map_async(f, 2, key=by, timeout=2.0, retry=WAIT, max_attempts=99)
    run = world.start(flow.to(Sink.list()))
    assert sorted(run.result()) == [0, 1, 2, 3]
    attempts = run.snapshot().stages[1].details["attempts"]
    assert attempts == sum(calls.values()), calls
    settle(world)


def held_by_map_async(world):
    """A stage whose calls take long leaves what it cannot begin with where it is."""
    calls = Calls()

    async def f(x):
        return await calls(x)

    flow = Source.range(0, 30).map_async(f, parallelism=2)
    run = world.start(flow.to(Sink.list()))
    stage = next(one for one in run._scope.stages() if one.kind == "map_async")
    while not run.done():
        held = len(stage.logic.held())
        assert held <= 4, f"{held} elements are held"
        world.step(None)
    assert run.result() == list(range(30))
    settle(world)


def cancelled_calls(world):
    """Calls that are under way end with the stage, and none begins behind its end."""
    calls = Calls()

    async def f(x):
        return await calls(x)

    run = world.start(Source.range(0, 40).map_async(f, parallelism=3).to(Sink.list()))
    world.soon("cancel", run.cancel)
    run.wait()
    assert run.state == "cancelled", run.state
    before = (calls.begun, calls.ended)
    world.sleep(20)
    assert (calls.begun, calls.ended) == before, "calls began or went on behind the end"
    assert not calls.running, f"{calls.running} calls still run"
    settle(world)


WAIT = Backoff(1.0, 4.0, jitter=0)


def tried_again(world):
    """Every call that fails is made again, up to a number of times, and no element is lost."""
    calls = Calls(fails=2)

    async def f(x):
        return await calls(x)

    flow = Source.range(0, 4).map_async(f, parallelism=2).retry(WAIT, max_attempts=3)
    assert world.start(flow.to(Sink.list())).result() == [0, 1, 2, 3]
    assert set(calls.of.values()) == {3}, calls.of
    settle(world)


def cancelled_while_it_rests(world):
    calls = Calls(fails=2)

    async def f(x):
        return await calls(x)

    flow = Source.range(0, 4).map_async(f, parallelism=2).retry(WAIT, max_attempts=9)
    run = world.start(flow.to(Sink.list()))
    world.sleep(world.pick("when", (1.5, 2.5, 3.5)))
    run.cancel()
    run.wait()
    settle(world)


def given_up(world):
    """A call that fails every time is given up."""
    calls = Calls(fails=1_000)

    async def f(x):
        return await calls(x)

    flow = Source.of(1).map_async(f, parallelism=2).retry(WAIT, max_attempts=3)
    failure = failure_of(world.start(flow.to(Sink.list())))
    assert isinstance(failure, StageError), repr(failure)
    assert calls.of == {1: 3}, calls.of
    settle(world)


def beyond_budget(world):
    """Calls beyond the budget are not made again."""
    calls = Calls(fails=1_000)

    async def f(x):
        return await calls(x)

    budget = RateLimit(1, per=1000.0, burst=2)
    flow = Source.range(0, 4).map_async(f, parallelism=2)
    flow = flow.retry(WAIT, max_attempts=9, budget=budget).on_failure("resume")
    assert world.start(flow.to(Sink.list())).result() == []
    assert calls.begun == 4 + 2, calls.of
    settle(world)


SCENARIOS = [
    Scenario("sleeping calls", sleeping_calls),
    Scenario("buffer drop_oldest in full", drop_oldest_in_full, (4, 2)),
    Scenario("held by map_async", held_by_map_async),
    Scenario("time or result", time_or_result),
    Scenario("time is up, with retries", time_is_up_with_retries),
    Scenario("cancelled while it rests", cancelled_while_it_rests),
    Scenario("overflows", overflows),
    Scenario("a full buffer fails", a_full_buffer_fails),
    Scenario("requested in advance", requested_in_advance, (16, 4)),
    Scenario("expanded without end", expanded_without_end),
    Scenario("no more than parallelism", no_more_than_parallelism),
    Scenario("cancelled calls", cancelled_calls),
    Scenario("tried again", tried_again),
    Scenario("given up", given_up),
    Scenario("beyond budget", beyond_budget),
]
