"""Events: what happens to runs and stages, in the log and for listeners."""

import json
import logging
from typing import Any

import pytest

from actors_rs import ActorSystem, Backoff, Sink, Source
from actors_rs.observability import JsonLines
from actors_rs.runtime.eventing.kinds import EVENTS
from tests.graph.helpers import SECONDS, wait_until


@pytest.fixture
def system():
    with ActorSystem(workers=2) as system:
        yield system


@pytest.fixture
def told(system):
    events: list[Any] = []
    system.events.listen(events.append)
    return events


def reciprocal(n):
    return 1 / n


def names(events):
    return [event.name for event in events]


def test_a_run_tells_of_its_begin_and_its_end(system, told):
    run = system.start(Source.of(1, 2).to(Sink.sum()))
    assert run.result(SECONDS) == 3
    wait_until(lambda: len(told) == 2)
    assert names(told) == ["run_started", "run_ended"]
    began, ended = told
    assert began.fields == {"stages": 2}
    assert (ended.run, ended.fields["state"], ended.error) == ("run", "completed", None)
    assert ended.source is run


def test_runs_of_a_system_are_told_apart_by_number(system, told):
    for _ in range(2):
        system.start(Source.of(1).to(Sink.sum())).result(SECONDS)
    wait_until(lambda: len(told) == 4)
    assert [event.run_id for event in told] == [1, 1, 2, 2]


def test_a_failure_is_told_with_the_stage_and_the_position(system, told):
    run = system.start(Source.of(1, 0).map(reciprocal).named("invert").to(Sink.list()))
    assert run.wait(SECONDS)
    wait_until(lambda: "run_ended" in names(told))
    (failed,) = [event for event in told if event.name == "stage_failed"]
    assert (failed.stage, failed.fields["position"]) == ("invert", 1)
    assert isinstance(failed.error.__cause__, ZeroDivisionError)
    assert told[-1].fields["state"] == "failed"


def test_a_drained_run_tells_so_before_it_ends(system, told):
    run = system.start(Source.tick(0.01).to(Sink.count()))
    run.drain()
    run.result(SECONDS)
    wait_until(lambda: "run_ended" in names(told))
    assert names(told) == ["run_started", "run_draining", "run_drained", "run_ended"]


@pytest.mark.parametrize(
    ("policy", "name"), [("resume", "element_resumed"), ("restart", "element_restarted")]
)
def test_an_element_that_is_passed_over_is_told(system, told, policy, name):
    kept = Source.of(1, 0, 2).map(reciprocal).on_failure(policy)
    assert system.start(kept.to(Sink.list())).result(SECONDS) == [1.0, 0.5]
    (passed_over,) = [event for event in told if event.name == name]
    assert (passed_over.stage, passed_over.fields["position"]) == ("map", 1)


def test_a_restart_of_a_section_is_told(system, told):
    failures = iter([ZeroDivisionError("once")])

    def fails_once(n):
        for error in failures:
            raise error
        return n

    section = Source.of(1, 2).map(fails_once).restart(Backoff(0.001, 0.001), max_restarts=1)
    system.start(section.to(Sink.list())).result(SECONDS)
    (restarted,) = [event for event in told if event.name == "stage_restarted"]
    assert restarted.fields["restarts"] == 1


def test_lines_of_elements_are_counted_together(caplog):
    with caplog.at_level(logging.INFO, "actors_rs.events"), ActorSystem() as system:
        kept = Source.repeat(0, 50).map(reciprocal).on_failure("resume")
        system.start(kept.to(Sink.list())).result(SECONDS)
    lines = [one for one in caplog.records if one.__dict__.get("event") == "element_resumed"]
    assert 1 <= len(lines) < 50
    assert lines[0].__dict__["count"] == 1
    assert (lines[0].__dict__["run"], lines[0].__dict__["stage"]) == ("run", "map")


def test_every_line_has_run_stage_and_partition(caplog):
    with caplog.at_level(logging.INFO, "actors_rs.events"), ActorSystem() as system:
        system.start(Source.of(0).map(reciprocal).to(Sink.list())).wait(SECONDS)
        wait_until(lambda: "run_ended" in [one.__dict__.get("event") for one in caplog.records])
    ours = [one for one in caplog.records if one.name == "actors_rs.events"]
    assert {one.__dict__["event"] for one in ours} == {"run_started", "stage_failed", "run_ended"}
    for record in ours:
        kind = EVENTS[record.__dict__["event"]]
        assert {"system", "run", "run_id", "stage", "partition"} <= record.__dict__.keys()
        assert set(kind.fields) >= record.__dict__.keys() & {"state", "seconds", "stages", "count"}


def test_the_line_of_a_cancelled_run_shows_no_error(caplog):
    with caplog.at_level(logging.INFO, "actors_rs.events"), ActorSystem() as system:
        run = system.start(Source.queue(1).to(Sink.list()))
        run.cancel()
        assert run.wait(SECONDS)
        wait_until(lambda: "run_ended" in [one.__dict__.get("event") for one in caplog.records])
    (line,) = [one for one in caplog.records if one.__dict__.get("event") == "run_ended"]
    assert "state=cancelled" in line.getMessage()
    assert "error" not in line.getMessage()
    assert line.__dict__["error_type"] == "RunCancelled", "handlers still find it"


def test_a_listener_that_raises_is_a_dead_letter_and_no_failure(system):
    def raises(event):
        raise ValueError("a listener's own defect")

    stop = system.events.listen(raises)
    assert system.start(Source.of(1).to(Sink.sum())).result(SECONDS) == 1
    stop()
    wait_until(lambda: system.dead_letters.total == 2)


def test_nothing_is_told_after_listening_was_ended(system):
    events: list[Any] = []
    system.events.listen(events.append)()
    system.start(Source.of(1).to(Sink.sum())).result(SECONDS)
    assert events == []


def test_a_line_of_json_has_all_fields(caplog):
    with caplog.at_level(logging.INFO, "actors_rs.events"), ActorSystem() as system:
        system.start(Source.of(0).map(reciprocal).to(Sink.list())).wait(SECONDS)
        wait_until(lambda: "run_ended" in [one.__dict__.get("event") for one in caplog.records])
    lines = [json.loads(JsonLines().format(one)) for one in caplog.records]
    (failed,) = [line for line in lines if line.get("event") == "stage_failed"]
    assert (failed["run"], failed["run_id"], failed["stage"]) == ("run", 1, "map")
    assert (failed["position"], failed["error_type"]) == (0, "StageError")
    assert "division by zero" in failed["error"]
    assert all({"run", "stage", "partition"} <= line.keys() for line in lines)
    assert failed["partition"] is None


def test_a_line_of_a_dead_letter_names_its_run_and_stage(caplog):
    with ActorSystem() as system:
        flow = Source.of(0).map(reciprocal).on_failure("resume")
        system.start(flow.to(Sink.list())).result(SECONDS)
    (record,) = [one for one in caplog.records if one.name == "actors_rs.dead_letters"]
    line = json.loads(JsonLines().format(record))
    assert (line["run"], line["stage"], line["partition"]) == ("run", "map", None)
