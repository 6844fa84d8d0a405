"""The Spark source's stage without actors and without Spark: a plan over lists, and its ports.

`Bench` stands for the actor: it keeps what was posted until the next turn, and the blocking jobs
until a test runs them.
"""

import threading
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextvars import Context
from typing import Any, cast

from actors_rs.runtime.memory_budget import MemoryBudget, Share
from actors_rs.spark.failures import SparkSessionLost
from actors_rs.spark.fetching.driver_room import Share as DriverShare
from actors_rs.spark.liveness import Watch
from actors_rs.spark.policy import PartitionPolicy
from actors_rs.spark.repeat.checksum import Checksum
from actors_rs.spark.stage import PartitionsSource
from actors_rs.spark.supervised import SupervisedPartitions
from actors_rs.stages.context import Cancellable, Followed, Kind, StageContext


class ListPlan:
    """Partitions held in lists; an exception in one is raised when it is reached."""

    def __init__(self, *partitions: Sequence[Any], failure: BaseException | None = None) -> None:
        self.partitions = partitions
        self.failure = failure
        self.lost: BaseException | None = None
        self.planned: list[str] = []
        self.streams_above: int | None = None
        self.begun: list[int] = []
        self.joins = False
        self.share: DriverShare | None = None
        self.jobs: list[list[int]] = []
        """Of several partitions."""
        self.read = threading.Semaphore(0)
        self.closed: list[int] = []
        self.cancelled: list[str] = []
        self.queued: set[str] = set()
        self.on_lost: Callable[[SparkSessionLost], None] = lambda lost: None
        self.watches: list[Watch] = []

    def make_repeatable(self, tag: str) -> None:
        """A list is."""

    def stream_above(self, size: int) -> None:
        self.streams_above = size

    def plan(self, tag: str) -> int:
        self.planned.append(tag)
        if self.failure is not None:
            raise self.failure
        return len(self.partitions)

    def fetch(
        self, index: int, tag: str, checksum: Checksum | None = None
    ) -> Generator[Any, None, None]:
        self.begun.append(index)
        try:
            for element in self.partitions[index]:
                if isinstance(element, BaseException):
                    raise element
                self.read.release()
                yield element
        finally:
            self.closed.append(index)

    def fetch_together(
        self, indices: Sequence[int], tag: str, checksums: Sequence[Checksum | None]
    ) -> Generator[Generator[Any, None, None], None, None]:
        self.jobs.append(list(indices))
        for index in indices:  # before any is given, as a job of Spark's
            for element in self.partitions[index]:
                if isinstance(element, BaseException):
                    raise element
        yield from (self.fetch(index, tag) for index in indices)

    def check(self, index: int) -> None:
        if self.lost is not None:
            raise self.lost

    def cancel(self, tag: str) -> None:
        self.cancelled.append(tag)

    def is_queued(self, tag: str) -> bool:
        return tag in self.queued

    def watch(self, on_lost: Callable[[SparkSessionLost], None]) -> Watch:
        self.on_lost = on_lost
        self.watches.append(Watch(lambda: None))
        return self.watches[-1]

    def describe(self) -> tuple[str, str]:
        return "a list", repr(self.partitions)

    def caches(self) -> str:
        return ""

    def files(self) -> dict[str, int]:
        return {}


class NoHurry:
    def lap(self) -> float:
        return 0.0

    def spent(self) -> bool:
        return False


class Timer:
    def __init__(self, action: Callable[[], None], seconds: float) -> None:
        self.action = action
        self.seconds = seconds
        self.over = False

    def cancel(self) -> None:
        self.over = True


class Bench:
    """One stage, its context and what is behind it."""

    name = "spark"

    def event(self, name: str, /, **what: Any) -> None:
        self.events.append((name, what))

    def __init__(
        self,
        plan: ListPlan,
        *,
        in_flight: int = 2,
        ordered: bool = True,
        chunk: int = 1,
        policy: PartitionPolicy | None = None,
        memory: MemoryBudget | None = None,
    ) -> None:
        self.memory = memory
        self.plan = plan
        self.jobs: deque[Callable[[], None]] = deque()
        self.posted: deque[Callable[[], None]] = deque()
        self.got: list[Any] = []
        self.completed = False
        self.error: BaseException | None = None
        self.open = True
        self.stopped = False
        self.timers: list[Timer] = []
        self.clock = 0.0
        self.reported: list[Any] = []
        self.reasons: list[str] = []
        self.events: list[tuple[str, dict[str, Any]]] = []
        settings: dict[str, Any] = {"in_flight": in_flight, "ordered": ordered, "chunk": chunk}
        self.logic = (
            PartitionsSource(plan, "tag", **settings)
            if policy is None
            else SupervisedPartitions(plan, "tag", policy=policy, **settings)
        )
        self.logic.context = cast(StageContext, self)
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

    def memory_share(self) -> Share | None:
        return None if self.memory is None else Share(self.memory)

    def failed(
        self, error: BaseException, /, position: int | None = None, *, plain: bool = False
    ) -> BaseException:
        return error

    def now(self) -> float:
        return self.clock

    def after(self, seconds: float, action: Callable[[], None], /) -> Cancellable:
        timer = Timer(action, seconds)
        self.timers.append(timer)
        return timer

    def ring(self, which: int = 0) -> None:
        """The time of one of the running timers has come; then a turn."""
        timer = [timer for timer in self.timers if not timer.over][which]
        timer.over = True
        timer.action()
        self.turn()

    def run_coroutine(
        self,
        coroutine: Coroutine[Any, Any, Any],
        done: Callable[[Any], None] | None = None,
        context: Context | None = None,
        /,
    ) -> None:
        raise NotImplementedError

    def operation(self, kind: Kind, number: int, attempt: int = 1, /) -> Followed | None:
        return None

    def report(
        self,
        what: object,
        why: str,
        error: BaseException | None = None,
        /,
        *,
        partition: int | None = None,
    ) -> None:
        self.reported.append(what)
        self.reasons.append(why)

    # What is behind the outlet

    def push(self, frame: Sequence[Any], /) -> None:
        assert frame, "an empty frame"
        self.got.extend(frame)

    def complete(self) -> None:
        self.completed = True

    def fail(self, error: BaseException, /) -> None:
        self.error = error
