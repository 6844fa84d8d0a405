"""The Spark master that the tests run on: ``local[2]``, or what ``ACTORS_RS_TEST_MASTER`` names.

Most tests ask for nothing but two cores, so whole files of them are run a second time on executors
that are processes of their own (stress/test_spark_cluster.py), by a pytest with this variable set.
"""

import os
from typing import Any

VARIABLE = "ACTORS_RS_TEST_MASTER"
CLUSTER = "local-cluster[2,1,1024]"

MASTER = os.environ.get(VARIABLE, "local[2]")
CONF: dict[str, str] = (
    {}
    if MASTER.startswith("local[")
    else {
        "spark.executor.memory": "512m",
        "spark.executor.memoryOverhead": "384m",
        # The quick compiler alone, as short_lived has it for the driver: executors live as briefly.
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        # Each attempt at a partition is one of ours, as on local[2]; Spark would make four of it.
        "spark.task.maxFailures": "1",
        # The first job waits until all executors are there.
        "spark.cores.max": "2",
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "300s",
    }
)


def warm_up(spark: Any) -> None:
    """Wait until there are executors with Python workers, which no test's patience is meant for."""
    if CONF:
        spark.sparkContext.parallelize(range(8), 8).map(str).count()
