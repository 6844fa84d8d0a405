# mypy: disable-error-code="var-annotated, misc"
"""A world: production actors in one thread, in virtual time, the same for the same decisions."""

import asyncio
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from actors_rs import Flow, Run, Sink, Source
from actors_rs.engine.links import Arrived, Requested
from actors_rs.errors import (
    ArgumentTypeError,
    BlockingError,
    InvalidArgumentError,
    ProtocolViolation,
    Stalled,
    WorldError,
)
from actors_rs.runtime.actors.actor import PooledActor
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.testing.decisions import RandomWalk, Scripted
from actors_rs.testing.probes import SinkProbe, SourceProbe
from actors_rs.testing.world import World, sequence_diagram
from actors_rs.testing.world.log import Log

TICKS = Source.range(0, 4).map(lambda x: x * 2).to(Sink.list())


def made(seed, graph=TICKS):
    with World(RandomWalk(seed), window=2) as world:
        world.start(graph).result()
    return world


class Echo(PooledActor):
    def on_receive(self, message):
        return message


def test_a_graph_runs_as_it_does_on_threads():
    with World() as world:
        assert world.start(TICKS).result() == [0, 2, 4, 6]


def test_the_same_seed_gives_the_same_digest():
    assert made(3).digest == made(3).digest
    assert len({made(seed).digest for seed in range(20)}) > 10


def test_many_orders_are_few_behaviours():
    worlds = [made(seed) for seed in range(100)]
    assert len({w.behaviour for w in worlds}) < len({w.digest for w in worlds})


@pytest.mark.parametrize(
    "graph",
    [
        TICKS,
        Source.from_iterable([1, 1.0]).merge(Source.from_iterable([True, 1])).to(Sink.list()),
        Source.of([1], (1,), {"a": 1}, {1}, object()).zip(Source.range(0, 9)).to(Sink.list()),
        Source.range(0, 3).flat_map(lambda x: Source.of(x, x), breadth=2).to(Sink.list()),
        Source.range(0, 4).batch(2, 1.0).take(1).to(Sink.list()),
    ],
    ids=["chain", "merge", "zip", "flat_map", "batch"],
)
def test_runs_have_the_same_key_if_and_only_if_their_behaviour_is_the_same(graph):
    pairs = {
        (world.behaviour, world.behaviour_key) for world in (made(n, graph) for n in range(80))
    }
    assert len(pairs) == len(dict(pairs)) == len({key for _, key in pairs})
    assert len(pairs) > 1


def test_a_frame_and_demand_at_ports_of_the_same_name_are_not_the_same_behaviour():
    keys = []
    for message, inside in (
        (Arrived(), {"inlet": Inlet("section"), "frame": [5]}),
        (Requested(), {"outlet": Outlet("section"), "n": 5}),
    ):
        for name, value in inside.items():
            setattr(message, name, value)
        log = Log(dict)
        log.names.append("host")
        log.taken.append((1, 1, message))
        keys.append(log.behaviour_key())
    assert keys[0] != keys[1]


SCRIPT = """
from actors_rs import Source, Sink
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.world import World
with World(RandomWalk(5), window=2) as world:
    words = Source.of({"a", "b"}, {"x": {1, 2}}, ValueError("no"), object).map(lambda x: (x,))
    world.start(words.map_async(lambda x: x, parallelism=2).to(Sink.list())).result()
print(world.digest, world.behaviour)
"""


def test_the_digest_is_the_same_under_every_hash_seed():
    def printed(hash_seed):
        env = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert printed("0") == printed("1") == printed("31337") != ""


def test_a_digest_is_what_it_was_when_this_was_written_with_another_python_too():
    with World(RandomWalk(42)) as world:
        for ref in [world.spawn(Echo) for _ in range(3)]:
            for told in ({"a", "b"}, {"x": {1, 2}}, ValueError("no"), object, (1.5, None)):
                ref.tell(told)
        world.settle()
        assert (world.digest, world.behaviour) == ("3e98e50d6225865d", "7bcf9bfee5ecc799")


def test_the_numbers_drawn_for_a_seed_are_what_they_were_when_this_was_written():
    # They must not change: whoever notes a seed wants the run again.
    walk = RandomWalk(42)
    assert [walk.choose("order", range(10)) for _ in range(8)] == WALK_42


WALK_42 = [3, 8, 8, 9, 2, 7, 8, 3]


def test_actors_answer_and_are_stopped_with_the_world():
    with World(RandomWalk(1)) as world:
        ref = world.spawn(Echo)
        assert ref.ask("hello") == "hello"
        assert Echo.start().ask(1) == 1  # its system is the current one
    assert not ref.is_alive()


def test_an_actor_must_not_wait_in_its_turn():
    class Waiting(PooledActor):
        def on_receive(self, message):
            return message.ask("x")

    with World() as world:
        echo, waiting = world.spawn(Echo), world.spawn(Waiting)
        with pytest.raises(BlockingError):
            waiting.ask(echo)


@pytest.mark.parametrize("move", [World.settle, lambda world: world.sleep(1)])
def test_an_actor_must_not_wait_in_its_turn_however_its_world_moves_on(move):
    class Waiting(PooledActor):
        def on_receive(self, message):
            with pytest.raises(BlockingError):
                message.ask("x")
            refused.append(message)

    refused = []
    with World() as world:
        echo = world.spawn(Echo)
        world.spawn(Waiting).tell(echo)
        move(world)
        assert refused == [echo]


def test_a_question_nobody_answers_stalls_and_says_who_waits():
    with World() as world:
        world.spawn(Echo)
        future = Echo._create_future()
        with pytest.raises(Stalled, match="'Echo' waits for a message"):
            future.get()


def test_a_stream_that_cannot_go_on_shows_who_waits_for_whom():
    with pytest.raises(Stalled) as caught, World() as world:
        world.start(Source.never().map(str).to(Sink.list())).result()
    told = str(caught.value)
    assert "'never' waits for nobody: it never gives anything: out gave 0, demand" in told
    assert "'map' waits for 'never' to give: in took 0, holds 0" in told
    assert "'list' waits for 'map' to give: in took 0, holds 0" in told


@pytest.mark.parametrize("monitor", [True, False])
def test_who_waits_and_who_is_waited_for_have_the_same_names_in_a_second_run(monitor):
    def scenario(world):
        with world:
            world.start(Source.of(1).to(Sink.list())).result()
            world.start(Source.never().to(Sink.list())).result()

    with pytest.raises(Stalled) as caught:
        scenario(World(monitor=monitor))
    assert "'list#2' waits for 'never' to give: in took 0" in str(caught.value)
    assert "'never' waits for nobody" in str(caught.value)


def test_a_run_left_unfinished_is_stalled_too():
    with pytest.raises(Stalled), World() as world:
        world.start(Source.never().to(Sink.ignore()))


def test_endless_work_is_stopped_and_named():
    with pytest.raises(Stalled, match="took 500 steps"), World(most_steps=500) as world:
        world.start(Source.repeat(1).to(Sink.ignore())).result()


def test_the_end_of_a_world_that_took_too_many_steps_does_not_hide_its_failure():
    def scenario(world):
        with world:
            world.start(Source.repeat(1).to(Sink.ignore()))
            try:
                world.settle()
            except Stalled:
                raise ZeroDivisionError from None

    with pytest.raises(ZeroDivisionError):
        scenario(World(most_steps=500))


def test_time_moves_only_when_nothing_can_run():
    seen = []
    with World(RandomWalk(1)) as world:
        world.system.timers.after(10.0, lambda: seen.append(world.now))
        assert world.start(TICKS).result() == [0, 2, 4, 6]
        assert world.now == 0.0
        world.sleep(30.0)
        assert seen == [10.0]
        assert world.now == 30.0


def test_a_wait_with_a_timeout_ends_in_virtual_time():
    with World() as world:
        run = world.start(Source.never().to(Sink.ignore()))
        assert not run.wait(60.0)
        assert world.now == 60.0
        run.cancel()


def test_timers_that_are_late_together_fire_in_any_order():
    def order(seed):
        fired = []
        with World(RandomWalk(seed)) as world:
            for number in (1, 2, 3):
                world.system.timers.after(number, lambda number=number: fired.append(number))
            world.sleep(10)
        return tuple(fired)

    assert len({order(seed) for seed in range(300)}) == 6


def test_blocking_calls_and_coroutines_are_steps_too():
    async def slow(x):
        await asyncio.sleep(100)
        return x

    with World(RandomWalk(2)) as world:
        flow = Source.range(0, 4).map_async(lambda x: -x, parallelism=2)
        assert world.start(flow.to(Sink.list())).result() == [0, -1, -2, -3]
        flow = Source.range(0, 4).map_async(slow, parallelism=4)
        assert world.start(flow.to(Sink.list())).result() == [0, 1, 2, 3]
        assert world.now == 100.0


def test_a_socket_on_the_event_loop_is_refused_by_name():
    async def connect(x):
        await asyncio.get_running_loop().create_connection(asyncio.Protocol, "localhost", 1)

    with World() as world:
        run = world.start(Source.of(1).map_async(connect, parallelism=1).to(Sink.list()))
        with pytest.raises(Exception, match="has no create_connection"):
            run.result()


def test_a_message_from_another_thread_is_refused():
    def scenario():
        with World() as world, ThreadPoolExecutor(1) as pool:
            flow = Source.range(0, 3).map_async(lambda x: x, parallelism=2, executor=pool)
            run = world.start(flow.to(Sink.list()))
            while not run.done():
                world.step(1.0)

    with pytest.raises(WorldError, match=r"has one thread, but a \w+ came to 'map_async'"):
        scenario()


def test_a_broken_rule_between_two_stages_ends_the_run(monkeypatch):
    emit = Outlet.emit

    def twice(self, frame):
        emit(self, frame)
        if self._downstream is not None and frame:
            self._downstream.push(frame)

    monkeypatch.setattr(Outlet, "emit", twice)
    with pytest.raises(ProtocolViolation, match=r"rule 1\.1"), World(window=2) as world:
        world.start(Source.range(0, 9).map(lambda x: x).to(Sink.list())).result()


def test_an_element_that_vanishes_inside_a_stage_is_noticed(monkeypatch):
    from actors_rs.stages.operators.map import Map

    monkeypatch.setattr(Map, "transform", lambda self, elements: list(elements)[:-1])
    monkeypatch.setattr(Map, "collect", lambda self, elements, out: out.extend([*elements][:-1]))
    told = (
        r"^stage 'map' \(map\) took 4 elements, gave 1, holds 0, dropped 0 by policy "
        r"and failed for 0: 3 vanished$"
    )
    with pytest.raises(AssertionError, match=told):
        with World(window=2) as world:
            world.start(TICKS).result()


@pytest.mark.parametrize("options", [{1, 2}, 3, iter([1, 2])])
def test_what_is_picked_from_has_an_order(options):
    with World() as world, pytest.raises(ArgumentTypeError, match="pick: expected a sequence of o"):
        world.pick("size", options)


def test_what_is_picked_from_can_be_counted():
    with World() as world:
        with pytest.raises(
            InvalidArgumentError, match=r"pick: range\(0, 11.* than Python can count"
        ):
            world.pick("size", range(2**70))
        assert world.pick("size", range(0, 2**70, 2**60)) == 0


@pytest.mark.parametrize(
    "begin",
    [
        lambda world: world.start(Source.of(1).to(Sink.list())),
        lambda world: world.spawn(PooledActor),
    ],
)
def test_a_world_that_was_not_entered_starts_nothing_that_would_be_waited_for_for_ever(begin):
    with pytest.raises(WorldError, match=r"in its block only: write 'with World\(\) as world:'"):
        begin(World())


@pytest.mark.parametrize("wait", [Run.result, Run.done])
def test_a_world_that_failed_tells_of_what_was_before_it_was_taken_down(wait):
    with pytest.raises(Stalled), World() as world:
        wait(world.start(Source.of(1).concat(Source.never()).to(Sink.list())))
    assert "cancel" not in "".join(map(str, world.deliveries()))
    assert world.states()[-1] == "list: living, in took 1, holds 0, 4 requested"


def test_probes_work_in_virtual_time():
    with World(RandomWalk(4)) as world:
        source, sink = SourceProbe(), SinkProbe()
        processor = world.system.processor(Flow().map(lambda x: x + 1))
        processor.subscribe(sink)
        source.subscribe(processor)
        sink.request(2)
        source.expect_request()
        source.send(1, 2)
        sink.expect_next(2, 3)
        sink.expect_nothing()
        source.complete()
        sink.expect_complete()


def test_the_sequence_diagram_has_a_column_for_each_actor_and_an_arrow_for_each_delivery():
    world = made(1)
    head, *lines = sequence_diagram(world.deliveries())
    assert head.split() == ["step", "list", "map", "range"] or set(head.split()) == {
        "step",
        "list",
        "map",
        "range",
    }
    assert len(lines) == len(world.deliveries())
    assert all("->" in line or "<-" in line or "@" in line for line in lines)


def test_a_run_is_made_again_by_its_deviations():
    world = made(9)
    with World(Scripted(world.decisions.deviations), window=2) as again:
        again.start(TICKS).result()
    assert again.digest == world.digest


def test_wrong_arguments_are_named():
    with pytest.raises(InvalidArgumentError, match="most_steps must be at least 1, got 0"):
        World(most_steps=0)
    with pytest.raises(InvalidArgumentError, match="sleep needs seconds of 0 or more, got -1"):
        World().sleep(-1)
    with pytest.raises(InvalidArgumentError, match="window must be at least 1"):
        World(window=0)
    with pytest.raises(InvalidArgumentError, match=r"memory_limit must be .*, got 'much'"):
        World(memory_limit="much")
    with pytest.raises(ArgumentTypeError, match=r"a world needs decisions, .*, got 7"):
        World(7)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="sleep must be a number of seconds, got nan"):
        World().sleep(float("nan"))
    with pytest.raises(InvalidArgumentError, match="got an int of 1329 bits"):
        World().sleep(10**400)
