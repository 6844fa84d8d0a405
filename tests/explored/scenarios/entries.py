# mypy: disable-error-code="var-annotated, func-returns-value"
"""What comes into a stream from outside, and what is told of it outside."""

import asyncio
from itertools import pairwise

from actors_rs import KillSwitch, Sink, Source
from actors_rs.errors import BufferOverflowError, IllegalStateError, StageError
from actors_rs.testing.explore import FreePublisher
from tests.explored.scenario import Scenario, failure_of, settle


def handed_in(world):
    """What a queue took comes out in its order, before its end."""
    run = world.start(Source.queue(3).map(int).to(Sink.list()))
    queue, taken, left = run.queue(), [], list(range(6))

    def hand_in():
        if not left:
            queue.complete()
        elif queue.offer(left[0]):
            taken.append(left.pop(0))
            world.soon("hand in", hand_in)
        else:  # there will be room when all others have done what they can
            world.system.timers.after(1.0, hand_in)

    world.soon("hand in", hand_in)
    assert run.result() == list(range(6)), run.result()
    assert taken == list(range(6)), taken
    settle(world)


def handed_in_late(world):
    """The stream stands still between two elements, and each wakes it again."""
    run = world.start(Source.queue(3).to(Sink.list()))
    queue = run.queue()
    for x in range(3):
        assert queue.offer(x)
        world.settle()
        assert not len(queue), f"{x} was not taken"
    queue.complete()
    assert run.result() == [0, 1, 2]
    settle(world)


def handed_in_by_coroutines(world):
    """Coroutines wait for room in a queue that holds one, and each has its turn."""
    run = world.start(Source.queue(1).map(int).to(Sink.list().with_attributes(window=1)))
    queue = run.queue()
    feeding = Source.range(0, 5).map_async(queue.put_async, world.pick("at a time", (1, 3)))
    world.start(feeding.to(Sink.ignore())).result()
    queue.complete()
    assert sorted(run.result()) == list(range(5)), run.result()
    settle(world)


def waits_in_vain(world):
    """A coroutine that waits for room hears of the end of the stream."""
    run = world.start(Source.queue(1).throttle(1, per=9.0, burst=1).to(Sink.list()))
    queue, refused = run.queue(), []

    async def put(x):
        try:
            await queue.put_async(x)
        except IllegalStateError:
            refused.append(x)

    feeding = world.start(Source.range(0, 9).map_async(put, 9).to(Sink.ignore()))
    world.soon("cancel", run.cancel)
    feeding.result()
    assert refused, "all were taken"
    run.wait()
    settle(world)


def called_back(world):
    """What is emitted comes out in order; the registration ends once, whatever the end."""
    ended = []

    def register(emit):
        left = list(range(5))

        def call_back():
            if left:
                emit(left.pop(0))
                world.soon("call back", call_back)
            elif end == "complete":
                emit.complete()
            elif end == "fail":
                emit.fail(OSError("gone"))

        world.soon("call back", call_back)
        return lambda: ended.append(end)

    end = world.pick("end", ("complete", "fail", "cancel"))
    got = []
    run = world.start(Source.from_callback(register, 9).map(int).to(Sink.for_each(got.append)))
    if end == "cancel":
        world.soon("cancel", run.cancel)
    run.wait()
    assert got == list(range(5))[: len(got)]
    assert end == "cancel" or len(got) == 5, got
    assert ended == [end], ended
    settle(world)


def more_than_it_holds(world):
    """While nobody asks, a queue holds so many and refuses the next one."""
    run = world.start(Source.queue(2).throttle(1, per=9.0, burst=1).to(Sink.list()))
    queue = run.queue()
    world.settle()
    while queue.offer(0):
        assert len(queue) <= 2, f"{len(queue)} wait"
        world.settle()
    queue.complete()
    run.result()
    settle(world)


def dropped_by_a_queue(world):
    """Elements that a full queue drops are counted."""
    how = world.pick("overflow", ("drop_oldest", "drop_newest", "drop_all"))
    run = world.start(Source.queue(2, how).to(Sink.list()))
    queue = run.queue()

    def hand_in():
        for x in range(8):
            queue.offer(x)
        queue.complete()

    world.soon("hand in", hand_in)
    got = run.result()
    assert got == sorted(got), got
    assert len(got) + queue.dropped == 8, f"{len(got)} came, {queue.dropped} were dropped"
    settle(world)


def too_much_for_a_queue(world):
    """It fails behind all that it took."""
    got, taken = [], []
    run = world.start(Source.queue(2, "fail").to(Sink.for_each(got.append)))
    queue = run.queue()

    def hand_in(n):
        taken.extend(x for x in range(10 * n, 11 * n) if queue.offer(x))

    for n in (1, 2, 5):
        world.soon("hand in", lambda n=n: hand_in(n))
    failure = failure_of(run)
    assert isinstance(failure, BufferOverflowError), repr(failure)
    assert got == taken, f"took {taken}, gave {got}"
    assert queue.closed
    settle(world)


def failed_from_outside(world):
    """The failure comes behind all that was handed in before."""
    got, error = [], OSError("the feed")
    run = world.start(Source.queue(9).map(int).to(Sink.for_each(got.append)))
    queue, size = run.queue(), world.pick("size", (3, 0, 1))

    def hand_in():
        for x in range(size):
            assert queue.offer(x)
        queue.fail(error)
        assert not queue.offer(size), "taken behind the failure"

    world.soon("hand in", hand_in)
    failure = failure_of(run)
    assert isinstance(failure, StageError), repr(failure)
    assert failure.__cause__ is error, repr(failure.__cause__)
    assert got == list(range(size)), got
    settle(world)


def from_anothers_publisher(world):
    """All of it, or as much as is wanted; then its Publisher hears so."""
    publisher = FreePublisher(world, range(6))
    wanted = world.pick("wanted", (9, 2))
    run = world.start(Source.from_publisher(publisher).take(wanted).map(int).to(Sink.list()))
    if world.pick("cancel", (False, True)):
        world.soon("cancel", run.cancel)
        run.wait()
    else:
        assert run.result() == list(range(6))[:wanted], run.result()
    world.finish()
    assert publisher.cancelled or publisher._over, "nobody told the Publisher"
    settle(world)


def a_future(world):
    """The result comes when it is there, and the stream waits until then."""

    async def slow():
        await asyncio.sleep(2.0)
        return 7

    run = world.start(Source.from_future(slow).map(int).to(Sink.list()))
    if world.pick("cancel", (False, True)):
        world.soon("cancel", run.cancel)
        run.wait()
        assert run.state == "cancelled", run.state
    else:
        assert run.result() == [7]
        assert world.now == 2.0
    world.settle()
    settle(world)


def told_of(world):
    """A monitor tells of the start, of news and of the end, and of nothing else."""
    states = []
    parts = [Source.timer(3.0) for _ in range(3)]
    flow = parts[0].append(*parts[1:], Source.timer(50.0)).monitor(states.append, every=1.0)
    assert len(world.start(flow.to(Sink.list())).result()) == 4
    assert (states[0].state, states[0].elements) == ("running", 0), states
    assert (states[-1].state, states[-1].elements) == ("completed", 4), states
    for before, after in pairwise(states[:-1]):
        assert before.elements < after.elements, f"told of nothing new: {states}"
    settle(world)


def told_of_the_end(world):
    """Whoever is told of the end is told of the failure downstream, and of none but that."""
    ends = []
    switch, error = KillSwitch(), OSError("enough")
    flow = Source.of(1, 2).append(Source.never()).on_termination(ends.append)
    run = world.start(flow.map(int).kill_switch(switch).to(Sink.list()))
    aborts = world.pick("aborts", (True, False))
    world.soon("end", (lambda: switch.abort(error)) if aborts else switch.shutdown)
    run.wait()
    assert ends == [error if aborts else None], ends
    settle(world)


def read_and_closed(world):
    """A resource is read as far as is asked for, and closed once, whatever ends the stream."""
    left, closed = iter(range(1, 4)), []
    source = Source.unfold_resource(list, lambda _: next(left, None), closed.append)
    run = world.start(source.take(world.pick("take", (9, 2, 3))).map(int).to(Sink.list()))
    if world.pick("cancel", (False, True)):
        world.soon("cancel", run.cancel)
    run.wait()
    world.settle()
    opened = next(left, None) != 1
    assert closed == [[]] * opened, (closed, opened)
    settle(world)


CASES = {}
SCENARIOS = [
    Scenario("more than it holds", more_than_it_holds),
    Scenario("handed in", handed_in),
    Scenario("handed in late", handed_in_late),
    Scenario("handed in by coroutines", handed_in_by_coroutines),
    Scenario("waits in vain", waits_in_vain),
    Scenario("called back", called_back),
    Scenario("dropped by a queue", dropped_by_a_queue),
    Scenario("too much for a queue", too_much_for_a_queue),
    Scenario("failed from outside", failed_from_outside),
    Scenario("from another's publisher", from_anothers_publisher),
    Scenario("a future", a_future),
    Scenario("told of", told_of),
    Scenario("told of the end", told_of_the_end),
    Scenario("read and closed", read_and_closed),
]
