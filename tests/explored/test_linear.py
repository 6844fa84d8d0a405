# mypy: disable-error-code="var-annotated, func-returns-value"
"""A chain in a great many orders, in all orders, and between peers that use every freedom.

What else is explored is data, see ``scenarios``.
"""

from actors_rs import Flow, Sink, Source
from actors_rs.testing.explore import FreePublisher, FreeSubscriber, explore

CHAIN = Source.range(0, 5).map(lambda x: x + 1).to(Sink.list())


@explore(runs=10_000, window=(4, 2), yardstick=True)
def test_a_chain_of_three_stages_delivers_each_element_once_in_order(world):
    assert world.start(CHAIN).result() == [1, 2, 3, 4, 5]


@explore(runs=1_000)
def test_a_processor_between_free_peers_loses_nothing(world):
    processor = world.system.processor(Flow().map(lambda x: x * 2))
    subscriber = FreeSubscriber(world, cancels=False)
    processor.subscribe(subscriber)
    FreePublisher(world, range(5)).subscribe(processor)
    world.finish()
    assert subscriber.elements == [0, 2, 4, 6, 8]
    assert subscriber.end == "complete"


@explore(exhaustive=True, window=2)
def test_every_order_of_a_small_chain_gives_the_same_result(world):
    run = world.start(Source.range(0, 3).map(lambda x: x).to(Sink.list()))
    assert run.result() == [0, 1, 2]
