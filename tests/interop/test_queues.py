"""Queues of threads and of processes as sources and sinks."""

import multiprocessing
import queue

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import ArgumentTypeError, RunCancelled
from actors_rs.interop.queues import from_queue, to_queue
from tests.graph.helpers import SECONDS, run, wait_until

KINDS = [queue.Queue, queue.LifoQueue, queue.SimpleQueue, multiprocessing.Queue]


@pytest.mark.parametrize("kind", KINDS)
def test_what_goes_into_a_queue_comes_out_of_it(kind):
    q = kind()
    assert run(Source.range(0, 100).to(to_queue(q, end=None))) == 100
    if kind is queue.LifoQueue:
        assert q.get() is None
        q.queue.insert(0, None)
    assert sorted(run(from_queue(q, end=None).to(Sink.list()))) == list(range(100))


def test_a_source_waits_for_elements_and_ends_when_it_is_cancelled_or_drained():
    for end in ("cancel", "drain"):
        q: queue.Queue[int] = queue.Queue()
        seen: list[int] = []
        with ActorSystem(cancel_grace=SECONDS) as system:
            going = system.start(from_queue(q).to(Sink.for_each(seen.append)))
            q.put(1)
            wait_until(lambda seen=seen: seen == [1])
            getattr(going, end)()
            assert going.wait(SECONDS / 2)
            assert system.statistics().abandoned == 0
        q.put(2)
        assert q.qsize() == 1


def test_a_source_takes_no_more_than_its_window_from_the_queue():
    q: queue.Queue[int] = queue.Queue()
    for n in range(100):
        q.put(n)
    with ActorSystem() as system:
        source = from_queue(q).with_attributes(window=4)
        going = system.start(source.to(Sink.queue(1)))
        wait_until(lambda: q.qsize() < 100)
        going.cancel()
        with pytest.raises(RunCancelled):
            going.result(SECONDS)
    assert q.qsize() > 80


def test_a_full_queue_slows_the_stream_down_and_a_cancelled_run_does_not_wait_for_room():
    q: queue.Queue[int] = queue.Queue(2)
    with ActorSystem(cancel_grace=SECONDS) as system:
        going = system.start(Source.range(0, 100).to(to_queue(q)))
        wait_until(q.full)
        assert q.qsize() == 2
        going.cancel()
        with pytest.raises(RunCancelled):
            going.result(SECONDS / 2)
        assert 2 in [one.what for one in system.dead_letters.recent()]
        assert system.statistics().abandoned == 0
    assert [q.get(), q.get()] == [0, 1]


def test_a_drained_run_puts_all_that_it_has_into_a_full_queue():
    q: queue.Queue[int] = queue.Queue(2)
    with ActorSystem(cancel_grace=SECONDS, window=20) as system:
        going = system.start(Source.range(0, 20).to(to_queue(q)))
        wait_until(q.full)
        going.drain(0)
        got = [q.get(timeout=SECONDS) for _ in range(20)]
        assert going.result(SECONDS) == 20
        assert not system.dead_letters.recent()
    assert got == list(range(20))


def test_task_done_is_called_for_each_element_so_that_join_returns():
    q: queue.Queue[int | None] = queue.Queue()
    for n in (1, 2, None):
        q.put(n)
    assert run(from_queue(q, end=None, task_done=True).to(Sink.list())) == [1, 2]
    q.join()


def doubled(given, made):
    while (n := given.get()) is not None:
        made.put(2 * n)
    made.put(None)


def test_elements_go_to_another_process_and_back():
    context = multiprocessing.get_context("spawn")
    given, made = context.Queue(10), context.Queue(10)
    process = context.Process(target=doubled, args=(given, made))
    process.start()
    with ActorSystem() as system:
        sent = system.start(Source.range(0, 50).to(to_queue(given, end=None)))
        received = system.start(from_queue(made, end=None).to(Sink.list()))
        assert received.result(SECONDS) == list(range(0, 100, 2))
        assert sent.result(SECONDS) == 50
    process.join(SECONDS)


def test_what_is_no_queue_is_refused_where_it_was_written():
    with pytest.raises(ArgumentTypeError, match=r"expected a queue with get\(\), got 3"):
        from_queue(3)
    with pytest.raises(ArgumentTypeError, match=r"expected a queue with put\(\), got 3"):
        to_queue(3)
    with pytest.raises(ArgumentTypeError, match=r"expected a queue with task_done\(\)"):
        from_queue(queue.SimpleQueue(), task_done=True)
    with pytest.raises(ArgumentTypeError, match=r"use multiprocessing\.Queue"):
        from_queue(multiprocessing.SimpleQueue())
