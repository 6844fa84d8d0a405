# mypy: disable-error-code="arg-type, var-annotated, misc, union-attr, return-value"
"""Async iterables as sources: drawn on the system's loop, on demand, and closed in any case."""

import asyncio
import contextvars
import functools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.errors import GraphError, RunCancelled, StageError
from tests.graph.helpers import SECONDS, Book, run, wait_until


class Numbers:
    """Async generators of integers; it counts those begun and closed, and elements drawn."""

    def __init__(self, count=5, *, waits_at=None, fails_at=None):
        self.count, self.waits_at, self.fails_at = count, waits_at, fails_at
        self.begun = self.closed = self.drawn = 0
        self.waiting = False

    async def __call__(self, *_):
        self.begun += 1
        try:
            for n in range(self.count):
                if n == self.waits_at:
                    self.waiting = True
                    await asyncio.Event().wait()
                if n == self.fails_at:
                    raise OSError("gone")
                await asyncio.sleep(0)
                self.drawn += 1
                yield n
        finally:
            await asyncio.sleep(0)  # cleaning up may take its time
            self.closed += 1


class Countdown:
    """An async iterator without a generator, which can be closed."""

    def __init__(self, start):
        self.left = start
        self.closed = 0

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.left:
            raise StopAsyncIteration
        self.left -= 1
        return self.left

    async def aclose(self):
        self.closed += 1


PLACES = {
    "a function": lambda numbers: Source.from_iterable(numbers),
    "a function that returns it": lambda numbers: Source.from_iterable(lambda: numbers()),
    "itself": lambda numbers: Source.from_iterable(numbers()),
    "flat_map": lambda numbers: Source.of(0).flat_map(numbers),
    "flat_map, several": lambda numbers: Source.of(0).flat_map(numbers, breadth=3),
    "concat_map": lambda numbers: Source.of(0).concat_map(numbers),
    "switch_map": lambda numbers: Source.of(0).switch_map(numbers),
    "catch": lambda numbers: Source.failed(ValueError()).catch(numbers),
    "recover_with": lambda numbers: Source.failed(ValueError()).recover_with(numbers),
    "fused": lambda numbers: Source.from_iterable(numbers).map(int).filter(lambda _: True).fuse(),
    "section": lambda numbers: Source.from_iterable(numbers).on_failure("restart", section=True),
}


@pytest.fixture(params=PLACES)
def place(request):
    return PLACES[request.param]


def test_all_elements_come_and_the_generator_is_closed_before_the_run_ends(shared, place):
    numbers = Numbers()
    assert shared.start(place(numbers).to(Sink.list())).result(SECONDS) == [*range(5)]
    assert (numbers.begun, numbers.closed) == (1, 1)


def test_a_stream_that_needs_no_more_closes_the_generator(shared, place):
    numbers = Numbers(waits_at=3)
    assert shared.start(place(numbers).take(2).to(Sink.list())).result(SECONDS) == [0, 1]
    assert (numbers.begun, numbers.closed) == (1, 1)


def test_cancelling_the_run_cancels_the_anext_that_is_pending(shared, place):
    numbers = Numbers(waits_at=3)
    going = shared.start(place(numbers).to(Sink.list()))
    wait_until(lambda: numbers.waiting)
    going.cancel()
    with pytest.raises(RunCancelled):
        going.result(SECONDS)
    assert (numbers.begun, numbers.closed) == (1, 1)


def test_a_drained_run_keeps_what_was_drawn(shared):
    numbers = Numbers(waits_at=3)
    going = shared.start(Source.from_iterable(numbers).to(Sink.list()))
    wait_until(lambda: numbers.waiting)
    going.drain()
    assert going.result(SECONDS) == [0, 1, 2]
    assert numbers.closed == 1


@pytest.mark.parametrize("name", [name for name in PLACES if name != "section"])
def test_what_the_generator_raises_comes_after_its_elements(shared, name):
    numbers, seen = Numbers(fails_at=3), []
    going = shared.start(PLACES[name](numbers).to(Sink.for_each(seen.append)))
    with pytest.raises(StageError) as caught:
        going.result(SECONDS)
    assert isinstance(caught.value.__cause__, OSError)
    assert seen == [0, 1, 2]
    assert numbers.closed == 1


def test_a_failure_downstream_closes_the_generator(shared, place):
    numbers = Numbers(waits_at=3)
    with pytest.raises(StageError, match="division"):
        shared.start(place(numbers).map(lambda n: 1 // n).to(Sink.list())).result(SECONDS)
    assert numbers.closed == numbers.begun


@given(st.lists(st.integers(), max_size=40), st.sets(st.integers(0, 40)), st.integers(1, 9))
@settings(max_examples=50, deadline=None)
def test_it_gives_what_a_list_gives_wherever_the_generator_waits(xs, waits, window):
    async def rows():
        for place, x in enumerate(xs):
            if place in waits:
                await asyncio.sleep(0)
            yield x

    flow = Source.from_iterable(rows).with_attributes(window=window)
    assert run(flow.to(Sink.list())) == xs


def test_no_more_is_drawn_than_was_asked_for(shared):
    numbers, book = Numbers(100), Book(3)
    shared.publisher(Source.from_iterable(numbers)).subscribe(book)
    wait_until(lambda: len(book.elements) == 3)
    assert numbers.drawn == 3
    book.request(2)
    wait_until(lambda: len(book.elements) == 5)
    assert numbers.drawn == 5
    book.subscription.cancel()
    wait_until(lambda: numbers.closed)


def test_the_window_bounds_what_is_drawn_ahead(shared):
    numbers = Numbers(1000)
    flow = Source.from_iterable(numbers).with_attributes(window=8).throttle(1, per=3600, burst=1)
    going = shared.start(flow.with_attributes(window=8).to(Sink.list()))
    wait_until(lambda: numbers.drawn >= 8)
    assert numbers.drawn <= 16
    going.cancel()
    assert going.wait(SECONDS)


def test_an_async_iterator_of_a_class_is_drawn_and_closed(shared):
    countdown = Countdown(3)
    going = shared.start(Source.from_iterable(countdown).to(Sink.list()))
    assert going.result(SECONDS) == [2, 1, 0]
    assert countdown.closed == 1


@pytest.mark.parametrize("make", [lambda: Numbers()(), lambda: Countdown(3)])
def test_an_iterator_that_has_ended_is_an_error_and_no_empty_stream(shared, make):
    source = Source.from_iterable(make()).to(Sink.count())
    shared.start(source).result(SECONDS)
    with pytest.raises(StageError, match="give the function that makes it") as caught:
        shared.start(source).result(SECONDS)
    assert isinstance(caught.value.__cause__, GraphError)


def test_a_function_begins_a_new_one_in_each_run(shared):
    source = Source.from_iterable(Numbers(2)).to(Sink.list())
    assert [shared.start(source).result(SECONDS) for _ in range(2)] == [[0, 1], [0, 1]]


def test_one_task_draws_all_elements_and_closes():
    tasks = set()

    async def numbers():
        async with asyncio.TaskGroup() as group:  # to be left in the task that entered it
            group.create_task(asyncio.sleep(0))
            for n in range(200):
                tasks.add(asyncio.current_task())
                yield n
        tasks.add(asyncio.current_task())

    assert Source.from_iterable(numbers).to(Sink.count()).run() == 200
    assert len(tasks) == 1


def test_a_generator_that_is_cancelled_may_use_timeouts_as_it_cleans_up(shared):
    cleaned = []

    async def feed():
        try:
            yield 1
            await asyncio.Event().wait()
        finally:
            async with asyncio.timeout(SECONDS):
                await asyncio.sleep(0.001)
            cleaned.append(True)

    assert shared.start(Source.from_iterable(feed).take(1).to(Sink.list())).result(SECONDS) == [1]
    assert cleaned == [True]


def test_what_a_generator_raises_as_it_is_closed_fails_the_run(shared):
    async def feed():
        try:
            yield 1
            await asyncio.Event().wait()
        finally:
            raise OSError("cannot close")

    going = shared.start(Source.from_iterable(feed).take(1).to(Sink.list()))
    with pytest.raises(StageError, match="cannot close"):
        going.result(SECONDS)


def test_a_generator_that_was_cancelled_by_somebody_else_has_failed(shared):
    async def feed():
        yield 1
        raise asyncio.CancelledError

    with pytest.raises(StageError, match="cancelled"):
        shared.start(Source.from_iterable(feed).to(Sink.list())).result(SECONDS)


@pytest.mark.parametrize("way", ["cancelled", "failed"])
def test_a_generator_that_does_not_end_is_given_up_after_the_grace(way, caplog):
    waiting, goes_on = [], []

    async def stubborn(x):
        try:
            yield x
            waiting.append(True)
            await asyncio.Event().wait()
        finally:
            while not goes_on:
                await asyncio.sleep(0.001)

    with ActorSystem(cancel_grace=0.05, shutdown_timeout=SECONDS) as system:
        flow = Source.of(0).flat_map(stubborn)
        if way == "failed":
            flow = flow.merge(Source.tick(0.01).map(lambda _: 1 // 0))
        going = system.start(flow.to(Sink.list()))
        wait_until(lambda: waiting)
        if way == "cancelled":
            going.cancel()
        assert going.wait(SECONDS)
        assert going.state == way
        wait_until(lambda: "stubborn" in caplog.text or "is abandoned" in caplog.text)
        goes_on.append(True)


def test_elements_that_come_without_waiting_leave_their_turn_to_others(shared):
    async def endless():
        while True:
            yield 0

    going = shared.start(Source.from_iterable(endless).to(Sink.ignore()))
    numbers = Source.from_iterable(Numbers(50)).to(Sink.count())
    assert shared.start(numbers).result(SECONDS) == 50
    going.cancel()
    assert going.wait(SECONDS)


def test_an_element_does_not_wait_for_the_next_one(shared):
    seen, numbers = [], Numbers(waits_at=1)
    going = shared.start(Source.from_iterable(numbers).to(Sink.for_each(seen.append)))
    wait_until(lambda: seen == [0])
    going.cancel()
    assert going.wait(SECONDS)


def test_it_sees_the_context_of_the_start(shared):
    variable = contextvars.ContextVar("variable", default="none")

    async def feed():
        yield variable.get()

    def start():
        variable.set("mine")
        return shared.start(Source.from_iterable(feed).to(Sink.list())).result(SECONDS)

    assert contextvars.copy_context().run(start) == ["mine"]


def test_what_is_both_is_iterated_over_without_a_loop(shared):
    class Both(Countdown):
        def __iter__(self):
            return iter("ab")

    assert shared.start(Source.from_iterable(Both(2)).to(Sink.list())).result(SECONDS) == ["a", "b"]


def test_a_stall_is_seen_although_a_generator_waits_for_demand(shared):
    stuck = Source.from_iterable(Numbers(100)).group_by(lambda n: n, 1, stall_after=0.05)
    with pytest.raises(Exception, match="stood still"):
        shared.start(stuck.to(Sink.list())).result(SECONDS)


@pytest.mark.parametrize("iterable", [Numbers(), functools.partial(Numbers()), Countdown(1)])
def test_there_is_nothing_to_interrupt_in_an_async_iterable(iterable):
    if not isinstance(iterable, Countdown):
        iterable = iterable()
    with pytest.raises(TypeError, match="interrupt is for an iterator that blocks a thread"):
        Source.from_iterable(iterable, interrupt=print)


def test_what_is_no_stream_at_all_is_refused_with_all_that_would_be(shared):
    with pytest.raises(TypeError, match="needs an iterable, an async one, or a function"):
        Source.from_iterable(5)
    wanted = r"expected a Source, an iterable or an async iterable, got 5"
    for flow in (Flow().flat_map(lambda _: 5), Flow().flat_map(lambda _: 5, 2)):
        with pytest.raises(StageError, match=wanted):
            shared.start(Source.of(1).via(flow).to(Sink.list())).result(SECONDS)


def test_a_thousand_generators_left_early_leave_no_task_behind(shared):
    numbers = Numbers(waits_at=2)
    firsts = Source.range(0, 1000).flat_map(lambda _: Source.from_iterable(numbers).take(1), 16)
    assert shared.start(firsts.to(Sink.count())).result(SECONDS) == 1000
    assert numbers.begun == numbers.closed == 1000
    wait_until(lambda: not shared.event_loop._running)
