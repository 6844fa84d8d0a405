# mypy: disable-error-code="no-any-return, var-annotated"
"""Groups that a stage had in hand when it ended are known to be wanted by nobody."""

import pytest

from actors_rs import ActorSystem, Sink, Source, merge
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.world import World
from tests.graph.helpers import SECONDS


def beside(groups):
    taken, passed_by = groups.broadcast(2)
    return taken.flat_map(lambda group: group).merge(passed_by.filter(lambda _: False))


IN_HAND = {
    "flat_map": lambda groups: groups.flat_map(lambda group: group, breadth=2),
    "concat_map": lambda groups: groups.batch(3).flat_map(lambda some: merge(*some)),
    "half a batch": lambda groups: groups.batch(4).flat_map(lambda some: merge(*some)),
    "behind map": lambda groups: groups.map(lambda g: g).flat_map(lambda g: g, breadth=2),
    "map_async": lambda groups: groups.map_async(lambda g: g, 4).flat_map(lambda g: g, breadth=2),
    "lists": lambda groups: (
        groups.batch(6)
        .flat_map(lambda some: some)
        .with_attributes(window=1)
        .flat_map(lambda group: group)
        .with_attributes(window=1)
    ),
    "fused": lambda groups: (
        groups.map(lambda g: g).filter(lambda _: True).fuse().flat_map(lambda g: g, breadth=2)
    ),
    "broadcast": beside,
}


@pytest.mark.parametrize("way", IN_HAND)
def test_groups_in_the_hand_of_a_stage_that_has_ended_are_dropped_at_once(way):
    groups = Source.of(*range(6)).group_by(lambda n: n, 6, stall_after=None)
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        run = system.start(IN_HAND[way](groups).to(Sink.first()))
        assert run.result(SECONDS) in range(6)


@pytest.mark.parametrize("way", IN_HAND)
def test_a_world_sees_that_as_soon_as_threads_do(way):
    groups = Source.of(*range(6)).group_by(lambda n: n, 6, stall_after=None)
    for seed in range(10):
        with World(RandomWalk(seed), window=8) as world:
            assert world.start(IN_HAND[way](groups).to(Sink.first())).result() in range(6)
        assert world.now == 0


def test_a_group_by_behind_another_one_ends_at_once_in_a_world():
    def grouped(flow, count):
        return flow.group_by(lambda n: n % count, count).flat_map(lambda g: g, breadth=count)

    numbers = grouped(Source.of(39, 14, 32, 28, 23), 7).flat_map(lambda n: range(n, n + 2))
    with World(window=1) as world:
        assert world.start(grouped(numbers, 2).to(Sink.first())).result() == 39
    assert world.now == 0
    assert not world.system.dead_letters.recent()


def test_in_a_world_too_a_group_that_somebody_keeps_can_be_run_later():
    kept = []
    groups = Source.of(*range(6)).group_by(lambda n: n % 2, 2, stall_after=None)
    with World(window=8) as world:
        run = world.start(groups.take(2).to(Sink.for_each(kept.append)))
        world.sleep(20)
        assert not run.done()
        kept.pop()
        assert world.start(kept.pop().to(Sink.list())).result() == [0, 2, 4]
