"""CONTRIBUTING.md, followed literally in a copy of the project, makes an operator that works."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hatch_build import tracked_files

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
LOGIC, IMPORT, METHOD, ROW, TEST, MARBLE = BLOCK.findall(PAGE)
NEIGHBOUR, NO_NEIGHBOUR = re.findall(r"`(\(\".*?\))`", PAGE)
LANGUAGE, TABLE = "actors_rs/language/methods/selecting.py", "tests/conformance/stages.py"
NAMES, MARBLES = "actors_rs/graph/neighbours.py", "tests/pages/marbles/operators.py"


def insert(file, line, text):
    """``text`` before the first line of the file that begins with ``line``."""
    before, found, after = file.read_text("utf-8").partition(f"\n{line}")
    assert found, f"{file.name} has no line {line!r}"
    file.write_text(f"{before}\n{text}{line}{after}", "utf-8")


def replace(file, old, new):
    text = file.read_text("utf-8")
    assert text.count(old) == 1, f"{file.name} has no single {old!r}"
    file.write_text(text.replace(old, new), "utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    for name in tracked_files(ROOT):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    (folder / "actors_rs/stages/operators/every.py").write_text(LOGIC, "utf-8")
    insert(folder / LANGUAGE, "from actors_rs.stages.operators.first", IMPORT)
    insert(folder / LANGUAGE, "    def first(", METHOD + "\n")
    replace(folder / NAMES, NEIGHBOUR, NO_NEIGHBOUR)
    insert(folder / TABLE, '    "operators/first"', ROW)
    insert(folder / MARBLES, '    "operators/expand"', MARBLE)
    (folder / "tests/stages/test_every.py").write_text(TEST, "utf-8")
    for pages in ("marbles", "operators"):
        assert python(folder, "-m", f"tests.pages.{pages}") == ""
    return folder


def python(folder, *arguments):
    """What a program in that copy says that does not end well."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr if done.returncode else ""


WHOLE = (
    "tests/stages/test_every.py",
    "tests/test_unknown_names.py",
    "tests/pages/test_marbles.py",
    "tests/pages/test_operators.py",
    "tests/graph/test_each_stage.py",
    "tests/conventions",
)
"""Files of which each test asks for something of an operator. One pytest runs all of them, since
its start takes longer than most of the files."""
PARTS = {
    "tests/testing/test_conservation.py": "every_operator",
    "tests/explored/test_coverage.py": "museum",
    "tests/conformance/test_our_stages.py": "operators/every or nothing_else",
}
"""File -> its tests that ask for something of an operator."""


@pytest.mark.parametrize(
    "tests",
    [
        [*WHOLE, "--ignore", "tests/conventions/test_imports.py"],
        [*PARTS, "-k", " or ".join(PARTS.values())],
    ],
    ids=["whole files", "parts of files"],
)
def test_what_asks_for_something_of_each_operator_passes(project, tests):
    assert python(project, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests) == ""


def test_lint_and_types_have_nothing_to_say(project):
    files = [
        LANGUAGE,
        NAMES,
        TABLE,
        MARBLES,
        "actors_rs/stages/operators/every.py",
        "tests/stages/test_every.py",
    ]
    assert python(project, "-m", "ruff", "check", *files) == ""
    assert python(project, "-m", "ruff", "format", "--check", *files) == ""
