# mypy: disable-error-code="no-untyped-def"
"""A partition that is late gets a second attempt beside the first; whichever is first is used."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Backoff, Sink
from actors_rs.delivery import status
from actors_rs.spark import FailureKind, PartitionTimeoutError, PoisonPartition, SparkSource
from actors_rs.spark.policy import OnPoison, PartitionPolicy
from tests.spark.bench import Bench, ListPlan
from tests.spark.jobs import Transform, ids, jobs_running, numbers, until, waiting_for
from tests.spark.test_failed_turns import Shell

SECONDS = 60.0
TIMEOUT = 5.0


def policy(attempts: int = 1, on_poison: OnPoison = "fail") -> PartitionPolicy:
    return PartitionPolicy(attempts, Backoff(0.01, 0.01), on_poison, timeout=TIMEOUT)


def late(plan: ListPlan, **settings: Any) -> Bench:
    """A stage with two attempts at partition 0 whose threads have not come to anything yet."""
    bench = Bench(plan, policy=settings.pop("policy", policy()), **settings)
    bench.request(10)
    bench.run_job()
    time_is_up(bench)
    return bench


def time_is_up(bench: Bench) -> None:
    """The time of a partition has come, and it was asked whether its job is being run."""
    bench.ring()
    bench.run_job(-1)


def test_a_late_partition_is_begun_a_second_time_under_a_tag_of_its_own() -> None:
    plan = ListPlan([0, 1])
    bench = late(plan)
    assert len(bench.jobs) == 2
    assert plan.cancelled == []
    bench.run_job(1)
    assert bench.got == [0, 1]
    assert bench.completed
    bench.run_all()
    assert "tag-0-1" in plan.cancelled, "the first attempt is not wanted any more"
    assert "tag-0-2" not in plan.cancelled
    assert bench.got == [0, 1]


def test_a_second_attempt_is_no_further_partition_that_runs() -> None:
    figures = late(ListPlan([0], [1], [2]), in_flight=1).logic.details()
    assert (figures["running"], figures["waiting"]) == (1, 2)


def test_a_second_attempt_is_an_event_that_says_why() -> None:
    bench = late(ListPlan([0, 1]))
    counts = {"attempt": 1, "attempts_in_all": 1}
    what = {"partition": 0, "reason": "late", "wait_seconds": 0.0, "error": None}
    what["timeout_seconds"] = TIMEOUT
    assert bench.events == [("partition_retried", what | counts)]


def test_the_ledger_says_why_a_second_attempt_began(tmp_path: Path) -> None:
    bench = Shell(ListPlan([0, 1]), tmp_path / "l", TIMEOUT)
    bench.request(10)
    bench.run_job()
    bench.run_job()  # the ledger is written; the first attempt has come to nothing yet
    time_is_up(bench)
    bench.ring()  # the ledger may be written again
    bench.run_job(-1)
    (entry,) = status(tmp_path / "l").partitions
    assert (entry.state, entry.attempts) == ("running", 2)
    assert entry.last_error == "nothing came for 5 s, so a second attempt began"


def test_a_failed_attempt_is_an_event_with_its_error() -> None:
    bench = Bench(ListPlan([ValueError("lost")]), policy=policy(attempts=2))
    bench.request(1)
    bench.run_job()
    bench.run_job()
    ((name, what),) = bench.events
    assert (name, what["reason"], str(what["error"])) == ("partition_retried", "failed", "lost")
    assert what["timeout_seconds"] is None


def test_a_first_attempt_that_comes_before_the_second_is_used() -> None:
    plan = ListPlan([0, 1])
    bench = late(plan)
    bench.run_job(0)
    assert bench.got == [0, 1]
    bench.run_all()
    assert "tag-0-2" in plan.cancelled
    assert bench.got == [0, 1]


def test_an_empty_partition_may_come_from_the_second_attempt() -> None:
    bench = late(ListPlan([]))
    bench.run_job(1)
    assert bench.completed


def test_an_attempt_that_fails_leaves_the_partition_to_the_other() -> None:
    class Flaky(ListPlan):
        def fetch(self, index: int, tag: str, checksum=None):
            if tag.endswith("-2"):
                raise ValueError("the second")
            return super().fetch(index, tag)

    bench = late(Flaky([0]))
    bench.run_job(1)
    assert bench.error is None
    bench.run_job(0)
    assert bench.got == [0]
    assert bench.completed


def test_two_late_attempts_are_one_failure_that_says_how_long_it_waited() -> None:
    plan = ListPlan([0])
    bench = late(plan)
    time_is_up(bench)
    assert isinstance(bench.error, PartitionTimeoutError)
    assert "partition 0 gave nothing for 5.0 s, twice: give" in str(bench.error)
    assert bench.error.kind is FailureKind.TIMED_OUT


def test_a_partition_that_is_late_for_good_is_poison_and_the_others_go_on() -> None:
    bench = late(ListPlan([0], [1]), policy=policy(on_poison="dead_letter"), in_flight=1)
    time_is_up(bench)
    (letter,) = bench.reported
    assert isinstance(letter, PoisonPartition)
    bench.run_all()
    assert bench.got == [1]
    assert bench.completed


def test_of_more_attempts_than_max_attempts_the_dead_letter_says_why_there_was_another() -> None:
    letters = policy(on_poison="dead_letter")
    bench = late(ListPlan([0]), policy=letters)
    time_is_up(bench)
    bench_in_time = Bench(ListPlan([ValueError("bad")]), policy=letters)
    bench_in_time.request(1)
    bench_in_time.run_all()
    assert [*bench.reasons, *bench_in_time.reasons] == [
        "given up after 2 attempts, the last one beside a late one",
        "given up after 1 attempt",
    ]


def test_an_attempt_that_hangs_beside_one_that_failed_is_given_up_after_twice_the_time() -> None:
    class Hanging(ListPlan):
        def fetch(self, index: int, tag: str, checksum=None):
            raise ValueError("no such file")  # the first attempt's thread never comes to it

    bench = late(Hanging([0]))
    bench.run_job(1)
    assert bench.error is None, "the first attempt may still give something"
    time_is_up(bench)
    assert isinstance(bench.error, PartitionTimeoutError)
    said = "partition 0 gave nothing for 5.0 s, and its other attempt failed: no such file"
    assert str(bench.error).startswith(said)
    assert bench.logic.details()["attempts"] == 2


def test_a_second_attempt_that_takes_the_firsts_place_has_its_time_and_no_third_beside_it() -> None:
    class Failing(ListPlan):
        def fetch(self, index: int, tag: str, checksum=None):
            raise ValueError("the first")

    bench = late(Failing([0]))
    bench.run_job(0)
    time_is_up(bench)
    assert isinstance(bench.error, PartitionTimeoutError)
    assert bench.logic.details()["attempts"] == 2


def test_a_watch_that_rings_while_a_failure_is_dealt_with_begins_nothing() -> None:
    bench = Bench(ListPlan([ValueError("lost")]), policy=policy(attempts=2))
    bench.request(1)
    bench.run_job()
    (watch,) = bench.timers
    bench.jobs.popleft()()  # the failure is on its way to the stage when the time has come
    bench.posted.append(watch.action)
    bench.turn()
    assert not bench.jobs, "the next attempt rests"
    assert bench.logic.details()["attempts"] == 1
    bench.ring(-1)
    assert bench.logic.details()["attempts"] == 2


def test_a_partition_whose_job_waits_for_a_core_is_not_late_until_it_has_run_for_its_time() -> None:
    plan = ListPlan([0])
    plan.queued = {"tag-0-1"}
    bench = late(plan)
    for _ in range(3):
        assert bench.logic.details()["attempts"] == 1
        time_is_up(bench)
    plan.queued.clear()
    time_is_up(bench)
    assert bench.logic.details()["attempts"] == 1, "it may have begun just now"
    time_is_up(bench)
    assert bench.logic.details()["attempts"] == 2
    time_is_up(bench)
    assert isinstance(bench.error, PartitionTimeoutError)


def test_a_partition_that_comes_while_its_job_is_asked_about_is_not_late() -> None:
    bench = Bench(ListPlan([0]), policy=policy())
    bench.request(10)
    bench.run_job()
    bench.ring()
    bench.run_job()
    bench.run_all()
    assert bench.got == [0]
    assert bench.completed
    assert bench.logic.details()["attempts"] == 1


def test_a_partition_that_gave_something_is_late_no_more() -> None:
    bench = Bench(ListPlan([0], [1, 2, 3]), policy=policy())
    bench.request(1)
    bench.run_job()
    bench.run_job()
    bench.turn()
    assert [timer for timer in bench.timers if not timer.over] == []


@pytest.mark.parametrize(("attempts", "expected"), [(1, 2), (2, 2), (3, 4), (5, 6)])
def test_a_partition_whose_attempts_all_hang_fails_after_as_many_timeouts_as_the_docs_say(
    attempts: int, expected: int
) -> None:
    bench = Bench(ListPlan([0]), policy=policy(attempts))
    bench.request(1)
    bench.run_job()
    timeouts = 0
    while bench.error is None:
        timer = next(timer for timer in bench.timers if not timer.over)
        bench.ring()
        if timer.seconds == TIMEOUT:  # else it was the wait before the next attempt
            timeouts += 1
            bench.run_job(-1)
    assert isinstance(bench.error, PartitionTimeoutError)
    assert timeouts == expected


def hanging_once(folder: Path, partition: int) -> Transform:
    """The first attempt at ``partition`` takes ten minutes, unless it is cancelled."""
    mark = str(folder / "tried")

    def hang(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os
        import time

        from pyspark import TaskContext

        if TaskContext.get().partitionId() == partition:  # type: ignore[union-attr]
            try:
                os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
                time.sleep(600)
            except FileExistsError:
                pass
        yield from batches

    return hang


@pytest.mark.spark
def test_a_hanging_partition_is_computed_again_and_the_hanging_job_cancelled(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    # A worker begins with imports, which are no reason to call a partition late: two are there.
    marks = tmp_path / "marks"
    marks.mkdir()
    both = numbers(spark, 2, waiting_for(marks, {0: 1, 1: 0}, at_once=True))
    assert ids(SparkSource.arrow(both, in_flight=2).run(Sink.list())) == [0, 1]
    df = spark.range(0, 4, numPartitions=4).mapInArrow(hanging_once(tmp_path, 1), "id long")
    source = SparkSource.arrow(df, in_flight=1, partition_timeout=5.0)
    run = system.start(source.to(Sink.list()))
    assert ids(run.result(SECONDS)) == [0, 1, 2, 3]
    until(lambda: jobs_running(spark) == 0)


@pytest.mark.spark
def test_a_partition_that_always_hangs_fails_by_the_clock(
    spark: SparkSession, system: ActorSystem
) -> None:
    def hang(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import time

        time.sleep(600)
        yield from batches

    df = spark.range(0, 1, numPartitions=1).mapInArrow(hang, "id long")
    run = system.start(SparkSource.arrow(df, partition_timeout=0.5).to(Sink.list()))
    with pytest.raises(PartitionTimeoutError, match="twice"):
        run.result(SECONDS)
    until(lambda: jobs_running(spark) == 0)
