"""On separate processes: kills all the time, and all that the tests promise of ``local[2]``."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.spark.apart.test_cluster import START
from tests.spark.on_cluster import outcomes_on_cluster
from tests.spark.programs import lines_of

pytestmark = pytest.mark.spark

KILLED = """
spark = cluster(2)
run_with_kills("whole", 60, set(range(1, 60, 6)), {10, 30, 50})
run_with_kills("streamed", 20, {3, 9}, {6, 12}, max_partition_bytes=1)
spark.stop()
"""

SHARING_SESSIONS = [
    f"tests/spark/test_{name}.py"
    for name in (
        "acknowledged",
        "ahead",
        "cancelled",
        "connect",
        "connect_stopped",
        "connect_back",
        "connect_sink",
        "contract",
        "disk_full",
        "mapping",
        "partitions",
        "resume",
        "several_sinks",
        "sink",
        "source",
        "source_endings",
        "watchdog",
    )
]
LOSING_THEIR_SESSIONS = [
    "tests/spark/apart/test_connect_lost.py",
    "tests/spark/apart/test_killed_driver.py",
    "tests/spark/apart/test_lost_sessions.py",
    "tests/spark/test_failures.py",
]
UNDER_LOAD = [
    "stress/test_spark_lost.py",
    "stress/test_disk_full.py",
    "stress/test_fan_out.py",
    "stress/test_spark_huge.py",
    "stress/test_spark_liveness.py",
]


@pytest.mark.timeout(1800)
def test_every_row_is_written_once_however_often_a_process_is_killed() -> None:
    said = {
        what: ast.literal_eval(value)
        for what, value in lines_of(START + KILLED, "800", seconds=1700).items()
    }
    assert said["whole-complete"]
    assert said["streamed-complete"]
    assert sum(said["whole-attempts"]) >= 60 + 13
    assert sum(said["streamed-attempts"]) >= 20 + 4


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "tests",
    [SHARING_SESSIONS, LOSING_THEIR_SESSIONS, UNDER_LOAD],
    ids=["sharing a session", "losing their sessions", "under load"],
)
def test_whatever_holds_on_local_cores_holds_on_executors(tmp_path: Path, tests: list[str]) -> None:
    outcomes = outcomes_on_cluster(tmp_path, tests, seconds=1200)
    for test in tests:
        assert any(name.startswith(test) for name in outcomes), f"nothing of {test} was run"
    wrong = [f"{name}\n{problem}" for name, problems in outcomes.items() for problem in problems]
    assert not wrong, "\n".join(wrong)
