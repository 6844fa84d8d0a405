# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Acknowledged elements do not leave the graph that acknowledges them: nobody would unwrap them."""

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source, concat
from actors_rs.delivery import acknowledged
from actors_rs.errors import GraphError, StageError
from tests.graph.helpers import SECONDS


def tracked():
    return acknowledged(Source.of(1, 2), lambda element, outcomes: None).map(str)


WAYS = {
    "publisher": lambda system: system.publisher(tracked()),
    "processor": lambda system: system.processor(acknowledged(Flow(), lambda *_: None)),
    "merge_hub": lambda system: Source.merge_hub().attach(tracked()),
    "concat": lambda system: concat(Source.of(0), tracked()),
    "append": lambda system: Source.of(0).append(tracked()),
    "restart": lambda system: tracked().restart(),
    "restart of a flow": lambda system: acknowledged(Flow(), lambda *_: None).map(str).restart(),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_stream_of_acknowledged_elements_is_refused_outside_of_its_graph(way):
    with (
        ActorSystem(shutdown_timeout=SECONDS) as system,
        pytest.raises(GraphError, match=r"expected plain elements.*'acknowledged'.*leaving_the"),
    ):
        WAYS[way](system)


def test_the_refusal_of_a_restart_says_that_it_is_the_restart():
    with pytest.raises(GraphError, match=r"^restart: expected plain elements"):
        tracked().restart()


def test_a_section_before_the_acknowledgements_may_be_restarted():
    got = []
    source = acknowledged(Source.of(1, 2).restart(), lambda element, outcomes: got.append(element))
    assert source.run(Sink.list()) == [1, 2] == got


@pytest.mark.parametrize("breadth", [None, 2])
def test_an_inner_stream_of_acknowledged_elements_fails_the_run_that_begins_it(breadth):
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        flow = Source.of(0).flat_map(lambda _: tracked(), breadth=breadth)
        with pytest.raises(StageError) as failure:
            system.start(flow.to(Sink.list())).result(SECONDS)
    assert isinstance(failure.value.__cause__, GraphError)
