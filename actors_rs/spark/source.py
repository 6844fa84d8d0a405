"""``SparkSource``: Spark as one more source, which computes a partition only when it is asked for.

Each partition is one job, fetched on a thread that may block, never on the pool. A job starts
when there is demand that the partitions already begun need not cover, at most ``in_flight`` of
them are begun and not yet delivered, and a partition is read no further ahead than a few pieces.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Never, TypeVar

from actors_rs.graph.blueprint import OutletRef, spec_of
from actors_rs.graph.dsl.checks import at_least
from actors_rs.graph.dsl.flow import Flow
from actors_rs.spark.partitions import ArrowPartitions, PartitionPlan, RddPartitions, RowPartitions
from actors_rs.spark.stage import PartitionsSource

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import RDD
    from pyspark.sql import DataFrame, Row

__all__ = ["SparkSource"]

T = TypeVar("T")

_ROWS_AT_ONCE = 512


class SparkSource:
    """Sources over Spark. Nothing is planned or computed before the first element is asked for.

    ``in_flight``: partitions begun and not yet delivered, which bounds the jobs that run and the
    memory in the driver. ``ordered``: elements come in the order of the partitions; otherwise
    whichever partition is ready comes first, each in its own order. A failed job ends the stream
    with ``SparkPartitionError``; a dead JVM or stopped session with ``SparkSessionLost``.
    """

    @staticmethod
    def arrow(
        df: DataFrame, in_flight: int = 2, ordered: bool = True
    ) -> Flow[Never, pa.RecordBatch]:
        """A DataFrame as ``pyarrow.RecordBatch`` elements: the fast way."""
        window = 2 * at_least(1, in_flight, "SparkSource.arrow: in_flight") + 2
        ArrowPartitions(df)  # refuses what is no DataFrame now, not at the first demand
        return _source(
            "spark_arrow",
            lambda: ArrowPartitions(df),
            window,
            in_flight=in_flight,
            ordered=ordered,
            piece=1,
            size=attrgetter("num_rows"),
        )

    @staticmethod
    def rows(df: DataFrame, in_flight: int = 2, ordered: bool = True) -> Flow[Never, Row]:
        """A DataFrame as ``pyspark.sql.Row`` elements, as ``df.collect()`` has them."""
        at_least(1, in_flight, "SparkSource.rows: in_flight")
        RowPartitions(df)
        return _source(
            "spark_rows",
            lambda: RowPartitions(df),
            0,
            in_flight=in_flight,
            ordered=ordered,
            piece=_ROWS_AT_ONCE,
        )

    @staticmethod
    def partitions(rdd: RDD[T], in_flight: int = 2, ordered: bool = True) -> Flow[Never, list[T]]:
        """An RDD, each element the list of what one partition holds."""
        window = 2 * at_least(1, in_flight, "SparkSource.partitions: in_flight") + 2
        RddPartitions(rdd)
        return _source(
            "spark_partitions",
            lambda: RddPartitions(rdd),
            window,
            in_flight=in_flight,
            ordered=ordered,
            piece=1,
            size=len,
        )


def _source(
    kind: str, make_plan: Callable[[], PartitionPlan[Any]], window: int, **settings: Any
) -> Flow[Never, Any]:
    """A source whose stage has ``settings``; ``window`` is for the inlets behind it."""

    def make() -> PartitionsSource:
        return PartitionsSource(make_plan(), f"actors-rs-{uuid.uuid4()}", **settings)

    return Flow(OutletRef(spec_of(kind, make, outflow_window=window)))
