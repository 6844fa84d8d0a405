"""spark_map(f, session, parallelism=2, batch=3)

    in:  1 2 3 4 5 |
    out: f(1) f(2) f(3) f(4) f(5) |    (1 2 3 is one job, 4 5 the other)

Gives what a function makes of each element on the executors of Spark, several jobs at a time.

Back-pressure: asks for its window once downstream asks; begins a job only while fewer than twice
  ``parallelism`` are begun and not delivered.
Completes: when upstream has completed and all results were given.
Fails: with upstream, when ``f`` raises and the policy is to stop, or when the session is lost.
Cancels: upstream, when downstream cancels; jobs that run are cancelled.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

from actors_rs.errors import StreamError
from actors_rs.raised import as_failure
from actors_rs.spark.failures import SparkSessionLost
from actors_rs.spark.liveness import Watch
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic

__all__ = ["MapJobs", "Outcome", "SparkMap"]

Outcome = tuple[bool, Any]
"""True and a value, or False and an error."""


class MapJobs(Protocol):
    """The requests of the stage to Spark."""

    def run(self, elements: Sequence[Any]) -> list[Outcome]:
        """One job: what becomes of each element. Blocks; raises when the job as a whole fails."""
        ...

    def cancel(self) -> None:
        """Cancel the jobs that run and jobs that would start; never raises. Blocks."""

    def watch(self, on_lost: Callable[[SparkSessionLost], None]) -> Watch:
        """See ``PartitionPlan.watch``."""
        ...


class _Job:
    """Elements that were sent together, then what became of them."""

    __slots__ = ("elements", "first", "given", "outcomes")

    def __init__(self, elements: Sequence[Any], first: int) -> None:
        self.elements = elements
        self.first = first  # position of the first one
        self.given = 0
        self.outcomes: list[Outcome] | None = None


class SparkMap(StageLogic):
    """Each element through a job, up to ``parallelism`` jobs of up to ``batch`` elements.

    A job is begun with fewer elements when none runs: to wait for more would gain nothing.
    """

    def __init__(self, jobs: MapJobs, parallelism: int, batch: int, ordered: bool) -> None:
        self.inlet, self.outlet = Inlet(), Outlet()
        self.inlets, self.outlets = (self.inlet,), (self.outlet,)
        self._spark = jobs
        self._parallelism = parallelism
        self._batch = batch
        self._ordered = ordered
        self._jobs: deque[_Job] = deque()  # begun and not delivered, in order
        self._running = self._made = 0
        self._watch: Watch | None = None

    def advance(self, budget: Budget) -> None:
        inlet, outlet = self.inlet, self.outlet
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
            return
        if outlet.demand:
            inlet.open()
        while (job := self._ended()) is not None and self._emit(job):
            pass
        while not outlet.closed and self._may_begin():
            self._begin()
        if inlet.exhausted and not self._jobs:
            self.end(inlet.error)

    def stop(self, error: BaseException | None) -> None:
        if self._watch is not None:
            self._watch.close()
        if self._running:
            self.context.run_blocking(self._spark.cancel)

    def held(self) -> list[Any]:
        return [element for job in self._jobs for element in job.elements[job.given :]]

    def details(self) -> dict[str, Any]:
        return {"running": self._running, "parallelism": self._parallelism, "jobs": self._made}

    # Results

    def _ended(self) -> _Job | None:
        """The job whose turn it is, if it has ended."""
        jobs = [self._jobs[0]] if self._ordered and self._jobs else self._jobs
        return next((job for job in jobs if job.outcomes is not None), None)

    def _emit(self, job: _Job) -> bool:
        """Emit what ``job`` gave as far as there is demand; whether that was all of it."""
        outcomes, most, out = job.outcomes or [], self.outlet.demand, list[Any]()
        while job.given < len(outcomes):
            good, value = outcomes[job.given]
            if good and len(out) == most:
                break
            at, job.given = job.given, job.given + 1
            if good:
                out.append(value)
            elif not self.survives(
                as_failure(value),
                job.elements[at],
                job.first + at,
                first=partial(self.outlet.emit, out),
            ):
                return False
        self.outlet.emit(out)
        if job.given < len(outcomes):
            return False
        self._jobs.remove(job)
        return True

    # Jobs

    def _may_begin(self) -> bool:
        buffered = self.inlet.buffered
        if not buffered or len(self._jobs) >= 2 * self._parallelism:
            return False
        full = buffered >= self._batch or self.inlet.done
        return self._running == 0 or (full and self._running < self._parallelism)

    def _begin(self) -> None:
        if self._watch is None:
            self._watch = self._spark.watch(
                lambda lost: self.context.post(partial(self._lost, lost))
            )
        first = self.inlet.count
        elements = self.inlet.gather(min(self._batch, self.inlet.buffered))
        job = _Job(elements, first)
        self._jobs.append(job)
        self._running += 1
        self._made += 1
        if not self.context.run_blocking(partial(self._run, job)):
            raise StreamError("the actor system was shut down")

    def _run(self, job: _Job) -> None:
        """On a thread that may block."""
        try:
            outcomes = self._spark.run(job.elements)
        except BaseException as error:
            self.context.post(partial(self._failed, job, error))
        else:
            self.context.post(partial(self._finished, job, outcomes))

    def _finished(self, job: _Job, outcomes: list[Outcome]) -> None:
        self._running -= 1
        job.outcomes = outcomes

    def _failed(self, job: _Job, error: BaseException) -> None:
        """A job failed as a whole: each of its elements did, unless nothing more can run."""
        self._finished(job, [(False, error)] * len(job.elements))
        if isinstance(error, SparkSessionLost):
            self._lost(error)

    def _lost(self, error: SparkSessionLost) -> None:
        if not self.outlet.closed:
            self.fail(error)
