# mypy: disable-error-code="arg-type, call-arg, misc, return-value, var-annotated, union-attr"
"""``@operator``: a generator function as an operator, with back-pressure, policies and ends."""

import contextvars
import itertools
import pickle
import threading
from collections.abc import Iterator
from typing import Any, Never, assert_type

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Flow, Sink, Source, operator
from actors_rs.errors import BlockingError, StageError
from actors_rs.runtime._primitives import living_threads
from tests.graph.helpers import SECONDS, Book, wait_until
from tests.graph.models import quick, windows


@operator
def totals(numbers: Iterator[int], start: int = 0) -> Iterator[int]:
    """The sum so far."""
    total = start
    for number in numbers:
        total += number
        yield total


@operator
def batches(elements: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while batch := list(itertools.islice(elements, size)):
        yield batch


@operator
def first(elements: Iterator[Any], count: int) -> Iterator[Any]:
    for _ in range(count):
        yield next(elements)


@operator
def inverses(numbers: Iterator[int]) -> Iterator[tuple[int, float]]:
    for seen, number in enumerate(numbers, 1):
        yield seen, 1 / number


class Watched:
    """An operator that passes on what comes; it knows how and where each generator has ended."""

    def __init__(self):
        self.taken, self.ended, self.threads = [], [], []
        self.make = operator(self.passes)

    def passes(self, elements):
        thread = threading.get_ident()
        try:
            for element in elements:
                self.taken.append(element)
                yield element
        except BaseException as error:
            self.ended.append(type(error))
            raise
        else:
            self.ended.append(None)
        finally:
            self.threads.append(thread == threading.get_ident())


@quick
@given(
    xs=st.lists(st.integers(), max_size=60),
    size=st.integers(1, 7),
    window=windows,
    fused=st.booleans(),
)
def test_it_gives_what_the_generator_gives_for_a_list(shared, xs, size, window, fused):
    flow = Source.from_iterable(xs).via(totals(3)).map(int).via(batches(size))
    flow = (flow.fuse() if fused else flow).with_attributes(window=window)
    sums = [*itertools.accumulate(xs, initial=3)][1:]
    expected = [sums[k : k + size] for k in range(0, len(sums), size)]
    assert shared.start(flow.to(Sink.list())).result(SECONDS) == expected


def test_each_run_begins_anew(shared):
    graph = Source.of(1, 2).via(totals()).to(Sink.list())
    assert [shared.start(graph).result(SECONDS) for _ in range(2)] == [[1, 3], [1, 3]]


def test_it_can_be_used_in_an_inner_stream_and_in_a_sink(shared):
    inner = Source.of(2, 3).flat_map(lambda n: Source.range(0, n).via(totals()), breadth=2)
    assert sorted(shared.start(inner.to(Sink.list())).result(SECONDS)) == [0, 0, 1, 1, 3]
    sink = totals(1).to(Sink.last())
    assert shared.start(Source.of(1, 2).to(sink)).result(SECONDS) == 4


def test_a_generator_that_returns_completes_the_stream_and_cancels_upstream(shared):
    cancelled = []
    source = Source.range(0, 10**9).on_termination(cancelled.append)
    assert shared.start(source.via(batches(3)).via(first(2)).to(Sink.list())).result(SECONDS) == [
        [0, 1, 2],
        [3, 4, 5],
    ]
    assert len(cancelled) == 1
    run = shared.start(Source.never().via(first(0)).to(Sink.list()))
    assert run.result(SECONDS) == []


def test_a_generator_may_give_after_the_last_element_and_without_any(shared):
    @operator
    def count(elements):
        yield sum(1 for _ in elements)

    for n in (0, 5):
        run = shared.start(Source.range(0, n).via(count()).to(Sink.list()))
        assert run.result(SECONDS) == [n]


def test_downstream_that_needs_no_more_closes_it_on_its_own_thread(shared):
    watched = Watched()
    flow = Source.range(0, 10**9).via(watched.make()).take(3)
    assert shared.start(flow.to(Sink.list())).result(SECONDS) == [0, 1, 2]
    assert watched.ended == [GeneratorExit]
    assert watched.threads == [True]


def test_a_cancelled_run_closes_a_generator_that_waits_for_an_element(shared):
    watched = Watched()
    run = shared.start(Source.of(1).append(Source.never()).via(watched.make()).to(Sink.list()))
    wait_until(lambda: watched.taken)
    run.cancel()
    assert run.wait(SECONDS)
    assert run.state == "cancelled"
    assert watched.ended == [GeneratorExit]
    assert watched.threads == [True]


def test_a_generator_that_is_not_begun_is_not_closed(shared):
    watched = Watched()
    book = Book(0)
    shared.publisher(Source.range(0, 9).via(watched.make())).subscribe(book)
    wait_until(lambda: book.subscription)
    book.subscription.cancel()
    wait_until(lambda: not shared.children())
    assert watched.ended == []


def test_no_more_is_taken_than_what_is_asked_for_needs(shared):
    watched, book = Watched(), Book(2)
    shared.publisher(Source.range(0, 100).via(watched.make())).subscribe(book)
    wait_until(lambda: len(book.elements) == 2)
    assert watched.taken == [0, 1]
    book.request(3)
    wait_until(lambda: len(book.elements) == 5)
    assert watched.taken == [0, 1, 2, 3, 4]
    book.subscription.cancel()
    wait_until(lambda: watched.ended == [GeneratorExit])


def test_an_end_needs_no_demand(shared):
    book = Book(3)
    shared.publisher(Source.range(0, 3).via(totals())).subscribe(book)
    assert book.over.wait(SECONDS)
    assert book.elements == [0, 1, 3]


def test_elements_do_not_wait_for_later_ones(shared):
    seen = []
    flow = Source.of(1).append(Source.never()).via(totals())
    run = shared.start(flow.to(Sink.for_each(seen.append)))
    wait_until(lambda: seen == [1])
    run.cancel()
    assert run.wait(SECONDS)


def test_what_it_raises_fails_the_stream_after_what_came_before(shared):
    seen = []
    run = shared.start(Source.of(1, 2, 0, 4).via(inverses()).to(Sink.for_each(seen.append)))
    with pytest.raises(StageError, match="stage 'inverses' failed at element 2") as caught:
        run.result(SECONDS)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert seen == [(1, 1.0), (2, 0.5)]


@pytest.mark.parametrize("policy", ["resume", "restart"])
def test_with_a_policy_the_element_is_passed_over_and_a_fresh_generator_goes_on(shared, policy):
    flow = Source.of(1, 0, 0, 2, 4, 0).via(inverses()).on_failure(policy)
    run = shared.start(flow.to(Sink.list()))
    assert run.result(SECONDS) == [(1, 1.0), (1, 0.5), (2, 0.25)]
    (stage,) = [s for s in run.snapshot().stages if s.name == "inverses"]
    assert (stage.resumed, stage.restarted) == ((3, 0) if policy == "resume" else (0, 3))


def test_what_it_raises_without_an_element_fails_the_stream_whatever_the_policy(shared):
    @operator
    def broken(elements):
        yield 0
        raise OSError("at once")

    run = shared.start(Source.of(1).via(broken()).on_failure("resume").to(Sink.list()))
    with pytest.raises(StageError, match="at once"):
        run.result(SECONDS)


def test_the_failure_of_upstream_is_raised_by_next_and_cannot_be_swallowed(shared):
    @operator
    def careful(elements):
        try:
            yield from elements
        except StageError:
            yield "the end"

    for op, expected in ((careful, [1, "the end"]), (totals, [1])):
        seen = []
        failing = Source.of(1, 0).map(lambda n: 1 // n)
        run = shared.start(failing.via(op()).to(Sink.for_each(seen.append)))
        with pytest.raises(StageError, match="division") as caught:
            run.result(SECONDS)
        assert caught.value.stage == "map"
        assert seen == expected


def test_what_it_raises_as_it_is_closed_fails_the_run(shared):
    @operator
    def stubborn(elements):
        try:
            yield from elements
        finally:
            raise OSError("cannot close")

    run = shared.start(Source.range(0, 9).via(stubborn()).take(1).to(Sink.list()))
    with pytest.raises(StageError, match="cannot close"):
        run.result(SECONDS)


def test_a_generator_that_goes_on_when_it_is_closed_is_an_error_and_no_endless_run(shared):
    @operator
    def endless(elements):
        while True:
            try:
                yield next(elements)
            except GeneratorExit:
                yield 7

    run = shared.start(Source.range(0, 9).via(endless()).take(1).to(Sink.list()))
    with pytest.raises(StageError, match="ignored GeneratorExit"):
        run.result(SECONDS)


def test_it_has_the_context_of_the_start_and_must_not_wait_for_runs(shared):
    variable = contextvars.ContextVar("variable", default="none")

    @operator
    def looks(elements):
        yield variable.get()
        with pytest.raises(BlockingError):
            Source.of(1).run(Sink.list())
        yield "blocked"

    def start():
        variable.set("mine")
        return shared.start(Source.of(1).via(looks()).to(Sink.list())).result(SECONDS)

    assert contextvars.copy_context().run(start) == ["mine", "blocked"]


def test_a_generator_that_does_not_return_is_given_up_with_its_stage():
    from tests.graph.stuck import FAR_BELOW_A_CALL, Stuck, stuck_system

    stuck = Stuck()

    @operator
    def waits(elements):
        for element in elements:
            yield stuck(element)

    with stuck_system(stuck) as system:
        run = system.start(Source.of(1).via(waits()).to(Sink.list()))
        assert stuck.begun.wait(SECONDS)
        run.cancel()
        assert run.wait(FAR_BELOW_A_CALL)
        assert run.state == "cancelled"


def test_a_thousand_generators_left_early_leave_no_thread_behind(shared):
    watched = Watched()
    firsts = Source.range(0, 1000).flat_map(
        lambda _: Source.of(1, 2, 3).via(watched.make()).take(1), breadth=8
    )
    assert shared.start(firsts.to(Sink.count())).result(SECONDS) == 1000
    assert watched.ended == [GeneratorExit] * 1000
    assert all(watched.threads)
    wait_until(lambda: not [one for one in living_threads() if one.name == "passes"])


def test_a_function_that_returns_an_iterator_will_do_and_others_will_not(shared):
    pairs = operator(lambda elements: zip(elements, elements, strict=False))
    run = shared.start(Source.range(0, 5).via(pairs()).to(Sink.list()))
    assert run.result(SECONDS) == [(0, 1), (2, 3)]
    with pytest.raises(StageError, match="expected an iterable, got 7"):
        shared.start(Source.of(1).via(operator(lambda _: 7)()).to(Sink.list())).result(SECONDS)
    with pytest.raises(TypeError, match="operator: f must be callable, got 7"):
        operator(7)

    async def later(elements):
        yield 1

    with pytest.raises(TypeError, match="operator: f must be a plain function, got the async"):
        operator(later)
    with pytest.raises(StageError, match="missing 1 required positional argument: 'size'"):
        shared.start(Source.of(1).via(batches()).to(Sink.list())).result(SECONDS)


def test_it_keeps_its_name_and_its_docstring_and_can_be_pickled(shared):
    assert totals.__name__ == "totals"
    assert totals.__doc__ == "The sum so far."
    assert repr(totals(1)) == "<Flow ending in 'totals'>"
    copied = pickle.loads(pickle.dumps(totals(1)))
    assert shared.start(Source.of(1).via(copied).to(Sink.list())).result(SECONDS) == [2]


def test_type_checkers_know_its_arguments_and_elements():
    assert_type(totals(3), Flow[int, int])
    assert_type(Source.of(1).via(totals(start=1)), Flow[Never, int])
    assert_type(batches(3), Flow[Any, list[Any]])
