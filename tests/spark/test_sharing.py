"""Sessions that are shared with other code."""

import logging

import pytest
from pyspark.sql import SparkSession

from actors_rs import Sink
from actors_rs.spark import SparkSource
from actors_rs.spark.sharing import hint_at_fair_scheduling
from tests.spark.test_liveness import lines_of

pytestmark = pytest.mark.spark

FIFO = """
import logging, sys
from pyspark.sql import SparkSession
from actors_rs import Sink, Source
from actors_rs.spark import SparkSource, spark_map

logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s", level=logging.WARNING)
logging.getLogger("py4j").setLevel(logging.ERROR)
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
for _ in range(2):
    SparkSource.arrow(spark.range(0, 8, 1, 4), in_flight=4).run(Sink.count())
    Source.of(1).via(spark_map(str, spark)).run(Sink.list())
print("DONE it ran")
spark.stop()
"""


class Context:
    """As much of a Spark context as is asked."""

    def __init__(self, mode: str) -> None:
        self.mode = mode

    def getConf(self) -> dict[str, str]:  # noqa: N802 - Spark's name
        return {"spark.scheduler.mode": self.mode} if self.mode else {}


@pytest.mark.parametrize(("mode", "hints"), [("", 1), ("FIFO", 1), ("FAIR", 0), ("fair", 0)])
def test_a_context_is_hinted_at_once_if_it_is_not_fair(
    caplog: pytest.LogCaptureFixture, mode: str, hints: int
) -> None:
    context = Context(mode)
    for _ in range(3):
        hint_at_fair_scheduling(context)
    assert caplog.text.count("spark.scheduler.mode=FAIR") == hints


def test_a_foreign_session_that_is_not_fair_is_hinted_at() -> None:
    said = lines_of(FIFO)
    assert said["DONE"] == "it ran"
    assert "make the session with spark.scheduler.mode=FAIR" in said["WARNING"]


def test_a_session_of_ours_gets_none(spark: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    SparkSource.arrow(spark.range(0, 8, 1, 4)).run(Sink.count())
    assert "spark.scheduler.mode" not in caplog.text
