"""From a snapshot to what the page shows: pure, so no server and no run is needed."""

import json
from dataclasses import replace

import pytest

from actors_rs.engine.run.snapshot import LinkSnapshot, RunSnapshot, StageSnapshot
from actors_rs.observability.progress import progress_line
from actors_rs.observability.web.report import report_html, report_of_json
from actors_rs.observability.web.state import MOST_STAGES, About, run_state
from actors_rs.protocol.demand import UNBOUNDED


def stage(name, kind="map", **figures):
    plain = dict.fromkeys(
        ("elements_in", "elements_out", "demand", "requested", "buffered", "window", "mailbox"), 0
    )
    loads = dict.fromkeys(("busy", "idle", "back_pressured"), 0.0)
    return StageSnapshot(name, kind, **{"state": "running", **plain, **loads, **figures})


def link(begin, end, **figures):
    return LinkSnapshot(
        begin, "out", end, "in", **{"elements": 0, "requested": 0, "buffered": 0, **figures}
    )


def run(*stages, seconds=10.0, state="running", links=()):
    return RunSnapshot("orders", state, seconds, stages, tuple(links))


def test_rates_are_those_since_the_earlier_snapshot_and_averages_those_of_the_run():
    before = run(stage("a", elements_in=100, window=16), seconds=8.0)
    now = run(stage("a", elements_in=300, window=16), seconds=10.0)
    [shown] = run_state(now, before)["stages"]
    assert (shown["rate"], shown["average"]) == (100.0, 30.0)


def test_the_colour_tells_of_the_time_since_the_earlier_snapshot():
    before = run(stage("a", idle=1.0), seconds=9.0)
    now = run(stage("a", idle=0.9, busy=0.1), seconds=10.0)
    assert run_state(now)["stages"][0]["load"] == "idle"
    [shown] = run_state(now, before)["stages"]
    assert shown["load"] == "busy"
    assert shown["busy"] == 1.0


def test_a_stage_that_has_ended_or_failed_is_coloured_so():
    states = run_state(run(stage("a", state="failed", busy=1.0), stage("b", state="ended")))
    assert [one["load"] for one in states["stages"]] == ["failed", "ended"]


def test_calls_at_their_limit_are_the_sentence_of_the_page():
    calls = {"under_way": 8, "parallelism": 8}
    slow = stage("enrich", elements_in=1951, window=32, busy=1.0, details=calls)
    state = run_state(run(stage("read", "source", back_pressured=1.0), slow))
    assert state["bottleneck"] == "enrich"
    assert state["sentence"] == (
        "`enrich` is at its limit: 8 of 8 calls under way, 41 ms each; "
        "raise parallelism or make it faster."
    )


def test_a_busy_function_is_told_with_its_time_for_an_element():
    slow = stage("parse", elements_in=5000, elements_out=5000, window=32, busy=0.9, idle=0.1)
    said = run_state(run(slow))["sentence"]
    assert said.startswith("`parse` is at its limit: busy 90%, 1.8 ms for an element; make it")


def test_a_run_that_waits_says_for_what():
    assert "waits for input" in run_state(run(stage("a", idle=1.0)))["sentence"]
    held = run(stage("a", back_pressured=1.0), stage("b", idle=1.0))
    assert "requests no more" in run_state(held)["sentence"]
    assert "completed" in run_state(run(stage("a"), state="completed"))["sentence"]


@pytest.mark.parametrize(
    ("waiting", "read", "told"),
    [
        (3, "running", "`load` lets elements wait: it waits for its inner streams; raise breadth"),
        (0, "ended", "`load` lets elements wait: it waits for its inner streams; raise breadth"),
        (0, "running", "No stage is at its limit: the run waits for input."),
    ],
)
def test_inner_streams_limit_a_run_that_has_further_input_or_all_of_it(waiting, read, told):
    host = stage("load", "flat_map", buffered=waiting, busy=0.1, details={"inner": 1})
    inner = stage("lines#1", busy=0.2, started_by=("load",)), stage("parse#1", "map", busy=0.9)
    links = [
        link("read", "load"),
        link("lines#1", "parse#1"),
        replace(link("parse#1", "load"), inlet="inner 1"),
    ]
    said = run_state(run(stage("read", state=read), host, *inner, links=links))["sentence"]
    assert said.startswith(told)


def test_what_did_not_go_the_usual_way_is_counted_by_kind():
    details = {
        "retried": 2,
        "failed": 3,
        "dropped": 4,
        "unwanted": 5,
        "restarts": 6,
        "fallbacks": 8,
    }
    one = stage("a", details=details, resumed=7, restarted=1, dead_letters=9)
    [shown] = run_state(run(one))["stages"]
    names = ("retried", "failed", "dropped", "restarted", "resumed", "dead", "fallbacks")
    assert [shown[name] for name in names] == [2, 3, 9, 7, 7, 9, 8]


def test_demand_without_a_bound_is_no_number():
    [shown] = run_state(run(stage("a", demand=UNBOUNDED)))["stages"]
    assert shown["demand"] is None


def test_links_are_numbers_of_stages_with_their_rate():
    two = (stage("a"), stage("b"))
    before = run(*two, links=[link("a", "b", elements=10)], seconds=5.0)
    now = run(*two, links=[link("a", "b", elements=60), link("gone", "b")], seconds=10.0)
    [shown] = run_state(now, before)["links"]
    assert (shown["from"], shown["to"], shown["rate"]) == (0, 1, 10.0)


def test_progress_is_that_of_partitions_or_of_a_known_total():
    spark = stage("table", details={"partitions": 8, "done": 2, "poison": 0})
    assert run_state(run(spark))["progress"] == {
        "stage": "table", "done": 2, "given_up": 0, "total": 8, "unit": "partitions", "left": 30.0,
    }  # fmt: skip
    counted = stage("numbers", elements_out=25, total=100)
    assert run_state(run(counted))["progress"]["left"] == 30.0
    read = stage("lines", elements_out=7, details={"bytes_read": 50, "bytes_total": 100})
    assert run_state(run(read))["progress"]["unit"] == "bytes"
    assert run_state(run(stage("endless", elements_out=25)))["progress"] is None


def test_progress_tells_partitions_that_were_given_up_from_those_that_are_done():
    spark = stage("table", details={"partitions": 9, "done": 6, "poison": 2})
    assert run_state(run(spark))["progress"]["given_up"] == 2
    said = "orders: 89% (8 of 9 partitions: 6 done, 2 given up), "
    assert progress_line(run(spark)).startswith(said)


def test_partitions_at_their_limit_are_the_sentence_of_the_page():
    details = {"partitions": 9, "done": 1, "running": 2, "in_flight": 2}
    spark = stage("table", busy=1.0, details=details, latency_p50=2.5)
    assert run_state(run(spark))["sentence"] == (
        "`table` is at its limit: 2 of 2 partitions under way, 2.5 s each; "
        "give Spark more cores, raise in_flight, or make its query faster."
    )


def of_files(name, read, total, **more):
    return stage(name, details={"bytes_read": read, "bytes_total": total}, **more)


def test_progress_of_several_sources_is_their_sum():
    files = [of_files("old", 100, 100, state="ended"), of_files("new", 50, 300)]
    assert run_state(run(*files))["progress"] == {
        "stage": "old, new", "done": 150, "given_up": 0, "total": 400, "unit": "bytes",
        "left": 16.666666666666668,
    }  # fmt: skip


def test_more_elements_than_were_said_leave_no_time_that_is_known():
    wrong = stage("numbers", total=10, elements_out=25)
    assert run_state(run(wrong))["progress"]["left"] is None
    assert progress_line(run(wrong)).startswith("orders: 100% (25 of 10), ")


def test_progress_sums_no_sources_of_different_units():
    known = run_state(run(of_files("lines", 50, 100), stage("numbers", total=9)))
    assert known["progress"]["stage"] == "lines"


def test_with_total_counts_instead_of_the_totals_of_all_stages_before_it():
    stages = (
        stage("a", total=100, elements_out=100),
        of_files("b", 7, 7),
        stage("merge", total=60, elements_out=40),
        stage("map"),
        stage("c", total=50, elements_out=20),
    )
    links = [link("a", "merge"), link("b", "merge"), link("merge", "map"), link("map", "c")]
    known = run_state(run(*stages, links=links))["progress"]
    assert (known["stage"], known["done"], known["total"]) == ("c", 20, 50)


def test_with_total_leaves_the_totals_of_other_branches():
    stages = (
        stage("a", total=3, elements_out=3),
        stage("b", total=50, elements_out=10),
        stage("other", total=30, elements_out=20),
        stage("merge"),
    )
    links = [link("a", "b"), link("b", "merge"), link("other", "merge")]
    known = run_state(run(*stages, links=links))["progress"]
    assert (known["stage"], known["done"], known["total"]) == ("b, other", 30, 80)


def test_bytes_downstream_of_a_total_that_is_known_do_not_count_again():
    stages = (stage("a", total=100, elements_out=20), stage("b"), of_files("c", 1, 2))
    links = [link("a", "b"), link("b", "c")]
    assert run_state(run(*stages, links=links))["progress"]["total"] == 100


def test_totals_of_inner_streams_are_not_the_progress_of_the_run():
    inner = of_files("lines#1", 10, 10, started_by=("flat_map",)), stage("total#1", total=9)
    end = stage("flat_map", elements_out=3), stage("with_total", total=40, elements_out=3)
    links = [
        link("lines#1", "total#1"),
        LinkSnapshot("total#1", "out", "flat_map", "inner 0", 1, 0, 0),
        link("flat_map", "with_total"),
    ]
    assert run_state(run(*inner, stage("flat_map"), links=links))["progress"] is None
    known = run_state(run(*inner, *end, links=links))["progress"]
    assert (known["stage"], known["done"], known["total"]) == ("with_total", 3, 40)


def test_more_stages_than_fit_are_counted():
    state = run_state(run(*(stage(f"s{n}") for n in range(MOST_STAGES + 7))))
    assert (len(state["stages"]), state["omitted"]) == (MOST_STAGES, 7)


def test_members_of_one_island_have_a_frame():
    about = {"a": About(island=1), "b": About(island=1), "c": About(island=2)}
    links = [link("a", "b"), link("b", "c")]
    state = run_state(run(stage("a"), stage("b"), stage("c"), links=links), about=about)
    [frame] = state["layout"]["frames"]
    assert frame["kind"] == "island"


def test_a_state_is_json():
    now = run(stage("<script>", details={"odd": object()}), links=[link("<script>", "<script>")])
    assert json.loads(json.dumps(run_state(now)))["stages"][0]["name"] == "<script>"


def test_a_snapshot_saved_as_json_becomes_one_html_file_without_markup_of_its_names():
    now = run(stage("</script><script>alert(1)</script>"), state="completed")
    page = report_html(report_of_json(json.dumps(now.as_dict())))
    assert "alert(1)</script>" not in page
    assert "\\u003c/script>\\u003cscript>alert(1)" in page
    assert 'src="' not in page
    assert 'href="/' not in page


def test_a_draining_run_is_called_so():
    assert run_state(replace(run(stage("a")), draining=True))["state"] == "draining"
