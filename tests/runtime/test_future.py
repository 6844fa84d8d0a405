# mypy: disable-error-code="func-returns-value, var-annotated"
"""The future behind an ask: pykka's behaviour, and no waiting where that could block the pool."""

import queue
import threading

import pykka
import pytest

from actors_rs import ActorSystem
from actors_rs.errors import BlockingError
from actors_rs.runtime import _primitives
from actors_rs.runtime.actors import future as future_module
from actors_rs.runtime.actors.future import PooledFuture
from tests.runtime.support import DEADLINE, Recorder, in_threads


@pytest.fixture
def future():
    return PooledFuture()


def test_get_returns_the_value_again_and_again(future):
    future.set({"a": 1})
    assert future.get() is future.get()


def test_set_without_a_value_gives_none(future):
    future.set()
    assert future.get(timeout=0) is None


def test_get_gives_up_after_its_timeout(future):
    with pytest.raises(pykka.Timeout, match=r"0\.01 seconds"):
        future.get(timeout=0.01)
    with pytest.raises(pykka.Timeout):
        future.get(timeout=-1)


@pytest.mark.parametrize("first", ["value", "exception", "hook"])
@pytest.mark.parametrize("second", ["value", "exception", "hook"])
def test_a_second_result_is_refused_and_the_first_stays(future, first, second):
    def give(kind, value):
        if kind == "value":
            future.set(value)
        elif kind == "exception":
            future.set_exception((ValueError, ValueError(value), None))
        else:
            future.set_get_hook(lambda timeout: value)

    give(first, "one")
    with pytest.raises(queue.Full):
        give(second, "two")
    if first == "exception":
        with pytest.raises(ValueError, match="one"):
            future.get()
    else:
        assert future.get() == "one"


def test_set_exception_takes_the_one_being_handled(future):
    try:
        raise NameError("foo")
    except NameError:
        future.set_exception()
    with pytest.raises(NameError, match="foo"):
        future.get()


def test_set_exception_takes_a_type_alone(future):
    future.set_exception((KeyError, None, None))
    with pytest.raises(KeyError):
        future.get()


def test_getting_an_exception_many_times_does_not_make_its_traceback_longer(future):
    future.set_exception((ValueError, ValueError(), None))

    def length():
        with pytest.raises(ValueError) as caught:
            future.get()
        return len(caught.traceback)

    assert [length() for _ in range(5)] == [length()] * 5


def test_a_get_hook_runs_once_and_gets_the_timeout(future):
    seen = []
    future.set_get_hook(lambda timeout: seen.append(timeout) or "value")
    assert future.get(timeout=3) == "value"
    assert future.get(timeout=4) == "value"
    assert seen == [3]


def test_a_get_hook_runs_once_for_many_threads(future):
    calls, ready = [], threading.Barrier(8)

    def hook(timeout):
        calls.append(1)
        threading.Event().wait(0.02)  # time for another thread to come in
        return len(calls)

    future.set_get_hook(hook)

    def get(_):
        ready.wait()
        assert future.get() == 1

    in_threads(8, get)
    assert calls == [1]


def test_a_get_hook_that_raises_runs_again_for_the_next_one(future):
    answers = iter([ValueError("not yet"), "answer"])

    def hook(timeout):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    future.set_get_hook(hook)
    with pytest.raises(ValueError, match="not yet"):
        future.get()
    assert [future.get(), future.get()] == ["answer"] * 2


@pytest.fixture
def busy(future):
    """A future whose hook runs on another thread, and ends with the test."""
    begun, over = threading.Event(), threading.Event()
    future.set_get_hook(lambda timeout: begun.set() or over.wait(DEADLINE))
    thread = threading.Thread(target=future.get)
    thread.start()
    assert begun.wait(DEADLINE)
    yield future
    over.set()
    thread.join()
    assert future.get(timeout=0) is True


def test_whoever_waits_for_the_hook_on_another_thread_gives_up_after_its_timeout(busy):
    for timeout in (0, 0.01, -1):
        with pytest.raises(pykka.Timeout):
            busy.get(timeout=timeout)


def test_a_pool_thread_does_not_wait_for_the_hook_on_another_thread(busy):
    with _primitives.blocking_forbidden():
        with pytest.raises(BlockingError, match="pinned"):
            busy.get()
        with pytest.raises(pykka.Timeout):  # a look is no wait
            busy.get(timeout=0)


def test_a_hook_gets_what_waiting_for_the_thread_before_has_left_of_the_timeout(
    future, monkeypatch
):
    seen, waiting, clock = [], threading.Event(), iter([100.0, 105.0])
    monkeypatch.setattr(
        "actors_rs.runtime.actors.future.monotonic", lambda: (waiting.set(), next(clock))[1]
    )
    future.set_get_hook(seen.append)
    future._computing.acquire()  # as the thread before, whose hook raises

    def work(number):
        if number:
            future.get(timeout=20)
        else:
            assert waiting.wait(DEADLINE)
            future._computing.release()

    in_threads(2, work)
    assert seen == [15.0]


def test_a_waiting_thread_is_served_by_a_hook_set_later(future):
    def work(number):
        if number:
            future.set_get_hook(lambda timeout: 7)
        else:
            assert future.get(timeout=20) == 7

    in_threads(2, work)


def test_all_waiting_threads_get_the_value(future):
    ready = threading.Barrier(9)

    def work(number):
        ready.wait()
        if number == 0:
            future.set("x")
        assert future.get(timeout=20) == "x"

    in_threads(9, work)


def test_one_of_many_racing_setters_wins():
    for _ in range(200):
        future, won, ready = PooledFuture(), [], threading.Barrier(4)

        def work(number, future=future, won=won, ready=ready):
            ready.wait()
            try:
                future.set(number)
                won.append(number)
            except queue.Full:
                pass

        in_threads(4, work)
        assert won == [future.get()]


# What pykka's own tests ask of map, filter, join and reduce.


def test_filter_excludes_items_not_matching(future):
    filtered = future.filter(lambda x: x > 10)
    future.set([1, 3, 5, 7, 9, 11, 13, 15, 17, 19])
    assert filtered.get(timeout=0) == [11, 13, 15, 17, 19]


def test_filter_on_a_noniterable_raises(future):
    filtered = future.filter(lambda x: x > 10)
    future.set(1)
    with pytest.raises(TypeError):
        filtered.get(timeout=0)


@pytest.mark.parametrize(
    "derive",
    [
        lambda future: future.filter(bool),
        lambda future: future.map(bool),
        lambda future: future.reduce(lambda x, y: x),
        lambda future: future.join(PooledFuture()),
    ],
)
def test_a_derived_future_keeps_the_timeout(future, derive):
    with pytest.raises(pykka.Timeout):
        derive(future).get(timeout=0)


def test_join_combines_futures_and_preserves_their_order(future):
    others = [PooledFuture(), PooledFuture()]
    joined = future.join(*others)
    others[0].set(1)
    others[1].set(2)
    future.set(0)
    assert joined.get(timeout=0) == [0, 1, 2]


def test_map_passes_the_whole_value_and_runs_once(future):
    calls = []
    mapped = future.map(lambda x: calls.append(x) or x["foo"])
    future.set({"foo": "bar"})
    assert [mapped.get(timeout=0), mapped.get(timeout=0)] == ["bar", "bar"]
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("value", "args", "expected"), [([1, 2, 3], (), 6), ([1, 2, 3], (5,), 11), ([], (5,), 5)]
)
def test_reduce_applies_the_function_left_to_right(future, value, args, expected):
    reduced = future.reduce(lambda x, y: x + y, *args)
    future.set(value)
    assert reduced.get(timeout=0) == expected


def test_reduce_of_nothing_without_a_start_raises(future):
    reduced = future.reduce(lambda x, y: x + y)
    future.set([])
    with pytest.raises(TypeError):
        reduced.get(timeout=0)


def test_derived_futures_can_be_chained(future):
    chained = future.filter(lambda x: x % 2).map(sum).map(str)
    future.set(range(6))
    assert chained.get(timeout=0) == "9"


def test_get_all_collects_in_order():
    futures = [PooledFuture() for _ in range(3)]
    for number, future in enumerate(futures):
        future.set(number)
    assert pykka.get_all(futures, timeout=0) == [0, 1, 2]


# On the pool


def test_a_pool_thread_that_would_have_to_wait_is_told_what_to_do_instead():
    with ActorSystem(workers=1) as system:
        ref, unresolved = system.spawn(Recorder), PooledFuture()
        with pytest.raises(BlockingError, match="pinned"):
            ref.ask(unresolved.get)
        with pytest.raises(BlockingError):
            ref.ask(unresolved.map(str).get)
        with pytest.raises(pykka.Timeout):  # a look is no wait
            ref.ask(lambda: unresolved.get(timeout=0))


def test_a_pool_thread_may_get_what_is_there():
    with ActorSystem(workers=1) as system:
        resolved = PooledFuture()
        resolved.set(5)
        assert system.spawn(Recorder).ask(resolved.get) == 5
        assert system.spawn(Recorder).ask(resolved.map(str).get) == "5"


def test_a_resolved_future_answers_a_pool_thread_while_another_waiter_is_being_served():
    future = PooledFuture()
    future.set(1)
    future._there._latch.acquire()  # as the other waiter does, for a moment
    with _primitives.blocking_forbidden():
        assert future.get(timeout=0) == 1
        future._wait(None)  # as it goes on if the result came after it had looked


def test_a_wait_for_the_hook_on_another_thread_looks_for_signals_now_and_then():
    class Held:
        waits: list[float] = []  # noqa: RUF012 - of this one class

        def locked(self):
            return True

        def acquire(self, blocking=True, timeout=-1.0):
            self.waits.append(timeout)
            return len(self.waits) > 2

    assert future_module._wait_for(Held(), None) is None  # type: ignore[arg-type]
    assert all(0 <= seconds <= 1 for seconds in Held.waits)
