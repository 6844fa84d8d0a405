"""Tests that ask for any Spark session, run by a pytest of their own on a cluster of processes."""

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.spark.master import CLUSTER, VARIABLE

Outcomes = dict[str, list[str]]
"""What went wrong, by "file::test"; for a test that passed, with all its parameters, nothing."""


def outcomes_on_cluster(folder: Path, tests: Sequence[str], seconds: float) -> Outcomes:
    """Run ``tests``, files or "file::test", on executors that are processes of their own.

    They share a session, whose start is what takes longest. ``seconds`` is for each test: more than
    any of them waits for a condition, since a call of Spark's that is broken off spoils the others.
    """
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    command += [f"--junitxml={report}", f"--basetemp={folder / 'tmp'}", f"--timeout={seconds}"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, VARIABLE: CLUSTER}
    )
    if done.returncode not in (0, 1):  # 1: there are failures, and they are in the report
        pytest.fail(f"{done.stdout}\n{done.stderr}")
    return _outcomes(report)


def _outcomes(report: Path) -> Outcomes:
    outcomes: Outcomes = defaultdict(list)
    for case in ElementTree.parse(report).iter("testcase"):
        file = case.attrib["classname"].replace(".", "/") + ".py"
        wrong = outcomes[f"{file}::{case.attrib['name'].partition('[')[0]}"]
        wrong += [problem.text or "" for problem in case]
    return dict(outcomes)
