# mypy: disable-error-code="arg-type, assignment, call-overload, misc, union-attr, var-annotated"
"""``Source.queue``: elements handed in from any thread, bounded, ended from outside."""

import asyncio
import math
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.engine.run.source_queue import SourceQueue
from actors_rs.errors import (
    BlockingError,
    BufferOverflowError,
    GraphError,
    IllegalStateError,
    InvalidArgumentError,
    RunCancelled,
    StageError,
)
from tests.graph.helpers import SECONDS, wait_until
from tests.graph.models import quick, windows


def started(system, capacity=4, sink=None):
    run = system.start(Source.queue(capacity, "backpressure").to(sink or Sink.list()))
    return run, run.queue()


def stuck(system, capacity=4, overflow="backpressure"):
    """A run whose sink asks for nothing more, and its queue with ``capacity`` waiting."""
    held = threading.Event()
    sink = Sink.for_each(lambda _: held.wait(SECONDS)).with_attributes(window=1)
    run = system.start(Source.queue(capacity, overflow).to(sink))
    queue = run.queue()
    for n in range(2):  # one is in the sink's hands then, one in its inlet
        queue.put(n, SECONDS)
        wait_until(lambda: not len(queue))
    for n in range(capacity):
        assert queue.offer(n)
    return run, queue, held


@quick
@given(capacity=st.integers(1, 20), window=windows, size=st.integers(0, 60))
def test_what_is_put_comes_out_in_order_in_each_run(shared, capacity, window, size):
    graph = Source.queue(capacity).to(Sink.list().with_attributes(window=window))
    for _ in range(2):
        run = shared.start(graph)
        queue = run.queue()
        for n in range(size):
            queue.put(n, SECONDS)
        queue.complete()
        assert run.result(SECONDS) == list(range(size))


def test_several_threads_lose_and_double_nothing(shared):
    run, queue = started(shared, capacity=7)

    def feed(first):
        for n in range(first, first + 500):
            queue.put(n, SECONDS)

    threads = [threading.Thread(target=feed, args=(k * 500,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    queue.complete()
    got = run.result(SECONDS)
    assert sorted(got) == list(range(2000))
    for k in range(4):
        mine = [n for n in got if n // 500 == k]
        assert mine == sorted(mine), "a thread's elements keep their order"


def test_a_full_queue_refuses_an_offer_and_lets_put_wait_only_so_long(shared):
    run, queue, held = stuck(shared)
    assert not queue.offer("more")
    with pytest.raises(TimeoutError, match=r"queue 'queue' had no room within 0\.01 seconds"):
        queue.put("more", 0.01)
    assert (len(queue), queue.dropped) == (4, 0)
    held.set()
    queue.put("more", SECONDS)
    queue.complete()
    assert run.wait(SECONDS)


@pytest.mark.parametrize(
    ("overflow", "left", "dropped"),
    [("drop_oldest", [2, 3, 9], 1), ("drop_newest", [1, 2, 3], 1), ("drop_all", [9], 3)],
)
def test_what_is_dropped_is_what_the_policy_says_and_is_counted(overflow, left, dropped):
    queue = SourceQueue(3, overflow)
    for n in (1, 2, 3):
        queue.put(n)
    assert queue.offer(9) == (overflow != "drop_newest")
    assert queue.take(10) == left
    assert queue.dropped == dropped


def test_drops_are_in_the_snapshot(shared):
    run, queue, held = stuck(shared, overflow="drop_newest")
    assert not queue.offer("more")
    (stage,) = [s for s in run.snapshot().stages if s.kind == "queue"]
    assert stage.details == {"waiting": 4, "capacity": 4, "dropped": 1}
    held.set()
    queue.complete()
    assert run.wait(SECONDS)


def test_a_queue_that_is_to_fail_when_it_overflows_fails_behind_what_waits(shared):
    run, queue, held = stuck(shared, overflow="fail")
    with pytest.raises(BufferOverflowError, match=r"queue\(4, overflow='fail'\)"):
        queue.put("more")
    assert not queue.offer("more")
    held.set()
    with pytest.raises(BufferOverflowError):
        run.result(SECONDS)


def test_a_queue_that_was_failed_gives_what_waits_and_then_the_error(shared):
    seen = []
    run, queue = started(shared, sink=Sink.for_each(seen.append))
    for n in range(3):
        queue.put(n, SECONDS)
    queue.fail(KeyError("feed"))
    queue.complete()
    with pytest.raises(StageError) as caught:
        run.result(SECONDS)
    assert isinstance(caught.value.__cause__, KeyError)
    assert seen == [0, 1, 2]


@pytest.mark.parametrize("how", ["completed", "cancelled"])
def test_a_closed_queue_says_so(shared, how):
    run, queue = started(shared)
    queue.complete() if how == "completed" else run.cancel()
    assert run.wait(SECONDS)
    assert queue.closed
    assert not queue.offer(1)
    with pytest.raises(IllegalStateError, match="queue 'queue' takes nothing more"):
        queue.put(1)


def gone(queue):
    queue.fail(OSError("the feed is gone"))


@pytest.mark.parametrize(
    ("end", "why", "cause"),
    [
        (lambda run: run.queue().complete(), "it was completed", None),
        (lambda run: run.drain(SECONDS), "its run is drained", None),
        (lambda run: run.cancel(), "its run was cancelled", RunCancelled),
        (lambda run: gone(run.queue()), "it was failed with OSError: the feed is gone", OSError),
        (lambda run: run.queue().put("x"), "the stream has failed with StageError", StageError),
        (lambda run: run.queue().put(0), "the stages downstream need no more", None),
    ],
    ids=["completed", "drained", "cancelled", "failed", "failed downstream", "not needed"],
)
def test_a_closed_queue_says_why_it_is_closed(shared, end, why, cause):
    sink = Flow().map(int).take_while(lambda n: n > 0).to(Sink.list())
    run, queue = started(shared, sink=sink)
    end(run)
    assert run.wait(SECONDS)
    for put in (lambda: queue.put(1), lambda: asyncio.run(queue.put_async(1))):
        with pytest.raises(
            IllegalStateError, match=f"queue 'queue' takes nothing more: {why}"
        ) as told:
            put()
        assert type(told.value.__cause__) is (cause or type(None))


def test_a_queue_that_has_overflowed_says_so(shared):
    _, queue, held = stuck(shared, overflow="fail")
    with pytest.raises(BufferOverflowError):
        queue.put(9)
    with pytest.raises(IllegalStateError, match="takes nothing more: it overflowed") as told:
        queue.put(9)
    assert isinstance(told.value.__cause__, BufferOverflowError)
    held.set()


@pytest.mark.parametrize("name", [None, "queue"])
def test_who_asks_for_the_queue_behind_the_end_gets_it_closed(name):
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        run, queue = started(system)
        run.cancel()
        assert run.wait(SECONDS)
        assert run.queue(name) is queue
    late = run.queue(name)
    assert late is queue
    assert late.closed
    assert not late.offer(1)
    with pytest.raises(IllegalStateError, match="takes nothing more: its run was cancelled"):
        late.put(1)


@pytest.mark.parametrize("timeout", ["5", True, math.nan])
def test_a_timeout_that_is_no_number_is_refused_also_where_there_is_room(shared, timeout):
    run, queue = started(shared)
    with pytest.raises(InvalidArgumentError, match="timeout must be a number of seconds, got"):
        queue.put(1, timeout)
    queue.complete()
    assert run.result(SECONDS) == []


def test_the_end_of_the_stream_wakes_whoever_waits_for_room(shared):
    run, queue, held = stuck(shared)
    told = []

    def put():
        try:
            queue.put("more")
        except IllegalStateError as error:
            told.append(error)

    thread = threading.Thread(target=put)
    thread.start()
    run.cancel()
    held.set()
    thread.join(SECONDS)
    assert "its run was cancelled" in str(told[0])


def test_a_drained_run_takes_nothing_more_and_delivers_what_waits(shared):
    run, queue, held = stuck(shared)
    run.drain()
    wait_until(lambda: queue.closed)
    held.set()
    assert run.result(SECONDS) > 4 - 1


def test_a_pool_thread_must_not_wait_for_room(shared):
    run, queue, held = stuck(shared)
    with pytest.raises(
        StageError, match=r"full queue .* would block a thread that actors share"
    ) as caught:
        shared.start(Source.of(1).to(Sink.for_each(queue.put))).result(SECONDS)
    assert isinstance(caught.value.__cause__, BlockingError)
    held.set()
    run.cancel()
    assert run.wait(SECONDS)


def test_queues_are_found_by_name_and_a_wrong_name_says_which_there_are(shared):
    one, two = Source.queue(4).named("one"), Source.queue(4).named("two")
    run = shared.start(one.merge(two).to(Sink.list()))
    with pytest.raises(GraphError, match=r"expected one Source\.queue.*'one', 'two'"):
        run.queue()
    with pytest.raises(GraphError, match="called 'three' in this run, there is 'one', 'two'"):
        run.queue("three")
    run.queue("one").put(1)
    run.queue("two").put(2)
    for name in ("one", "two"):
        assert run.queue(name).name == name
        run.queue(name).complete()
    assert sorted(run.result(SECONDS)) == [1, 2]


def test_what_waits_is_given_as_far_as_it_is_asked_for():
    queue = SourceQueue(10, "backpressure")
    assert queue.take(5) == []
    for n in range(6):
        queue.put(n)
    assert (queue.take(2), queue.take(9)) == ([0, 1], [2, 3, 4, 5])


def test_fail_needs_an_exception():
    with pytest.raises(TypeError, match="fail needs an exception, got 'no'"):
        SourceQueue(1, "fail").fail("no")


class Overtaken:
    """A lock behind one of whose uses somebody else is faster."""

    def __init__(self, lock, use, others_turn):
        self.lock, self.uses, self.use, self.others_turn = lock, 0, use, others_turn

    def __enter__(self):
        return self.lock.__enter__()

    def __exit__(self, *error):
        self.lock.__exit__(*error)
        self.uses += 1
        if self.uses == self.use:
            self.others_turn()


def test_an_end_is_told_of_though_the_stage_took_an_element_before_it_was_told_of_that():
    queue, told = SourceQueue(10, "backpressure"), []
    queue.connect(lambda: told.append("look"))
    lock = queue._changed.lock
    queue._changed.lock = Overtaken(lock, 2, lambda: (queue.take(1), queue.end()))
    assert queue.offer("x")
    queue._changed.lock = lock
    assert queue.end() == (False, None), "the stage looks, and nobody asks for more"
    queue.complete()
    assert told == ["look", "look"]


def test_an_element_is_told_of_though_the_stage_has_just_looked_for_the_end():
    queue, told = SourceQueue(10, "backpressure"), []
    queue.connect(lambda: told.append("look"))
    assert queue.take(5) == []
    queue._changed.lock = Overtaken(queue._changed.lock, 1, queue.end)
    assert queue.offer("x")
    assert told == ["look"], "the stage found nothing to take, and waits"
