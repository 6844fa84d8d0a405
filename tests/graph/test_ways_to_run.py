"""All calls that run a graph take the same arguments: ``system=``, ``name=``, ``timeout=``."""

import asyncio
import contextvars
import inspect
import threading

import pytest

from actors_rs import ActorSystem, Flow, Graph, Sink, Source
from actors_rs.errors import ArgumentTypeError, InvalidArgumentError, RunTimeout
from actors_rs.interop import anyio
from actors_rs.testing.world.world import World
from tests.graph.helpers import SECONDS, wait_until

SOURCE = Source.of("tea", "rye")
GRAPH = SOURCE.to(Sink.list())
BLOCKING = {
    "graph.run": lambda **how: GRAPH.run(**how),
    "source.run": lambda **how: SOURCE.run(Sink.list(), **how),
    "iterate": lambda **how: list(SOURCE.iterate(**how)),
    "open": lambda **how: opened(**how),
}
AWAITED = {
    "graph.run_async": lambda **how: GRAPH.run_async(**how),
    "source.run_async": lambda **how: SOURCE.run_async(Sink.list(), **how),
    "iterate": lambda **how: all_of(SOURCE.iterate(**how)),
    "open": lambda **how: all_of(SOURCE.open(**how)),
    "anyio.run_async": lambda **how: anyio.run_async(GRAPH, **how),
    "anyio.iterate": lambda **how: all_of(anyio.iterate(SOURCE, **how)),
}


def opened(**how):
    with SOURCE.open(**how) as rows:
        return list(rows)


async def all_of(rows):
    async with rows:
        return [row async for row in rows]


def ended(way, arguments):
    begun = way(**arguments)
    return asyncio.run(begun) if inspect.iscoroutine(begun) else begun


@pytest.fixture
def system():
    with ActorSystem(workers=2) as system:
        yield system


def runs_of(system):
    """The names of the runs that begin on ``system`` from now on."""
    names = []

    def heard(event):
        if event.name == "run_started":
            names.append(event.run)

    system.events.listen(heard)
    return names


@pytest.mark.parametrize("way", BLOCKING)
def test_a_blocking_call_runs_in_the_system_and_under_the_name_it_is_given(way):
    with ActorSystem() as system:
        names = runs_of(system)
        assert BLOCKING[way](system=system, name="stock") == ["tea", "rye"]
        assert BLOCKING[way](system=system) == ["tea", "rye"]
        assert names == ["stock", "run"]
        assert system.is_open


@pytest.mark.parametrize("way", AWAITED)
def test_a_handler_that_does_not_inherit_the_block_of_its_server_can_name_its_system(way):
    async def handler(system):
        return await AWAITED[way](system=system, name="stock")

    async def server():
        outside = contextvars.copy_context()
        async with ActorSystem() as system:
            names = runs_of(system)
            task = asyncio.get_running_loop().create_task(handler(system), context=outside)
            assert await task == ["tea", "rye"]
            assert names == ["stock"]

    asyncio.run(server())


@pytest.mark.parametrize("way", [*BLOCKING.items(), *AWAITED.items()], ids=lambda way: way[0])
@pytest.mark.parametrize("wrong", [{"name": ""}, {"name": 3}, {"system": "shop"}], ids=str)
def test_wrong_arguments_are_refused_with_the_name_of_the_call_and_the_argument(way, wrong):
    called = way[0].rpartition(".")[2]
    with pytest.raises((ArgumentTypeError, InvalidArgumentError), match=called):
        ended(way[1], wrong)


def test_all_ways_share_one_set_of_arguments():
    common = {"system", "name"}
    for run in (Graph.run, Flow.run, Graph.run_async, Flow.run_async, anyio.run_async):
        assert {*common, "timeout"} <= inspect.signature(run).parameters.keys()
    for loop in (Flow.iterate, Flow.open, anyio.iterate):
        assert {*common, "window"} <= inspect.signature(loop).parameters.keys()
    assert inspect.signature(Graph.run).parameters.keys() == {
        *inspect.signature(Flow.run).parameters
    } - {"sink"}


def test_a_started_run_has_its_name_in_its_errors_its_snapshot_and_its_repr(system):
    run = system.start(Source.never().to(Sink.list()), name="nightly")
    assert run.name == run.snapshot().name == "nightly"
    assert "'nightly'" in repr(run)
    run.cancel()
    with pytest.raises(Exception, match="run 'nightly' was cancelled"):
        run.result(SECONDS)
    with pytest.raises(InvalidArgumentError, match="the name of a run must not be empty"):
        system.start(GRAPH, name="")
    with World() as world:
        assert world.start(GRAPH, name="nightly").name == "nightly"


def test_standard_peers_and_hubs_give_their_runs_the_name_they_get(system):
    names = runs_of(system)
    subscriber = system.subscriber(Sink.list(), name="taking")
    system.publisher(SOURCE, name="giving").subscribe(subscriber)
    assert subscriber.run.result(SECONDS) == ["tea", "rye"]
    processor = system.processor(Flow().map(len), name="measuring")
    hub = SOURCE.hub(system, name="prices")
    assert (processor.run.name, hub.run.name) == ("measuring", "prices")
    assert names == ["taking", "giving"]


def test_a_run_that_is_late_on_a_given_system_has_ended_when_the_error_is_raised(system):
    with pytest.raises(RunTimeout, match="nightly"):
        Source.never().to(Sink.list()).run(system=system, name="nightly", timeout=0.01)
    assert not system.children()
    assert system.is_open


def test_anyio_raises_the_timeout_of_a_run_and_ends_it(system):
    late = anyio.run_async(Source.never().to(Sink.list()), system=system, timeout=0.01)
    with pytest.raises(RunTimeout):
        asyncio.run(late)
    assert not system.children()


def test_ctrl_c_while_a_given_system_runs_ends_the_run_alone(system, monkeypatch):
    began = threading.Event()
    graph = Source.tick(0.001).to(Sink.for_each(lambda _: began.set()))
    runs = []

    def interrupted(run, *_):
        runs.append(run)
        assert began.wait(SECONDS)
        raise KeyboardInterrupt

    monkeypatch.setattr("actors_rs.engine.run.run.Run.result", interrupted)
    with pytest.raises(KeyboardInterrupt):
        graph.run(system=system)
    assert runs[0].state == "cancelled"
    wait_until(lambda: not system.children())
    assert system.is_open


def test_threads_of_a_pool_belong_to_a_system_of_its_own(system):
    with pytest.raises(InvalidArgumentError, match="workers is for a system of its own"):
        GRAPH.run(system=system, workers=2)
