# mypy: disable-error-code="union-attr"
"""``for x in source``: a run whose demand is the loop, and that ends with it."""

import asyncio
import contextvars
import gc
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.errors import (
    BlockingError,
    GraphError,
    InvalidArgumentError,
    RunCancelled,
    StageError,
)
from actors_rs.testing.leaks import no_leaks
from tests.graph.helpers import SECONDS
from tests.graph.models import quick


class Endless:
    """Elements without an end, whose number is known, and whether they were released."""

    def __init__(self):
        self.given = 0
        self.released = threading.Event()

    def source(self):
        return Source.from_iterable(self._elements)

    def _elements(self):
        try:
            while True:
                self.given += 1
                yield self.given
        finally:
            self.released.set()


@quick
@given(st.lists(st.integers(), max_size=60), st.integers(1, 20))
def test_a_loop_gets_each_element_in_order_in_each_run(shared, elements, window):
    source = Source.from_iterable(elements).map(lambda x: x)
    for _ in range(2):
        assert list(source.iterate(window=window)) == elements
        assert list(source) == elements


@pytest.mark.parametrize("window", [1, 2, 3, 16])
def test_no_more_is_made_than_the_window_says(window):
    endless = Endless()
    with endless.source().map(lambda x: x).map(str).open(window=window) as elements:
        for taken in range(1, 200):
            next(elements)
            assert endless.given <= taken + window
        assert endless.released.wait(0) is False
    assert endless.released.is_set()


def test_an_error_of_the_run_comes_after_the_elements_before_it():
    got = []
    with pytest.raises(StageError, match="at element 100: ZeroDivisionError") as raised:  # noqa: PT012
        for x in Source.range(-100, 200).map(lambda x: 1 / x):
            got.append(x)
    assert len(got) == 100
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def test_an_iteration_that_has_failed_is_over():
    elements = iter(Source.of(0).map(lambda x: 1 / x))
    with pytest.raises(StageError):
        next(elements)
    assert list(elements) == []


def broken(endless):
    for x in endless.source():
        if x == 3:
            break


def raised(endless):
    with pytest.raises(KeyError):  # noqa: PT012 - the loop is what raises
        for _ in endless.source():
            raise KeyError


def forgotten(endless):
    next(iter(endless.source()))


def in_a_circle(endless):
    circle = [iter(endless.source())]
    next(circle[0])
    circle.append(circle)
    del circle
    gc.collect()


def on_another_thread(endless):
    elements = [iter(endless.source())]
    next(elements[0])
    thread = threading.Thread(target=elements.clear)
    thread.start()
    thread.join()


def closed(endless):
    with endless.source().open() as elements:
        next(elements)
    assert endless.released.is_set(), "leaving the block waits for the end of the run"
    assert list(elements) == []


def outside_any_system(leave, endless):
    """In the default system, whose threads end with its last run; the shared one has a pool."""
    contextvars.Context().run(leave, endless)


LEFT = [broken, raised, forgotten, in_a_circle, on_another_thread, closed]


@pytest.mark.parametrize("leave", LEFT)
def test_a_loop_that_is_left_early_cancels_its_run(leave):
    endless = Endless()
    with no_leaks(SECONDS):
        outside_any_system(leave, endless)
        assert endless.released.wait(SECONDS)


def test_it_runs_in_the_system_of_the_innermost_block():
    with ActorSystem() as system:
        elements = Source.range(0, 1000).iterate()
        assert next(elements) == 0
        assert system.children()
        assert elements.run.state == "running"
        elements.close()
        assert elements.run.wait(SECONDS)


def test_leaving_the_block_of_the_system_does_not_wait_for_the_loop():
    with ActorSystem() as system:
        elements = Source.range(0, 1000).map(lambda x: x).iterate()
        next(elements)
        system.shutdown(timeout=SECONDS)
        assert elements.run.state == "completed"
        rest = list(elements)
    assert rest == list(range(1, len(rest) + 1))


def test_a_cancelled_run_says_so_in_the_loop():
    with ActorSystem():
        elements = Source.never().iterate()
        threading.Timer(0.05, lambda: elements.run.cancel()).start()
        with pytest.raises(RunCancelled):
            next(elements)


def test_a_function_of_a_stage_must_not_wait_in_a_loop():
    loop = Source.of(1).map(lambda _: list(Source.of(1)))
    with pytest.raises(StageError, match="let flat_map run the source"):
        loop.run(Sink.list())


def test_a_flow_with_an_open_input_is_no_iterable():
    with pytest.raises(GraphError, match="has no source"):
        iter(Flow().map(str))
    with pytest.raises(InvalidArgumentError, match="iterate: window"):
        Source.of(1).iterate(window=0)


def test_loops_on_many_threads_share_nothing():
    results = {}

    def loop(n):
        results[n] = sum(Source.range(0, 500).map(lambda x: x * n))

    threads = [threading.Thread(target=loop, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert results == {n: n * sum(range(500)) for n in range(8)}


def test_a_loop_works_where_stages_run_on_the_calling_thread():
    with ActorSystem(dispatcher="calling_thread"):
        assert list(Source.range(0, 100).map(str).iterate(window=3)) == [*map(str, range(100))]


def test_an_open_loop_does_not_keep_the_process_alive():
    script = "from actors_rs import Source\nit = iter(Source.range(0, 10**9))\nprint(next(it))"
    ended = subprocess.run(
        [sys.executable, "-c", script], check=False, timeout=SECONDS, capture_output=True
    )
    assert (ended.returncode, ended.stdout.split(), ended.stderr) == (0, [b"0"], b"")


@pytest.mark.parametrize("leave", [broken, raised, forgotten, on_another_thread])
def test_a_thousand_loops_left_early_leave_nothing_behind(leave):
    with no_leaks(SECONDS):
        for _ in range(250):
            outside_any_system(leave, Endless())


def test_a_plain_loop_on_a_thread_with_a_running_event_loop_says_what_to_write():
    async def loop():
        with pytest.raises(BlockingError, match="write `async for x in source`"):
            iter(Source.of(1))
        with pytest.raises(BlockingError, match="write `async for x in source`"):
            next(Source.of(1).iterate())
        with (
            pytest.raises(BlockingError, match="write `async for x in source`"),
            Source.of(1).open(),
        ):
            pass

    asyncio.run(loop())
