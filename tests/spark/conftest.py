"""One Spark session for all tests of this folder, small and quick to start."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from actors_rs.spark.session import local_session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = local_session(
        "tests",
        master="local[2]",
        short_lived=True,
        conf={
            "spark.driver.memory": "1g",
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.session.timeZone": "Europe/Berlin",
        },
    )
    yield session
    session.stop()
