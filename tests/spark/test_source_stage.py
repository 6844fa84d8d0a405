"""The Spark source's decisions on ports alone: a plan in this process, and nothing runs by itself.

The plan here is a real one over lists. `Bench` stands for the actor: it keeps what was posted
until the next turn, and the blocking jobs until a test runs them.
"""

import threading
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Sequence
from typing import Any

import pytest

from actors_rs.errors import StreamError
from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.spark.failures import SparkPartitionError, SparkSessionLost
from actors_rs.spark.stage import PIECES_AHEAD, PartitionsSource
from actors_rs.stages.stage import Cancellable

DEADLINE = 20.0


class ListPlan:
    """Partitions held in lists; an exception in one is raised when it is reached."""

    def __init__(self, *partitions: Sequence[Any], failure: BaseException | None = None) -> None:
        self.partitions = partitions
        self.failure = failure
        self.lost: BaseException | None = None
        self.planned: list[str] = []
        self.begun: list[int] = []
        self.read = threading.Semaphore(0)
        self.closed: list[int] = []
        self.cancelled: list[str] = []

    def plan(self, tag: str) -> int:
        self.planned.append(tag)
        if self.failure is not None:
            raise self.failure
        return len(self.partitions)

    def fetch(self, index: int, tag: str) -> Generator[Any, None, None]:
        self.begun.append(index)
        try:
            for element in self.partitions[index]:
                if isinstance(element, BaseException):
                    raise element
                self.read.release()
                yield element
        finally:
            self.closed.append(index)

    def check(self, index: int) -> None:
        if self.lost is not None:
            raise self.lost

    def cancel(self, tag: str) -> None:
        self.cancelled.append(tag)


class NoHurry:
    def lap(self) -> float:
        return 0.0

    def spent(self) -> bool:
        return False


class Bench:
    """One stage, its context and what is behind it."""

    name = "spark"

    def __init__(
        self, plan: ListPlan, *, in_flight: int = 2, ordered: bool = True, piece: int = 1
    ) -> None:
        self.plan = plan
        self.jobs: deque[Callable[[], None]] = deque()
        self.posted: deque[Callable[[], None]] = deque()
        self.got: list[Any] = []
        self.completed = False
        self.error: BaseException | None = None
        self.open = True
        self.stopped = False
        self.logic = PartitionsSource(
            plan, "tag", in_flight=in_flight, ordered=ordered, piece=piece
        )
        self.logic.context = self
        self.logic.outlet.connect(self)
        self.turn()

    def turn(self) -> None:
        while self.posted and not self.stopped:
            self.posted.popleft()()
        if not self.stopped:
            self.logic.advance(NoHurry())
        if self.logic.finished and not self.stopped:
            self.stopped = True
            self.logic.stop(self.error)

    def request(self, n: int) -> None:
        self.logic.outlet.request(n)
        self.turn()

    def cancel(self) -> None:
        self.logic.outlet.cancel()
        self.turn()

    def drain(self) -> None:
        self.logic.drain()
        self.turn()

    def run_job(self, which: int = 0) -> None:
        """Run one of the blocking jobs to its end, then a turn."""
        job = self.jobs[which]
        del self.jobs[which]
        job()
        self.turn()

    def run_all(self) -> None:
        while self.jobs:
            self.run_job()

    # The context

    def post(self, action: Callable[[], None], /) -> None:
        self.posted.append(action)

    def run_blocking(self, job: Callable[[], None], /) -> bool:
        if self.open:
            self.jobs.append(job)
        return self.open

    def failed(
        self, error: BaseException, /, position: int | None = None, *, plain: bool = False
    ) -> BaseException:
        return error

    def after(self, seconds: float, action: Callable[[], None], /) -> Cancellable:
        raise NotImplementedError

    def run_coroutine(
        self, coroutine: Coroutine[Any, Any, Any], done: Callable[[Any], None], /
    ) -> None:
        raise NotImplementedError

    def report(self, what: object, why: str, error: BaseException | None = None, /) -> None:
        raise NotImplementedError

    # What is behind the outlet

    def push(self, frame: Sequence[Any], /) -> None:
        assert frame, "an empty frame"
        self.got.extend(frame)

    def complete(self) -> None:
        self.completed = True

    def fail(self, error: BaseException, /) -> None:
        self.error = error


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


def test_a_piece_larger_than_demand_is_cut_and_nothing_is_lost() -> None:
    bench = Bench(ListPlan(list(range(10))), piece=4)
    bench.request(3)
    bench.run_all()
    assert bench.got == [0, 1, 2]
    bench.request(3)
    assert bench.got == list(range(6))
    bench.request(UNBOUNDED)
    assert bench.got == list(range(10))
    assert bench.completed


def test_a_partition_is_read_no_further_ahead_than_its_credit() -> None:
    plan = ListPlan(list(range(100)))
    bench = Bench(plan)
    bench.request(1)
    bench.run_job()
    thread = in_thread(bench.jobs.popleft())
    for _ in range(PIECES_AHEAD + 1):
        assert plan.read.acquire(timeout=DEADLINE)
    assert not plan.read.acquire(timeout=0.1), "it read on without credit"
    bench.turn()
    assert bench.got == [0]
    assert plan.read.acquire(timeout=DEADLINE), "a delivered piece lets the thread read one more"
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


def test_a_thread_that_waits_for_credit_notices_a_lost_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("actors_rs.spark.stage.PROBE_SECONDS", 0.01)
    plan = ListPlan(list(range(100)))
    bench = Bench(plan)
    bench.request(1)
    bench.run_job()
    thread = in_thread(bench.jobs.popleft())
    for _ in range(PIECES_AHEAD + 1):
        assert plan.read.acquire(timeout=DEADLINE)
    plan.lost = SparkSessionLost("the JVM was killed")
    assert joined(thread)
    bench.turn()
    assert bench.error is plan.lost
    assert plan.closed == [0]


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
    assert figures == {"partitions": 4, "done": 1, "running": 1, "waiting": 2, "in_flight": 2}
