# mypy: disable-error-code="var-annotated, arg-type, misc, func-returns-value, call-overload"
"""Aggregation over windows of event time and of the clock, of one stream and of several."""

from actors_rs import Sink, Source
from tests.explored.scenario import Case, Scenario, settle


def appended(values, element):
    return [*values, element]


def same(element):
    return element


def windows(flow, **options):
    """Pairs of a window's start and its elements, by the elements themselves as times."""
    options = {"event_time": same, **options}
    flow = flow.aggregate_by(lambda _: "k", list, appended, **options)
    return flow.map(lambda one: (one.start, sorted(one.value)))


def all_of(got):
    return [element for _, elements in got for element in elements]


CASES = {
    "aggregate_by": Case(
        lambda up: up(range(9)).aggregate_by(lambda n: n % 3, 0, lambda a, b: a + b),
        [(0, 9), (1, 12), (2, 15)],
        lambda got: len(got) <= 3,
    ),
    "aggregate_by, emitting the oldest": Case(
        lambda up: up([0, 1, 0, 2, 0]).aggregate_by(
            same, 0, lambda n, _: n + 1, max_keys=2, on_overflow="emit_oldest"
        ),
        [(0, 2), (1, 1), (2, 1), (0, 1)],
        lambda got: sum(n for _, n in got) <= 5,
    ),
    "fixed windows": Case(
        lambda up: windows(up([1, 3, 12, 11, 25]), every=10),
        [(0, [1, 3]), (10, [11, 12]), (20, [25])],
        lambda got: got == sorted(got),
    ),
    "sliding windows": Case(
        lambda up: windows(up([1, 6, 12]), sliding=(10, 5)),
        [(-5, [1]), (0, [1, 6]), (5, [6, 12]), (10, [12])],
        lambda got: got == sorted(got),
    ),
    "sessions": Case(
        lambda up: windows(up([1, 15, 30, 22, 9, 35, 60]), session=10, lateness=50),
        [(1, [1, 9, 15, 22, 30, 35]), (60, [60])],
        lambda got: got == sorted(got),
    ),
    "join": Case(
        lambda up: up([1, 4, 12, 20]).join(
            up([2, 5, 13, 40]), key=lambda n: n % 2, within=4, event_time=same
        ),
        lambda got: sorted(got) == [(1, 5), (4, 2)],
        lambda got: set(got) <= {(1, 5), (4, 2)} and len(set(got)) == len(got),
    ),
    "windows of two streams": Case(
        lambda up: windows(up([1, 12, 33]), every=10, merged_with=[up([2, 4, 26])]),
        [(0, [1, 2, 4]), (10, [12]), (20, [26]), (30, [33])],
        lambda got: got == sorted(got),
    ),
}


def none_is_lost(world):
    """Each element is in its window or, late, at the sink for those; no result comes twice."""
    times = [5, 1, 14, 3, 12, 27, 8, 25]
    late = []
    flow = windows(
        Source.of(*times),
        every=10,
        lateness=world.pick("lateness", (0, 5)),
        late=Sink.for_each(late.append),
    )
    got = world.start(flow.to(Sink.list())).result()
    assert [start for start, _ in got] == [0, 10, 20], got
    assert sorted([*all_of(got), *late]) == sorted(times), (got, late)
    assert 8 in late, late
    settle(world)


def by_the_clock(world):
    """Windows by the clock come in order, before the end of the stream, and hold each element."""
    kind = world.pick("kind", ({"every": 2.0}, {"session": 0.5}, {"sliding": (2.0, 2.0)}))
    elements = Source.range(0, 6).throttle(1, per=1.0)
    seen = []
    flow = windows(elements, event_time=None, **kind)
    world.start(flow.to(Sink.for_each(lambda one: seen.append((*one, world.now))))).result()
    assert sorted(all_of([one[:2] for one in seen])) == list(range(6)), seen
    starts = [start for start, *_ in seen]
    assert starts == sorted(set(starts)), seen
    assert len(seen) > 1, seen
    settle(world)


def cancelled_by_the_clock(world):
    """Windows that are open when a run is cancelled leave no timer."""
    flow = windows(Source.of(1, 2).append(Source.never()), event_time=None, every=600.0)
    run = world.start(flow.to(Sink.list()))
    world.soon("cancel", run.cancel)
    run.wait()
    assert run.state == "cancelled", run.state
    settle(world)


def an_idle_stream(world):
    """A stream that gives nothing for long holds no window open."""
    busy = Source.of(1, 11, 21, 31).throttle(1, per=40.0)
    flow = windows(busy, every=10, merged_with=[Source.never()], idle_after=30.0)
    seen = []
    run = world.start(flow.to(Sink.for_each(seen.append)))
    world.sleep(400)
    assert [start for start, _ in seen][:2] == [0, 10], seen
    run.cancel()
    run.wait()
    settle(world)


def joined_in_little_room(world):
    """A stream that is ahead is held up, so few elements wait, and no pair is missed."""
    left, right = Source.range(0, 12), Source.range(0, 12)
    flow = left.join(right, key=lambda _: 0, within=1, event_time=same, max_held=8)
    run = world.start(flow.to(Sink.list()))
    expected = [(a, b) for a in range(12) for b in range(12) if abs(a - b) <= 1]
    assert sorted(run.result()) == expected
    settle(world)


SCENARIOS = [
    Scenario("joined in little room", joined_in_little_room),
    Scenario("none is lost", none_is_lost),
    Scenario("by the clock", by_the_clock),
    Scenario("cancelled by the clock", cancelled_by_the_clock),
    Scenario("an idle stream", an_idle_stream),
]
