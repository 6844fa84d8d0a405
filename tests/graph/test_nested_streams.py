# mypy: disable-error-code="arg-type, func-returns-value, var-annotated"
"""Inner streams that run within the actor of the stage that attached them."""

from types import SimpleNamespace
from typing import Any

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.engine.island import Island
from actors_rs.engine.links import MailboxDownstream
from actors_rs.errors import StageError
from actors_rs.runtime.actors.mailbox import Mailbox
from actors_rs.stages.ports import Inlet
from tests.graph.helpers import SECONDS, wait_until
from tests.graph.models import Upstream


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


@pytest.mark.parametrize("breadth", [None, 3])
def test_a_fused_inner_stream_runs_within_its_host_as_if_it_had_actors(system, breadth):
    def stream(x):
        return Source.from_iterable(range(x)).map(str).filter(bool).fuse()

    actors_before = set()
    going = system.start(
        Source.range(0, 20)
        .flat_map(stream, breadth)
        .map(lambda y: actors_before.update(map(str, system.children())) or y)
        .to(Sink.list())
    )
    assert sorted(going.result(SECONDS)) == sorted(str(y) for x in range(20) for y in range(x))
    assert not any("#" in actor for actor in actors_before), "no inner stage was an actor"
    ended = {s.name: s.details["stages"] for s in going.snapshot().stages if "ended)" in s.name}
    assert ended == {"from_iterable (ended)": 20, "map (ended)": 20, "filter (ended)": 20}


def test_a_fused_inner_stream_that_fails_names_its_operator_and_releases_its_source(system):
    upstream = Upstream(iter(int, 1))

    def stream(_):
        return upstream.source().map(lambda x: 1 // x).named("divide").map(int).fuse()

    with pytest.raises(StageError, match=r"stage 'divide#1' failed at element 0: ZeroDivision"):
        system.start(Source.of(1).flat_map(stream).to(Sink.list())).result(SECONDS)
    upstream.wait_until_released()
    assert upstream.begun == 1
    wait_until(lambda: not system.children())


def test_a_fused_group_is_folded_within_its_host(system):
    going = system.start(
        Source.range(0, 99)
        .group_by(lambda x: x % 3, 3)
        .flat_map(lambda g: g.sum().fuse(), breadth=3)
        .to(Sink.list())
    )
    assert sorted(going.result(SECONDS)) == [1584, 1617, 1650]
    assert {s.name for s in going.snapshot().stages} >= {"sum (ended)"}


def test_a_source_whose_release_fails_fails_the_run_also_within_its_host(system):
    class Broken:
        def __iter__(self):
            return self

        def __next__(self):
            raise StopIteration

        def close(self):
            raise KeyError("close")

    graph = Source.of(1).flat_map(lambda _: Source.from_iterable(Broken())).to(Sink.list())
    with pytest.raises(StageError, match=r"stage 'from_iterable#1' failed: KeyError"):
        system.start(graph).result(SECONDS)


class Refusing:
    """The mailbox of a host that has ended."""

    def offer(self, message):
        return False


@pytest.mark.parametrize("how", ["the host has ended", "it is not read any more", "it has ended"])
def test_an_error_that_finds_an_inner_stream_ended_is_minded_as_by_a_stage(how):
    inlet, unheard, error = Inlet(), [], KeyError("late")
    inlet.on_unheard = unheard.append
    box: Any = Refusing() if how == "the host has ended" else Mailbox()
    inner = SimpleNamespace(island=SimpleNamespace(actor_inbox=box), ended=True)
    line = MailboxDownstream(inner, inlet)
    line.fail(error)
    line.complete()
    if how == "it is not read any more":
        for signal in box.close():
            signal.dropped()
    elif how == "it has ended":
        Island._deliver(SimpleNamespace(current=None), box.take())
        Island._deliver(SimpleNamespace(current=None), box.take())
    assert unheard == [error]
    assert not inlet.done
