"""``spark_map``: the work of one stage done by the executors of Spark."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from actors_rs.graph.checks import at_least, flag, function
from actors_rs.graph.spec import OPEN, Attributes, OutletRef, spec_of
from actors_rs.language.flow import Flow
from actors_rs.spark.failures import (
    SparkSessionLost,
    describe_failure,
    ensure_session_alive,
    session_frozen,
)
from actors_rs.spark.fetching.jobs import cancel_jobs, tagged
from actors_rs.spark.fetching.shipping import travels
from actors_rs.spark.liveness import Watch, watch
from actors_rs.spark.mapping import map_worker
from actors_rs.spark.mapping.map_errors import revived
from actors_rs.spark.mapping.map_stage import Outcome, SparkMap
from actors_rs.spark.mapping.pickling import frames_of, pickled_function
from actors_rs.spark.session import context_of
from actors_rs.spark.sharing import hint_at_fair_scheduling
from actors_rs.spark.tracing import seeing_trace
from actors_rs.texts import named

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["spark_map"]

T = TypeVar("T")
R = TypeVar("R")

_MEBIBYTE = 1 << 20
_RESERVE = _MEBIBYTE  # of a task's message, for all that is not elements


@overload
def spark_map(
    f: Callable[[T], Awaitable[R]],
    session: SparkSession,
    parallelism: int = 2,
    batch: int = 1000,
    ordered: bool = True,
    *,
    pool: str | None = None,
) -> Flow[T, R]: ...


@overload
def spark_map(
    f: Callable[[T], R],
    session: SparkSession,
    parallelism: int = 2,
    batch: int = 1000,
    ordered: bool = True,
    *,
    pool: str | None = None,
) -> Flow[T, R]: ...


def spark_map(
    f: Callable[[Any], Any],
    session: SparkSession,
    parallelism: int = 2,
    batch: int = 1000,
    ordered: bool = True,
    *,
    pool: str | None = None,
) -> Flow[Any, Any]:
    """Each element through ``f`` on Spark's executors: ``source.via(spark_map(f, session))``.

    - ``f``: a plain function, or a coroutine function, each call of which runs to its end in the
      worker. It is pickled.
    - ``session``: a classic Spark session. Spark Connect has no jobs and is refused.
    - ``parallelism``: how many jobs run at a time, 2 by default.
    - ``batch``: how many elements travel in one job, 1,000 by default.
    - ``ordered``: results come in the order of the elements (default), or with ``False`` as jobs
      end.
    - ``pool``: the pool of Spark's scheduler; by default the pool of the thread.

    An element fails alone if ``f`` raises for it, or if it or its result cannot be pickled. If a
    whole job fails, since a worker died, for instance, each of its elements fails with
    ``SparkPartitionError``. Both follow the stage's failure policy.

    Raises ``InvalidArgumentError`` for a function that cannot be pickled, and names the part that
    cannot. Raises ``SparkSessionLost`` for a session that was stopped.

    >>> from actors_rs.spark import spark_map
    >>> Source.of("17", "4").via(spark_map(int, spark)).run(Sink.list())
    [17, 4]
    """
    function(f, "spark_map: f", awaited=True)
    at_least(1, parallelism, "spark_map: parallelism")
    at_least(1, batch, "spark_map: batch")
    flag(ordered, "spark_map: ordered")
    context = context_of(session, "spark_map")
    ensure_session_alive(context, "the making of spark_map")
    travels(map_worker)
    pickled_function(f, "spark_map")
    hint_at_fair_scheduling(context)
    spec = spec_of(
        "spark_map",
        lambda: SparkMap(_Jobs(context, f, parallelism, pool), parallelism, batch, ordered),
        OPEN,
        attributes=Attributes(window=2 * batch * parallelism),
    )
    return Flow(OutletRef(spec))


class _Jobs:
    """The jobs of one run. See ``MapJobs``."""

    def __init__(
        self, context: Any, f: Callable[[Any], Any], parallelism: int, pool: str | None
    ) -> None:
        self._context = context
        self._mapper = seeing_trace(map_worker.mapper(f))
        self._singly = seeing_trace(map_worker.mapper(map_worker.of_pickled(f)))
        self._parallelism = parallelism
        self._pool = pool
        self._tag = f"actors-rs-{uuid.uuid4()}"
        self._limit: int | None = None

    def run(self, elements: Sequence[Any]) -> list[Outcome]:
        """See ``MapJobs``."""
        try:
            outcomes, unread = self._job(self._mapper, elements)
            if unread:
                again, _ = self._job(self._singly, [_dumped(elements[at]) for at in unread])
                for at, outcome in zip(unread, again, strict=True):
                    outcomes[at] = outcome
        except Exception as error:
            what = "a job of spark_map"
            raise describe_failure(error, None, self._context, self._tag, what) from error
        return outcomes

    def _job(self, mapper: Any, elements: Sequence[Any]) -> tuple[list[Outcome], list[int]]:
        """What became of ``elements``, and at which places nothing was even tried."""
        context = self._context
        tasks = max(1, -(-context.defaultParallelism // self._parallelism))
        frames, places, refused = frames_of(elements, tasks, self._largest())
        outcomes: list[Outcome] = [(False, refused.get(at)) for at in range(len(elements))]
        if not frames:
            return outcomes, []
        with tagged(context, self._tag, self._pool):
            rdd = context.parallelize(frames, len(frames))
            answers = rdd.mapPartitions(mapper).collect()
        return outcomes, _fill(outcomes, places, answers)

    def cancel(self) -> None:
        """See ``MapJobs``."""
        cancel_jobs(self._context, self._tag)

    def watch(self, on_lost: Callable[[SparkSessionLost], None]) -> Watch:
        """See ``MapJobs``."""
        gateway = self._context._gateway
        return watch(gateway, lambda: on_lost(session_frozen(gateway)))

    def _largest(self) -> int:
        """Bytes of elements that fit into one task."""
        if self._limit is None:
            most = self._context.getConf().get("spark.rpc.message.maxSize", "128")
            self._limit = int(most) * _MEBIBYTE - _RESERVE
        return self._limit


def _fill(outcomes: list[Outcome], places: list[list[int]], answers: list[bytes]) -> list[int]:
    """Put what the workers said where it belongs; the places of which they could read nothing."""
    unread: list[int] = []
    for place, answer in zip(places, answers, strict=True):
        if answer == map_worker.UNREAD:
            unread += place
            continue
        good, came = _loaded(answer)
        if not good:
            came = [(False, came)] * len(place)
        for at, outcome in zip(place, came, strict=True):
            outcomes[at] = _read(outcome)
    return unread


def _read(answer: Outcome | bytes) -> Outcome:
    """The answer of a worker for one element; an error comes in parts."""
    if isinstance(answer, bytes):
        readable, came = _loaded(answer)
        return _read(came) if readable else (False, came)
    good, value = answer
    return answer if good or isinstance(value, BaseException) else (False, revived(value))


def _loaded(pickled: bytes) -> Outcome:
    from pyspark import cloudpickle

    try:
        return True, cloudpickle.loads(pickled)
    except Exception as error:
        why = named(error)
        return False, TypeError(f"the result cannot be unpickled ({why})")


def _dumped(value: object) -> bytes:
    from pyspark import cloudpickle

    untyped: Any = cloudpickle
    return bytes(untyped.dumps(value))
