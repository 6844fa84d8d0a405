# mypy: disable-error-code="var-annotated, arg-type"
"""A window that a user sets has an effect wherever it can be written, or it is refused there."""

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.errors import InvalidArgumentError


def windows(graph):
    """The window of each link, by the stages at its ends."""
    with ActorSystem(workers=1, window=4096) as system:
        run = system.start(graph)
        run.result()
        return {f"{link.upstream} {link.downstream}": link.window for link in run.snapshot().links}


def test_the_window_of_a_source_is_how_far_the_next_stages_read_ahead():
    graph = Source.range(0, 100).with_attributes(window=4).map(str).to(Sink.list())
    assert windows(graph) == {"range map": 4, "map list": 4}


def test_the_window_of_a_source_ends_where_new_elements_are_made():
    source = Source.range(0, 3).with_attributes(window=4)
    graph = source.flat_map(lambda n: [n] * n).to(Sink.list())
    assert windows(graph) == {"range flat_map": 4, "flat_map list": 4096}


def test_stages_that_are_fused_with_a_source_keep_their_window_to_themselves():
    fused = Source.range(0, 9).map(str).fuse().with_attributes(window=4)
    assert "map -> list: 4,096" in fused.to(Sink.list()).explain()


@pytest.mark.parametrize("setting", [{"window": "auto"}, {"weight": len}], ids=str)
@pytest.mark.parametrize("source", [Source.of("a"), Source.of("a").map(str).restart()], ids=str)
def test_a_source_refuses_what_is_about_elements_that_come_to_a_stage(source, setting):
    with pytest.raises(InvalidArgumentError, match="set it on the stage or sink after it"):
        source.with_attributes(**setting)


@pytest.mark.parametrize("sink", [Sink.queue(8), Sink.queue(8).after(Flow().map(str))], ids=str)
def test_a_queue_whose_capacity_is_its_window_refuses_another_window(sink):
    with pytest.raises(InvalidArgumentError, match=r"Sink.queue\(n\) is its capacity: set n"):
        sink.with_attributes(window=4)
    sink.with_attributes(dispatcher="pinned")


@pytest.mark.parametrize(
    "split",
    [
        lambda flow, window: flow.broadcast(2, window=window),
        lambda flow, window: flow.balance(2, window=window),
        lambda flow, window: flow.partition(2, len, window=window),
        lambda flow, window: flow.unzip(window=window),
    ],
    ids=["broadcast", "balance", "partition", "unzip"],
)
def test_each_stage_with_several_outlets_takes_a_window_where_it_is_made(split):
    pairs = Source.of(*[()] * 3)
    branches = split(pairs.map(lambda _: ("", 1)), 5)
    first = branches[0]._out.spec
    assert first.attributes.window == 5
    with pytest.raises(InvalidArgumentError, match="window must be at least 1, got 0"):
        split(pairs, 0)
