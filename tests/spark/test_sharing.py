"""Sessions that are shared with other code."""

import logging

import pytest
from pyspark.sql import SparkSession

from actors_rs import Sink
from actors_rs.spark import SparkSource
from actors_rs.spark.sharing import hint_at_fair_scheduling

pytestmark = pytest.mark.spark


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


def test_a_session_of_ours_gets_none(spark: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    SparkSource.arrow(spark.range(0, 8, 1, 4)).run(Sink.count())
    assert "spark.scheduler.mode" not in caplog.text
