"""The settings by which Spark deals rows to partitions: a part of what tells a plan from another.

One query may have as many partitions under two settings, and other rows in each of them. To go on
under the second setting after work under the first would lose rows, and bring others twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["SETTINGS", "settings_of", "settings_text"]

SETTINGS = (
    "spark.sql.adaptive.advisoryPartitionSizeInBytes",
    "spark.sql.adaptive.autoBroadcastJoinThreshold",
    "spark.sql.adaptive.coalescePartitions.enabled",
    "spark.sql.adaptive.coalescePartitions.initialPartitionNum",
    "spark.sql.adaptive.coalescePartitions.minPartitionNum",
    "spark.sql.adaptive.coalescePartitions.minPartitionSize",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst",
    "spark.sql.adaptive.enabled",
    "spark.sql.adaptive.forceApply",
    "spark.sql.adaptive.forceOptimizeSkewedJoin",
    "spark.sql.adaptive.localShuffleReader.enabled",
    "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold",
    "spark.sql.adaptive.nonEmptyPartitionRatioForBroadcastJoin",
    "spark.sql.adaptive.optimizeSkewsInRebalancePartitions.enabled",
    "spark.sql.adaptive.optimizer.excludedRules",
    "spark.sql.adaptive.rebalancePartitionsSmallPartitionFactor",
    "spark.sql.adaptive.skewJoin.enabled",
    "spark.sql.adaptive.skewJoin.skewedPartitionFactor",
    "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes",
    "spark.sql.ansi.enabled",
    "spark.sql.autoBroadcastJoinThreshold",
    "spark.sql.cbo.enabled",
    "spark.sql.cbo.joinReorder.enabled",
    "spark.sql.files.ignoreCorruptFiles",
    "spark.sql.files.ignoreMissingFiles",
    "spark.sql.files.maxPartitionBytes",
    "spark.sql.files.maxPartitionNum",
    "spark.sql.files.minPartitionNum",
    "spark.sql.files.openCostInBytes",
    "spark.sql.join.preferSortMergeJoin",
    "spark.sql.leafNodeDefaultParallelism",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled",
    "spark.sql.optimizer.excludedRules",
    "spark.sql.session.timeZone",
    "spark.sql.shuffle.partitions",
    "spark.sql.sources.bucketing.autoBucketedScan.enabled",
    "spark.sql.sources.bucketing.enabled",
)
"""Sorted. Spark's version and its default parallelism are listed apart, with all they decide."""


def settings_text(version: str, parallelism: int, read: Callable[[str], object]) -> str:
    """What deals the rows, a line each; ``read`` gives a setting as it holds, set or not."""
    lines = [f"Spark {version}", f"default parallelism {parallelism}"]
    return "\n".join([*lines, *(f"{name} {read(name)}" for name in SETTINGS)])


def settings_of(context: Any, session: Any) -> str:
    """The same for a session of the JVM's and its context. Blocks: some milliseconds."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    conf = session.conf()

    def read(name: str) -> object:
        try:
            return conf.get(name)
        except (Py4JJavaError, PySparkException):
            return None  # this Spark has no such setting

    return settings_text(context.version, context.defaultParallelism, read)
