# mypy: disable-error-code="method-assign, assignment, var-annotated"
"""What a world says of who waits for whom, when nothing can run any more, is true."""

import asyncio
from concurrent.futures import Future

import pytest

from actors_rs import PooledActor, Sink, Source
from actors_rs.errors import Stalled
from actors_rs.stages.passing import Buffered, PassThrough
from actors_rs.testing.explore import FreeSubscriber
from actors_rs.testing.world import World


def said(scenario, window=4):
    """The lines behind the first one."""
    with pytest.raises(Stalled) as caught, World(window=window) as world:
        scenario(world)
    return [line.strip() for line in str(caught.value).splitlines()[1:]]


def listed(flow):
    return lambda world: world.start(flow.to(Sink.list())).result()


def knotted(world):
    one, other = Source.range(0, 6).broadcast(2)
    both = one.map(int).zip(other.filter(lambda x: x % 2 == 0))
    world.start(both.to(Sink.list())).result()


def test_a_circle_can_be_read_off_and_comes_first():
    assert said(knotted, window=1) == [
        "'broadcast', 'filter', 'map', 'zip' wait for each other",
        "'broadcast' waits for 'map' to ask: out 0 gave 4, demand 0",
        "'map' waits for 'zip' to ask: out gave 3, demand 0",
        "'filter' waits for 'broadcast' to give: in took 4, holds 0, 1 requested",
        "'zip' waits for 'filter' to give: in 1 took 2, holds 0, 1 requested",
        "'range' waits for 'broadcast' to ask: out gave 4, demand 0",
        "'list' waits for 'zip' to give: in took 2, holds 0, 1 requested",
    ]


async def never_done(element):
    await asyncio.Event().wait()


OUTSIDE = {
    "a future": (Source.from_future(Future()), "'from_future' waits for its future: "),
    "a queue": (Source.queue(1), "'queue' waits for somebody to offer it an element: "),
    "a call": (
        Source.of(1).map_async(never_done, 1),
        "'map_async' waits for a call that has not ended: in took 1",
    ),
    "never": (Source.never(), "'never' waits for nobody: it never gives anything: "),
}


@pytest.mark.parametrize(("flow", "told"), OUTSIDE.values(), ids=OUTSIDE)
def test_what_a_stage_waits_for_beside_the_streams_is_named(flow, told):
    lines = said(listed(flow))
    assert lines[0].startswith(told)
    assert lines[1].startswith("'list' waits for '")
    assert not any("waits for 'list'" in line for line in lines)


class StaysAlive(Buffered):
    """Forgets to cancel, so that it is not over when its receiver has left."""

    def advance(self, budget):
        if self.outlet.demand:
            self.inlet.open()
        self.pass_on(budget)
        if self.inlet.exhausted:
            self.end(self.inlet.error)


def test_a_stage_that_lives_although_all_of_its_ports_are_over_is_named():
    def scenario(world):
        flow = Source.from_iterable([*range(8)]).then("mine", StaysAlive).map(abs)
        subscriber = FreeSubscriber(world, cancels=False)
        subscriber._ask = lambda: None
        world.system.publisher(flow).subscribe(subscriber)
        world.settle()
        subscriber.request(1)
        world.settle()
        subscriber.cancel()
        world.finish()

    (line,) = said(scenario)
    assert line.startswith("'mine' lives although all of its ports are over: in took ")
    assert line.endswith("holds 3, ended, out gave 5, cancelled")


class AsksForNothing(PassThrough):
    def advance(self, budget):
        pass


class Holds(PassThrough):
    def advance(self, budget):
        self.inlet.open()


NEITHER = {
    "asks for nothing": (AsksForNothing, "'mine' waits for nobody and asks for nothing: in took 0"),
    "holds": (Holds, "'mine' waits for something outside of the streams: in took 0, holds 3"),
}


@pytest.mark.parametrize(("kind", "told"), NEITHER.values(), ids=NEITHER)
def test_a_stage_that_waits_for_no_peer_is_named_too(kind, told):
    lines = said(listed(Source.range(0, 3).then("mine", kind)))
    assert told in "\n".join(lines)
    assert "'list' waits for 'mine' to give: in took 0, holds 0, 4 requested" in lines


def test_an_inner_stream_is_not_taken_for_a_foreign_peer():
    lines = said(listed(Source.of(1).flat_map(lambda x: Source.never(), breadth=2)))
    assert not any("foreign" in line for line in lines)


def test_what_could_still_run_waits_for_its_turn():
    with World(most_steps=60) as world:
        run = world.start(Source.repeat(1).to(Sink.ignore()))
        with pytest.raises(Stalled, match=r"'ignore' waits for its turn: \d unread"):
            run.result()
        world._most_steps = 10_000
        run.cancel()


class Idle(PooledActor):
    pass


def test_only_where_nobody_lives_it_is_said_that_nobody_does():
    def alone(world):
        world.until(lambda: False, None)

    def beside(world):
        world.spawn(Idle)
        alone(world)

    assert said(alone)[0].startswith("no actor is alive in this world")
    assert said(beside) == ["'Idle' waits for a message"]
