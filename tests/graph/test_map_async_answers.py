# mypy: disable-error-code="var-annotated"
"""``map_async`` with functions that return the answers of actors."""

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor

import pykka
import pytest

from actors_rs import ActorSystem, PooledActor, Sink, Source
from actors_rs.delivery import acknowledged
from actors_rs.testing.world import World
from tests.graph.helpers import SECONDS


async def coroutine(n):
    await asyncio.sleep(0)
    return n * n


def needs_the_event_loop(system, n):
    run = system.start(Source.of(n).map_async(coroutine, 1).to(Sink.first()))
    return run.result(SECONDS)


class Needy(PooledActor):
    """Answers once a coroutine has run on its system's event loop."""

    dispatcher = "pinned"  # may block

    def on_receive(self, message):
        return needs_the_event_loop(self.system, message)


class NeedyOfPykka(pykka.ThreadingActor):
    def __init__(self, system):
        super().__init__()
        self.system = system

    def on_receive(self, message):
        return needs_the_event_loop(self.system, message)


def done(value):
    future = Future()
    future.set_result(value)
    return future


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


@pytest.fixture(params=["own", "pykka"])
def needy(request, system):
    if request.param == "own":
        yield system.spawn(Needy)
    else:
        ref = NeedyOfPykka.start(system)
        yield ref
        ref.stop()


@pytest.fixture(params=["answer", "future of an answer", "mapped answer", "executor"])
def asking(request, needy):
    """Makes of numbers a flow of the squares that ``needy`` answers with."""

    def ask(n):
        return needy.ask(n, block=False)

    with ThreadPoolExecutor(1) as executor:
        yield {
            "answer": lambda s: s.map_async(ask, 2),
            "future of an answer": lambda s: s.map_async(lambda n: done(ask(n)), 2),
            "mapped answer": lambda s: s.map_async(lambda n: ask(n).map(lambda x: x), 2),
            "executor": lambda s: s.map_async(ask, 2, executor=executor),
        }[request.param]


def test_an_answer_is_waited_for_while_the_event_loop_goes_on(system, asking):
    run = system.start(asking(Source.range(0, 4)).to(Sink.list()))
    assert run.result(SECONDS) == [0, 1, 4, 9]


def test_an_answer_is_acknowledged_with_its_element_while_the_event_loop_goes_on(system, asking):
    acks = []
    source = acknowledged(Source.range(0, 4), lambda n, _: acks.append(n))
    assert system.start(asking(source).to(Sink.list())).result(SECONDS) == [0, 1, 4, 9]
    assert sorted(acks) == [0, 1, 2, 3]


class Divider(PooledActor):
    def on_receive(self, message):
        return 6 // message


@pytest.mark.parametrize("through", [lambda answer: answer, done])
def test_an_answer_that_is_an_error_is_the_failure_of_its_element_alone(system, through):
    ref = system.spawn(Divider)
    flow = Source.of(1, 0, 2).map_async(lambda n: through(ref.ask(n, block=False)), 1)
    run = system.start(flow.on_failure("resume").to(Sink.list()))
    assert run.result(SECONDS) == [6, 3]


def test_answers_of_actors_of_a_world_come_in_its_time():
    with World() as world:
        ref = world.spawn(Divider)
        flow = Source.of(1, 2, 3).map_async(lambda n: ref.ask(n, block=False), 2)
        assert world.start(flow.to(Sink.list())).result() == [6, 3, 2]
