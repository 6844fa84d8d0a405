"""The decisions of ``spark_map``'s stage on ports alone: no actor, no Spark."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.spark.failures import SparkSessionLost
from actors_rs.spark.liveness import Watch
from actors_rs.spark.mapping.map_stage import Outcome, SparkMap
from actors_rs.stages.failure import OnFailure
from tests.spark.bench import NoHurry


class Jobs:
    """Squares numbers; a negative one raises; ``failure`` makes a whole job fail."""

    def __init__(self) -> None:
        self.seen: list[list[int]] = []
        self.failure: Exception | None = None
        self.cancelled = 0
        self.watches: list[Watch] = []
        self.on_lost: Callable[[SparkSessionLost], None] = lambda lost: None

    def run(self, elements: Sequence[Any]) -> list[Outcome]:
        self.seen.append(list(elements))
        if self.failure is not None:
            raise self.failure
        return [(n >= 0, n * n if n >= 0 else ValueError(f"{n}")) for n in elements]

    def cancel(self) -> None:
        self.cancelled += 1

    def watch(self, on_lost: Callable[[SparkSessionLost], None]) -> Watch:
        self.on_lost = on_lost
        self.watches.append(Watch(lambda: None))
        return self.watches[-1]


class Bench:
    """The stage, the context of it, and both of its neighbours."""

    name = "map"

    def __init__(
        self, parallelism: int = 2, batch: int = 2, ordered: bool = True, policy: str = "stop"
    ) -> None:
        self.spark = Jobs()
        self.blocking: deque[Callable[[], None]] = deque()
        self.posted: deque[Callable[[], None]] = deque()
        self.got: list[Any] = []
        self.passed: list[Any] = []
        self.error: BaseException | None = None
        self.completed = self.upstream_cancelled = False
        self.logic = SparkMap(self.spark, parallelism, batch, ordered)
        self.logic.on_failure = OnFailure(policy)  # type: ignore[arg-type]
        self.logic.context = self  # type: ignore[assignment]
        self.logic.outlet.connect(self)
        self.logic.inlet.connect(self)

    def feed(self, *elements: int, done: bool = False) -> None:
        if elements:
            self.logic.inlet.push(elements)
        if done:
            self.logic.inlet.complete()
        self.turn()

    def ask(self, n: int = UNBOUNDED) -> None:
        self.logic.outlet.request(n)
        self.turn()

    def turn(self) -> None:
        while self.posted:
            self.posted.popleft()()
        self.logic.advance(NoHurry())

    def run_job(self, which: int = 0) -> None:
        job = self.blocking[which]
        del self.blocking[which]
        job()
        self.turn()

    # The context

    def post(self, action: Callable[[], None], /) -> None:
        self.posted.append(action)

    def run_blocking(self, job: Callable[[], None], /) -> bool:
        self.blocking.append(job)
        return True

    def failed(self, error: BaseException, /, *_: Any, **__: Any) -> BaseException:
        return error

    def passed_over(self, element: Any, *_: Any) -> None:
        self.passed.append(element)

    # Its neighbours

    def request(self, n: int, /) -> None:
        pass

    def cancel(self, cause: BaseException | None = None, /) -> None:
        self.upstream_cancelled = True

    def push(self, frame: Sequence[Any], /) -> None:
        self.got.extend(frame)

    def complete(self) -> None:
        self.completed = True

    def fail(self, error: BaseException, /) -> None:
        self.error = error


def asked(*elements: int, done: bool = True, **settings: Any) -> Bench:
    bench = Bench(**settings)
    bench.ask()
    bench.feed(*elements, done=done)
    return bench


def test_results_come_in_the_order_of_the_elements() -> None:
    bench = asked(1, 2, 3, 4, 5)
    assert len(bench.blocking) == 2
    bench.run_job(1)
    assert bench.got == []
    bench.run_job()
    bench.run_job()
    assert bench.got == [1, 4, 9, 16, 25]
    assert bench.completed
    assert bench.spark.seen == [[3, 4], [1, 2], [5]]


def test_without_order_whichever_job_is_ready_comes_first() -> None:
    bench = asked(1, 2, 3, 4, ordered=False)
    bench.run_job(1)
    assert bench.got == [9, 16]
    bench.run_job()
    assert bench.got == [9, 16, 1, 4]
    assert bench.completed


def test_a_job_waits_for_a_full_batch_only_while_another_runs() -> None:
    bench = asked(1, done=False)
    assert len(bench.blocking) == 1
    bench.feed(2)
    assert len(bench.blocking) == 1
    bench.feed(3)
    assert len(bench.blocking) == 2
    bench.feed(4)
    bench.run_job()
    bench.run_job()
    bench.run_job()
    assert bench.got == [1, 4, 9, 16]


def test_no_more_jobs_are_begun_than_twice_those_that_run_while_nobody_takes_results() -> None:
    bench = Bench(parallelism=1)
    bench.ask(1)
    bench.feed(*range(20))
    for _ in range(2):
        bench.run_job()
    assert not bench.blocking
    assert bench.got == [0]
    bench.ask(3)
    assert bench.got == [0, 1, 4, 9]
    assert len(bench.blocking) == 1


def test_an_element_that_raises_fails_alone() -> None:
    bench = asked(1, -2, 3, policy="resume", batch=3)
    bench.run_job()
    assert bench.got == [1, 9]
    assert bench.passed == [-2]
    assert bench.completed


def test_an_element_that_raises_fails_the_stage_behind_what_came_before() -> None:
    bench = asked(1, -2, 3, batch=3, done=False)
    bench.run_job()
    assert bench.got == [1]
    assert isinstance(bench.error, ValueError)
    assert bench.upstream_cancelled


def test_a_job_that_fails_is_the_failure_of_each_of_its_elements() -> None:
    bench = asked(1, 2, 3, 4, policy="resume")
    bench.spark.failure = RuntimeError("a worker died")
    bench.run_job()
    bench.spark.failure = None
    bench.run_job()
    assert bench.passed == [1, 2]
    assert bench.got == [9, 16]


def test_a_lost_session_fails_the_stage_whatever_its_policy() -> None:
    bench = asked(1, 2, policy="resume")
    bench.spark.failure = SparkSessionLost("the JVM was killed")
    bench.run_job()
    assert bench.error is bench.spark.failure


def test_a_session_that_does_not_answer_fails_the_stage_though_no_thread_came_back() -> None:
    bench = asked(1, 2)
    lost = SparkSessionLost("the JVM is frozen")
    bench.spark.on_lost(lost)
    bench.turn()
    assert bench.error is lost
    bench.logic.stop(lost)
    assert [watch.closed for watch in bench.spark.watches] == [True]


def test_stopping_cancels_the_jobs_that_run_and_nothing_else() -> None:
    bench = asked(1, 2)
    bench.logic.outlet.cancel()
    bench.turn()
    bench.logic.stop(None)
    bench.blocking.pop()()
    assert bench.spark.cancelled == 1
    idle = asked(1, 2)
    idle.run_job()
    idle.logic.stop(None)
    assert not idle.blocking


@pytest.mark.parametrize("elements", [(), (7,)])
def test_it_completes_with_its_upstream(elements: tuple[int, ...]) -> None:
    bench = asked(*elements)
    while bench.blocking:
        bench.run_job()
    assert bench.completed


def test_what_it_holds_is_what_it_has_not_given() -> None:
    bench = Bench()
    bench.ask(1)
    bench.feed(1, 2, 3)
    bench.run_job()
    assert bench.got == [1]
    assert bench.logic.held() == [2, 3]
