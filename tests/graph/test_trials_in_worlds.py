# mypy: disable-error-code="arg-type, attr-defined, union-attr, var-annotated"
"""Queues, buffers that drop and kill switches under random demand, ends and departures.

In deterministic worlds, see ``listening``: what is dropped depends on who comes first.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import KillSwitch, Source
from actors_rs.engine.run.source_queue import SourceQueue
from actors_rs.errors import BufferOverflowError, StageError
from actors_rs.language.sources import source
from actors_rs.stages.sources.queue import QueueSource
from actors_rs.testing.world import World
from tests.explored.by_hand import ByHand
from tests.graph.listening import listeners, many, patience, seeds, world_of
from tests.graph.models import Upstream, windows

DROPPING = ("drop_oldest", "drop_newest", "drop_all")
capacities = st.integers(1, 5)
sizes = st.integers(0, 20)


class Feeder:
    """Hands 0, 1, 2 ... into a queue, each in a step of its own, and then the end."""

    def __init__(self, world, capacity, overflow, size, error):
        self.world, self.size, self.error = world, size, error
        self.queue = SourceQueue(capacity, overflow)
        self.stream = source("queue", lambda: QueueSource(self.queue))
        self.offered, self.taken = 0, []
        world.soon("hand in", self.hand_in)

    def hand_in(self):
        queue, x = self.queue, self.offered
        if queue.closed:
            assert not queue.offer(x), "a closed queue takes more"
            return
        if x == self.size:
            queue.complete() if self.error is None else queue.fail(self.error)
            return
        if queue.offer(x):
            self.taken.append(x)
        elif queue.overflow == "backpressure":  # there is room when all have done what they can
            self.world.system.timers.after(1.0, self.hand_in)
            return
        self.offered += 1
        self.world.soon("hand in", self.hand_in)


feeding = given(
    capacity=capacities,
    size=sizes,
    fails=st.booleans(),
    patience=patience,
    window=windows,
    seed=seeds,
)


def fed(world, capacity, overflow, size, fails, patience):
    """A queue that was fed, and its subscriber, when all has ended."""
    feeder = Feeder(world, capacity, overflow, size, KeyError("the feed") if fails else None)
    (listener,) = listeners(world, world.system.publisher(feeder.stream), [patience])
    world.finish()
    assert feeder.queue.closed
    return feeder, listener


def check_end(listener, error):
    if error is None:
        assert listener.end == "complete", listener.end
    else:
        assert isinstance(listener.end, StageError), listener.end
        assert listener.end.__cause__ is error


@many
@feeding
def test_a_queue_gives_all_it_took_in_order_before_it_ends_or_fails(
    capacity, size, fails, patience, window, seed
):
    with world_of(seed, window) as world:
        feeder, listener = fed(world, capacity, "backpressure", size, fails, patience)
        if listener.stayed:
            assert listener.elements == feeder.taken == list(range(size))
            check_end(listener, feeder.error)
        else:
            assert listener.elements == list(range(patience.leaves_behind))


@pytest.mark.parametrize("overflow", DROPPING)
@many
@feeding
def test_a_queue_that_drops_gives_the_rest_in_order_and_counts_what_it_dropped(
    overflow, capacity, size, fails, patience, window, seed
):
    with world_of(seed, window) as world:
        feeder, listener = fed(world, capacity, overflow, size, fails, patience)
        got = listener.elements
        assert got == sorted(set(got))
        if listener.stayed:
            assert len(got) + feeder.queue.dropped == size
            check_end(listener, feeder.error)
        if listener.stayed and overflow == "drop_newest":
            assert got == feeder.taken
        elif listener.stayed:
            assert got[-1:] == list(range(size))[-1:], "the newest is never dropped"


@many
@feeding
def test_a_queue_that_overflows_fails_behind_all_that_it_took(
    capacity, size, fails, patience, window, seed
):
    with world_of(seed, window) as world:
        feeder, listener = fed(world, capacity, "fail", size, fails, patience)
        assert listener.elements == feeder.taken[: len(listener.elements)]
        if listener.stayed:
            assert listener.elements == feeder.taken
        if listener.stayed and len(feeder.taken) < size:
            assert isinstance(listener.end, BufferOverflowError)
        elif listener.stayed:
            check_end(listener, feeder.error)


class Model:
    """A buffer as a list: each element and each request is dealt with before the next one."""

    def __init__(self, size, overflow):
        self.size, self.overflow = size, overflow
        self.held, self.given, self.demand, self.failed = [], [], 0, False

    def push(self, x):
        if self.failed:
            return
        if len(self.held) == self.size and not self.demand:
            match self.overflow:
                case "drop_oldest":
                    self.held.pop(0)
                case "drop_all":
                    self.held.clear()
                case "drop_newest":
                    return
                case "fail":
                    self.failed = True
                    return
        self.held.append(x)
        self.ask(0)

    def ask(self, n):
        self.demand += n
        while self.demand and self.held:
            self.given.append(self.held.pop(0))
            self.demand -= 1


moves = st.lists(st.sampled_from([None] * 6 + [1, 2, 4]), max_size=60)
"""An element that comes, or a request for so many."""


@pytest.mark.parametrize("overflow", [*DROPPING, "fail"])
@many
@given(moves=moves, size=capacities, window=windows, fails=st.booleans())
def test_a_buffer_drops_what_its_model_drops_and_gives_the_rest_before_the_end(
    overflow, moves, size, window, fails
):
    model, error = Model(size, overflow), KeyError("the feed") if fails else None
    with World(window=window) as world:
        queue = SourceQueue(100, "backpressure")
        stream = source("queue", lambda: QueueSource(queue)).buffer(size, overflow)
        asker = ByHand(world, stream)
        for number, n in enumerate([1, *moves]):  # nothing is taken before somebody asks
            if n is None:
                queue.offer(number)
                model.push(number)
                world.settle()
            else:
                model.ask(n)
                asker.ask(n) if asker.end is None else None
            assert asker.elements == model.given
        queue.complete() if error is None else queue.fail(error)
        model.ask(100)
        asker.ask(100) if asker.end is None else None
        world.finish()
    assert asker.elements == model.given
    if model.failed:
        assert isinstance(asker.end, BufferOverflowError)
    else:
        check_end(asker, error)


@many
@given(
    size=sizes,
    behind=st.integers(0, 90),
    endless=st.booleans(),
    aborts=st.booleans(),
    patience=patience,
    window=windows,
    seed=seeds,
)
def test_a_kill_switch_used_anywhere_gives_a_beginning_and_lets_go_of_the_source(
    size, behind, endless, aborts, patience, window, seed
):
    upstream, switch, error = Upstream(range(size)), KillSwitch(), OSError("enough")
    with world_of(seed, window) as world:
        source = upstream.source().append(Source.never() if endless else Source.empty())
        flow = source.map(int).kill_switch(switch).map(int)
        (listener,) = listeners(world, world.system.publisher(flow), [patience])
        for _ in range(behind):
            world.step(0)
        switch.abort(error) if aborts else switch.shutdown()
        world.finish()
    assert listener.elements == list(range(len(listener.elements)))
    assert upstream.begun == upstream.released
    if aborts and listener.end == "complete":
        assert listener.elements == list(range(size)), "it had ended before"
    elif listener.stayed:
        assert listener.end == (error if aborts else "complete")
