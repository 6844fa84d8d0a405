"""The tests of properties, with ten times the examples that ``make test`` gives them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("protocol", "stages", "graph", "runtime", "delivery", "testing")


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("folder", FOLDERS)
def test_properties_hold_for_many_more_examples(folder: str) -> None:
    pytest_alone = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    thorough = ["-m", "hypothesis and not spark", "--hypothesis-profile", "thorough"]
    command = [*pytest_alone, "-n", "2", "--timeout", "1800", *thorough, f"tests/{folder}"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-10_000:]
    assert re.search(r"\d+ passed", done.stdout), done.stdout[-1_000:]
