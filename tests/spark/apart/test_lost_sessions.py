"""Sessions that are stopped, JVMs that are killed or frozen, and what runs on them.

How soon a run learns of it is measured in stress/test_spark_lost.py.
"""

import re
from collections import defaultdict

import pytest

from tests.spark.losing import (
    FROZEN,
    FROZEN_JVM,
    FROZEN_WORKER,
    JVM_OF_OTHERS,
    KILLED,
    KILLED_A_MOMENT_AGO,
    START,
    STOPPED,
    TO_BE_FROZEN,
)
from tests.spark.programs import output_of

pytestmark = pytest.mark.spark

LOST = [STOPPED, KILLED_A_MOMENT_AGO, KILLED]
FREEZING = [TO_BE_FROZEN, FROZEN_WORKER, JVM_OF_OTHERS, FROZEN_JVM]


@pytest.fixture(scope="module")
def said() -> dict[str, list[str]]:
    """First word of a line of the program's output -> the rests of all such lines."""
    said = defaultdict(list)
    for line in output_of("".join([START, *LOST, *FREEZING]), "60", "2"):
        word, _, rest = line.partition(" ")
        said[word].append(rest)
    return dict(said)


def test_a_session_stopped_by_other_code_is_lost_and_says_so(said: dict[str, list[str]]) -> None:
    stopped = "LOST the Spark session was stopped by other code during"
    assert said["stopped"] == [
        f"{stopped} partition 1 CONTEXT_STOPPED",
        f"{stopped} partition 0 CONTEXT_STOPPED",
    ]


def test_a_stopped_session_fails_runs_that_are_under_way_and_later_ones(
    said: dict[str, list[str]],
) -> None:
    lost = "SparkSessionLost the Spark session was stopped by other code "
    ran = "while partitions 0, 1 were running (stage 'spark_"  # neither of them is at fault
    assert said["stopped-run"][0].startswith(lost + ran)
    assert said["stopped-later"][0].startswith(lost + "during planning (stage 'spark_")


def test_a_new_session_starts_while_the_killed_jvm_is_still_on_its_way_out(
    said: dict[str, list[str]],
) -> None:
    assert said["moment"] == ["5"]


def test_a_killed_jvm_ends_every_fetch_and_a_new_session_can_start(
    said: dict[str, list[str]],
) -> None:
    lost = said["jobs"]
    assert len(lost) == 4
    for line in lost:
        assert line.startswith("LOST Spark's JVM (process "), line
        assert "was killed by SIGKILL during p" in line
        assert line.endswith("JVM_GONE")
    assert said["new"] == ["5"]


def test_a_jvm_killed_while_batches_arrive_is_never_a_short_result(
    said: dict[str, list[str]],
) -> None:
    (line,) = said["batches"]
    assert line.startswith("LOST")
    assert "was killed by SIGKILL during partition 0" in line


def test_an_error_of_a_killed_jvm_leaves_the_block_of_its_session_as_it_is(
    said: dict[str, list[str]],
) -> None:
    (line,) = said["block"]
    assert line.startswith("LOST")
    assert line.endswith("JVM_GONE")


@pytest.mark.parametrize(
    ("what", "during"),
    [("running", "partition 0"), ("planning", "planning"), ("waiting", "partition 0")],
)
def test_a_killed_jvm_fails_what_runs_plans_or_waits(
    said: dict[str, list[str]], what: str, during: str
) -> None:
    lost = r"SparkSessionLost Spark's JVM \(process \d+\) was killed by SIGKILL"
    where = r" \(stage 'spark_\w+', made at .*\)"
    (line,) = said[f"killed-{what}"]
    assert re.fullmatch(f"{lost} during {during}; start a new session{where}", line)


def test_no_thread_hangs_when_the_session_is_lost(said: dict[str, list[str]]) -> None:
    assert said["killed-threads"] == ["[]"]


def test_a_frozen_jvm_fails_every_run_on_it_and_is_killed(said: dict[str, list[str]]) -> None:
    for what in ("running", "planning", "later"):
        (line,) = said[f"frozen-{what}"]
        assert re.match(FROZEN, line), said
        assert "so it was killed" in line
        assert "start a new session (stage 'spark_" in line
    assert said["frozen-cancelled"][0].startswith("in time RunCancelled")


def test_no_thread_hangs_in_a_frozen_jvm(said: dict[str, list[str]]) -> None:
    assert said["frozen-threads"] == ["[]"]


def test_a_frozen_jvm_that_others_started_is_left_alone_and_ends_the_run_too(
    said: dict[str, list[str]],
) -> None:
    assert re.match(FROZEN, said["others-running"][0]), said
    assert said["others-shutdown"] == ["in time"]
    assert said["others-alive"] == ["True"]


def test_a_frozen_python_worker_hinders_neither_cancel_nor_shutdown(
    said: dict[str, list[str]],
) -> None:
    assert said["worker-cancelled"][0].startswith("in time RunCancelled")
    assert said["worker-shutdown"] == ["in time"]
