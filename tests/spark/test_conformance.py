"""The Spark source as a standard Publisher, in each of its kinds, under the complete kit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from actors_rs import Source
from actors_rs.spark import SparkSource
from actors_rs.testing.tck import Environment
from tests.conformance.kit import SILENCE, complaints, outcomes, publisher_of
from tests.conformance.stages import Setting
from tests.spark.jobs import PATIENCE

pytestmark = pytest.mark.spark

Kind = Callable[[SparkSession, int], Any]


def rows(spark: SparkSession, count: int) -> Any:
    """``count`` rows in two partitions."""
    return SparkSource.rows(spark.range(count, numPartitions=2))


def batches(spark: SparkSession, count: int) -> Any:
    """``count`` record batches, each a partition of one row."""
    if count == 0:
        return SparkSource.arrow(spark.range(0, numPartitions=1))
    return SparkSource.arrow(spark.range(count, numPartitions=count))


def partitions(spark: SparkSession, count: int) -> Any:
    """``count`` partitions of an RDD; Spark knows none without any, which a source of ours does."""
    if count == 0:
        return Source.empty()
    return SparkSource.partitions(spark.sparkContext.parallelize(range(count), count))


def patient_publisher(spark: SparkSession, kind: Kind, folder: Path) -> Any:
    """An honest element may take a job, which may have to wait for the start of a worker."""
    kit: Any = publisher_of(lambda n, _: kind(spark, n), folder)

    class Patient(kit):  # type: ignore[misc]
        def create_environment(self) -> Environment:
            return Environment(PATIENCE, SILENCE)

    return Patient


def complaints_about(spark: SparkSession, kind: Kind, setting: Setting, folder: Path) -> list[str]:
    """What the kit has to say of ``kind`` under ``setting``."""
    return complaints(outcomes(lambda at: patient_publisher(spark, kind, at), setting, folder))


# The kinds of partitions take a job an element, which is slow: their full product is in stress/.
@pytest.mark.parametrize(
    ("kind", "setting"),
    [
        (rows, Setting(1, 1, False)),
        (rows, Setting(4, 16, True)),
        (batches, Setting(4, 1, False)),
    ],
)
def test_a_spark_source_keeps_every_rule_that_the_kit_checks(
    spark: SparkSession, kind: Kind, setting: Setting, tmp_path: Path
) -> None:
    assert complaints_about(spark, kind, setting, tmp_path) == []
