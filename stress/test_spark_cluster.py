"""Executors and Python workers killed all the time, on separate processes."""

from __future__ import annotations

import ast

import pytest

from tests.spark.test_cluster import START
from tests.spark.test_liveness import lines_of

pytestmark = pytest.mark.spark

KILLED = """
run_with_kills("whole", 60, set(range(1, 60, 6)), {10, 30, 50})
run_with_kills("streamed", 20, {3, 9}, {6, 12}, max_partition_bytes=1)
spark.stop()
"""


@pytest.mark.timeout(600)
def test_every_row_is_written_once_however_often_a_process_is_killed() -> None:
    said = {
        what: ast.literal_eval(told)
        for what, told in lines_of(START + KILLED, "240", seconds=560).items()
    }
    assert said["whole-complete"]
    assert said["streamed-complete"]
    assert sum(said["whole-attempts"]) >= 60 + 13
    assert sum(said["streamed-attempts"]) >= 20 + 4
