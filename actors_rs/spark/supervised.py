"""Partitions that are tried again, given up or resumed: the supervised Spark source's stage.

An attempt at a partition is a ``Fetch``. When one fails before anything of it was given, or when
the elements are acknowledged by the partition, so that what was given can be taken back, another
attempt takes its place. A partition that fails for good is poison: a dead letter, or the end.

With a ledger each partition is a unit. Committed units are skipped, and the stage lives on after
its last element until the ledger knows the end of each unit. The ledger is written by a thread that
may wait for the disk. It writes once for all that comes in within a tenth of a second, for
``in_flight`` commits or after the last element. Closing it blocks, so the stage then has a thread
of its own.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from functools import partial
from typing import Any

from actors_rs.delivery.ack import Disposition, Unit
from actors_rs.spark.fetching.attempts import Attempts
from actors_rs.spark.fetching.fetch import Fetch
from actors_rs.spark.fetching.job_size import JobSize
from actors_rs.spark.plan import PartitionPlan
from actors_rs.spark.policy import PartitionPolicy, PartitionTimeoutError, PoisonPartition
from actors_rs.spark.repeat.checksum import Checksum
from actors_rs.spark.resuming.ledger_writer import LedgerWriter
from actors_rs.spark.shown import ShownPartitions
from actors_rs.stages.stage import Cancellable
from actors_rs.texts import text_of

__all__ = ["SupervisedPartitions"]

REST_SECONDS = 0.1
"""Between two transactions of the ledger, unless as many partitions as may be in flight are done.

A process that is killed repeats what was done in that time, besides what is in flight."""


class SupervisedPartitions(ShownPartitions):
    """See above. ``ledger`` is the run's ledger, ``None`` without one."""

    def __init__(
        self,
        plan: PartitionPlan[Any],
        tag: str,
        *,
        policy: PartitionPolicy,
        ledger: LedgerWriter | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(plan, tag, **settings)
        self._policy = policy
        self._ledger = ledger
        self._tries: dict[int, Attempts] = {}
        self._units: dict[int, Unit] = {}  # of which something may be under way
        self._settled_units: set[Unit] = set()  # still to be written down
        self._rest: Cancellable | None = None  # until the next transaction
        self._attempts_of = Counter()
        self._poisoned: list[int] = []
        self._retried = self._committed = self._skipped = self._dead_lettered = 0
        self._writing = self._lingers = self._alone = False
        self._why_alone: BaseException | None = None

    # The stage's own life

    def drain(self) -> None:
        super().drain()
        for one in self._tries.values():
            if one.rests and one.timer is not None:  # nobody wants the next attempt any more
                one.timer.cancel()
                one.fetch.ended = True

    def advance(self, budget: Any) -> None:
        super().advance(budget)
        self._wait_for_units()

    def end(self, error: BaseException | None) -> None:
        super().end(error)
        self._wait_for_units()  # a turn that failed has no advance, and may be the last one

    def _wait_for_units(self) -> None:
        """After the last element, live on while elements of a unit may still be settled."""
        if self.outlet.cancelled:
            self._abandon_units()
        elif self.outlet.closed and self._units and not self._lingers:
            self._lingers = True
            self.context.linger(self._abandon_units)
        if self.outlet.closed:
            self._write_down()  # the run waits for it

    @property
    def finished(self) -> bool:
        return super().finished and not self._units and not self._settled_units

    def stop(self, error: BaseException | None) -> None:
        super().stop(error)
        for one in self._tries.values():
            if one.timer is not None:
                one.timer.cancel()
        if self._rest is not None:
            self._rest.cancel()
        if self._ledger is not None:
            causes = (error, self.outlet.cause, self._why_alone)
            cause = next((one for one in causes if one is not None), None)
            self._ledger.close(cause, completed=not (self.outlet.cancelled or self._alone))

    def _abandon_units(self, error: BaseException | None = None) -> None:
        """No stage is left that could settle these units: the next run does them again.

        ``error``: why the other stages have left."""
        if self._units:
            self._alone, self._why_alone = True, error
        for unit in self._units.values():
            unit.abandon()
        self._units.clear()

    # Planning

    def _plan_total(self) -> int:
        if self._ledger is not None:
            self._ledger.check()  # with adaptive execution planning may take hours
            self._plan.make_repeatable(self._tag)
        total = super()._plan_total()
        if self._ledger is not None:
            self._ledger.open(self._plan, total)
            self._ledger.verify(self._plan, self._tag, lambda: self._stopped or self._draining)
        return total

    def _planned(self, total: int) -> None:
        super()._planned(total)
        if self._policy.timeout is not None:  # an attempt that is late has to be a job of its own
            self._job_size = JobSize(1)
        if self._ledger is not None:
            committed = self._ledger.committed
            self._todo = deque(index for index in self._todo if index not in committed)
            self._skipped = self._committed = self._done = len(committed)

    # Attempts

    def _begin(self, fetches: Sequence[Fetch]) -> None:
        first = self._tries.get(fetches[0].index)
        attempt = 1 if first is None else first.attempts + 1
        tag = f"{self._tag}-{fetches[0].index}-{attempt}"
        for fetch in fetches:
            fetch.tag = tag
            self._begin_attempt(fetch)
        super()._begin(fetches)

    def _begin_attempt(self, fetch: Fetch) -> None:
        one = self._tries.setdefault(fetch.index, Attempts(fetch))
        one.attempts += 1
        self._attempts_of[fetch.index] += 1
        if self._ledger is not None:
            fetch.checksum = Checksum()
            self._ledger.begun(fetch.index)
            self._write_down()
            if one.unit is None:
                one.unit = self._units[fetch.index] = self._ledger.unit(fetch.index, self._settled)
        if self._policy.timeout is not None:
            self._watch_over(one, self._policy.timeout)

    def _attempts_at(self, index: int) -> int:
        return self._attempts_of[index]

    def _arrived(self, fetch: Fetch, chunk: list[Any], weight: float) -> None:
        one = self._tries.get(fetch.index)
        if fetch.dropped or one is None:
            return
        if fetch is one.second:
            self._use_second(one)
        elif one.second is not None:
            self._drop(one.second)
            one.second = None
        super()._arrived(fetch, chunk, weight)

    def _given(self, fetch: Fetch, chunk: list[Any]) -> list[Any]:
        one = self._tries[fetch.index]
        one.given += len(chunk)
        if one.unit is None:
            return chunk
        if self._ledger is not None:
            self._ledger.count(one.unit, chunk)
        return [one.unit.track(element) for element in chunk]

    def _finished_with(self, fetch: Fetch) -> None:
        one = self._tries.pop(fetch.index)
        if one.timer is not None:
            one.timer.cancel()
        if one.second is not None:
            self._drop(one.second)
        if one.unit is None:
            return
        if fetch.whole:
            if self._ledger is not None and fetch.checksum is not None:
                self._ledger.summed(one.unit, fetch.checksum)
            one.unit.seal()
        else:
            self._give_back(one)

    def _fetch_ended(self, fetch: Fetch, error: BaseException | None) -> None:
        one = self._tries.get(fetch.index)
        if fetch.dropped or one is None or fetch not in (one.fetch, one.second):
            self._jobs -= 1
            return
        if fetch is one.second and error is None:
            self._use_second(one)  # it was an empty partition
        super()._fetch_ended(fetch, error)

    def _fetch_failed(self, fetch: Fetch, error: BaseException) -> None:
        one = self._tries[fetch.index]
        other = one.fetch if fetch is one.second else one.second
        if other is not None:  # the other attempt goes on
            if fetch is one.fetch:
                self._use_second(one)
            one.second, one.beside = None, error
            return
        if one.timer is not None:
            one.timer.cancel()
        again = one.attempts < self._policy.max_attempts and (one.unit or not one.given)
        if self._ledger is not None:
            self._ledger.failed(fetch.index, error, poison=not again)
            self._write_down()
        if again:
            self._retry(one, error)
        elif self._policy.on_poison == "fail":
            super()._fetch_failed(fetch, error)
        else:
            self._pass_over(one, error)

    def _retry(self, one: Attempts, error: BaseException) -> None:
        """Put a new attempt in the place of the one that failed, and begin it after a while."""
        self._retried += 1
        if one.given:
            self._give_back(one)
        one.given = 0
        one.seconded, one.beside, one.rests, one.queued = False, None, True, False
        one.fetch.over()
        fresh = self._new_fetch(one.fetch.index)
        self._fetches[self._fetches.index(one.fetch)] = fresh
        one.fetch.dropped = True
        one.fetch = fresh
        wait = self._policy.backoff.delay(one.attempts - 1)
        self._tell_of_retry(one, "failed", wait, error)
        one.timer = self.context.after(wait, partial(self._begin_again, one))

    def _tell_of_retry(
        self, one: Attempts, reason: str, wait: float, error: BaseException | None = None
    ) -> None:
        timeout = self._policy.timeout if reason == "late" else None
        what = {"wait_seconds": wait, "timeout_seconds": timeout, **self._counts(one)}
        which = {"partition": one.fetch.index, "reason": reason, "error": error}
        self.context.event("partition_retried", **which, **what)

    def _begin_again(self, one: Attempts) -> None:
        one.rests = False
        if not (self._draining or self._stopped or self.outlet.closed):
            self._enter()
            self._begin([one.fetch])
        else:
            one.fetch.ended = True

    def _pass_over(self, one: Attempts, error: BaseException) -> None:
        index = one.fetch.index
        self._poisoned.append(index)
        letter = PoisonPartition(index, one.attempts, text_of(error))
        counts = self._counts(one)
        self.context.event("partition_given_up", partition=index, error=error, **counts)
        self._partition_ended(index, error)
        why = f"given up after {self._tries_said(one)}"
        self.context.report(letter, why, error, partition=index)
        self._give_back(one)
        one.fetch.chunks.clear()

    def _give_back(self, one: Attempts) -> None:
        """The elements given of the partition do not count: sinks drop what they hold of it."""
        unit, one.unit = one.unit, None
        if unit is not None:
            self._units.pop(one.fetch.index, None)
            unit.abandon()

    # An attempt that is late

    def _watch_over(self, one: Attempts, timeout: float) -> None:
        one.timer = self.context.after(timeout, partial(self._late, one, one.attempts))

    def _late(self, one: Attempts, attempt: int) -> None:
        """Nothing has come for a while; it does not count if the job is not even being run."""
        if self._is_late(one, attempt):
            self.context.run_blocking(partial(self._ask, one, attempt, one.fetch.tag))

    def _ask(self, one: Attempts, attempt: int, tag: str) -> None:
        """On a thread that may block."""
        queued = self._plan.is_queued(tag)
        self.context.post(partial(self._judge, one, attempt, queued))

    def _judge(self, one: Attempts, attempt: int, queued: bool) -> None:
        if not self._is_late(one, attempt):
            return
        was_queued, one.queued = one.queued, queued
        if self._policy.timeout is not None and (queued or was_queued):
            self._watch_over(one, self._policy.timeout)  # from when it was first seen to run
        elif one.seconded:
            self._give_up_waiting(one)
        else:
            self._begin_second(one)

    def _is_late(self, one: Attempts, attempt: int) -> bool:
        if one.attempts != attempt or one.rests or self._draining:  # it rang a moment too late
            return False
        return not (one.fetch.ended or one.fetch.chunks or one.given)

    def _give_up_waiting(self, one: Attempts) -> None:
        took = f"partition {one.fetch.index} gave nothing for {self._policy.timeout} s"
        other = "twice" if one.beside is None else f"and its other attempt failed: {one.beside}"
        if one.second is not None:
            self._drop(one.second)
            one.second = None
        self._drop(one.fetch)
        one.fetch.ended = True
        self._fetch_failed(one.fetch, PartitionTimeoutError(f"{took}, {other}"))

    def _begin_second(self, one: Attempts) -> None:
        one.seconded = True
        self._tell_of_retry(one, "late", 0.0)
        if self._ledger is not None and self._policy.timeout is not None:
            self._ledger.late(one.fetch.index, self._policy.timeout)
        one.second = self._new_fetch(one.fetch.index)
        self._enter()
        self._begin([one.second])

    def _use_second(self, one: Attempts) -> None:
        """The second attempt was first."""
        if one.second is None:
            return
        self._drop(one.fetch)
        self._fetches[self._fetches.index(one.fetch)] = one.second
        one.fetch, one.second = one.second, None

    def _drop(self, fetch: Fetch) -> None:
        """Read no more of it, and cancel its job."""
        fetch.dropped = True
        fetch.over()
        fetch.demand.release()
        self._cancel(fetch.tag)

    def _release_threads(self) -> None:
        super()._release_threads()
        for one in self._tries.values():
            for fetch in (one.fetch, one.second):
                if fetch is not None and not fetch.ended:
                    self._drop(fetch) if self._stopped else self._cancel(fetch.tag)

    # What became of a unit

    def _settled(self, unit: Unit, dispositions: Counter[Disposition]) -> None:
        """On the thread that settled the last element."""
        self.context.post(partial(self._commit, unit))

    def _commit(self, unit: Unit) -> None:
        if self._units.get(unit.key) is unit and self._ledger is not None:  # type: ignore[call-overload]
            del self._units[unit.key]
            self._settled_units.add(unit)
            self._dead_lettered += self._ledger.commit(unit)
            self._write_down()

    def _write_down(self) -> None:
        """Have the notes written on a thread that may wait for the disk; one at a time."""
        if self._ledger is None or not self._ledger.waits or self._writing:
            return
        due = self._rest is None or len(self._settled_units) >= self._in_flight
        if due or self.outlet.closed:
            self._writing = self.context.run_blocking(self._write_job)

    def _write_job(self) -> None:
        assert self._ledger is not None
        try:
            committed = self._ledger.write()
        except BaseException as error:
            self.context.post(partial(self._not_written, error))
        else:
            self.context.post(partial(self._written, committed))

    def _written(self, committed: list[Unit]) -> None:
        self._writing = False
        self._settled_units.difference_update(committed)
        self._committed += len(committed)
        if self._rest is None:
            self._rest = self.context.after(REST_SECONDS, self._rested)
        self._write_down()

    def _rested(self) -> None:
        self._rest = None
        self._write_down()

    def _not_written(self, error: BaseException) -> None:
        self._writing = False
        self._settled_units.clear()
        self.fail(error)
