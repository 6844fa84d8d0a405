"""The Spark source's decisions on ports alone: no actor, no Spark, nothing runs by itself."""

import subprocess
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from actors_rs import Backoff
from actors_rs.errors import StreamError
from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.spark.failures import SparkPartitionError, SparkSessionLost, ensure_session_alive
from actors_rs.spark.fetching.fetch import CHUNKS_AHEAD
from actors_rs.spark.policy import PartitionPolicy
from tests.spark.bench import Bench, ListPlan

DEADLINE = 20.0


def failure(partition: int) -> SparkPartitionError:
    return SparkPartitionError(partition, "java.io.IOException", "no disk")


def in_thread(job: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=job, daemon=True)
    thread.start()
    return thread


def joined(thread: threading.Thread) -> bool:
    thread.join(DEADLINE)
    return not thread.is_alive()


def test_nothing_is_planned_before_the_first_request() -> None:
    plan = ListPlan([1])
    bench = Bench(plan)
    bench.turn()
    assert not bench.jobs
    bench.request(1)
    assert len(bench.jobs) == 1
    bench.run_job()
    assert plan.planned == ["tag"]


def test_it_plans_once_however_often_it_is_asked() -> None:
    bench = Bench(ListPlan([1]))
    for _ in range(3):
        bench.request(1)
    assert len(bench.jobs) == 1


def test_a_request_for_one_element_begins_one_partition() -> None:
    bench = Bench(ListPlan([1], [2], [3]), in_flight=2)
    bench.request(1)
    bench.run_job()
    assert len(bench.jobs) == 1


def test_demand_that_is_foreseen_begins_partitions_and_delivers_nothing() -> None:
    bench = Bench(ListPlan([0], [1], [2], [3]), in_flight=3)
    bench.logic.outlet.foreseen = UNBOUNDED
    bench.turn()
    assert not bench.jobs
    bench.request(1)
    bench.run_job()
    assert len(bench.jobs) == 3
    bench.run_job()
    bench.run_job()
    assert bench.got == [0]
    bench.cancel()
    assert not bench.completed


def test_no_more_than_in_flight_partitions_are_begun_and_not_delivered() -> None:
    bench = Bench(ListPlan([0], [1], [2], [3]), in_flight=2)
    bench.request(UNBOUNDED)
    bench.run_job()
    assert len(bench.jobs) == 2
    bench.run_job(1)
    assert len(bench.jobs) == 1, "a partition that waits for its turn still counts"
    bench.run_job()
    assert bench.got == [0, 1]
    assert len(bench.jobs) == 2


def test_order_is_kept_when_a_later_partition_is_ready_first() -> None:
    bench = Bench(ListPlan([0, 1], [2, 3], [4]), in_flight=3)
    bench.request(UNBOUNDED)
    bench.run_job()
    bench.run_job(2)
    bench.run_job(1)
    assert bench.got == []
    bench.run_job()
    assert bench.got == [0, 1, 2, 3, 4]
    assert bench.completed


def test_without_order_whichever_partition_is_ready_comes_first() -> None:
    bench = Bench(ListPlan([0, 1], [2, 3], [4]), in_flight=3, ordered=False)
    bench.request(UNBOUNDED)
    bench.run_job()
    bench.run_job(2)
    assert bench.got == [4]
    bench.run_job(1)
    assert bench.got == [4, 2, 3]
    bench.run_job()
    assert bench.completed


def test_a_chunk_larger_than_demand_is_cut_and_nothing_is_lost() -> None:
    bench = Bench(ListPlan(list(range(10))), chunk=4)
    bench.request(3)
    bench.run_all()
    assert bench.got == [0, 1, 2]
    bench.request(3)
    assert bench.got == list(range(6))
    bench.request(UNBOUNDED)
    assert bench.got == list(range(10))
    assert bench.completed


def test_a_partition_is_read_no_further_ahead_than_its_demand() -> None:
    plan = ListPlan(list(range(100)))
    bench = Bench(plan)
    bench.request(1)
    bench.run_job()
    thread = in_thread(bench.jobs.popleft())
    for _ in range(CHUNKS_AHEAD + 1):
        assert plan.read.acquire(timeout=DEADLINE)
    assert not plan.read.acquire(timeout=0.1), "it read on without demand"
    bench.turn()
    assert bench.got == [0]
    assert plan.read.acquire(timeout=DEADLINE), "a delivered chunk lets the thread read one more"
    assert not plan.read.acquire(timeout=0.1)
    bench.cancel()
    assert joined(thread)


def test_the_end_is_told_without_further_demand() -> None:
    bench = Bench(ListPlan([0], [], [1], []), in_flight=4)
    bench.request(4)
    bench.run_all()
    assert bench.completed
    bench = Bench(ListPlan([0], [1]))
    bench.request(2)
    bench.run_all()
    assert bench.got == [0, 1]
    assert bench.completed


def test_a_failure_is_told_without_further_demand() -> None:
    broken = failure(0)
    bench = Bench(ListPlan([0, 1, broken]))
    bench.request(2)
    bench.run_all()
    assert bench.got == [0, 1]
    assert bench.error is broken


def test_what_comes_before_a_failed_partition_is_delivered_first() -> None:
    broken = failure(1)
    bench = Bench(ListPlan([0, 1], [2, broken], [3]), in_flight=3)
    bench.request(UNBOUNDED)
    bench.run_job()
    bench.run_job(1)
    assert bench.error is None
    bench.run_job()
    assert bench.got == [0, 1, 2]
    assert bench.error is broken


def test_no_partition_is_begun_once_one_has_failed() -> None:
    bench = Bench(ListPlan([0], [failure(1)], [2], [3]), in_flight=3)
    bench.request(2)
    bench.run_job()
    assert len(bench.jobs) == 2
    bench.run_job(1)
    bench.request(UNBOUNDED)
    assert len(bench.jobs) == 1, "only the partition before the failed one is still of use"
    bench.run_job()
    assert bench.got == [0]
    assert bench.error is not None


def test_a_plan_that_fails_fails_the_stream() -> None:
    broken = SparkPartitionError(None, "AnalysisException", "no such column")
    bench = Bench(ListPlan(failure=broken))
    bench.request(1)
    bench.run_job()
    assert bench.error is broken


@pytest.mark.parametrize("partitions", [(), ([],), ([], [], [])])
def test_nothing_to_deliver_completes(partitions: Any) -> None:
    bench = Bench(ListPlan(*partitions), in_flight=2)
    bench.request(1)
    bench.run_all()
    assert bench.completed
    assert bench.got == []


def test_cancelling_wakes_the_threads_cancels_the_jobs_and_begins_no_other() -> None:
    plan = ListPlan(list(range(100)), [1], [2])
    bench = Bench(plan, in_flight=2)
    bench.request(2)
    bench.run_job()
    thread = in_thread(bench.jobs.popleft())
    assert plan.read.acquire(timeout=DEADLINE)
    bench.cancel()
    assert joined(thread)
    assert plan.closed == [0]
    bench.run_all()
    assert plan.cancelled == ["tag"]
    assert plan.begun == [0], "a job that waited for a thread does not start any more"
    assert bench.logic.details()["running"] == 0


def test_cancelling_while_it_plans_cancels_the_jobs_of_the_plan() -> None:
    plan = ListPlan([1])
    bench = Bench(plan)
    bench.request(1)
    bench.cancel()
    bench.run_job(1)
    assert plan.cancelled == ["tag"]


def test_draining_before_anything_was_asked_completes_without_a_plan() -> None:
    plan = ListPlan([1])
    bench = Bench(plan)
    bench.drain()
    assert bench.completed
    assert not bench.jobs
    assert not plan.planned


def test_draining_while_it_plans_completes_even_if_the_plan_then_fails() -> None:
    plan = ListPlan(failure=SparkPartitionError(None, "x [SPARK_JOB_CANCELLED]", "cancelled"))
    bench = Bench(plan)
    bench.request(1)
    bench.drain()
    bench.run_all()
    assert bench.completed
    assert bench.error is None


def test_draining_delivers_what_has_arrived_and_begins_no_other() -> None:
    plan = ListPlan([0, 1, 2], [3], [4])
    bench = Bench(plan, in_flight=1)
    bench.request(1)
    bench.run_job()
    bench.run_job()
    assert bench.got == [0]
    bench.drain()
    assert not bench.completed
    bench.request(UNBOUNDED)
    assert bench.got == [0, 1, 2]
    assert bench.completed
    assert plan.begun == [0]


def test_draining_does_not_wait_for_the_next_attempt_at_a_partition() -> None:
    policy = PartitionPolicy(3, Backoff(3600, 3600))
    bench = Bench(ListPlan([ValueError("lost")], [1]), policy=policy)
    bench.request(1)
    bench.run_job()
    bench.run_job()
    assert not bench.jobs, "the next attempt rests"
    bench.drain()
    bench.run_all()
    assert bench.completed
    assert all(timer.over for timer in bench.timers)


def test_a_partition_cut_short_by_draining_is_not_counted_as_done() -> None:
    plan = ListPlan([0], list(range(1, 100)))
    bench = Bench(plan, in_flight=1)
    bench.request(2)
    bench.run_job()
    bench.run_job()
    thread = in_thread(bench.jobs.popleft())
    assert plan.read.acquire(timeout=DEADLINE)
    bench.drain()
    assert joined(thread)
    bench.request(UNBOUNDED)
    assert bench.completed
    assert bench.got == list(range(len(bench.got)))
    assert bench.logic.details()["done"] == 1


def test_a_lost_session_fails_the_stream_before_earlier_partitions_are_delivered() -> None:
    lost = SparkSessionLost("the JVM was killed")
    bench = Bench(ListPlan([0], [lost]), in_flight=2)
    bench.request(2)
    bench.run_job()
    bench.run_job(1)
    assert bench.error is lost


def killed(partition: int) -> SparkSessionLost:
    """The error of the thread that reads ``partition``, after a kill of the JVM."""
    process = subprocess.Popen(["sleep", "60"])
    process.kill()
    process.wait()
    context = SimpleNamespace(_gateway=type("Gateway", (), {"proc": process})())
    with pytest.raises(SparkSessionLost) as caught:
        ensure_session_alive(context, f"partition {partition}")  # type: ignore[arg-type]
    return caught.value


def test_a_lost_session_names_all_partitions_that_ran_and_its_first_report_is_the_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = killed(1), killed(2)
    bench = Bench(ListPlan([0], [first], [second], [3]), in_flight=3)
    failed = Mock(side_effect=lambda error, *_, **__: error)
    monkeypatch.setattr(bench, "failed", failed)
    bench.clock = 1.0
    bench.request(3)
    bench.run_job()
    bench.run_job()  # partition 0 has ended
    for job in bench.jobs:  # both threads report it before the next turn
        job()
    bench.turn()
    assert "was killed by SIGKILL while partitions 1, 2 were running; start a new" in str(first)
    failed.assert_called_once_with(first, None)  # ledger would note the second one


def test_a_session_that_is_lost_while_one_partition_runs_names_that_one() -> None:
    lost = killed(0)
    bench = Bench(ListPlan([lost]))
    bench.request(1)
    bench.run_all()
    assert "was killed by SIGKILL during partition 0; start a new session" in str(lost)


def test_a_thread_that_waits_for_demand_notices_a_lost_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("actors_rs.spark.stage.PROBE_SECONDS", 0.01)
    plan = ListPlan(list(range(100)))
    bench = Bench(plan)
    bench.request(1)
    bench.run_job()
    thread = in_thread(bench.jobs.popleft())
    for _ in range(CHUNKS_AHEAD + 1):
        assert plan.read.acquire(timeout=DEADLINE)
    plan.lost = SparkSessionLost("the JVM was killed")
    assert joined(thread)
    bench.turn()
    assert bench.error is plan.lost
    assert plan.closed == [0]


def test_a_session_that_does_not_answer_fails_the_stream_though_no_thread_came_back() -> None:
    plan = ListPlan([0], [1])
    bench = Bench(plan)
    bench.request(1)
    lost = SparkSessionLost("the JVM is frozen")
    plan.on_lost(lost)
    bench.turn()
    assert bench.error is lost
    assert [watch.closed for watch in plan.watches] == [True]


def test_a_session_that_is_lost_behind_the_end_is_nobodys_failure() -> None:
    plan = ListPlan([0])
    bench = Bench(plan)
    bench.request(1)
    bench.run_all()
    bench.stopped = False
    plan.on_lost(SparkSessionLost("the JVM is frozen"))
    bench.posted.popleft()()
    assert bench.completed
    assert bench.error is None


def test_a_system_that_was_shut_down_is_said_in_one_sentence() -> None:
    bench = Bench(ListPlan([1]))
    bench.open = False
    with pytest.raises(StreamError, match="shut down"):
        bench.request(1)


def test_figures_tell_partitions_by_state() -> None:
    bench = Bench(ListPlan([0], [1], [2], [3]), in_flight=2)
    assert bench.logic.details()["partitions"] is None
    bench.request(2)
    bench.run_job()
    bench.run_job()
    bench.turn()
    figures = bench.logic.details()
    by_state = {"partitions": 4, "done": 1, "running": 1, "waiting": 2}
    assert figures == {**by_state, "in_flight": 2, "rows": 1}
