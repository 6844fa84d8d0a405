# mypy: disable-error-code="var-annotated, arg-type, return-value, comparison-overlap"
"""Streams of streams: nothing leaks, hangs or is lost."""

from collections import Counter

from actors_rs import Sink, Source, amb, concat, merge
from tests.explored.scenario import Case, Scenario, Sources, part_of, settle, steady

PAIRS = [[(x, y) for y in range(2)] for x in range(3)]
FLAT = [pair for pairs in PAIRS for pair in pairs]
GROUPS = [[0, 3, 6], [1, 4, 7], [2, 5, 8]]


def pairs_of(up):
    return lambda x: up([(x, 0), (x, 1)]).map(lambda pair: pair)


def grouped(up, most=3, *more, breadth=3):
    groups = up(range(9)).group_by(lambda x: x % 3, most, *more)
    return groups.flat_map(lambda group: group.map(int), breadth=breadth)


CASES = {
    "flat_map": Case(lambda up: up(range(3)).flat_map(pairs_of(up)), FLAT),
    "flat_map within": Case(lambda up: up(range(3)).flat_map(lambda x: up([(x, 0), (x, 1)])), FLAT),
    "breadth": Case(
        lambda up: up(range(3)).flat_map(pairs_of(up), breadth=2),
        steady(*PAIRS),
        part_of(*PAIRS),
        windows=(4, 2),
        size=6,
    ),
    "flat_map of async generators": Case(
        lambda up: up(range(3)).flat_map(lambda x: up.async_elements([(x, 0), (x, 1)])), FLAT
    ),
    "breadth of async generators": Case(
        lambda up: up(range(3)).flat_map(lambda x: up.async_elements([(x, 0), (x, 1)]), breadth=2),
        steady(*PAIRS),
        part_of(*PAIRS),
        windows=(4, 2),
        size=6,
    ),
    "concat lazy": Case(
        lambda up: concat(up(range(3)), up(range(3, 6)).map(int)),
        range(6),
        ways=("result", "free", "cancel", "drain"),
    ),
    "switch_map": Case(
        lambda up: up(range(3)).switch_map(pairs_of(up)),
        lambda got: got[-2:] == PAIRS[2] and part_of(*PAIRS)(got) and got == sorted(got),
        lambda got: got == sorted(got) and len(set(got)) == len(got),
        windows=(4, 2),
        ways=("result", "free", "cancel", "drain"),
    ),
    "amb": Case(
        lambda up: amb(up(range(3)).map(int), up(range(10, 13)).map(int)),
        lambda got: got in ([0, 1, 2], [10, 11, 12]),
        lambda got: got in ([0, 1, 2][: len(got)], [10, 11, 12][: len(got)]),
        ways=("result", "free", "cancel", "drain"),
    ),
    "catch": Case(
        lambda up: up(range(4)).map(lambda x: 2 // (2 - x)).catch(lambda _: up([7, 8]).map(int)),
        [1, 2, 7, 8],
        ways=("result", "free", "exact", "drain"),
    ),
    "if_empty": Case(
        lambda up: up([]).if_empty(up(range(4)).map(int)),
        range(4),
        ways=("result", "free", "exact", "cancel", "drain"),
    ),
    "if_empty of elements": Case(
        lambda up: up(range(4)).if_empty(up([7]).map(int)),
        range(4),
        lambda got: got in ([0, 1, 2, 3][: len(got)], [7]),
    ),
    "group_by": Case(grouped, steady(*GROUPS), part_of(*GROUPS), windows=(4, 2), size=9),
    "group_by beyond the window": Case(
        lambda up: (
            up(range(12))
            .group_by(lambda x: x % 6, 6)
            .flat_map(lambda group: group.map(int), breadth=6)
        ),
        steady(*([x, x + 6] for x in range(6))),
        part_of(*([x, x + 6] for x in range(6))),
        windows=(4, 2),
        ways=("result", "free", "cancel", "drain"),
    ),
    "group_by of many that leave": Case(
        lambda up: (
            up(range(18))
            .group_by(lambda x: x // 3, 8, closed="drop")
            .flat_map(lambda group: group.take(1).with_attributes(window=1), breadth=2)
        ),
        lambda got: sorted(got) == list(range(0, 18, 3)),
        lambda got: len(set(got)) == len(got),
        windows=(4,),
        ways=("result", "free", "cancel"),
    ),
    "group_by that wait": Case(
        lambda up: (
            up([0, 0, 1, 1, 1, 2, 2, 2])
            .group_by(lambda x: x, 1, closed="drop")
            .flat_map(lambda group: group.take(1 + group.key), breadth=3)
        ),
        lambda got: sorted(got) == [0, 1, 1, 2, 2, 2],
        lambda got: Counter(got) <= Counter([0, 1, 1, 2, 2, 2]),
        windows=(8,),
        ways=("result", "free", "cancel"),
    ),
    "group_by evicting": Case(
        lambda up: grouped(up, 1, "evict_idle", breadth=9),
        lambda got: sorted(got) == list(range(9)),
        lambda got: len(set(got)) == len(got),
        windows=(4, 2),
        ways=("result", "free", "cancel"),
    ),
    "group_by of groups that leave": Case(
        lambda up: (
            up(range(9))
            .group_by(lambda x: x % 3, 3, closed="drop")
            .flat_map(lambda group: group.map(int).take(1 + group.key), breadth=3)
        ),
        steady([0], [1, 4], [2, 5, 8]),
        part_of([0], [1, 4], [2, 5, 8]),
        windows=(4, 2),
        ways=("result", "free", "cancel"),
    ),
}


def no_more_than_breadth(world):
    inner = Sources()
    flow = Source.range(0, 5).flat_map(lambda x: inner([x, x]).map(int), breadth=2)
    assert sorted(world.start(flow.to(Sink.list())).result()) == sorted([*range(5)] * 2)
    assert inner.most <= 2, f"{inner.most} inner streams at a time"
    settle(world)
    inner.check()


def inner_streams_are_left(world):
    """Leaving ends inner streams that would go on for long."""
    inner = Sources()
    flow = Source.of(0, 1000).map(int).flat_map(lambda x: inner(range(300)).map(int), breadth=2)
    assert len(world.start(flow.take(5).to(Sink.list())).result()) == 5
    settle(world)
    inner.check()


def inner_streams_are_drained(world):
    """Inner streams that start while their run drains begin drained."""
    early, late, drained = Sources(), Sources(), []

    def f(x):
        return (late if drained else early)(range(3)).map(int)

    def drain():
        run.drain()
        drained.append(True)

    run = world.start(Source.range(0, 6).map(int).flat_map(f, breadth=2).to(Sink.count()))
    world.soon("drain", drain)
    run.result()
    assert not late.begun, f"{late.begun} streams began when the run was draining"
    settle(world)
    early.check()


def switched_off(world):
    """The stream of an older element ends, although nobody takes from it any more."""
    inner = Sources()

    def f(x):
        return inner(range(300)).map(int) if x == 0 else inner([x]).map(int)

    flow = Source.of(0).append(Source.timer(1.0).map(lambda _: 5000)).switch_map(f)
    got = world.start(flow.throttle(1, 0.3, burst=1).to(Sink.list())).result()
    assert got[-1] == 5000, got
    settle(world)
    inner.check()


def an_error_meets_a_cancellation(world):
    """A stream that fails behind the beginning of the next one is no failure of the run."""
    log = []

    def fail(x):
        log.append("fails")
        raise KeyError(x)

    def f(x):
        log.append(f"stream {x}")
        return Source.of(1).map(fail).map(int).map(int) if x == 0 else Source.of(7)

    run = world.start(Source.of(0).append(Source.of(1)).switch_map(f).to(Sink.list()))
    run.wait()
    if log[-2:] == ["stream 1", "fails"]:
        assert run.result() == [7]
    settle(world)


def late_failures_are_forgiven(world):
    """A stream that fails behind its cancellation is no failure of the run."""

    happened = []

    def fail(_):
        happened.append("failed")
        raise OSError("too late")

    def f(x):
        happened.append(x)
        return Source.of(1).map(int).map(fail) if x == 0 else Source.of(7).map(int)

    run = world.start(Source.of(0).append(Source.of(1).map(int)).switch_map(f).to(Sink.list()))
    run.wait()
    if 1 in happened:  # else the failure was heard before there was a newer stream
        assert run.result() == [7]
    settle(world)


def caught_again_and_again(world):
    """A stream that fails each time is begun so often and no more."""
    tries = []

    def broken(x):
        tries.append(x)
        raise OSError("no")

    flow = Source.failed(KeyError(1)).recover_with(lambda _: Source.of(1).map(broken), attempts=3)
    run = world.start(flow.to(Sink.list()))
    run.wait()
    assert run.state == "failed"
    assert len(tries) == 3, f"{len(tries)} attempts"
    settle(world)


def wanted_no_more(world):
    """What is recovered from may fail when there is enough of it: nobody minds."""
    stream = Source.range(0, 3).append(Source.failed(KeyError("late"))).map(int)
    which = world.pick("recovery", (0, 1, 2, 3))
    flow = (
        stream.recover(lambda error: 8),
        stream.catch(lambda error: [8]),
        stream.recover_with(stream, attempts=2),
        Source.failed(OSError("first")).recover_with(stream, attempts=2),
    )[which]
    assert world.start(flow.take(1).to(Sink.list())).result() == [0]
    settle(world)


def failures_beside_a_recovery(world):
    """What failed together with that which was recovered from is no failure of the run."""

    def down(x):
        raise OSError("down")

    def broken(x):
        return Source.of(x).map(down).map(int)

    def given_up(error):
        raise KeyError("given up")

    merged = merge(broken(1), broken(2), Source.range(0, 9).map(down)).map(int)
    inner = Source.range(0, 9).flat_map(broken, breadth=3)
    within = Source.range(0, 9).flat_map(lambda x: Source.of(x).map(down), breadth=3)
    lately = Source.from_iterable(lambda: (1 // n for n in (1, 0))).map(down)
    again = inner.recover(given_up)
    for flow in (merged, inner, within, lately, again):
        for mended in (
            flow.recover(lambda error: "ok"),
            flow.catch(lambda error: ["ok"]),
            flow.recover_with(lambda error: ["ok"]),
        ):
            assert world.start(mended.to(Sink.last())).result() == "ok"
    settle(world)


def every_two_seconds(keys):
    return Source.of(*keys).flat_map(lambda key: Source.timer(2.0).map(lambda _: key))


def idle_groups_make_room(world):
    """Keys that wait get a group when the one before was idle, one after the other."""
    keys = Source.of("a", "b", "c").append(Source.never())
    groups = keys.group_by(lambda key: key, 1, idle_timeout=5.0)
    flow = groups.flat_map(lambda group: group.batch(9), breadth=2).take(3)
    assert world.start(flow.to(Sink.list())).result() == [["a"], ["b"], ["c"]]
    assert abs(world.now - 15.0) < 1e-3, f"it took {world.now} s"
    settle(world)


def idle_groups_end_in_time(world):
    """A group ends when its time is up, although an older one holds elements for long."""
    used, ended = {}, {}

    def key(x):
        used[x] = world.now
        return x

    def run(group):
        if group.key == "slow":
            return group.throttle(1, per=100.0, burst=1).with_attributes(window=1)
        return group.on_termination(lambda _: ended.setdefault(group.key, world.now))

    late = Source.timer(3.0).map(lambda _: "late")
    keys = Source.of(*["slow"] * 5, "early").append(late, Source.never())
    groups = keys.group_by(key, 9, idle_timeout=5.0)
    going = world.start(groups.flat_map(run, breadth=9).to(Sink.list()))
    world.sleep(20.0)
    idle = {x: ended[x] - used[x] for x in ("early", "late")}
    assert idle == {"early": 5.0, "late": 5.0}, idle
    going.cancel()
    going.wait()
    settle(world)


def diverted_again_and_again(world):
    """No group is idle while it gets elements, the extra one as little as any other."""
    idle = []

    def run(group):
        used = []

        def note(x):
            used.append(world.now)
            return x

        return group.map(note).on_termination(lambda _: idle.append(world.now - used[-1]))

    keys = every_two_seconds(["a", "x", "a", "y", "a", "z", "a", "x"]).append(Source.never())
    groups = keys.group_by(lambda key: key, 1, "divert", idle_timeout=5.0)
    going = world.start(groups.flat_map(run, breadth=9).to(Sink.list()))
    world.sleep(40.0)
    assert len(idle) >= 2
    assert all(seconds >= 5.0 for seconds in idle), idle
    going.cancel()
    going.wait()
    settle(world)


def the_extra_group_is_left(world):
    """Whoever has enough of the extra group makes no room by that."""
    opened = []

    def run(group):
        opened.append(group.is_overflow)
        return group.take(1) if group.is_overflow else group

    groups = every_two_seconds("abcdcb").group_by(lambda key: key, 1, "divert", closed="drop")
    got = world.start(groups.flat_map(run, breadth=9).to(Sink.list())).result()
    assert (got, opened) == (["a", "b"], [False, True]), (got, opened)
    settle(world)


SCENARIOS = [
    Scenario("no more than breadth", no_more_than_breadth),
    Scenario("inner streams are left", inner_streams_are_left, (4, 2)),
    Scenario("inner streams are drained", inner_streams_are_drained, (4, 2)),
    Scenario("switched off", switched_off, (4,)),
    Scenario("late failures are forgiven", late_failures_are_forgiven),
    Scenario("an error meets a cancellation", an_error_meets_a_cancellation),
    Scenario("caught again and again", caught_again_and_again),
    Scenario("failures beside a recovery", failures_beside_a_recovery, (4, 2)),
    Scenario("wanted no more", wanted_no_more, (4, 2)),
    Scenario("idle groups make room", idle_groups_make_room, (4,)),
    Scenario("idle groups end in time", idle_groups_end_in_time, (8,)),
    Scenario("diverted again and again", diverted_again_and_again, (4, 2)),
    Scenario("the extra group is left", the_extra_group_is_left, (4, 2)),
]
