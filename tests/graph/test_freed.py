"""Memory of what has ended comes back at once, without the collector of cycles."""

import gc
import weakref

import pytest

from actors_rs import ActorSystem, Sink, Source
from tests.graph.helpers import SECONDS, wait_until


class Add:
    """A function of one inner stream."""

    def __call__(self, *values):
        return sum(values)


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


WAYS = {
    "group_by": lambda new, n: (
        Source.range(0, 2 * n)
        .group_by(lambda x: x % n, n)
        .flat_map(lambda group: group.reduce(0, new()), breadth=n)
    ),
    "flat_map": lambda new, n: Source.range(0, n).flat_map(
        lambda x: Source.of(x).map(new()), breadth=4
    ),
    "flat_map, fused": lambda new, n: Source.range(0, n).flat_map(
        lambda x: Source.of(x, x).map(new()).filter(new()).fuse(), breadth=4
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_an_inner_stream_that_has_ended_is_freed_while_its_run_goes_on(way, no_collector):
    made = []

    def new():
        add = Add()
        made.append(weakref.ref(add))
        return add

    with ActorSystem() as system:
        flow = WAYS[way](new, 20).append(Source.never())
        run = system.start(flow.to(Sink.ignore()))
        wait_until(lambda: len(made) >= 20 and sum(add() is not None for add in made) <= 1)
        assert not run.done()
        run.cancel()
        run.wait(SECONDS)
