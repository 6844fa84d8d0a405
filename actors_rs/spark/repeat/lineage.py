"""RDDs, judged by what they are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from actors_rs.spark.repeat.nodes import elements
from actors_rs.spark.repeat.verdict import WRITE_FIRST, UnstablePlanError

__all__ = ["ancestors", "judge_rdd"]

_KNOWN = frozenset({
    "BinaryFileRDD", "CartesianRDD", "CoGroupedRDD", "CoalescedRDD", "EmptyRDD", "HadoopRDD",
    "MapPartitionsRDD", "NewHadoopRDD", "PairwiseRDD", "ParallelCollectionRDD",
    "PartitionerAwareUnionRDD", "PartitionwiseSampledRDD", "PythonRDD", "ShuffledRDD",
    "SubtractedRDD", "UnionRDD", "WholeTextFileRDD", "ZippedPartitionsRDD2", "ZippedWithIndexRDD",
})  # fmt: skip
_FROM_QUERY = frozenset({"SQLExecutionRDD"})
_BY_VALUE = ("HashPartitioner", "PythonPartitioner")
_FROM_FRAME = "use SparkSource.rows(df) or SparkSource.arrow(df), whose plan can be read"


def judge_rdd(rdd: Any) -> bool:
    """Whether the rows of ``rdd``'s partitions may come in another order each time.

    Raises `UnstablePlanError` unless they are the same rows.
    """
    level = str(rdd.outputDeterministicLevel().toString())
    if level == "INDETERMINATE":
        raise UnstablePlanError(
            "an RDD deals the rows of a shuffle in the order they come (repartition), which is "
            "not fixed",
            f"use partitionBy with a key, or {WRITE_FIRST}",
        )
    found = list(ancestors(rdd))
    names = [_name(one) for one in found]
    of_query = not _FROM_QUERY.isdisjoint(names)
    for one, name in zip(found, names, strict=True):
        if name.endswith("CheckpointRDD"):
            raise UnstablePlanError("it reads a checkpoint, which each process computes anew")
        if of_query and name == "ShuffledRowRDD":
            raise UnstablePlanError("the RDD comes from a query with a shuffle", _FROM_FRAME)
        if not of_query and name not in _KNOWN:
            raise UnstablePlanError(f"nothing is known of an RDD of the kind {name}")
        _judge_partitioners(one)
    return level != "DETERMINATE"


def _judge_partitioners(rdd: Any) -> None:
    for dependency in elements(rdd.dependencies()):
        if not _name(dependency).startswith("ShuffleDependency"):
            continue
        partitioner = _name(dependency.partitioner())
        if partitioner == "RangePartitioner":
            raise UnstablePlanError(
                "an RDD is sorted by Spark's RangePartitioner, whose bounds are drawn by a sample "
                "that is another one in each process"
            )
        if partitioner not in (*_BY_VALUE, "PartitionIdPassthrough"):
            raise UnstablePlanError(f"nothing is known of an RDD's partitioner {partitioner}")


def ancestors(rdd: Any) -> Iterator[Any]:
    """``rdd`` and all that it is computed from, each once."""
    waiting, seen = [rdd], set()
    while waiting:
        one = waiting.pop()
        number = int(one.id())
        if number in seen:
            continue
        seen.add(number)
        yield one
        waiting += [each.rdd() for each in elements(one.dependencies())]


def _name(java: Any) -> str:
    return str(java.getClass().getName()).rpartition(".")[2]
