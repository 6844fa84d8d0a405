# mypy: disable-error-code="var-annotated, func-returns-value"
"""Chains of operators in every order the search finds, between peers that use every freedom."""

import pytest

from actors_rs import Flow, Sink, Source
from actors_rs.errors import StageError
from actors_rs.testing.explore import FreePublisher, FreeSubscriber, explore

CHAIN = Source.range(0, 5).map(lambda x: x + 1).to(Sink.list())


@explore(runs=30_000, window=(4, 2))
def test_a_chain_of_three_stages_delivers_each_element_once_in_order(world):
    assert world.start(CHAIN).result() == [1, 2, 3, 4, 5]


@explore(runs=4_000)
def test_a_filter_that_drops_all_goes_on_asking(world):
    run = world.start(Source.range(0, 9).filter(lambda x: x == 8).to(Sink.list()))
    assert run.result() == [8]


@explore(runs=4_000)
def test_a_failing_function_delivers_what_came_before_it(world):
    seen = []
    flow = Source.range(0, 6).map(lambda x: 6 // (3 - x)).map(lambda x: seen.append(x) or x)
    run = world.start(flow.to(Sink.list()))
    with pytest.raises(StageError, match="ZeroDivisionError"):
        run.result()
    assert seen == [2, 3, 6]


@explore(runs=4_000)
def test_take_cancels_upstream_and_completes(world):
    run = world.start(Source.repeat(7).map(lambda x: x).take(3).to(Sink.list()))
    assert run.result() == [7, 7, 7]


@explore(runs=4_000)
def test_a_run_can_be_cancelled_at_any_point(world):
    run = world.start(Source.range(0, 9).map(lambda x: x).to(Sink.list()))
    world.soon("cancel", run.cancel)
    run.wait()
    assert run.state in ("completed", "cancelled")


@explore(runs=4_000)
def test_a_run_can_be_drained_at_any_point(world):
    run = world.start(Source.range(0, 9).map(lambda x: x).to(Sink.list()))
    world.soon("drain", run.drain)
    assert run.result() == list(range(len(run.result())))


@explore(runs=4_000)
def test_a_free_subscriber_gets_a_prefix_in_order_and_one_end(world):
    subscriber = FreeSubscriber(world)
    world.system.publisher(Source.range(0, 6).map(lambda x: x)).subscribe(subscriber)
    world.finish()
    assert subscriber.elements == list(range(len(subscriber.elements)))
    assert subscriber.end == ("complete" if len(subscriber.elements) == 6 else "cancelled") or (
        subscriber.end == "cancelled"
    )


@explore(runs=4_000)
def test_a_free_publisher_gives_all_to_a_sink(world):
    sink = world.system.subscriber(Sink.list())
    FreePublisher(world, range(6)).subscribe(sink)
    assert sink.run.result() == [0, 1, 2, 3, 4, 5]


@explore(runs=4_000)
def test_a_processor_between_free_peers_loses_nothing(world):
    processor = world.system.processor(Flow().map(lambda x: x * 2))
    subscriber = FreeSubscriber(world, cancels=False)
    processor.subscribe(subscriber)
    FreePublisher(world, range(5)).subscribe(processor)
    world.finish()
    assert subscriber.elements == [0, 2, 4, 6, 8]
    assert subscriber.end == "complete"


@explore(runs=4_000)
def test_the_error_of_a_free_publisher_comes_behind_its_elements(world):
    error = OSError("gone")
    processor = world.system.processor(Flow().map(lambda x: x))
    subscriber = FreeSubscriber(world, cancels=False)
    processor.subscribe(subscriber)
    FreePublisher(world, range(4), error).subscribe(processor)
    processor.run.wait()
    assert subscriber.elements == [0, 1, 2, 3]
    assert subscriber.end is error


@explore(exhaustive=True, window=2)
def test_every_order_of_a_small_chain_gives_the_same_result(world):
    run = world.start(Source.range(0, 3).map(lambda x: x).to(Sink.list()))
    assert run.result() == [0, 1, 2]
