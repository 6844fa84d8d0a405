"""Rows and lines made of snapshots, without a run and without a terminal."""

from dataclasses import replace

import pytest

from actors_rs import UNBOUNDED, RunSnapshot, StageSnapshot
from actors_rs.observability.log_lines import log_line
from actors_rs.observability.table import (
    History,
    compact,
    compact_bytes,
    percent,
    rows_of,
    seconds_left,
    title_of,
)

STAGE = StageSnapshot(
    name="map",
    kind="map",
    state="running",
    elements_in=0,
    elements_out=0,
    demand=0,
    requested=0,
    buffered=0,
    window=16,
    mailbox=0,
    busy=0.0,
    idle=1.0,
    back_pressured=0.0,
)
SOURCE = replace(STAGE, name="range", kind="range", window=0)


def snapshot(*stages, seconds=1.0, state="running"):
    return RunSnapshot("run", state, seconds, stages)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999.6, "1000"),
        (9999, "9999"),
        (9999.9, "10.0k"),
        (12_345, "12.3k"),
        (999_499, "999k"),
        (999_500, "1.00M"),
        (4_567_890, "4.57M"),
        (99_960_000, "100M"),
        (5 * 10**18, "5.00E"),
        (UNBOUNDED, "all"),
    ],
)
def test_a_count_keeps_three_digits_in_five_characters(number, text):
    assert compact(number) == text
    assert len(text) <= 5


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0B"),
        (999.4, "999B"),
        (1000, "0.98KiB"),
        (1536, "1.50KiB"),
        (64 * 2**20, "64.0MiB"),
        (999 * 2**20, "999MiB"),
        (2**40, "1.00TiB"),
    ],
)
def test_bytes_keep_three_digits_in_seven_characters(number, text):
    assert compact_bytes(number) == text
    assert len(text) <= 7


def test_with_a_memory_limit_each_stage_and_the_title_say_what_links_hold():
    run = replace(
        snapshot(SOURCE, replace(STAGE, buffered=3, buffered_bytes=3 * 2**20), STAGE),
        memory_limit=64 * 2**20,
    )
    assert [row.bytes for row in rows_of(run)] == ["", "3.00MiB", "0B"]
    assert title_of(run) == "run running, 1.0 s, holds 3.00MiB of 64.0MiB"
    assert "0/s, 3.00MiB buffered, busy 0%" in log_line(run)


def test_without_a_memory_limit_nothing_is_said_of_bytes():
    run = snapshot(replace(STAGE, buffered=3, buffered_bytes=3 * 2**20))
    assert [row.bytes for row in rows_of(run)] == [""]
    assert title_of(run) == "run running, 1.0 s"
    assert "buffered" not in log_line(run)


def test_a_share_is_shown_in_whole_percent():
    assert [percent(share) for share in (0.0, 0.126, 1.0)] == ["0%", "13%", "100%"]


def test_a_rate_is_what_was_counted_between_two_snapshots_by_their_seconds():
    before = snapshot(replace(STAGE, elements_in=100), seconds=2.0)
    now = snapshot(replace(STAGE, elements_in=400), seconds=4.0)
    assert rows_of(now, before)[0].per_second == "150"


def test_a_stage_is_compared_with_itself_when_others_came_or_went_in_between():
    gone = replace(STAGE, name="inner#1", elements_in=900)
    before = snapshot(gone, replace(STAGE, elements_in=100), seconds=2.0)
    come = replace(STAGE, name="inner#2", elements_in=20)
    now = snapshot(replace(STAGE, elements_in=400), come, seconds=4.0)
    assert [row.per_second for row in rows_of(now, before)] == ["150", "10"]


def test_a_rate_without_an_earlier_snapshot_is_the_mean_since_the_start():
    assert rows_of(snapshot(replace(STAGE, elements_in=400), seconds=4.0))[0].per_second == "100"


def test_a_rate_over_no_time_is_zero():
    assert rows_of(snapshot(replace(STAGE, elements_in=400), seconds=0.0))[0].per_second == "0"


def test_a_source_counts_what_it_gave_and_has_nothing_coming_in():
    (row,) = rows_of(snapshot(replace(SOURCE, elements_out=7), seconds=1.0))
    assert (row.elements_in, row.elements_out, row.per_second, row.buffered) == ("", "7", "7", "")


def test_the_row_shows_what_is_held_out_of_the_window_and_what_is_asked_for():
    (row,) = rows_of(snapshot(replace(STAGE, buffered=3, demand=5)))
    assert (row.buffered, row.demand) == ("3/16", "5")


PROCESSES = {
    "workers": 2,
    "workers_died": 3,
    "workers_memory": 31_000_000,
    "chunk": 1250,
    "pickling": 0.07,
    "in_process": False,
}


def test_a_stage_of_worker_processes_tells_of_them():
    (row,) = rows_of(snapshot(replace(STAGE, details=PROCESSES)))
    assert row.details == "2 workers with 29.6MiB, chunks of 1250, 7% pickling, 3 died"
    (row,) = rows_of(snapshot(replace(STAGE, details={**PROCESSES, "in_process": True})))
    assert row.details == "calls in this process, where they are faster"


def test_the_bottleneck_is_marked_and_no_other_stage():
    held = replace(SOURCE, idle=0.1, back_pressured=0.9)
    busy = replace(STAGE, name="slow", busy=0.9, idle=0.1)
    rows = rows_of(snapshot(held, busy, replace(STAGE, name="sink")))
    assert [row.name for row in rows if row.bottleneck] == ["slow"]


def test_a_stage_with_partitions_shows_them_by_state_and_its_rows_per_second():
    def spark(done, rows):
        details = {"partitions": 20, "done": done, "running": 2, "waiting": 15, "rows": rows}
        return snapshot(replace(SOURCE, details=details), seconds=1.0 + done)

    (row,) = rows_of(spark(3, 90_000), spark(1, 30_000))
    assert row.details == (
        "20 partitions: 3 done, 2 running, 15 waiting, 30.0k rows/s, about 0:00:23 left"
    )


def test_partition_figures_that_are_missing_are_left_out():
    ended = replace(SOURCE, state="ended", details={"partitions": 20, "done": 3})
    (row,) = rows_of(snapshot(ended))
    assert row.details == "20 partitions: 3 done"


def test_a_source_whose_partitions_are_not_known_yet_says_so():
    figures = {"partitions": None, "done": 0, "running": 0, "waiting": None, "rows": 0}
    (row,) = rows_of(snapshot(replace(SOURCE, details=figures)))
    assert row.details == "partitions not known yet"


def test_what_went_wrong_with_partitions_is_shown_where_something_did():
    figures = {"partitions": 20, "done": 3, "poison": 1, "retried": 4, "skipped": 0}
    (row,) = rows_of(snapshot(replace(SOURCE, details=figures), seconds=8.0))
    assert row.details == "20 partitions: 3 done, 1 poison, 4 retried, about 0:00:32 left"


@pytest.mark.parametrize(
    ("figures", "left"),
    [
        ({"partitions": None, "done": 0}, None),
        ({"partitions": 20, "done": 0}, None),
        ({"partitions": 20, "done": 5}, 30.0),
        ({"partitions": 20, "done": 5, "poison": 5}, 10.0),
        ({"partitions": 20, "done": 15, "skipped": 10}, 10.0),
        ({"partitions": 20, "done": 10, "skipped": 10}, None),
        ({"partitions": 20, "done": 20}, 0.0),
        ({"files": 3}, None),
    ],
)
def test_the_time_left_goes_by_what_this_run_has_done_itself(figures, left):
    assert seconds_left(figures, 10.0) == left
    assert rows_of(snapshot(replace(SOURCE, details={"done": 3})))[0].details == ""


def test_what_nobody_wanted_and_what_was_not_delivered_is_shown():
    details = {"stages": 3, "unwanted": 12_345, "undelivered": 6}
    (row,) = rows_of(snapshot(replace(STAGE, details=details)))
    assert row.counted == {"unwanted": "12.3k", "undelivered": "6"}


def test_the_history_compares_with_about_two_seconds_ago_and_forgets_the_rest():
    history = History()
    found = [history.before(snapshot(STAGE, seconds=float(second))) for second in range(100)]
    assert found[0] is None
    assert [now - old.seconds for now, old in enumerate(found) if old][5:] == [2.0] * 94


def test_the_history_offers_nothing_once_the_run_has_ended():
    history = History()
    history.before(snapshot(STAGE, seconds=1.0))
    assert history.before(snapshot(STAGE, seconds=2.0, state="completed")) is None


def test_a_log_line_tells_of_every_stage_and_of_the_bottleneck():
    held = replace(SOURCE, elements_out=40, idle=0.1, back_pressured=0.9)
    busy = replace(STAGE, name="slow", elements_in=30, busy=0.9, idle=0.1, state="failed")
    assert log_line(snapshot(held, busy, seconds=2.0)) == (
        "run running after 2.0 s | range: 40 out, 20/s, busy 0%, idle 10%, held back 90% | "
        "slow: 30 in, 0 out, 15/s, busy 90%, idle 10%, held back 0%, failed | bottleneck: slow"
    )


def test_a_run_that_drains_says_so_and_one_that_has_drained_says_how_it_ended():
    draining = replace(snapshot(STAGE), draining=True)
    assert log_line(draining).startswith("run draining after")
    assert log_line(replace(draining, state="completed")).startswith("run completed after")


def test_what_a_stage_passed_over_dropped_and_tried_again_is_counted_and_no_zeros():
    details = {"under_way": 1, "parallelism": 2, "retried": 3, "beyond_budget": 0, "dropped": 4}
    details |= {"fallbacks": 5}
    stage = replace(STAGE, resumed=1, restarted=2, dead_letters=12_345, details=details)
    (row,) = rows_of(snapshot(stage))
    counted = {"resumed": "1", "restarted": "2", "retried": "3", "fallbacks": "5", "dropped": "4"}
    assert row.counted == counted | {"dead letters": "12.3k"}
    assert rows_of(snapshot(STAGE))[0].counted == {}
    said = "1 resumed, 2 restarted, 3 retried, 5 fallbacks, 4 dropped, 12.3k dead letters"
    assert f"held back 0%, {said}" in log_line(snapshot(stage))


def test_the_restarts_of_a_section_and_failed_inner_streams_are_counted():
    section = replace(STAGE, details={"restarts": 3, "resting": False})
    ended = replace(STAGE, details={"stages": 5, "failed": 2})
    assert [row.counted for row in rows_of(snapshot(section, ended))] == [
        {"restarted": "3"},
        {"failed": "2"},
    ]
