"""Unit tests of what threads share, each in four threads at once: pytest-run-parallel.

Threads switch after 1 µs. The tests share the state of modules, classes and the interpreter. They
stand in for a build without the GIL, which is not to be had here.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
THREADS = 4
FILES = (
    "tests/protocol",
    *(f"tests/runtime/test_{name}.py" for name in ("mailbox", "job_queue", "timers")),
    *(f"tests/runtime/test_{name}.py" for name in ("rate_limit", "supervision_values")),
    *(f"tests/stages/test_{name}.py" for name in ("group_by", "hub_buffer", "chunk_size")),
)
"""Tests whose fixtures may be used by several threads."""
NOT = "not test_each_place_that_checks_a_rule_exists"
"""Python 3.11 raises ``SystemError`` when two threads parse at a time."""


@pytest.mark.timeout(900)
def test_tests_of_what_threads_share_pass_in_four_threads_at_once(settings: object) -> None:
    plugin = ["-p", "pytest_run_parallel.plugin", "--parallel-threads", str(THREADS)]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, "-k", NOT]
    done = subprocess.run([*command, *FILES], cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5_000:]
    found = re.search(r"Collected (\d+) items to run in parallel", done.stdout)
    assert found, "the plugin was not there"
    assert int(found[1]) > 300, "the others were not run in parallel"
