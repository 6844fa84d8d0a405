# mypy: disable-error-code="var-annotated, arg-type, func-returns-value"
"""Chains of operators; operators of the user's are in ``generators``."""

from collections import Counter
from functools import partial

from actors_rs import Feedback, Flow, Graph, Sink, Source, concat, merge
from actors_rs.errors import StageError
from actors_rs.graph.spec import OPEN, OutletRef, spec_of
from actors_rs.stages.operators.map import Map
from actors_rs.testing.explore import FreePublisher, FreeSubscriber
from tests.explored.scenario import ALL_WAYS, Case, Scenario, Sources, failure_of, settle

# Whether an iterable is used up is known when the next element is demanded.
WITHOUT_EXACT = tuple(way for way in ALL_WAYS if way != "exact")
CASES = {
    "chain": Case(lambda up: up(range(6)).map(lambda x: x + 1).map(str), list("123456")),
    "big chain": Case(lambda up: up(range(40)).map(lambda x: x + 1), range(1, 41), windows=(16, 8)),
    "filter": Case(
        lambda up: up(range(39)).filter(lambda x: x % 13 == 12), [12, 25, 38], windows=(16, 8, 4)
    ),
    "take": Case(
        lambda up: up(range(9)).map(int).take(3), [0, 1, 2], ways=("result", "free", "cancel")
    ),
    "expanding": Case(
        lambda up: up(range(4)).flat_map(lambda x: [x] * 3),
        [x for x in range(4) for _ in "abc"],
        ways=WITHOUT_EXACT,
    ),
    "sliding": Case(
        lambda up: up(range(5)).sliding(2), [(0, 1), (1, 2), (2, 3), (3, 4)], ways=("result",)
    ),
    "windows of frames": Case(
        lambda up: up(range(12)).sliding(3),
        [(x, x + 1, x + 2) for x in range(10)],
        windows=(16, 8),
        ways=("result",),
    ),
    "numbers": Case(
        lambda up: up(range(12)).with_index(3), list(enumerate(range(12), 3)), windows=(16, 8)
    ),
    "sort_within": Case(
        lambda up: up([1, 0, 3, 2, 5, 4]).sort_within(2), range(6), ways=("result", "free")
    ),
    "edges": Case(
        lambda up: up(range(3)).start_with(-2, -1).end_with(3, 4),
        range(-2, 5),
        ways=("result", "free", "cancel"),
    ),
    "fused": Case(
        lambda up: up(range(9)).filter(lambda x: x % 2).map(str).flat_map(lambda x: x * 2).fuse(),
        list("11335577"),
        ways=WITHOUT_EXACT,
    ),
    "fused take": Case(
        lambda up: up(range(5)).append(Source.never()).map(int).take(3).map(str).fuse(),
        list("012"),
        ways=("result", "free", "cancel"),
    ),
}


def at_rest(world):
    """When nothing moves any more, both ends of each link know of the same demand."""
    flow = Source.range(0, 7).append(Source.never()).filter(lambda x: x % 2).map(str)
    run = world.start(flow.to(Sink.list()))
    world.settle()
    for stage in run._scope.stages():
        for inlet in stage.logic.inlets:
            line = inlet._upstream
            outlet = getattr(getattr(line, "_up", line), "_outlet", None)
            if outlet is not None and not inlet.done:
                asked = (outlet.demand, inlet.outstanding)
                assert len(set(asked)) == 1, f"before '{stage.name}' {asked} are asked for"
    run.cancel()
    run.wait()
    settle(world)


def exact_take(world):
    """The last element that is wanted is the last that comes for a long time."""
    flow = Source.of(1, 2, 3).append(Source.never()).map(int).take(3)
    assert world.start(flow.to(Sink.list())).result() == [1, 2, 3]
    settle(world)


def first_only(world):
    """A sink that has had enough ends the stream."""
    sources = Sources()
    assert world.start(sources(range(9)).map(int).to(Sink.first())).result() == 0
    settle(world)
    sources.check()


def failing_function(world):
    sources, seen = Sources(), []
    flow = sources(range(6)).map(lambda x: 6 // (3 - x)).map(lambda x: seen.append(x) or x)
    failure = failure_of(world.start(flow.to(Sink.list())))
    assert isinstance(failure, StageError), repr(failure)
    assert isinstance(failure.__cause__, ZeroDivisionError), repr(failure.__cause__)
    assert not failure.others, f"further failures: {failure.others}"
    assert seen == [2, 3, 6], f"before the failure came {seen}"
    settle(world)
    sources.check()


RESUMED = {
    "as many as it takes": (lambda flow: flow.map(lambda x: 6 // (3 - x)), [2, 3, 6, -6, -3]),
    "until one is zero": (lambda flow: flow.take_while(lambda x: 6 // (3 - x)), [0, 1, 2, 4, 5]),
    "part of a frame": (lambda flow: flow.flat_map(lambda x: [6 // (3 - x)]), [2, 3, 6, -6, -3]),
    "as many as are asked for": (lambda flow: flow.filter(lambda x: 6 // (3 - x)), [0, 1, 2, 4, 5]),
}


def resumed(world):
    operator, given = RESUMED[world.pick("gives", tuple(RESUMED))]
    flow = operator(Source.range(0, 6)).on_failure("resume")
    assert world.start(flow.to(Sink.list())).result() == given
    assert [one.what for one in world.system.dead_letters.recent()] == [3]
    settle(world)


class NowAndThen:
    """A function that raises for every third element it gets."""

    def __init__(self, f):
        self.f, self.calls = f, 0

    def __call__(self, *args):
        self.calls += 1
        if not self.calls % 3:
            raise KeyError(self.calls)
        return self.f(*args)


SELECTING = {
    "distinct": lambda flow, each: flow.distinct(each(lambda x: x % 4)),
    "distinct_until_changed": lambda flow, each: flow.distinct_until_changed(each(lambda x: x)),
    "map_not_none": lambda flow, each: flow.map_not_none(each(lambda x: x or None)),
    "skip": lambda flow, each: flow.skip(2),
    "skip_while": lambda flow, each: flow.skip_while(each(lambda x: x < 2)),
    "take_while": lambda flow, each: flow.take_while(each(lambda x: x < 7)),
    "identity": lambda flow, each: flow.monitor(lambda state: None).map_error(lambda e: e),
    "starmap": lambda flow, each: flow.map(lambda x: (x, 1)).starmap(each(lambda x, y: x + y)),
    "sort_within": lambda flow, each: flow.sort_within(2, key=each(lambda x: -x)),
    "with_index": lambda flow, each: flow.with_index().map(each(lambda pair: pair[1])),
    "conflate": lambda flow, each: flow.conflate(int, each(max)),
    "map_async": lambda flow, each: flow.map_async(each(lambda x: x), parallelism=2),
    "map_async by key": lambda flow, each: flow.map_async(
        int, parallelism=2, key=each(lambda x: x % 2)
    ),
    "batch_by_weight": lambda flow, each: flow.batch(weight=each(lambda x: x % 3), max_weight=3),
    "throttle": lambda flow, each: flow.throttle(2, per=1.0, cost=each(lambda x: 1)),
    "group_by": lambda flow, each: flow.group_by(each(lambda x: x % 2), 2).flat_map(
        lambda group: group.map(int), breadth=2
    ),
    "merge_sorted": lambda flow, each: flow.merge_sorted(Source.range(0, 5), key=each(lambda x: x)),
    "partition": lambda flow, each: merge(*flow.partition(2, each(lambda x: x % 2))),
    "recover": lambda flow, each: flow.map(each(str)).recover(lambda error: "gone"),
}
POLICIES = ("resume", "stop", "restart")


def accounted_for(world):
    """However a stage ends, whatever its policy: the world counts what it took and gave."""
    name = world.pick("operator", tuple(SELECTING))
    function = world.pick("raising", (NowAndThen, lambda f: f))
    flow = SELECTING[name](Sources()(range(9)), function)
    if name not in ("merge_sorted", "partition", "recover", "skip", "identity"):
        flow = flow.on_failure(world.pick("policy", POLICIES))
    if world.pick("slow", (False, True)):
        flow = flow.delay(1.0)
    narrow = Sink.list().with_attributes(window=1)  # so that frames are given bit by bit
    run = world.start(flow.to(narrow if world.pick("narrow", (False, True)) else Sink.list()))
    if (way := world.pick("way", ("end", "cancel", "drain"))) != "end":
        world.soon(way, getattr(run, "cancel" if way == "cancel" else "drain"))
    run.wait()
    settle(world)


def restarted(world):
    """A stage that is restarted begins with fresh state and keeps its links."""

    def add(total, x):
        if x == 3:
            raise KeyError(x)
        return total + x

    flow = Source.range(0, 6).map(int).scan(0, add).on_failure("restart")
    assert world.start(flow.to(Sink.list())).result() == [0, 1, 3, 4, 9]
    settle(world)


def free_publisher(world):
    sink = world.system.subscriber(Sink.list())
    FreePublisher(world, range(6)).subscribe(sink)
    assert sink.run.result() == [0, 1, 2, 3, 4, 5]
    settle(world)


def late_error(world):
    """The error of a free publisher comes behind all of its elements, and nothing comes twice."""
    error = OSError("gone")
    processor = world.system.processor(Flow().map(lambda x: x))
    subscriber = FreeSubscriber(world, cancels=world.pick("cancels", (False, True)))
    processor.subscribe(subscriber)
    FreePublisher(world, range(5), error).subscribe(processor)
    processor.run.wait()
    assert subscriber.elements == list(range(len(subscriber.elements)))
    assert subscriber.end in (error, "cancelled"), subscriber.end
    if subscriber.end is error:
        assert subscriber.elements == [0, 1, 2, 3, 4]
    settle(world)


class Greedy:
    """A subscriber that asks for the next element from inside ``on_next``."""

    def __init__(self):
        self.elements, self.depth, self.deepest, self.end = [], 0, 0, None

    def on_subscribe(self, subscription):
        self.subscription = subscription
        subscription.request(1)

    def on_next(self, element):
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        self.elements.append(element)
        self.subscription.request(1)
        self.depth -= 1

    def on_error(self, error):
        self.end = error

    def on_complete(self):
        self.end = "complete"


def asks_inside_of_on_next(world):
    greedy = Greedy()
    world.system.publisher(Source.range(0, 12).map(int)).subscribe(greedy)
    world.finish()
    assert greedy.elements == list(range(12)), greedy.elements
    assert greedy.end == "complete", greedy.end
    assert greedy.deepest == 1, f"on_next was {greedy.deepest} deep"


class Held(Map):
    """An operator that counts how often it was started and stopped."""

    def __init__(self, counts):
        super().__init__(lambda x: x)
        self.counts = counts

    def start(self):
        self.counts["started"] += 1

    def stop(self, error):
        self.counts["stopped"] += 1


ROWS = {
    "nothing more": lambda flow: flow,
    "one operator": lambda flow: flow.map(int),
    "two": lambda flow: flow.filter(lambda x: x >= 0).map(int),
    "take": lambda flow: flow.map(int).take(5),
    "edges": lambda flow: flow.start_with(-1).filter(lambda x: x >= 0),
    "lists": lambda flow: flow.batch(1).map(lambda xs: xs[0]).batch(1).map(lambda xs: xs[0]),
    "apart": lambda flow: flow.map(int).flat_map(lambda x: [x]).map(int).async_boundary(),
}
STARTS = {
    "a list": lambda world: Source.from_iterable(list(range(5))),
    "an iterator": lambda world: Source.from_iterable(lambda: iter(range(5))),
    "a free publisher": lambda world: Source.from_publisher(FreePublisher(world, range(5))),
    "a junction": lambda world: concat(Source.of(0, 1).map(int), Source.of(2, 3, 4).map(int)),
}


def as_one_actor(world, graph):
    """``graph`` fused, or with an actor for each stage."""
    return graph.fuse() if world.pick("fused", (True, False)) else graph


def one_actor(world):
    """However stages in one actor end, their sink sees a beginning of the elements, or all."""
    counts, got = Counter(), []
    flow = STARTS[world.pick("start", tuple(STARTS))](world)
    held = Flow(OutletRef(spec_of("held", lambda: Held(counts), OPEN)))
    flow = ROWS[world.pick("row", tuple(ROWS))](flow.via(held))
    run = world.start(as_one_actor(world, flow.to(Sink.for_each(got.append))))
    way = world.pick("way", ("end", "cancel", "drain", "abort"))
    if way != "end":
        world.soon(way, partial(run.abort, OSError()) if way == "abort" else getattr(run, way))
    run.wait()
    assert got == list(range(len(got))), f"gave {got}"
    if run.state == "completed":
        assert run.result() == len(got)
        assert way == "drain" or len(got) == 5, f"completed with {got}"
    else:
        assert run.state == {"cancel": "cancelled", "abort": "failed"}.get(way), run.state
    assert world.now < 1.0, f"it ended with the grace, at {world.now} s, and not by itself"
    settle(world)
    assert counts["stopped"] == counts["started"] == 1, counts


def drained_row(world):
    """A source that never ends is a part of its row, and does when it is drained."""
    got = []
    flow = ROWS[world.pick("row", ("one operator", "two", "edges"))](Source.never())
    run = world.start(as_one_actor(world, flow.end_with(0, 1).to(Sink.for_each(got.append))))
    world.soon("drain", run.drain)
    assert run.result() == 2
    assert got == [0, 1], f"gave {got}"
    settle(world)


def one_actor_fails(world):
    """The failure of a part is its own, and comes behind the elements before it."""
    got, bad = [], world.pick("fails at", (2, 0, 4))
    flow = Source.range(0, 5).map(lambda x: 1 // (x - bad) * 0 + x).named("divide")
    sink = Sink.for_each(got.append)
    if world.pick("in the sink", (False, True)):
        flow = Source.range(0, 5).map(lambda x: x)
        sink = Sink.for_each(lambda x: got.append(1 // (x - bad) * 0 + x)).named("divide")
    flow = ROWS[world.pick("row", ("one operator", "two", "apart"))](flow)
    failure = failure_of(world.start(as_one_actor(world, flow.to(sink))))
    assert isinstance(failure, StageError), repr(failure)
    assert (failure.stage, failure.position) == ("divide", bad), failure
    assert isinstance(failure.__cause__, ZeroDivisionError), repr(failure.__cause__)
    assert not failure.others, f"further failures: {failure.others}"
    assert got == list(range(bad)), f"before the failure came {got}"
    settle(world)


def rows_around_junctions(world):
    """Rows before and behind what splits a stream, and joins its branches again."""
    one, other = Source.range(0, 5).map(int).broadcast(2)
    joined = merge(one.map(lambda x: x + 10).map(int), Source.range(20, 3).map(int))
    sinks = joined.map(int).to(Sink.list()), other.filter(lambda x: x % 2).to(Sink.count())
    run = world.start(as_one_actor(world, Graph(*sinks)))
    if (way := world.pick("way", ("end", "cancel", "drain"))) != "end":
        world.soon(way, getattr(run, way))
    run.wait()
    if way == "end":
        elements, odd = run.result()
        assert (sorted(elements), odd) == ([*range(10, 15), *range(20, 23)], 2), run.result()
    settle(world)


def recovered_in_one_actor(world):
    """A failure in a fused stage reaches the stage after it that recovers."""
    bad = world.pick("fails at", (2, 0, 4))
    flow = Source.range(0, 5).map(lambda x: 1 // (x - bad) * 0 + x).recover(lambda _: -1)
    run = world.start(as_one_actor(world, flow.to(Sink.list())))
    assert run.result() == [*range(bad), -1]
    settle(world)


def apart_at_a_boundary(world):
    """A stage after an ``async_boundary()`` goes on while a stage before it is in a turn."""
    flow = Source.range(0, 3).map(int).async_boundary().map(str)
    run = world.start(flow.to(Sink.list()).fuse())
    actors = {stage.island for stage in run._scope.stages()}
    assert run.result() == ["0", "1", "2"]
    assert len(actors) == 2, f"{len(actors)} actors"
    settle(world)


def loop_in_one_actor(world):
    """A loop ends when nothing is left in it, also if all its stages share an actor."""
    loop = Feedback(8)
    halves = loop.source.merge_preferred(Source.of(3, 4)).map(lambda x: x // 2)
    flow = halves.divert_to(loop.sink, lambda x: x > 1)
    run = world.start(as_one_actor(world, flow.to(Sink.list())))
    assert sorted(run.result()) == [1, 1]
    settle(world)


SCENARIOS = [
    Scenario("one actor", one_actor),
    Scenario("one actor fails", one_actor_fails),
    Scenario("a drained row", drained_row),
    Scenario("recovered in one actor", recovered_in_one_actor),
    Scenario("apart at a boundary", apart_at_a_boundary),
    Scenario("a loop in one actor", loop_in_one_actor),
    Scenario("rows around junctions", rows_around_junctions),
    Scenario("at rest", at_rest),
    Scenario("first only", first_only),
    Scenario("exact take", exact_take),
    Scenario("failing function", failing_function),
    Scenario("resumed", resumed),
    Scenario("restarted", restarted),
    Scenario("accounted for", accounted_for),
    Scenario("free publisher", free_publisher),
    Scenario("late error", late_error),
    Scenario("asks inside of on_next", asks_inside_of_on_next),
]
