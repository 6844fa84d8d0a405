"""Every kind of Spark source under the complete kit, whatever the workers, window and peer."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.conformance.stages import PAIRS, Setting
from tests.spark.test_conformance import Kind, batches, complaints_about, partitions, rows

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("kind", [rows, batches, partitions])
@pytest.mark.parametrize("setting", PAIRS, ids=str)
def test_a_spark_source_keeps_every_rule_under_every_setting(
    spark: SparkSession, kind: Kind, setting: Setting, tmp_path: Path
) -> None:
    assert complaints_about(spark, kind, setting, tmp_path) == []
