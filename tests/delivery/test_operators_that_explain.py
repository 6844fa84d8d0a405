# mypy: disable-error-code="arg-type, func-returns-value, var-annotated"
"""Operators fused in one loop, or that explain a failure, see the element, not what it carries."""

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.delivery import Disposition, acknowledged
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS

LOOPS = {
    "filters": Flow().filter(lambda x: x != 2).filter(lambda x: x != 3),
    "filters behind map": Flow().map(int).filter(lambda x: x != 2).filter(lambda x: x != 3),
    "starmap": (
        Flow().map(lambda x: (x, x)).starmap(max).filter(lambda x: x != 2).filter(lambda x: x != 3)
    ),
}


@pytest.mark.parametrize("flow", LOOPS.values(), ids=LOOPS)
@pytest.mark.parametrize("fuse", [False, True])
def test_steps_that_are_fused_are_called_with_elements(flow, fuse):
    got = []
    source = acknowledged(Source.range(0, 5), lambda x, outcomes: got.append((x, dict(outcomes))))
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        run = system.start(source.via(flow.fuse() if fuse else flow).to(Sink.list()))
        assert run.result(SECONDS) == [0, 1, 4]
    filtered, delivered = {Disposition.FILTERED: 1}, {Disposition.DELIVERED: 1}
    assert sorted(got, key=str) == [(x, filtered if x in (2, 3) else delivered) for x in range(5)]


def mine(_a, _b):
    raise TypeError("mine")


@pytest.mark.parametrize("fuse", [False, True])
@pytest.mark.parametrize(
    ("element", "told"), [((1, 1), "mine"), (1, "expected a tuple of arguments, got 1")]
)
def test_what_starmap_says_is_of_the_element(element, told, fuse):
    flow = Flow().starmap(mine).map(str)
    source = acknowledged(Source.of(element), lambda *_: None)
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        run = system.start(source.via(flow.fuse() if fuse else flow).to(Sink.list()))
        with pytest.raises(StageError) as failed:
            run.result(SECONDS)
    assert told in str(failed.value.__cause__)
    assert "Tracked" not in str(failed.value)
