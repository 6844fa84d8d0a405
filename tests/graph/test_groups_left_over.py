# mypy: disable-error-code="no-any-return"
"""Groups that a stage had in hand when it ended are known to be wanted by nobody."""

import pytest

from actors_rs import ActorSystem, Sink, Source, merge
from tests.graph.helpers import SECONDS


def beside(groups):
    taken, passed_by = groups.broadcast(2)
    return taken.flat_map(lambda group: group).merge(passed_by.filter(lambda _: False))


IN_HAND = {
    "flat_map": lambda groups: groups.flat_map(lambda group: group, breadth=2),
    "concat_map": lambda groups: groups.batch(3).flat_map(lambda some: merge(*some)),
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
