# mypy: disable-error-code="arg-type, misc"
"""The log of a world: what it keeps of messages, and what it need not keep to tell them."""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import pytest

from actors_rs import PooledActor, Sink, Source
from actors_rs.delivery.ack import Tracked
from actors_rs.engine.links import Arrived, Posted
from actors_rs.stages.chunks.views import Numbered, Windows
from actors_rs.stages.ports import Inlet
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.world import World, sequence_diagram
from actors_rs.testing.world.log import Log


@dataclass
class Row:
    stream: object


class Pair(NamedTuple):
    key: int
    stream: object


def deep(value):
    for _ in range(9):
        value = (value,)
    return value


STREAM = Source.of(1)
ELEMENTS = [
    *(1, "text", None, [1, 2], range(3), {1, 2}, ValueError("no", STREAM), object, len),
    *(STREAM, (1, STREAM), [STREAM], {"x": STREAM}, Row(STREAM), Pair(1, STREAM), deep(STREAM)),
    *(Tracked([STREAM], None), partial(print, STREAM, 5)),
]


def arrived(frame):
    message = Arrived()
    message.inlet, message.frame = Inlet(), frame
    return message


def logged(message):
    log = Log(dict)
    log.names += ["host"]
    log.put.append((0, 1, message))
    log.taken.append((1, 1, message))
    return log


MESSAGES = {
    **{f"one {n}": partial(arrived, [element]) for n, element in enumerate(ELEMENTS)},
    **{f"two {n}": partial(arrived, (element, 1)) for n, element in enumerate(ELEMENTS)},
    **{f"posted {n}": partial(Posted, None, partial(print, one)) for n, one in enumerate(ELEMENTS)},
    "range": partial(arrived, range(3)),
    "view": partial(arrived, Numbered([1, 2, STREAM], 7)),
    "function": partial(Posted, None, deep),
}


@pytest.mark.parametrize("made", MESSAGES.values(), ids=MESSAGES)
def test_what_a_log_forgot_is_told_as_before(made):
    told, forgot = logged(made()), logged(made())
    forgot.forget_delivered(2, set())
    assert forgot.digest() == told.digest()
    assert forgot.behaviour() == told.behaviour()
    assert forgot.behaviour_key() == told.behaviour_key()
    assert list(forgot.deliveries()) == list(told.deliveries())


@pytest.mark.parametrize(
    "view", [Numbered("ab", 1), Numbered("ab", 2), Windows("abc", 2), Windows(range(2), 1)]
)
def test_a_frame_that_is_made_when_looked_at_is_told_as_the_list_it_stands_for(view):
    told, listed = logged(arrived(view)), logged(arrived(list(view)))
    assert list(told.deliveries()) == list(listed.deliveries())
    for seen in ("digest", "behaviour", "behaviour_key"):
        assert getattr(told, seen)() == getattr(listed, seen)()


@pytest.mark.parametrize("element", [[STREAM, STREAM], Tracked([STREAM, STREAM], None)])
def test_a_log_forgets_streams_and_not_how_many_were_in_a_batch(element):
    message = arrived([element])
    logged(message).forget_delivered(2, set())
    batch = getattr(message.frame[0], "value", message.frame[0])
    assert len(batch) == 2
    assert STREAM not in batch


def test_a_log_leaves_alone_what_a_receiver_is_still_to_look_at():
    for step, unread in ((1, False), (2, True)):
        message = arrived([STREAM])
        log = logged(message)
        log.forget_delivered(step, {id(message)} if unread else set())
        assert message.frame == [STREAM]
        log.forget_delivered(step + 1, set())
        assert message.frame != [STREAM]


def test_batches_of_groups_are_accounted_for_although_a_log_forgets_them():
    batches = Source.range(0, 20).group_by(lambda n: n % 5, 5).batch(2).map(lambda some: some[0])
    for seed in range(20):
        with World(RandomWalk(seed), window=8) as world:
            run = world.start(batches.flat_map(lambda g: g, breadth=5).take(3).to(Sink.list()))
            assert len(run.result()) == 3
        assert world.now < 1


def test_calls_of_the_scenario_are_told_by_their_names():
    with World() as world:
        world.soon("hang up", lambda: None)
    (called,) = world.deliveries()
    assert (called.sender, called.receiver, called.message) == ("outside", "hang up", "called")
    assert "hang up" in sequence_diagram(world.deliveries())[0]


def test_actors_are_numbered_by_what_they_are_called():
    class Order(PooledActor):
        pass

    class Bill(PooledActor):
        pass

    with World() as world:
        for kind in (Order, Bill, Order, Bill, Order):
            world.spawn(kind)
    names = [line.partition(":")[0] for line in world.states()]
    assert names == ["Order", "Bill", "Order#2", "Bill#2", "Order#3"]
