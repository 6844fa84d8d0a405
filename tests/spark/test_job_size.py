"""Several small partitions travel in one job, and all else is as if each had one of its own."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Backoff, Sink
from actors_rs.delivery import Ledger
from actors_rs.delivery.ledger import status
from actors_rs.spark import SparkPartitionError, SparkSource
from actors_rs.spark.fetching import job_size
from actors_rs.spark.fetching.arrow_route import open_direct
from actors_rs.spark.fetching.job_size import JobSize
from actors_rs.spark.policy import PartitionPolicy
from tests.spark.bench import Bench, ListPlan
from tests.spark.jobs import jobs_begun
from tests.spark.test_resume import failing, numbers

SECONDS = 240.0


def joining(*partitions: list[Any]) -> ListPlan:
    plan = ListPlan(*partitions)
    plan.joins = True
    return plan


def finish(bench: Bench) -> None:
    """Run all jobs; those that wait for others begin when their time has come."""
    while bench.jobs or any(not timer.over for timer in bench.timers):
        bench.run_all()
        if any(not timer.over for timer in bench.timers):
            bench.ring()


def test_jobs_double_while_they_are_small_up_to_half_of_what_is_in_flight() -> None:
    plan = joining(*([number] for number in range(40)))
    bench = Bench(plan, in_flight=8)
    bench.request(100)
    bench.run_all()
    finish(bench)
    assert bench.got == list(range(40))
    assert bench.completed
    sizes = [len(indices) for indices in plan.jobs]
    assert max(sizes) == 4
    assert sum(sizes) >= 24
    assert plan.begun == list(range(40))


def test_no_more_are_begun_than_are_asked_for_and_than_may_be_in_flight() -> None:
    plan = joining(*([number] for number in range(40)))
    bench = Bench(plan, in_flight=8, chunk=1)
    bench.request(100)
    while bench.jobs:
        assert len(bench.logic._fetches) <= 8
        bench.run_job()
    few = joining(*([number] for number in range(40)))
    bench = Bench(few, in_flight=8)
    bench.request(2)
    finish(bench)
    assert few.begun == [0, 1]
    assert bench.got == [0, 1]


def test_two_that_are_in_flight_are_two_jobs() -> None:
    plan = joining(*([number] for number in range(10)))
    bench = Bench(plan, in_flight=2)
    bench.request(100)
    finish(bench)
    assert bench.got == list(range(10))
    assert not plan.jobs


def test_of_a_job_that_fails_each_partition_is_tried_alone() -> None:
    error = SparkPartitionError(21, "Error", "at 21")
    partitions: list[list[Any]] = [[number] for number in range(30)]
    partitions[21] = [error]
    plan = joining(*partitions)
    policy = PartitionPolicy(on_poison="dead_letter")
    bench = Bench(plan, in_flight=8, policy=policy)
    bench.request(100)
    bench.run_all()
    finish(bench)
    together = [indices for indices in plan.jobs if 21 in indices]
    assert len(together) == 1
    assert bench.got == [number for number in range(30) if number != 21]
    assert [letter.partition for letter in bench.reported] == [21]
    assert bench.logic.details()["attempts"] == 30
    assert len(plan.begun) == 30


def test_without_a_policy_the_partition_at_fault_ends_the_stream_behind_those_before_it() -> None:
    error = SparkPartitionError(21, "Error", "at 21")
    partitions: list[list[Any]] = [[number] for number in range(30)]
    partitions[21] = [error]
    bench = Bench(joining(*partitions), in_flight=8)
    bench.request(100)
    finish(bench)
    assert bench.error is error
    assert bench.got == list(range(21))


def test_where_attempts_may_be_late_each_is_a_job_of_its_own() -> None:
    plan = joining(*([number] for number in range(20)))
    bench = Bench(plan, in_flight=8, policy=PartitionPolicy(timeout=5.0))
    bench.request(100)
    bench.run_all()
    assert bench.got == list(range(20))
    assert not plan.jobs


@pytest.mark.parametrize(
    ("seconds", "chunks", "size"), [(0.4, 2, 10), (0.01, 40, 10), (0.01, 2, 2**21)]
)
def test_a_job_that_is_slow_or_large_is_followed_by_jobs_of_one(
    seconds: float, chunks: int, size: int
) -> None:
    jobs = JobSize(8)
    for expected in (2, 4, 8, 8):
        jobs.ended(jobs.now, 0.01, jobs.now, 1000)
        assert jobs.now == expected
    jobs.ended(1, 0.01, 1, 1000)
    assert jobs.now == 8
    jobs.ended(4, seconds, chunks, size)
    assert jobs.now == 1
    jobs.ended(1, 0.01, 1, 1000)
    jobs.failed()
    assert jobs.now == 1


@pytest.mark.spark
def test_the_partitions_of_a_job_are_told_from_each_other(spark: SparkSession) -> None:
    df = spark.range(0, 8, 1, 8).where("id % 3 != 1")
    route = open_direct(df)
    assert route.apart is not None
    indices = [5, 0, 1, 4, 7, 6]
    got = [[batch.to_pydict()["id"] for batch in part] for part in route.apart(indices)]
    assert got == [[[5]], [[0]], [], [], [], [[6]]]
    several = route.apart([0, 2])
    assert next(next(several)).to_pydict() == {"id": [0]}
    several.close()


@pytest.mark.spark
@pytest.mark.parametrize("kind", ["arrow", "rows"])
def test_tiny_partitions_take_fewer_jobs_and_are_committed_each(
    spark: SparkSession,
    system: ActorSystem,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    monkeypatch.setattr(job_size, "QUICK_SECONDS", 60.0)  # however busy the machine is
    df = spark.range(0, 320, 1, 64)
    make: Any = getattr(SparkSource, kind)
    before = jobs_begun(spark)
    source = make(df, in_flight=16).resume(Ledger(tmp_path / "together"))
    system.start(source.to(Sink.ignore())).result(SECONDS)
    assert jobs_begun(spark) - before < 50
    alone = make(df, in_flight=1).resume(Ledger(tmp_path / "alone"))
    system.start(alone.to(Sink.ignore())).result(SECONDS)
    one, other = (status(tmp_path / name).partitions for name in ("together", "alone"))
    for entries in (one, other):
        assert [entry.rows for entry in entries] == [5] * 64
        assert {entry.state for entry in entries} == {"committed"}
    assert [entry.checksum for entry in one] == [entry.checksum for entry in other]
    assert {entry.attempts for entry in one} == {1}


@pytest.mark.spark
def test_a_partition_that_fails_in_a_job_of_several_is_named_and_the_others_come(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_size, "QUICK_SECONDS", 60.0)
    df = numbers(spark, 40, failing(tmp_path, {37: 100}))
    source = SparkSource.arrow(
        df, in_flight=16, on_poison="dead_letter", backoff=Backoff(0.01), max_attempts=2
    )
    night = source.resume(Ledger(tmp_path / "ledger"))
    system.start(night.to(Sink.ignore())).result(SECONDS)
    states = {entry.partition: entry for entry in status(tmp_path / "ledger").partitions}
    assert [number for number, entry in states.items() if entry.state == "poison"] == [37]
    assert states[37].attempts == 2
    assert "partition 37 failed" in (states[37].last_error or "")
    assert {entry.attempts for number, entry in states.items() if number != 37} == {1}
