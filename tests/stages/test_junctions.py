"""Junctions alone, on recorders."""

import pytest

from actors_rs.stages.hubs.partition_hub import PartitionHubLogic
from actors_rs.stages.junctions.broadcast import Broadcast
from actors_rs.stages.junctions.interleave import Interleave
from actors_rs.stages.junctions.merge import Merge
from actors_rs.stages.junctions.partition import Partition
from tests.stages.harness import Alone, Downstream


def parity(n):
    return n % 2


@pytest.mark.parametrize(
    "make", [lambda: Broadcast(2), lambda: Partition(2, parity), lambda: Merge(2)]
)
def test_nothing_is_requested_before_there_is_demand(make):
    assert all(up.requests == [] for up in Alone(make()).ups)


@pytest.mark.parametrize("make", [lambda: Broadcast(2), lambda: Partition(2, parity)])
def test_completion_and_failure_reach_every_branch_without_demand(make):
    assert all(down.completed for down in Alone(make()).complete().downs)
    error = ValueError()
    assert all(down.error is error for down in Alone(make()).fail(error).downs)


def test_broadcast_goes_at_the_pace_of_the_slowest():
    stage = Alone(Broadcast(3)).request(5, 0).request(9, 1)
    assert stage.up.requests == []
    stage.request(2, 2).push(0, 1)
    assert [down.elements for down in stage.downs] == [[0, 1]] * 3
    assert stage.up.requests == [2]
    stage.request(1, 2).push(2)
    assert [down.elements for down in stage.downs] == [[0, 1, 2]] * 3


def test_a_branch_that_has_had_enough_no_longer_holds_the_others_up():
    stage = Alone(Broadcast(2)).request(1, 0).request(5, 1).push(0)
    stage.cancel(0)
    assert stage.up.requests == [1, 4]
    stage.push(1, 2, 3)
    assert stage.downs[1].elements == [0, 1, 2, 3]
    assert not stage.up.cancelled
    stage.cancel(1)
    assert stage.up.cancelled


@pytest.mark.parametrize("make", [lambda: Broadcast(3), lambda: Partition(3, parity)])
def test_a_branch_that_failed_fails_all_the_others_and_cancels_upstream(make):
    cause = ValueError()
    stage = Alone(make()).request(5, 0).request(5, 1).cancel(1, cause)
    assert stage.downs[0].error is cause
    assert stage.downs[2].error is cause
    assert stage.up.cause is cause


def test_partition_holds_back_what_has_no_demand_and_drops_nothing():
    stage = Alone(Partition(2, parity)).request(100, 0)
    stage.push(0, 2, 1, 4, 3, 6).complete()
    assert stage.downs[0].elements == [0, 2]
    assert not stage.downs[0].ended
    stage.request(1, 1)
    assert stage.downs[0].elements == [0, 2, 4]
    stage.request(1, 1)
    assert [down.elements for down in stage.downs] == [[0, 2, 4, 6], [1, 3]]
    assert all(down.completed for down in stage.downs)


def test_partition_goes_on_when_a_branch_has_had_enough():
    stage = Alone(Partition(2, parity)).request(100, 0).push(0, 1, 2, 3, 4)
    stage.cancel(1)
    assert stage.downs[0].elements == [0, 2, 4]
    stage.complete()
    assert stage.downs[0].completed


@pytest.mark.parametrize("index", [2, -1, None, "0", 1.0])
def test_an_index_out_of_range_is_a_sentence_and_names_the_element(index):
    stage = Alone(Partition(2, lambda n: index if n == 3 else 0)).request(100, 0).push(*range(6))
    assert stage.downs[0].elements == [0, 1, 2]
    error = stage.downs[1].error
    assert error.position == 3
    assert f"f must return 0 to 1, got {index!r}" in str(error)


def test_partition_respects_every_demand_whatever_its_order():
    stage = Alone(Partition(3, lambda n: n % 3), window=64)
    for turn in range(60):
        stage.request(1, turn * 7 % 3)
        if turn == 0:
            stage.push(*range(60))
            stage.complete()
        counts = [len(down.elements) for down in stage.downs]
        assert sum(counts) <= turn + 1
    for outlet in range(3):
        stage.request(100, outlet)
    for outlet in range(3):
        stage.request(100, outlet)
    assert [down.elements for down in stage.downs] == [list(range(i, 60, 3)) for i in range(3)]


class Dear(Downstream):
    """A frame takes a tenth of a millisecond to send, however many elements are in it."""

    def __init__(self, clock):
        super().__init__()
        self.clock = clock

    def push(self, frame):
        super().push(frame)
        self.clock.now += 0.0001


class Clock:
    """A budget without end."""

    now = lapped = 0.0

    def lap(self):
        before, self.lapped = self.lapped, self.now
        return self.now - before

    def spent(self):
        return False


def shared_out(stage, outlets, clock):
    """The stage shares 8,000 elements out to ``outlets``; the frames that it sent."""
    downs = [Dear(clock) for _ in outlets]
    for outlet, down in zip(outlets, downs, strict=True):
        outlet.connect(down)
        outlet.request(8_000)
    stage.logic.advance(clock)
    stage.logic.inlet.push(range(8_000))
    stage.logic.advance(clock)
    assert [down.elements for down in downs] == [list(range(i, 8_000, 50)) for i in range(50)]
    return sum(len(down.frames) for down in downs)


@pytest.mark.parametrize("slow", [0.0, 0.01])
@pytest.mark.parametrize("hub", [False, True])
def test_chunks_get_smaller_because_of_a_slow_function_and_not_of_many_outlets(hub, slow):
    clock = Clock()

    def f(n, count=50):
        clock.now += slow
        return n % count

    stage = Alone(PartitionHubLogic(f) if hub else Partition(50, f), window=8_000)
    outlets = [stage.logic.attach(i) for i in range(50)] if hub else stage.logic.outlets
    frames = shared_out(stage, outlets, clock)
    assert frames == 8_000 if slow else frames < 50 * 10


def test_merge_takes_from_each_input_in_its_turn():
    stage = Alone(Merge(3)).request(1)
    for inlet in range(3):
        for n in range(3):
            stage.push(10 * inlet + n, inlet=inlet)
    stage.request(100)
    assert stage.down.elements[:6] == [0, 10, 20, 1, 11, 21]


def test_merge_keeps_the_order_of_each_input_and_completes_behind_the_last():
    stage = Alone(Merge(2)).request(3)
    stage.push(*range(5), inlet=0).complete(0)
    stage.push(*range(10, 15), inlet=1)
    stage.request(100)
    assert not stage.down.ended
    stage.complete(1)
    assert [n for n in stage.down.elements if n < 10] == list(range(5))
    assert [n for n in stage.down.elements if n >= 10] == list(range(10, 15))
    assert stage.down.completed


def test_the_first_failure_ends_a_merge_and_cancels_the_other_inputs():
    error = ValueError()
    stage = Alone(Merge(3)).request(100).push(1, inlet=0).fail(error, 1)
    assert stage.down.elements == [1]
    assert stage.down.error is error
    assert stage.ups[0].cancelled
    assert stage.ups[2].cancelled
    assert not stage.ups[1].cancelled


def test_what_an_input_gave_before_it_failed_is_delivered_first():
    stage = Alone(Merge(2)).request(1).push(1, 2, inlet=0).fail(ValueError(), 0)
    assert not stage.down.ended
    stage.request(1)
    assert stage.down.elements == [1, 2]
    assert stage.down.error is not None


def test_interleave_gives_no_more_than_a_turn_beside_an_input_that_has_failed():
    error = ValueError()
    stage = Alone(Interleave(2)).request(1).push(*range(6), inlet=0)

    def fails_and_is_asked():
        stage.logic.inlets[1].complete(error)
        stage.logic.outlet.request(9)

    stage.turn(fails_and_is_asked)
    assert stage.down.elements == [0, 1]
    assert stage.down.error is error


def test_interleave_gives_the_rest_beside_an_input_that_has_completed():
    stage = Alone(Interleave(2)).request(1).push(*range(6), inlet=0).complete(1).request(9)
    assert stage.down.elements == list(range(6))


def test_cancelling_a_merge_cancels_every_input():
    stage = Alone(Merge(3)).cancel()
    assert all(up.cancelled for up in stage.ups)
