"""Contestants of the jobs benchmark do the same work, and a missing library is named."""

import json
from importlib import import_module

import pytest

from stress.bench import jobs
from stress.bench.measuring.harness import NOT_MEASURED, Figure

ALWAYS_THERE = {"ours", "loop", "executor", "threads", "pool"}


@pytest.mark.parametrize("name", jobs.JOBS)
def test_every_contestant_of_the_standard_library_gives_what_ours_gives(name, monkeypatch):
    monkeypatch.setattr(jobs, "find_spec", lambda library: None)
    job = import_module(f"stress.bench.workloads.{name}")
    figures = jobs.measured_job(name, 10 / job.LINES, rounds=1)
    assert len(figures) == len(jobs.contestants(job)) - 1
    there = ALWAYS_THERE & set(jobs.contestants(job))
    measured = [figure for figure in figures if figure.theirs != "not installed"]
    assert len(measured) == len(there) - 1
    assert all("MiB" in figure.theirs and figure.value > 0 for figure in measured)


def test_contestants_that_disagree_end_the_benchmark():
    runs = {name: [jobs.Run(1.0, 1, result)] for name, result in (("ours", 1), ("loop", 2))}
    with pytest.raises(RuntimeError, match="loop has another result of logs than ours"):
        jobs._compare("logs", "loop", runs)


def test_what_was_not_measured_is_empty_in_a_table_and_null_in_json():
    figure = Figure("a job", "joblib", "1 s", "not installed", NOT_MEASURED)
    assert figure.shown() == ""
    assert json.loads(json.dumps(figure.as_data(), allow_nan=False))["value"] is None
