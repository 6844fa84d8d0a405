"""Spark as a source and a sink: partitions pulled on demand. The one place that imports pyspark.

Begin with ``source.py`` (what users call) and ``stage.py`` (partitions by demand).
``supervised.py`` tries partitions again, gives them up, and skips the partitions that a ledger has
as done. ``fetching`` gets the rows of a partition, ``connecting`` is for Spark Connect,
``resuming`` and ``repeat`` serve the ledger, ``mapping`` is ``spark_map``, ``sinks`` write.
``plan.py`` is what stages ask of Spark, ``failures.py`` what its errors mean. May import
``delivery``, ``language`` and below.
"""

from actors_rs.spark.failure_kinds import FailureKind as FailureKind
from actors_rs.spark.failures import SparkPartitionError as SparkPartitionError
from actors_rs.spark.failures import SparkSessionLost as SparkSessionLost
from actors_rs.spark.failures import SparkUnavailable as SparkUnavailable
from actors_rs.spark.mapping.mapping import spark_map as spark_map
from actors_rs.spark.policy import PartitionTimeoutError as PartitionTimeoutError
from actors_rs.spark.policy import PoisonPartition as PoisonPartition
from actors_rs.spark.session import local_session as local_session
from actors_rs.spark.sinks.sink import SparkSink as SparkSink
from actors_rs.spark.sinks.sink import SparkWritten as SparkWritten
from actors_rs.spark.source import SparkSource as SparkSource
from actors_rs.spark.tracing import traced as traced

__all__ = [
    "FailureKind",
    "PartitionTimeoutError",
    "PoisonPartition",
    "SparkPartitionError",
    "SparkSessionLost",
    "SparkSink",
    "SparkSource",
    "SparkUnavailable",
    "SparkWritten",
    "local_session",
    "spark_map",
    "traced",
]
