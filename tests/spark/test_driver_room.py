"""Results in flight share the heap of Spark's driver, by what the latest partitions took."""

import logging

import pytest

from actors_rs.spark.fetching.driver_room import ASSUMED_BYTES, DriverRoom, bytes_for_results
from actors_rs.spark.policy import PartitionPolicy
from tests.spark.bench import Bench, ListPlan

MIB = 2**20


def of(count: int, room: DriverRoom, **settings: int) -> ListPlan:
    plan = ListPlan(*([number] for number in range(count)))
    plan.share = room.share(**settings)
    return plan


def test_no_more_partitions_are_begun_than_the_heap_has_room_for() -> None:
    plan = of(12, DriverRoom(4 * ASSUMED_BYTES))
    bench = Bench(plan, in_flight=12)
    bench.request(100)
    bench.run_job()  # the planning
    assert len(bench.jobs) == 4
    bench.run_all()
    assert bench.got == list(range(12))
    assert bench.completed


def test_what_has_been_read_decides_how_many_come_next() -> None:
    room = DriverRoom(144 * MIB)
    plan = of(12, room)
    bench = Bench(plan, in_flight=12)
    bench.request(100)
    bench.run_job()
    assert len(bench.jobs) == 9
    assert plan.share is not None
    plan.share.weighed(60 * MIB)
    for left in range(8, 1, -1):  # those that were begun end before another begins
        bench.run_job()
        assert len(bench.jobs) == left
    bench.run_job()
    assert len(bench.jobs) == 2
    bench.run_all()
    assert bench.got == list(range(12))


def test_a_partition_larger_than_the_room_is_read_alone_and_warned_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    room = DriverRoom(144 * MIB, 1024 * MIB)
    plan = of(12, room)
    bench = Bench(plan, in_flight=12)
    bench.request(100)
    bench.run_job()
    assert plan.share is not None
    for _ in range(2):
        plan.share.weighed(200 * MIB)
    for _ in range(9):
        bench.run_job()
    assert len(bench.jobs) == 1
    bench.run_all()
    assert bench.got == list(range(12))
    assert caplog.text.count("a partition has 200 MiB") == 1
    assert "max_partition_bytes" in caplog.text


def test_runs_share_the_room_and_each_has_a_first_partition_and_is_woken() -> None:
    room = DriverRoom(4 * ASSUMED_BYTES)
    first, second = (Bench(of(6, room), in_flight=6) for _ in range(2))
    first.request(100)
    first.run_job()
    second.request(100)
    second.run_job()
    assert (len(first.jobs), len(second.jobs)) == (4, 1)
    first.run_all()  # its own next ones begin as its first ones end
    assert first.completed
    second.turn()
    assert len(second.jobs) == 4
    second.run_all()
    assert second.got == list(range(6))


def test_a_run_that_is_cancelled_gives_its_room_back() -> None:
    room = DriverRoom(4 * ASSUMED_BYTES)
    first, second = (Bench(of(6, room), in_flight=6) for _ in range(2))
    for bench in (first, second):
        bench.request(100)
        bench.run_job()
    first.cancel()
    second.turn()
    assert len(second.jobs) == 4


def test_an_attempt_that_is_made_again_does_not_wait_for_room() -> None:
    plan = of(6, DriverRoom(2 * ASSUMED_BYTES))
    plan.partitions = ([RuntimeError("once")], *plan.partitions[1:])
    bench = Bench(
        plan, in_flight=6, policy=PartitionPolicy(max_attempts=2, on_poison="dead_letter")
    )
    bench.request(100)
    bench.run_job()
    bench.run_job()
    bench.ring()
    bench.run_all()
    assert bench.got == [1, 2, 3, 4, 5]
    assert bench.completed


def test_until_a_size_is_known_a_driver_that_computes_begins_no_more_than_its_cores() -> None:
    plan = of(12, DriverRoom(1024 * MIB), cores=2)
    bench = Bench(plan, in_flight=12)
    bench.request(100)
    bench.run_job()
    assert len(bench.jobs) == 2
    assert plan.share is not None
    plan.share.weighed(MIB)
    bench.run_job()
    assert len(bench.jobs) == 11


def test_partitions_that_are_streamed_count_for_no_more_than_the_limit() -> None:
    plan = of(12, DriverRoom(24 * MIB), limit=2 * MIB)
    bench = Bench(plan, in_flight=12)
    bench.request(100)
    bench.run_job()
    assert len(bench.jobs) == 12
    assert plan.share is not None
    plan.share.weighed(4096 * MIB)
    assert plan.share.each == 2 * MIB


@pytest.mark.parametrize(("heap", "room"), [(256, 16), (1024, 90), (4096, 474)])
def test_the_room_goes_by_the_heap(heap: int, room: int) -> None:
    assert bytes_for_results(heap * MIB) // MIB == room
