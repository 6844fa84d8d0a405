"""What is promised of Spark's partitions, on executors that are processes of their own.

The tests are those that the rest of this folder runs on ``local[2]``. All that make no assumption
about where Spark computes are run here by stress/test_spark_cluster.py.
"""

import pytest

from tests.spark.on_cluster import Outcomes, outcomes_on_cluster

PROMISES = {
    "SparkSink appends": [
        "test_sink.py::test_batches_are_gathered_and_appended",
        "test_sink.py::test_a_table_is_made_and_appended_to",
        "test_sink.py::test_a_function_gets_each_piece_as_a_data_frame_with_its_number",
    ],
    "SparkSink behind a ledger": [
        "test_sink.py::test_a_partition_is_one_directory_and_a_second_delivery_replaces_it",
        "test_sink.py::test_behind_a_ledger_the_function_gets_partitions",
    ],
    "streamed in pieces": [
        "test_connect_back.py::test_a_large_partition_is_computed_no_further_ahead_than_its_reader",
        "test_connect_back.py::test_a_cancelled_stream_frees_its_place_and_leaves_no_thread",
        "test_connect_back.py::"
        "test_a_partition_that_fails_while_it_is_streamed_is_written_once_all_the_same",
    ],
    "tried again, given up": [
        "test_resume.py::test_a_partition_is_tried_again_until_it_succeeds",
        "test_resume.py::test_a_poison_partition_is_kept_in_the_ledger_with_its_cause",
    ],
    "resumed": [
        "test_resume.py::test_each_partition_is_a_parquet_file_that_a_second_delivery_replaces",
        "test_resume.py::test_a_cancelled_run_leaves_the_ledger_to_be_resumed",
    ],
    "acknowledged": [
        "test_acknowledged.py::"
        "test_a_partition_is_committed_behind_all_its_batches_and_all_branches",
    ],
    "late": [
        "test_watchdog.py::"
        "test_a_hanging_partition_is_computed_again_and_the_hanging_job_cancelled",
        "test_watchdog.py::test_a_partition_that_always_hangs_fails_by_the_clock",
    ],
    "cancelled": [
        "test_cancelled.py::test_a_cancelled_run_leaves_no_job_and_no_worker_that_works_for_it",
    ],
    "no further ahead": [
        "test_ahead.py::test_an_rdd_is_computed_no_further_ahead",
    ],
    "Spark Connect reads": [
        "test_connect.py::test_batches_are_those_of_to_arrow_and_rows_those_of_collect",
        "test_connect.py::test_a_query_is_tried_again_while_nothing_of_it_was_delivered",
        "test_connect.py::test_cancelling_stops_the_query_on_the_server",
        "test_connect.py::test_with_a_ledger_the_whole_query_is_one_unit_in_every_session",
    ],
    "Spark Connect writes": [
        "test_connect_sink.py::test_parquet_is_appended_on_the_server",
        "test_connect_sink.py::test_a_table_is_appended_to",
        "test_connect_sink.py::test_behind_a_ledger_a_function_gets_the_whole_query",
    ],
}
FOLDER = "tests/spark/"

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1200)]  # seven processes with a JVM


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    tests = [FOLDER + test for tests in PROMISES.values() for test in tests]
    return outcomes_on_cluster(tmp_path_factory.mktemp("cluster"), tests, seconds=400)


@pytest.mark.parametrize("promise", PROMISES)
def test_what_holds_on_local_cores_holds_on_executors(outcomes: Outcomes, promise: str) -> None:
    for test in PROMISES[promise]:
        wrong = outcomes[FOLDER + test]
        assert not wrong, "\n".join([test, *wrong])
