# mypy: disable-error-code="var-annotated, arg-type, func-returns-value"
"""Several streams into one, one into several."""

from itertools import pairwise

from actors_rs import Flow, Graph, Sink, Source, concat, merge
from actors_rs import zip as zip_
from actors_rs.errors import StageError, Stalled
from actors_rs.language.feedback import Feedback
from tests.explored.by_hand import ByHand
from tests.explored.scenario import (
    INEXACT,
    Case,
    Scenario,
    Sources,
    failure_of,
    part_of,
    settle,
    steady,
)

LOW, HIGH = range(4), range(10, 14)


def joined(flows):
    return merge(*flows)


def numbered(flows):
    """Each branch's elements with its number."""
    return merge(*(flow.map(lambda x, n=n: (n, x)) for n, flow in enumerate(flows)))


def one_leaves(up):
    one, other = up(range(6)).broadcast(2)
    return merge(one.map(int).take(2), other.map(lambda x: -1 - x))


def diamond(up):
    one, other = up(range(6)).broadcast(2)
    return merge(one.filter(lambda x: x % 2).map(str), other)


def one_new_in_each(got):
    """Of two rows one behind the other, one has the next element of one stream."""
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(got)]
    return set(steps) <= {(0, 1), (1, 0)}


def each_of(branches, elements):
    return [[(n, x) for x in elements] for n in range(branches)]


CASES = {
    "merge": Case(lambda up: merge(up(LOW), up(HIGH)), steady(LOW, HIGH), part_of(LOW, HIGH)),
    "merge_preferred": Case(
        lambda up: up(LOW).merge_preferred(up(HIGH).map(int)),
        steady(LOW, HIGH),
        part_of(LOW, HIGH),
    ),
    "zip": Case(
        lambda up: zip_(up(range(4)), up(range(10, 14)).map(int)),
        [(0, 10), (1, 11), (2, 12), (3, 13)],
    ),
    "zip of unequal ones": Case(
        lambda up: zip_(up(range(3)), up(range(10, 19)).map(int)),
        [(0, 10), (1, 11), (2, 12)],
        ways=("result", "free", "cancel", "drain"),
    ),
    "combine_latest": Case(
        lambda up: up(range(3)).combine_latest(up(range(10, 13)).map(int)),
        lambda got: got[-1] == (2, 12) and len(got) == 5 and sorted(got) == got,
        lambda got: sorted(got) == got,
        size=5,
    ),
    "zip_latest": Case(
        lambda up: up(range(3)).zip_latest(up(range(10, 13)).map(int)),
        one_new_in_each,
        one_new_in_each,
        ways=("result", "free", "cancel", "drain"),
    ),
    "interleave": Case(
        lambda up: up(range(4)).interleave(up(range(10, 13)).map(int), 2),
        [0, 1, 10, 11, 2, 3, 12],
        ways=("result", "free", "exact", "cancel", "fail"),
    ),
    "interleave drained": Case(
        lambda up: up(range(4)).interleave(up(range(10, 13)).map(int), 2),
        [0, 1, 10, 11, 2, 3, 12],
        part_of(range(4), range(10, 13)),
        ways=("drain",),
    ),
    "merge_sorted": Case(
        lambda up: up([0, 1, 5, 6]).merge_sorted(up([2, 3, 4, 7]).map(int)),
        range(8),
        ways=("result", "free", "exact", "cancel", "fail"),
    ),
    "merge_sorted drained": Case(
        lambda up: up([0, 1, 5, 6]).merge_sorted(up([2, 3, 4, 7]).map(int)),
        range(8),
        lambda got: got == sorted(got) and part_of([0, 1, 5, 6], [2, 3, 4, 7])(got),
        ways=("drain",),
    ),
    "concat": Case(lambda up: concat(up(LOW), up(HIGH).map(int)), [*LOW, *HIGH]),
    "broadcast": Case(
        lambda up: numbered(up(LOW).broadcast(2)),
        steady(*each_of(2, LOW)),
        part_of(*each_of(2, LOW)),
    ),
    "broadcast to one that leaves": Case(
        one_leaves,
        steady([0, 1], [-1, -2, -3, -4, -5, -6]),
        part_of([0, 1], [-1, -2, -3, -4, -5, -6]),
    ),
    "balance": Case(
        lambda up: joined(
            flow.map(lambda x: x).with_attributes(window=n)
            for n, flow in enumerate(up(range(9)).balance(3), 1)
        ),
        lambda got: sorted(got) == list(range(9)),
        lambda got: len(set(got)) == len(got),
    ),
    "partition": Case(
        lambda up: numbered(up(range(8)).partition(2, lambda x: x // 2 % 2)),
        steady([(0, 0), (0, 1), (0, 4), (0, 5)], [(1, 2), (1, 3), (1, 6), (1, 7)]),
        part_of([(0, 0), (0, 1), (0, 4), (0, 5)], [(1, 2), (1, 3), (1, 6), (1, 7)]),
    ),
    "unzip": Case(
        lambda up: zip_(*up([(x, -x) for x in range(4)]).unzip()), [(x, -x) for x in range(4)]
    ),
    "diamond": Case(
        diamond,
        steady(["1", "3", "5"], range(6)),
        part_of(["1", "3", "5"], range(6)),
    ),
    "sink and source": Case(
        lambda up: up(range(4)).via(Flow.from_sink_and_source(Sink.count(), up(range(5, 9)))),
        range(5, 9),
    ),
    "also_to": Case(lambda up: up(range(5)).also_to(Sink.count()), range(5), ways=INEXACT),
    "divert_to": Case(lambda up: up(range(6)).divert_to(Sink.count(), lambda x: x % 2), [0, 2, 4]),
    "divert_to and leave": Case(
        lambda up: (
            up(range(6)).append(Source.never()).divert_to(Sink.count(), lambda x: x % 2).take(2)
        ),
        [0, 2],
        ways=("result", "free", "exact", "cancel"),
    ),
    "also_to and leave": Case(
        lambda up: up(range(6)).append(Source.never()).also_to(Sink.count()).take(2),
        [0, 1],
        ways=("result", "free", "exact", "cancel"),
    ),
    "wire_tap": Case(lambda up: up(range(6)).wire_tap(Sink.list()), range(6), ways=INEXACT),
}


def merge_fails_behind_its_elements(world):
    """What an input gave before it failed is delivered, however much of it waits."""
    sources, seen = Sources(), []
    failing = sources(range(6)).map(lambda x: 6 // (4 - x))
    flow = merge(Source.never(), failing).map(int)
    failure = failure_of(world.start(flow.to(Sink.for_each(seen.append))))
    assert isinstance(failure, StageError), repr(failure)
    assert isinstance(failure.__cause__, ZeroDivisionError), repr(failure.__cause__)
    assert seen == [1, 2, 3, 6], seen
    settle(world)


def the_preferred_first(world):
    """As long as the first input has elements ready, none of another one is given."""
    flow = Source.range(0, 4).map(int).merge_preferred(Source.range(10, 4).map(int))
    asker = ByHand(world, flow)
    for _ in range(8):
        asker.ask(1)  # by then all that was asked of the inputs has come
    first, *others = asker.elements
    assert others == sorted(others), asker.elements
    assert first in (0, 10), asker.elements
    settle(world)


def zip_latest_ends_with_the_first(world):
    """It ends with the first of its inputs, although the other goes on."""
    endless = Source.of(10).append(Source.never())
    flow = Source.of(10).append(Source.range(0, 3).map(int)).zip_latest(endless)
    got = world.start(flow.to(Sink.list())).result()
    assert got == [(10, 10), (0, 10), (1, 10), (2, 10)], got
    settle(world)


def concat_fails_with_the_first(world):
    flow = concat(Source.range(0, 3).map(lambda x: 2 // (2 - x)), Source.of(7))
    seen = []
    failure = failure_of(world.start(flow.to(Sink.for_each(seen.append))))
    assert isinstance(failure, StageError), repr(failure)
    assert seen == [1, 2], seen
    settle(world)


def a_branch_that_asks_late(world):
    """One outlet of the partition is not asked for long; the other one does not wait for it."""
    first, second = Source.of(0, 2, 4, 6).append(Source.of(1, 3)).partition(2, lambda x: x % 2)
    seen = []
    late = second.prepend(Source.timer(5.0).map(lambda _: -1))
    graph = Graph(
        first.to(Sink.for_each(lambda x: seen.append((x, world.now)))), late.to(Sink.list())
    )
    assert world.start(graph).result()[1] == [-1, 1, 3]
    assert seen == [(x, 0.0) for x in (0, 2, 4, 6)], seen
    settle(world)


def a_failing_branch(world):
    """The failure of one branch ends the other, although that goes on for ever."""
    sources = Sources()
    one, other = sources([*range(3), *[9] * 5]).append(Source.never()).broadcast(2)
    graph = Graph(one.map(lambda x: 1 // (2 - x)).to(Sink.list()), other.to(Sink.ignore()))
    failure = failure_of(world.start(graph))
    assert isinstance(failure, StageError), repr(failure)
    assert isinstance(failure.__cause__, ZeroDivisionError), repr(failure)
    settle(world)
    sources.check()


def collatz(x):
    return x // 2 if x % 2 == 0 else 3 * x + 1


def loop(world):
    """Each number goes round until it has come to 1."""
    back = Feedback(8)
    numbers = Source.of(3, 1, 6, 2).map(lambda x: (x, x))
    flow = back.source.merge_preferred(numbers).map(lambda pair: (pair[0], collatz(pair[1])))
    ended = flow.divert_to(back.sink, lambda pair: pair[1] > 1)
    got = world.start(ended.to(Sink.list())).result()
    assert sorted(x for x, _ in got) == [1, 2, 3, 6], got
    settle(world)


def slow_loop(world):
    """A stage of the loop keeps what comes round for longer than the loop is looked at."""
    back = Feedback(8)
    numbers = Source.of(3, 6).map(int)
    flow = back.source.merge_preferred(numbers).map(collatz).delay(0.05)
    got = world.start(flow.divert_to(back.sink, lambda x: x > 1).to(Sink.count())).result()
    assert got == 2, got
    settle(world)


def watched_loop(world):
    """Whoever looks whether all stands still looks between any two steps of a loop that ends."""
    back = Feedback(8)
    flow = back.source.merge_preferred(Source.of(3, 6).map(int)).map(collatz)
    ended = flow.divert_to(back.sink, lambda x: x > 1).to(Sink.count())
    got = world.start(ended.watched(world.pick("seconds", (0.02, 0.001)))).result()
    assert got == 2, got
    settle(world)


def flooded_loop():
    """More comes of each element that comes round than there is room for."""
    back = Feedback(8)
    flow = back.source.merge_preferred(Source.range(1, 3)).flat_map(lambda x: [x] * 3)
    round_, out = flow.broadcast(2)
    return Graph(round_.to(back.sink), out.to(Sink.ignore()))


def loop_run_dry():
    """Nothing more goes in before something has come round, and nothing is left to come round."""
    back = Feedback(4)
    pairs = back.source.start_with(0).zip(Source.range(0, 100))
    round_, out = pairs.map(max).filter(lambda x: x < 0).broadcast(2)
    return Graph(round_.to(back.sink), out.to(Sink.list()))


def loop_that_cannot_turn(world):
    graph = world.pick("loop", (flooded_loop, loop_run_dry))()
    failure = failure_of(world.start(graph.watched(0.1)))
    assert isinstance(failure, Stalled), repr(failure)
    assert "wait for each other" in str(failure), str(failure)
    settle(world)


def cancelled_loop(world):
    """One branch leads into no sink, so no cancellation of the other one's ends the loop."""
    back, seen = Feedback(8), []
    flow = back.source.merge_preferred(Source.of(1).append(Source.never()))
    round_, out = flow.filter(lambda x: x < 9).map(lambda x: x + 1).broadcast(2)
    graph = Graph(round_.to(back.sink), out.to(Sink.for_each(seen.append)))
    run = world.start(graph)
    world.soon("cancel", run.cancel)
    run.wait()
    assert run.state == "cancelled", run.state
    assert seen == list(range(2, 2 + len(seen))), seen
    settle(world)


def a_side_that_waits_for_the_other(world):
    """A zip asks one branch for more than the other one, which it does not ask, may run behind."""
    sources = Sources()
    one, other = sources(range(900)).broadcast(2)
    graph = one.zip(other.skip(90).named("late")).to(Sink.list())
    failure = failure_of(world.start(graph.watched(0.1)))
    assert isinstance(failure, Stalled), repr(failure)
    assert "'broadcast', 'late', 'zip' wait for each other" in str(failure), str(failure)
    settle(world)
    sources.check()


def wire_tap_counts(world):
    seen = []
    flow = Source.range(0, 12).wire_tap(Sink.for_each(seen.append).with_attributes(window=1))
    run = world.start(flow.to(Sink.list()))
    assert run.result() == list(range(12))
    tap = next(stage for stage in run._scope.stages() if stage.kind == "wire_tap")
    dropped = tap.logic.details()["dropped"]
    assert len(seen) + dropped == 12, f"{len(seen)} were seen, {dropped} dropped"
    settle(world)


SCENARIOS = [
    Scenario("merge fails behind its elements", merge_fails_behind_its_elements),
    Scenario("the preferred first", the_preferred_first),
    Scenario("zip_latest ends with the first", zip_latest_ends_with_the_first),
    Scenario("concat fails with the first", concat_fails_with_the_first),
    Scenario("a branch that asks late", a_branch_that_asks_late),
    Scenario("a failing branch", a_failing_branch),
    Scenario("loop", loop, (16,)),
    Scenario("slow loop", slow_loop, (16,)),
    Scenario("watched loop", watched_loop, (16,)),
    Scenario("loop that cannot turn", loop_that_cannot_turn, (16,)),
    Scenario("cancelled loop", cancelled_loop, (16,)),
    Scenario("a side that waits for the other", a_side_that_waits_for_the_other),
    Scenario("wire_tap counts", wire_tap_counts, (2, 1)),
]
