# mypy: disable-error-code="arg-type, var-annotated"
"""A stream that is recovered from fails when downstream has had enough: nobody minds."""

import pytest

from actors_rs import ActorSystem, Graph, Sink, Source, merge
from actors_rs.errors import StageError
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.world import World
from tests.graph.helpers import SECONDS

SEEDS = 60
RECOVERING = {
    "recover": lambda flow: flow.recover(lambda error: 98),
    "recover_with": lambda flow: flow.recover_with(Source.of(98)),
    "recover_with, again": lambda flow: Source.failed(OSError("first")).recover_with(
        lambda _: flow, attempts=2
    ),
    "catch": lambda flow: flow.catch(lambda error: Source.of(98)),
}
recovering = pytest.mark.parametrize("recover", RECOVERING.values(), ids=RECOVERING)


def late():
    return Source.range(0, 5).append(Source.failed(KeyError("late")))


def raises_late():
    return Source.range(0, 9).map(lambda x: x if x < 5 else [][x])


STREAMS = {
    "alone": late,
    "a function": raises_late,
    "stages between": lambda: late().map(str).filter(bool).map(int),
    "merged": lambda: merge(raises_late(), Source.never()),
    "broadcast and merged": lambda: merge(*raises_late().broadcast(2)),
    "fused": lambda: raises_late().map(str).map(int).fuse(),
}


def outcomes(flow):
    """How runs of ``flow`` ended, in many orders, and the errors that were dead letters."""
    ends, letters = set(), []
    for seed in range(SEEDS):
        with World(RandomWalk(seed)) as world:
            try:
                ends.add(str(world.start(flow.to(Sink.list())).result()))
            except Exception as error:
                ends.add(repr(error))
            letters += [one.error for one in world.system.dead_letters.recent() if one.error]
    return ends, letters


@recovering
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_a_failure_behind_what_is_wanted_is_none_of_the_run(recover, stream):
    ends, letters = outcomes(recover(stream()).take(1))
    assert ends == {"[0]"}
    assert all("late" in str(one) or "index" in str(one) or "first" in str(one) for one in letters)


def test_it_is_a_dead_letter():
    _, letters = outcomes(RECOVERING["recover"](late().map(str)).take(1))
    assert any(isinstance(error, KeyError) for error in letters)


def test_a_failure_that_somebody_else_hears_of_fails_the_run():
    enough, minded = raises_late().broadcast(2)
    graph = Graph(enough.recover(lambda error: 98).take(1).to(Sink.list()), minded.to(Sink.list()))
    with ActorSystem() as system, pytest.raises(StageError, match="'map' failed at element 5"):
        system.start(graph).result(SECONDS)


@recovering
def test_a_failure_beside_that_of_downstream_stays_with_it(recover):
    """Upstream is cancelled because the sink fails: what fails there too is not forgotten."""

    def broken(x):
        raise OSError("the sink")

    first = set()
    for seed in range(SEEDS):
        with World(RandomWalk(seed)) as world:
            run = world.start(recover(raises_late()).to(Sink.for_each(broken)))
            with pytest.raises(StageError) as raised:
                run.result()
        everything = str([raised.value, *raised.value.others])
        assert "the sink" in everything
        first.add("list index" in everything)
    assert False in first
