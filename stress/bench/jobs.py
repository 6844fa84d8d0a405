"""Five real jobs as a user would write them: with this package, a plain loop, pools, and libraries.

Each run is a process of its own, contestants in turn, A B A B. Time is the median, memory the most
that the process and all it has started have had. A library that is not installed is named in the
table; `pip install "actors-rs[jobs]"` installs them all.
"""

from __future__ import annotations

import importlib
import inspect
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any, NamedTuple

from stress.bench.measuring.harness import NOT_MEASURED, Figure, count
from stress.bench.measuring.tree_memory import peak_of

__all__ = ["JOBS", "contestants", "measure", "measured_job"]

JOBS = ("logs", "to_parquet", "hashing", "joining", "enriching")
ROUNDS = 3
MOST_SECONDS = 600
"""The limit of one run."""
NAMES = {
    "ours": "actors_rs",
    "loop": "a plain loop",
    "executor": "ProcessPoolExecutor",
    "threads": "ThreadPoolExecutor",
    "pool": "multiprocessing.Pool",
    "joblib": "joblib",
    "dask": "Dask bag",
    "polars": "polars",
    "ray": "Ray Data",
}
ONCE = ("ray",)
"""Of these one run is measured: each takes half a minute."""
LIBRARIES = ("joblib", "dask", "polars", "ray")


class Run(NamedTuple):
    """What one run of a contestant took."""

    seconds: float
    memory: int
    """Bytes at the most."""
    result: Any


def contestants(job: ModuleType) -> list[str]:
    """Those that the job has; a library without one does not apply to it."""
    return [name for name in NAMES if hasattr(job, name)]


def lines_of(f: Callable[..., Any]) -> int:
    """How many lines of code a user writes for it: neither blank ones nor its first."""
    lines = inspect.getsource(f).splitlines()[1:]
    return sum(bool(line.strip()) for line in lines)


def measure(scale: float) -> list[Figure]:
    figures = []
    for name in JOBS:
        figures += measured_job(name, scale, ROUNDS)
    return figures


def measured_job(name: str, scale: float, rounds: int) -> list[Figure]:
    """The figures of one job; raises ``RuntimeError`` when contestants disagree."""
    job = importlib.import_module(f"stress.bench.workloads.{name}")
    n = count(scale, job.LINES)
    there = [one for one in contestants(job) if one not in LIBRARIES or find_spec(one)]
    runs: dict[str, list[Run]] = {one: [] for one in there}
    with tempfile.TemporaryDirectory() as temporary, _service(job) as address:
        folder = Path(temporary)
        (folder / "address").write_text(address)
        job.prepare(folder, n)
        for number in range(rounds):
            for one in there if number == 0 else [one for one in there if one not in ONCE]:
                runs[one].append(_run(name, one, folder))
                _compare(name, one, runs)
    return [_figure(job, n, one, runs) for one in contestants(job) if one != "ours"]


def _service(job: ModuleType) -> AbstractContextManager[str]:
    started: AbstractContextManager[str] = (
        job.running() if hasattr(job, "running") else nullcontext("")
    )
    return started


def _run(job: str, contestant: str, folder: Path) -> Run:
    shutil.rmtree(folder / "out", ignore_errors=True)
    command = [sys.executable, "-m", "stress.bench.workloads.run", job, contestant, str(folder)]
    # Files: workers that outlive their pool would keep a pipe open.
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen(command, stdout=out, stderr=errors) as process:
            with peak_of(process.pid) as peak:
                code = process.wait(MOST_SECONDS)
        out.seek(0)
        errors.seek(0)
        if code:
            raise RuntimeError(f"{contestant} failed at {job}: {errors.read()[-2000:]}")
        report = json.loads(out.read().splitlines()[-1])
    return Run(report["seconds"], peak.bytes, report["result"])


def _compare(job: str, contestant: str, runs: dict[str, list[Run]]) -> None:
    if runs[contestant][-1].result != runs["ours"][0].result:
        raise RuntimeError(f"{contestant} has another result of {job} than ours")


def _figure(job: ModuleType, n: int, against: str, runs: dict[str, list[Run]]) -> Figure:
    mine, theirs = _figures(job, "ours", runs), "not installed"
    value = NOT_MEASURED
    if against in runs:
        theirs = _figures(job, against, runs)
        value = _seconds(runs[against]) / _seconds(runs["ours"])
    return Figure(job.NAME.format(n=n), NAMES[against], mine, theirs, value)


def _seconds(runs: list[Run]) -> float:
    return median(run.seconds for run in runs)


def _figures(job: ModuleType, contestant: str, runs: dict[str, list[Run]]) -> str:
    taken = runs[contestant]
    memory = median(run.memory for run in taken) / 2**20
    lines = lines_of(getattr(job, contestant))
    return f"{_seconds(taken):.2f} s, {memory:,.0f} MiB, {lines} lines"
