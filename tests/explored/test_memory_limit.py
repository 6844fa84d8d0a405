# mypy: disable-error-code="no-untyped-def, func-returns-value"
"""Graphs of any shape go on in every world under a limit that is less than one element."""

import pytest

from actors_rs import Feedback, Sink, Source
from actors_rs.runtime.memory_budget import MemoryBudget
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.world import World

RUNS = 40


def numbers(count=12):
    return Source.range(0, count).map(lambda x: x)


def diamond():
    one, other = numbers().broadcast(2)
    return one.map(abs).zip(other.map(abs))


def grouped():
    groups = numbers().group_by(lambda x: x % 3, 3)
    return groups.flat_map(lambda group: group.map(abs), breadth=3)


def looped():
    loop = Feedback[int](buffer=8)
    merged = loop.source.merge_preferred(numbers()).map(lambda x: x // 2)
    return merged.divert_to(loop.sink, when=lambda x: x > 0)


SHAPES = {
    "chain": (lambda: numbers().map(abs).filter(lambda x: x % 2), 6),
    "broadcast": (diamond, 12),
    "feedback": (looped, 12),
    "zip": (lambda: numbers().zip(numbers()), 12),
    "merge": (lambda: numbers().merge(numbers().map(abs)), 24),
    "concat": (lambda: numbers().concat(numbers().map(abs)), 24),
    "group_by": (grouped, 12),
    "flat_map": (lambda: numbers().flat_map(lambda x: numbers(3).map(abs), breadth=2), 36),
}


def limited(seed):
    world = World(RandomWalk(seed))
    world.system.memory = MemoryBudget(1)
    return world


@pytest.mark.parametrize("shape", SHAPES)
def test_no_world_stands_still_under_a_limit_less_than_one_element(shape):
    make, count = SHAPES[shape]
    for seed in range(RUNS):
        with limited(seed) as world:
            assert len(world.start(make().to(Sink.list())).result()) == count
        assert world.system.statistics().memory_reserved == 0
