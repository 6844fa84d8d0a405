# mypy: disable-error-code="var-annotated"
"""``map_async`` on threads, futures, coroutines, thread pools and processes."""

import asyncio
import gc
import operator
import threading
import types
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from weakref import ref

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import RunCancelled, StageError
from actors_rs.runtime.dispatch.event_loop import EventLoopThread
from tests.graph.helpers import SECONDS, run, wait_until


class Gauge:
    """How many calls are under way, and the most there were."""

    def __init__(self):
        self.lock = threading.Lock()
        self.now = self.most = 0

    def __enter__(self):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)

    def __exit__(self, *_):
        with self.lock:
            self.now -= 1


def value(n):
    return n * n


def future(n):
    answer = Future()
    threading.Thread(target=lambda: answer.set_result(n * n)).start()
    return answer


async def coroutine(n):
    await asyncio.sleep(0)
    return n * n


def future_of_a_coroutine(n):
    answer = Future()
    answer.set_result(coroutine(n))
    return answer


@types.coroutine
def coroutine_of_old(n):
    yield
    return n * n


class Square:
    """An awaitable that is no coroutine, as HTTP clients return."""

    def __init__(self, n):
        self.n = n

    def __await__(self):
        return coroutine(self.n).__await__()


FUNCTIONS = [
    value,
    future,
    coroutine,
    lambda n: coroutine(n),
    future_of_a_coroutine,
    coroutine_of_old,
    Square,
]


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("parallelism", [1, 3, 64])
def test_whatever_f_returns_each_element_gives_one_result(f, ordered, parallelism):
    got = run(Source.range(0, 100).map_async(f, parallelism, ordered).to(Sink.list()))
    assert (got if ordered else sorted(got)) == [n * n for n in range(100)]


def test_a_run_that_f_returns_is_awaited():
    with ActorSystem(shutdown_timeout=SECONDS) as system:

        def started(n):
            return system.start(Source.range(0, n).map_async(coroutine, 2).to(Sink.sum()))

        flow = Source.of(2, 3).map_async(started, 2)
        assert system.start(flow.to(Sink.list())).result(SECONDS) == [1, 5]


def test_a_future_of_another_event_loop_is_refused_and_says_what_to_give_instead():
    async def main():
        task = asyncio.ensure_future(coroutine(3))
        async with ActorSystem(shutdown_timeout=SECONDS) as system:
            with pytest.raises(StageError, match="run_coroutine_threadsafe gives"):
                await system.start(Source.of(1).map_async(lambda _: task, 1).to(Sink.list()))
        await task

    asyncio.run(main())


@pytest.mark.parametrize("ordered", [True, False])
def test_it_runs_on_an_executor_of_the_users(ordered):
    with ThreadPoolExecutor(2, "theirs") as executor:
        names = Source.range(0, 20).map_async(
            lambda _: threading.current_thread().name, 5, ordered, executor
        )
        got = run(names.to(Sink.list()))
        assert [name.partition("_")[0] for name in got] == ["theirs"] * 20


def test_it_runs_on_processes():
    with ProcessPoolExecutor(1) as executor:
        flow = Source.range(0, 20).map_async(operator.neg, 4, executor=executor)
        assert run(flow.to(Sink.list())) == [-n for n in range(20)]
        bad = Source.of(2, 1, 0, 5).map_async(_over, 2, executor=executor)
        with pytest.raises(StageError) as caught:
            run(bad.to(Sink.list()))
        assert caught.value.position == 2


def _over(n):
    return 1 // n


@pytest.mark.parametrize("kind", ["thread", "coroutine", "executor"])
@pytest.mark.parametrize("window", [1, 4, 1024])
@pytest.mark.parametrize("ordered", [True, False])
def test_no_more_calls_are_under_way_than_allowed(kind, window, ordered):
    gauge, pause = Gauge(), threading.Event()

    def slow(n):
        with gauge:
            pause.wait(0.001)
        return n

    async def slow_coroutine(n):
        with gauge:
            await asyncio.sleep(0.001)
        return n

    with ThreadPoolExecutor(8) as executor:
        flow = Source.range(0, 60).map_async(
            slow_coroutine if kind == "coroutine" else slow,
            3,
            ordered,
            executor if kind == "executor" else None,
        )
        got = run(flow.with_attributes(window=window).to(Sink.list()))
    assert sorted(got) == list(range(60))
    assert gauge.most <= 3
    assert gauge.most == min(3, window) or window < 3


def test_unordered_results_come_while_others_are_slow():
    gate, seen = threading.Event(), []

    def f(n):
        if n == 0:
            gate.wait(SECONDS)
        return n

    with ActorSystem(shutdown_timeout=SECONDS) as system:
        flow = Source.range(0, 50).map_async(f, 2, ordered=False)
        going = system.start(flow.to(Sink.for_each(seen.append)))
        wait_until(lambda: len(seen) == 49)
        gate.set()
        going.result(SECONDS)
    assert seen == [*range(1, 50), 0]


def test_ordered_results_wait_for_the_slow_one_and_so_do_further_calls():
    gate, begun = threading.Event(), []

    def f(n):
        begun.append(n)
        if n == 0:
            gate.wait(SECONDS)
        return n

    with ActorSystem(shutdown_timeout=SECONDS) as system:
        going = system.start(Source.range(0, 50).map_async(f, 5).to(Sink.list()))
        wait_until(lambda: len(begun) >= 10)
        wait_until(lambda: going.snapshot().stages[1].details["under_way"] == 1)
        assert going.snapshot().stages[-1].elements_in == 0
        assert len(begun) == 10, "as many results may wait as there are slots"
        gate.set()
        assert going.result(SECONDS) == list(range(50))


@pytest.mark.parametrize("bad", [0, 7, 29])
@pytest.mark.parametrize("f", ["thread", "future", "coroutine"])
def test_a_failing_call_names_its_element_behind_all_results_before_it(bad, f):
    def thread(n):
        return 1 // (n - bad) and n

    async def coroutine(n):
        return thread(n)

    def future(n):
        with ThreadPoolExecutor(1) as executor:
            return executor.submit(thread, n)

    seen = []
    flow = Source.range(0, 30).map_async(locals()[f], 4).named("call")
    with pytest.raises(StageError) as caught:
        run(flow.to(Sink.for_each(seen.append)))
    assert (caught.value.stage, caught.value.position) == ("call", bad)
    assert len(seen) == bad


def test_an_executor_that_was_shut_down_is_a_failure():
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(StageError, match="shutdown"):
        run(Source.of(1).map_async(value, 1, executor=executor).to(Sink.list()))


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("kind", ["future", "coroutine"])
def test_cancelling_cancels_the_calls_under_way(ordered, kind):
    futures, ended = [], []

    def future(_):
        futures.append(Future())
        return futures[-1]

    async def coroutine(n):
        futures.append(n)
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append(n)

    with ActorSystem(shutdown_timeout=SECONDS) as system:
        f = future if kind == "future" else coroutine
        going = system.start(Source.range(0, 9).map_async(f, 3, ordered).to(Sink.list()))
        wait_until(lambda: len(futures) == 3)
        wait_until(lambda: going.snapshot().stages[1].details["under_way"] == 3)
        going.cancel()
        with pytest.raises(RunCancelled):
            going.result(SECONDS)
        if kind == "future":
            wait_until(lambda: all(one.cancelled() for one in futures))
        else:
            wait_until(lambda: sorted(ended) == [0, 1, 2])


def test_a_result_that_is_taken_back_is_a_failure():
    def cancelled(_):
        answer = Future()
        answer.cancel()
        return answer

    with pytest.raises(StageError) as caught:
        run(Source.of(1).map_async(cancelled, 1).to(Sink.list()))
    assert caught.value.position == 0


def test_batches_that_were_full_in_time_leave_no_timers_behind():
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        going = system.start(Source.range(0, 20_000).batch(2, within=3600).to(Sink.count()))
        assert going.result(SECONDS) == 10_000
        assert len(system.timers) < 200


def test_a_batch_is_given_when_its_time_is_up():
    seen = []
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        source = Source.of(1, 2, 3).merge(Source.never())
        going = system.start(source.batch(100, within=0.05).to(Sink.for_each(seen.append)))
        wait_until(lambda: [n for batch in seen for n in batch] == [1, 2, 3])
        going.cancel()


def test_a_coroutine_for_which_there_is_no_thread_fails_its_call_and_no_more(monkeypatch):
    start = threading.Thread.start

    def start_unless_asyncio(thread):
        if thread.name.endswith("-asyncio"):
            raise RuntimeError("can't start new thread")
        start(thread)

    async def square(n):
        return n * n

    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system, monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start_unless_asyncio)
        calls = Source.range(0, 3).map_async(lambda n: square(n), 2)  # a value first, on a thread
        with pytest.raises(StageError, match="can't start new thread"):
            system.start(calls.to(Sink.list())).result(SECONDS)


def test_a_stream_that_trickles_keeps_nothing_of_the_calls_that_have_ended(monkeypatch):
    begun, run_on_loop = [], EventLoopThread.run

    def noted(loop, coroutine, context, ended):
        future = run_on_loop(loop, coroutine, context, ended)
        begun.append(ref(future))
        return future

    def at_rest():
        return all((one := future()) is None or one.done() for future in begun)

    monkeypatch.setattr(EventLoopThread, "run", noted)
    with ActorSystem() as system:
        run = system.start(Source.queue(1).map_async(coroutine, 2).to(Sink.ignore()))
        for number in range(20):
            run.queue().put(number)
            wait_until(lambda before=number: len(begun) > before and at_rest())
        gc.collect()
        assert sum(future() is not None for future in begun) <= 5
