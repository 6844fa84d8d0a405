"""``SparkSource``: Spark as one more source, which computes a partition only when it is asked for.

Each partition is one job, fetched on a thread that may block, never on the pool. A job starts when
there is demand that the partitions already begun need not cover, and a partition is read no further
ahead than a few chunks. At most ``in_flight`` partitions are begun and not yet delivered. The
window downstream of the source has that size too, and the next stages request only as they are
requested from. So no more partitions are ahead of the end of a chain. Rows have the ordinary
window.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Never, TypeVar, Unpack

from actors_rs.delivery.carrying.envelope_rules import RESUMABLE
from actors_rs.delivery.ledger import Ledger
from actors_rs.delivery.outputs import Output
from actors_rs.graph.checks import at_least, flag, wrong_kind, wrong_value
from actors_rs.graph.spec import Attributes, OutletRef, spec_of
from actors_rs.language.flow import Flow
from actors_rs.spark.connecting.source import (
    QueryBatches,
    QueryRows,
    is_connect,
    refuse_per_partition,
    refuse_rdd,
)
from actors_rs.spark.fetching.partitions import ArrowPartitions, RddPartitions, RowPartitions
from actors_rs.spark.plan import PartitionPlan
from actors_rs.spark.policy import PartitionPolicy, PolicyOptions, policy_of
from actors_rs.spark.resuming.ledger_writer import LedgerWriter
from actors_rs.spark.stage import PartitionsSource
from actors_rs.spark.supervised import SupervisedPartitions
from actors_rs.texts import counted, repr_of
from actors_rs.unknown_names import Suggesting, table

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import RDD
    from pyspark.sql import DataFrame, Row

__all__ = ["PartitionedSource", "SparkSource"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_ROWS_AT_ONCE = 512
_IN_FLIGHT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recipe:
    """The parts of a stage over partitions."""

    kind: str
    make_plan: Callable[[], PartitionPlan[Any]]
    window: int
    in_flight: int
    ordered: bool
    chunk: int
    policy: PartitionPolicy
    size: Callable[[Any], int] = lambda element: 1
    ledger: Ledger | None = None
    verify: float = 0.0

    def __call__(self) -> PartitionsSource:
        return self.into(())

    def explain(self) -> Iterator[str]:
        """Lines for ``Graph.explain``."""
        order = "in order" if self.ordered else "as they are ready"
        yield f"at most {counted(self.in_flight, 'partition')} in flight, given {order}"
        yield from self.policy.explain()
        if self.ledger is None:
            yield "no ledger: a run that starts again computes all partitions"
        else:
            verified = f"{100 * self.verify:.3g} %" if self.verify else "none"
            yield (
                f"ledger {self.ledger.path}: a run that starts again skips committed partitions, "
                f"and computes {verified} of them again to verify them"
            )

    def into(self, outputs: Collection[Output]) -> PartitionsSource:
        """The stage whose elements go to ``outputs``, see ``delivery.carrying.envelope_rules``."""
        tag = f"actors-rs-{uuid.uuid4()}"
        settings: dict[str, Any] = {
            "in_flight": self.in_flight,
            "ordered": self.ordered,
            "chunk": self.chunk,
            "size": self.size,
        }
        if self.policy.is_plain and self.ledger is None:
            return PartitionsSource(self.make_plan(), tag, **settings)
        ledger = None
        if self.ledger is not None:
            ledger = LedgerWriter(self.ledger, self.size, outputs, self.verify)
        return SupervisedPartitions(
            self.make_plan(), tag, policy=self.policy, ledger=ledger, **settings
        )


class PartitionedSource(Flow[Never, T_co]):
    """A source over Spark's partitions."""

    __slots__ = ("_recipe",)

    def __init__(self, _recipe: _Recipe) -> None:
        pinned = Attributes(dispatcher="pinned") if _recipe.ledger is not None else None
        spec = spec_of(_recipe.kind, _recipe, outflow_window=_recipe.window, attributes=pinned)
        envelopes = RESUMABLE if _recipe.ledger is not None else None
        spec = replace(spec, envelopes=envelopes, expensive=bool(_recipe.window))
        super().__init__(OutletRef(spec))
        self._recipe = _recipe

    def resume(self, ledger: Ledger, /, *, verify: float = 0.02) -> PartitionedSource[T_co]:
        """This source, with its partitions written down in ``ledger`` as they are done.

        A run skips the partitions that are committed in the ledger. A partition is committed when
        each element that came of it was taken by a sink, filtered out or made a dead letter.
        ``Sink.sqlite`` and ``Sink.parquet`` write it as a whole, together with the ledger's entry
        where both lie in one SQLite file. Stages that cannot count elements, or that remember
        earlier ones, are refused with a ``GraphError``.

        When the first element is requested, the run fails with ``LedgerError`` in three cases:

        - The ledger belongs to another plan.
        - Another process holds the ledger.
        - The plan may give other rows in another process (the page on delivery has the table).

        ``verify``: a run that goes on computes this share of the committed partitions again, at
        least one. The default 0.02 is 2 %; 0 computes none. If a partition has other rows now, the
        run fails with ``LedgerError`` before anything is written. All of them are computed again
        if a file that Spark reads has another size than before, unless ``verify`` is 0.
        """
        if not isinstance(ledger, Ledger):
            hint = f": write resume(Ledger({repr_of(str(ledger))}))" if _is_path(ledger) else ""
            raise wrong_kind(f"resume: expected a Ledger, got {repr_of(ledger)}{hint}")
        if isinstance(verify, bool) or not isinstance(verify, (int, float)) or not 0 <= verify <= 1:
            raise wrong_value(f"resume: verify must be a share from 0 to 1, got {repr_of(verify)}")
        return PartitionedSource(replace(self._recipe, ledger=ledger, verify=float(verify)))


def _is_path(value: object) -> bool:
    return isinstance(value, str | PathLike)


def _limit_of(max_partition_bytes: object) -> int | Literal["auto"] | None:
    if max_partition_bytes is None:
        return None
    if isinstance(max_partition_bytes, str) and max_partition_bytes == "auto":
        return "auto"
    return at_least(1, max_partition_bytes, "SparkSource: max_partition_bytes")


def _pool_of(options: PolicyOptions) -> str | None:
    pool = options.get("pool")
    if pool is not None and (not isinstance(pool, str) or not pool):
        raise wrong_kind(f"SparkSource: pool must be a name or None, got {repr_of(pool)}")
    return pool


def _planner(
    kind: str,
    df: DataFrame,
    in_flight: int | None,
    max_partition_bytes: int | Literal["auto"] | None,
    policy: PolicyOptions,
) -> tuple[Callable[[], PartitionPlan[Any]], int]:
    """What makes the plan of ``df``, and how many partitions are in flight.

    Refuses what is no DataFrame, and options that cannot be, now and not at the first demand.
    """
    what, pool, limit = f"SparkSource.{kind}", _pool_of(policy), _limit_of(max_partition_bytes)
    make: Callable[[], PartitionPlan[Any]]
    if is_connect(df):
        limit = None if limit == "auto" else limit
        refuse_per_partition(what, in_flight=in_flight, max_partition_bytes=limit, **policy)
        make, count = partial(QueryRows if kind == "rows" else QueryBatches, df), 1
    else:
        plan = RowPartitions if kind == "rows" else ArrowPartitions
        make = partial(plan, df, pool, limit)
        count = at_least(1, _IN_FLIGHT if in_flight is None else in_flight, f"{what}: in_flight")
    make()
    return make, count


class SparkSource(metaclass=Suggesting):
    """Sources over Spark. Nothing is planned or computed before the first element is requested.

    Arguments of all kinds:

    - ``in_flight``: partitions begun and not yet taken by the last function of a chain of linear
      stages (of ``rows``: not yet delivered). It limits the jobs that run and the memory in the
      driver. The default is 2.
    - ``ordered``: elements come in the order of the partitions (default). With ``False`` the
      partition that is ready first comes first, each in its own order.
    - ``max_attempts``: how often a partition is tried, 1 by default, with waits of ``backoff``
      between. Second attempts by ``partition_timeout`` count too; one beside the last attempt is
      made in addition. A partition that has given elements is tried again only if they are
      acknowledged (``resume``), or elements would be doubled.
    - ``on_poison``: ``"fail"`` (default) ends the stream with the partition's failure. With
      ``"dead_letter"`` a partition that failed for good becomes a ``PoisonPartition`` in the dead
      letters, and the others go on.
    - ``partition_timeout``: seconds, ``None`` (no limit) by default. After this time a second
      attempt begins beside an attempt that has given nothing; after twice this time the partition
      has failed. The time does not count while the job waits for a core, as it may if ``in_flight``
      is larger than the number of cores. The start of Python workers does count: some seconds for
      the first partitions, more if they import large modules. Choose it well above the usual time
      of a partition, and at least 30. A partition that gives nothing has failed for good after at
      most ``(max_attempts + 1) * partition_timeout`` and the waits of ``backoff``
      (the page on reliability has a table).
    - ``max_partition_bytes`` (``arrow`` and ``rows``): with ``None`` a partition of any size is
      fetched as one job, and needs that much memory in the driver's JVM. A partition with more
      bytes than this, in Arrow, is streamed instead: its executor connects to the driver, at
      ``spark.driver.host``, and sends batch by batch. Then neither the JVM nor this process holds
      more than a few batches. A Python worker takes part, which makes small partitions slower.
      ``"auto"`` (default) is ``None``, unless the system has a ``memory_limit``. Then it is
      ``memory_limit / (4 * in_flight)``, or what the heap takes if that is less.
    - ``pool``: the pool of Spark's scheduler for the jobs, for a session with
      ``spark.scheduler.mode=FAIR``, where pools share the cores evenly. The pool "default" of
      ``local_session`` is fair inside as well; in other sessions jobs queue inside a pool.

    A failed job ends the stream with ``SparkPartitionError``; a dead JVM or stopped session with
    ``SparkSessionLost``.

    A DataFrame of Spark Connect is one query, begun at the first demand, and counts as one
    partition. Options about single partitions are refused (see the page on scaling).
    """

    _instead_ = table(
        (
            "df dataframe from_dataframe from_df sql read table",
            "SparkSource.rows(df), or arrow(df)",
        ),
        ("batches record_batches to_arrow from_arrow", "SparkSource.arrow(df)"),
        ("rdd from_rdd", "SparkSource.partitions(rdd)"),
        ("resume ledger checkpoint", "SparkSource.arrow(df).resume(Ledger(path))"),
    )

    @staticmethod
    def arrow(
        df: DataFrame,
        in_flight: int | None = None,
        ordered: bool = True,
        max_partition_bytes: int | Literal["auto"] | None = "auto",
        **policy: Unpack[PolicyOptions],
    ) -> PartitionedSource[pa.RecordBatch]:
        """A DataFrame as ``pyarrow.RecordBatch`` elements: the fast way.

        ``df``, ``in_flight``, ``ordered``, ``max_partition_bytes`` and further options: see the
        class.

        >>> from actors_rs.spark import SparkSource
        >>> df = spark.range(4, numPartitions=2)
        >>> SparkSource.arrow(df).map(lambda batch: batch.num_rows).run(Sink.sum())
        4
        """
        make_plan, in_flight = _planner("arrow", df, in_flight, max_partition_bytes, policy)
        return PartitionedSource(
            _Recipe(
                kind="spark_arrow",
                make_plan=make_plan,
                window=in_flight,
                in_flight=in_flight,
                ordered=flag(ordered, "SparkSource.arrow: ordered"),
                chunk=1,
                size=attrgetter("num_rows"),
                policy=policy_of(**policy),
            )
        )

    @staticmethod
    def rows(
        df: DataFrame,
        in_flight: int | None = None,
        ordered: bool = True,
        max_partition_bytes: int | Literal["auto"] | None = "auto",
        **policy: Unpack[PolicyOptions],
    ) -> PartitionedSource[Row]:
        """A DataFrame as ``pyspark.sql.Row`` elements, equal to the rows of ``df.collect()``.

        ``df``, ``in_flight``, ``ordered``, ``max_partition_bytes`` and further options: see the
        class.

        >>> from actors_rs.spark import SparkSource
        >>> SparkSource.rows(spark.sql("SELECT 'Ada' AS name")).run(Sink.list())
        [Row(name='Ada')]
        """
        make_plan, in_flight = _planner("rows", df, in_flight, max_partition_bytes, policy)
        return PartitionedSource(
            _Recipe(
                kind="spark_rows",
                make_plan=make_plan,
                window=0,
                in_flight=in_flight,
                ordered=flag(ordered, "SparkSource.rows: ordered"),
                chunk=_ROWS_AT_ONCE,
                policy=policy_of(**policy),
            )
        )

    @staticmethod
    def partitions(
        rdd: RDD[T], in_flight: int = 2, ordered: bool = True, **policy: Unpack[PolicyOptions]
    ) -> PartitionedSource[list[T]]:
        """An RDD; each element is the list of the values of one partition.

        ``rdd``, ``in_flight`` (2), ``ordered`` and further options: see the class.

        >>> from actors_rs.spark import SparkSource
        >>> rdd = spark.sparkContext.parallelize(["a", "b", "c"], 2)
        >>> SparkSource.partitions(rdd).run(Sink.list())
        [['a'], ['b', 'c']]
        """
        pool = _pool_of(policy)
        refuse_rdd(rdd)
        RddPartitions(rdd)
        return PartitionedSource(
            _Recipe(
                kind="spark_partitions",
                make_plan=lambda: RddPartitions(rdd, pool),
                window=at_least(1, in_flight, "SparkSource.partitions: in_flight"),
                in_flight=in_flight,
                ordered=flag(ordered, "SparkSource.partitions: ordered"),
                chunk=1,
                size=len,
                policy=policy_of(**policy),
            )
        )
