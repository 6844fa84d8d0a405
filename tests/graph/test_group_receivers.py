# mypy: disable-error-code="no-any-return, var-annotated"
"""Each element of a group arrives or is counted, however early its receiver ends."""

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.world import World
from tests.graph.helpers import SECONDS

GIVEN = 300
FEWER = 90
"""In worlds, which run each graph in several orders: ``element_at`` needs three of a key."""
KEYS = 10
ONE_THREE = (1, 2, 3)


def both_short(group):
    one, other = group.broadcast(2)
    return one.take(2).merge(other.take(3))


RECEIVERS = {
    "take": lambda group: group.take(2),
    "take_while": lambda group: group.take_while(lambda x: x < 50),
    "first": lambda group: group.first(lambda x: x >= 20),
    "all": lambda group: group.all(lambda x: x < 50),
    "some": lambda group: group.some(lambda x: x > 50),
    "contains": lambda group: group.contains(15),
    "is_empty": lambda group: group.is_empty(),
    "zip": lambda group: group.zip(Source.of(*ONE_THREE)),
    "merge": lambda group: group.merge(Source.of(*ONE_THREE)).take(6),
    "broadcast": both_short,
    "map": lambda group: group.map(lambda x: x).take(2),
    "filter": lambda group: group.filter(lambda x: x % 2).take(2),
    "flat_map": lambda group: group.flat_map(lambda x: [x, x]).take(3),
    "batch": lambda group: group.batch(4).take(1),
    "map_async": lambda group: group.map_async(lambda x: x, 2).take(2),
    "also_to": lambda group: group.also_to(Sink.ignore()).take(2),
    "distinct": lambda group: group.distinct().take(2),
    "element_at": lambda group: group.element_at(2),
    "pairwise": lambda group: group.pairwise().take(2),
    "scan": lambda group: group.scan(0, lambda total, x: total + x).take(2),
    "skip": lambda group: group.skip(1).take(2),
    "sliding": lambda group: group.sliding(3).take(1),
    "with_index": lambda group: group.with_index().take(2),
}


def grouped(given=GIVEN):
    return Source.range(0, given).group_by(lambda n: n % KEYS, KEYS)


def balance(run, kind):
    """Elements that the groups gave, and those that receivers of ``kind`` took or did not want."""
    figures = [one for one in run.snapshot().stages if one.kind == kind and "(ended)" in one.name]
    (receiver,) = figures
    (groups,) = [one for one in run.snapshot().stages if one.kind == "group_by"]
    unwanted, dropped = receiver.details.get("unwanted", 0), groups.details["dropped"]
    return groups.inner_elements, receiver.elements_in + unwanted, dropped


def check(run, kind, given):
    gave, accounted_for, dropped = balance(run, kind)
    beside = 0
    if kind in ("zip", "merge"):  # the other side is taken or unwanted as a whole
        (other,) = [one for one in run.snapshot().stages if one.name == "of (ended)"]
        beside = other.elements_out
    assert gave + beside == accounted_for
    assert gave + dropped == given


@pytest.mark.parametrize("kind", RECEIVERS)
def test_what_receivers_of_groups_requested_and_did_not_take_is_counted(kind):
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        flow = grouped().flat_map(RECEIVERS[kind], breadth=KEYS)
        run = system.start(flow.to(Sink.ignore()))
        run.result(SECONDS)
    check(run, kind, GIVEN)


@pytest.mark.parametrize("kind", RECEIVERS)
def test_a_world_counts_it_in_each_order(kind):
    for seed in range(5):
        with World(RandomWalk(seed), window=8) as world:
            flow = grouped(FEWER).flat_map(RECEIVERS[kind], breadth=KEYS)
            run = world.start(flow.to(Sink.ignore()))
            run.result()
        check(run, kind, FEWER)


FEW = 60
EXACT = {
    "take": lambda group: group.take(3),
    "first": lambda group: group.first(),
    "element_at": lambda group: group.element_at(2),
}


@pytest.mark.parametrize("window", [1, 2, 8])
@pytest.mark.parametrize("kind", EXACT)
def test_a_receiver_that_knows_how_many_elements_it_takes_leaves_all_others_to_the_next_group(
    kind, window
):
    for seed in range(5):
        with World(RandomWalk(seed), window=window) as world:
            flow = grouped(FEW).flat_map(EXACT[kind], breadth=KEYS)
            run = world.start(flow.to(Sink.list()))
            got = run.result()
        (receiver,) = [one for one in run.snapshot().stages if one.name == f"{kind} (ended)"]
        assert "unwanted" not in receiver.details
        if kind == "take":
            assert sorted(got) == list(range(FEW))


def test_a_group_that_another_run_takes_has_its_counter_there():
    runs = []
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:

        def elsewhere(group):
            runs.append(system.start(group.take_while(lambda x: x < 50).to(Sink.list())))

        going = system.start(grouped().to(Sink.for_each(elsewhere)))
        going.result(SECONDS)
        for run in runs:
            run.result(SECONDS)
    links = [link for run in runs for link in run.snapshot().links if link.upstream == "group_by"]
    (groups,) = [one for one in going.snapshot().stages if one.kind == "group_by"]
    assert sum(link.elements + link.dropped for link in links) == groups.inner_elements
    assert groups.inner_elements + groups.details["dropped"] == GIVEN


UNFINISHED = {
    "map": lambda group: group.map(lambda x: x).take(2),
    "map_async": lambda group: group.map_async(lambda x: x, 2).take(2),
    "buffer": lambda group: group.buffer(100, "backpressure").take(2),
    "throttle": lambda group: group.throttle(1000).take(2),
    "sort_within": lambda group: group.sort_within(5).take(2),
    "scan": lambda group: group.scan(0, lambda total, x: x).take(2),
    "conflate": lambda group: group.conflate(int, max).throttle(1).take(1),
    "debounce": lambda group: group.debounce(1000.0).merge(Source.of(1)).take(1),
    "flat_map": lambda group: group.flat_map(lambda x: Source.of(x)).take(2),
}


def took_and_gave(run, kind):
    """Elements that receivers of ``kind`` took, and those whose whereabouts they tell."""
    (receiver,) = [one for one in run.snapshot().stages if one.name == f"{kind} (ended)"]
    details = receiver.details
    passed_over = details.get("dropped", 0) + details.get("conflated", 0)
    undelivered = details.get("undelivered", 0)
    return receiver.elements_in, receiver.elements_out + passed_over + undelivered


@pytest.mark.parametrize("kind", UNFINISHED)
def test_what_is_in_hand_when_its_receiver_leaves_is_counted_in_each_order(kind):
    for seed in range(5):
        with World(RandomWalk(seed), window=8) as world:
            flow = grouped(FEWER).flat_map(UNFINISHED[kind], breadth=KEYS)
            run = world.start(flow.to(Sink.ignore()))
            run.result()
        took, accounted_for = took_and_gave(run, kind)
        assert took == accounted_for


@pytest.mark.parametrize("kind", UNFINISHED)
def test_threads_count_what_is_in_hand_as_well(kind):
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        flow = grouped().flat_map(UNFINISHED[kind], breadth=KEYS)
        run = system.start(flow.to(Sink.ignore()))
        run.result(SECONDS)
    took, accounted_for = took_and_gave(run, kind)
    assert took == accounted_for
