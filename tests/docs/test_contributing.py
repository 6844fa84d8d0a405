"""CONTRIBUTING.md, followed literally in a copy of the project, makes an operator that works."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hatch_build import tracked_files
from tests.asked_of_operators import TESTS

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
LOGIC, IMPORT, METHOD, ROW, TEST, MARBLE, BENCHMARK = BLOCK.findall(PAGE)
NEIGHBOUR, NO_NEIGHBOUR = re.findall(r"`(\(\".*?\))`", PAGE)
LANGUAGE, TABLE = "actors_rs/language/methods/selecting.py", "tests/conformance/operators.py"
NAMES, MARBLES = "actors_rs/graph/neighbours.py", "tests/pages/marbles/operators.py"
BENCHMARKS, DELIVERY = "stress/bench/contestants/operator_rows.py", "docs/delivery.md"


CHECK = '        at_least(1, step, "every: step")\n'


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
    insert(folder / TABLE, '    "operators/expand"', ROW)
    insert(folder / MARBLES, '    "operators/expand"', MARBLE)
    insert(folder / BENCHMARKS, '    Row(\n        "skip"', BENCHMARK)
    replace(folder / DELIVERY, ": `skip`, ", ": `every`, `skip`, ")
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


CONFORMANCE = "tests/conformance/test_our_stages.py"
OF_THE_KIT = "operators/every or not test_a_stage_keeps_every_rule"


def test_its_own_tests_and_all_that_ask_something_of_each_operator_pass(project):
    tests = "tests/stages/test_every.py", *TESTS, "tests/conventions", CONFORMANCE
    quiet = "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", OF_THE_KIT
    assert python(project, *quiet, *tests) == ""


def test_its_argument_is_checked_with_wrong_ones_although_no_table_names_it(project):
    replace(project / LANGUAGE, CHECK, "        pass\n")
    try:
        tests = "tests/graph/test_operator_arguments.py", "-k", "every: step"
        assert "every: step" in python(project, "-m", "pytest", "-q", *tests)
    finally:
        replace(project / LANGUAGE, "        pass\n", CHECK)


def test_lint_and_format_have_nothing_to_say(project):
    files = [
        LANGUAGE,
        NAMES,
        TABLE,
        MARBLES,
        BENCHMARKS,
        "actors_rs/stages/operators/every.py",
        "tests/stages/test_every.py",
    ]
    assert python(project, "-m", "ruff", "check", *files) == ""
    assert python(project, "-m", "ruff", "format", "--check", *files) == ""
