# mypy: disable-error-code="no-untyped-def, func-returns-value"
"""Graphs of any shape go on in every world under a limit that is less than one element."""

import pytest

from actors_rs import Feedback, Sink, Source
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
    return World(RandomWalk(seed), memory_limit=1)


@pytest.mark.parametrize("shape", SHAPES)
def test_no_world_stands_still_under_a_limit_less_than_one_element(shape):
    make, count = SHAPES[shape]
    for seed in range(RUNS):
        with limited(seed) as world:
            assert len(world.start(make().to(Sink.list())).result()) == count
        assert world.system.statistics().memory_reserved == 0


def test_under_a_memory_limit_elements_are_weighed_and_windows_shrink():
    made = taken = most = 0

    def load(_):
        nonlocal made
        made += 1
        return bytes(100_000)

    def unload(element):
        nonlocal taken, most
        assert world.system.statistics().memory_reserved <= 2**20
        taken, most = taken + 1, max(most, made - taken)
        return len(element)

    with World(window=16, memory_limit="1 MiB") as world:
        run = world.start(Source.range(0, 40).map(load).map(unload).to(Sink.count()))
        assert run.result() == 40
    assert 1 < most < 10, "of 16 only those that fit"
    assert world.system.statistics().memory_limit == 2**20
    assert world.system.statistics().memory_reserved == 0
