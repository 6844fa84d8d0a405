# mypy: disable-error-code="arg-type, func-returns-value, var-annotated"
"""Graphs in which one could tell a row from actors apart, and does not."""

import threading
import time

import pytest

from actors_rs import Graph, Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS, wait_until
from tests.graph.test_auto_fused import System, either_way


@either_way
@pytest.mark.parametrize(("skipped", "window"), [(3, 1), (7, 2), (14_000, 4096)])
def test_a_row_that_nobody_asks_holds_as_much_as_the_links_it_replaces(options, skipped, window):
    """Else the branches of a diamond that one of them delays wait for each other for ever."""
    one, other = Source.range(0, 4 * skipped).broadcast(2)
    delayed = other.with_index().with_index().with_index()
    with System(window=window, **options) as system:
        run = system.start(one.skip(skipped).zip(delayed).to(Sink.count()))
        assert run.result(SECONDS) == 3 * skipped


@either_way
@pytest.mark.parametrize("end", ["for_each", "map", "reduce"])
def test_a_run_that_is_drained_calls_for_a_few_windows_more(options, end):
    calls = []

    def f(x):
        calls.append(x)
        return x

    window, source = 3, Source.range(0, 10**9)
    graph = {
        "for_each": source.to(Sink.for_each(f)),
        "map": source.map(f).count().to(Sink.list()),
        "reduce": source.reduce(0, lambda _, x: f(x)).to(Sink.list()),
    }[end]
    with System(window=window, **options) as system:
        run = system.start(graph)
        wait_until(lambda: len(calls) > 100)
        run.drain(0)
        drained = len(calls)
        run.result(SECONDS)
    assert len(calls) - drained < 10**6, "the source went on"


@either_way
def test_an_error_beside_one_that_was_recovered_from_goes_with_it(options):
    flow = Source.failed(ValueError("first")).start_with(1, "a").sum().recover(lambda _: "well")
    with System(**options) as system:
        assert system.start(flow.to(Sink.list())).result(SECONDS) == ["well"]
        (letter,) = system.dead_letters.recent()
    assert letter.where == "stage 'recover'"
    assert "beside an error that was recovered from" in letter.why


@either_way
def test_of_two_that_fail_in_one_piece_the_one_that_raised_first_is_told_first(options):
    def f(x):
        if x == 4:
            raise ValueError(x)
        return "no number" if x == 3 else x

    with System(workers=1, **options) as system, pytest.raises(StageError) as failed:
        system.start(Source.range(0, 10).map(f).to(Sink.sum())).result(SECONDS)
    assert (failed.value.stage, failed.value.position) == ("map", 4)
    assert [str(error).partition(":")[0] for error in failed.value.others] == [
        "stage 'sum' failed at element 3"
    ]


@either_way
@pytest.mark.parametrize(("window", "beyond"), [(64, 200), (4096, 10_000)])
def test_a_function_that_waits_holds_up_no_other_branch(options, window, beyond):
    seen = threading.Event()
    one, other = Source.range(0, 20_000).broadcast(2)
    waiting = one.with_index().with_index().with_index().map(lambda _: seen.wait(SECONDS))
    graph = Graph(
        waiting.first().to(Sink.first()),
        other.to(Sink.for_each(lambda x: seen.set() if x == beyond else None)),
    )
    with System(window=window, **options) as system:
        assert system.start(graph).result(SECONDS)[0], "the other branch got nothing meanwhile"


class Slow:
    """An element that takes long to be added."""

    def __radd__(self, other):
        time.sleep(0.02)
        return other + 1


@either_way
def test_the_stage_that_adds_slow_elements_is_the_bottleneck(options):
    with System(**options) as system:
        run = system.start(Source.of(*[Slow()] * 5).sum().to(Sink.list()))
        assert run.result(SECONDS) == [5]
        assert run.snapshot().bottleneck() == "sum"
