"""What make would run, without running it."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.conventions.project import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def what_make_would_run(*arguments):
    command = ["make", "--dry-run", "--always-make", *arguments]
    ours = {k: v for k, v in os.environ.items() if k not in {"MAKEFLAGS", "MFLAGS", "PYTHON"}}
    done = subprocess.run(
        command, cwd=ROOT, env=ours, check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout


def test_another_interpreter_gets_an_environment_of_its_own():
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    said = what_make_would_run("test", f"PYTHON={sys.executable}")
    assert f"{sys.executable} -m venv .venv-{version}\n" in said
    assert f".venv-{version}/bin/python -m pytest" in said
    assert " .venv/" not in said


def test_without_an_interpreter_named_the_environment_is_the_usual_one():
    said = what_make_would_run("test")
    assert "-m venv .venv\n" in said
    assert ".venv/bin/python -m pytest" in said


def test_the_fast_tests_leave_out_spark_and_have_the_environment_of_their_interpreter():
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    said = what_make_would_run("test-fast", f"PYTHON={sys.executable}")
    assert f'.venv-{version}/bin/python -m pytest -q -n 5 -m "not spark" tests/' in said
    assert "java_home" not in said
    folders = [word for word in said.split() if word.startswith("tests/")]
    assert all((ROOT / one).exists() for one in folders)


class Machine:
    """A machine with these Pythons, whose ``make`` prints what it is called with."""

    def __init__(self, folder, first, *others):
        self.folder = folder
        self.put("bin/python3", first)
        for path in others:
            self.put(path, "3." + path.partition("3.")[2].partition("/")[0].partition(".")[0])
        self.script("bin/make", 'echo "make $*"')
        self.script("bin/chromium", "")
        for tool in ("bash", "sh", "dirname"):
            (folder / "bin" / tool).symlink_to(str(shutil.which(tool)))
        shutil.copytree(ROOT / ".ci", folder / ".ci")

    def put(self, path, version):
        self.script(path, f"case $2 in *print*) echo {version};; esac")

    def script(self, path, body):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)

    def ci(self, **more):
        ours = {"PATH": f"{self.folder}/bin", "HOME": str(self.folder), **more}
        return subprocess.run(
            [".ci/run"], cwd=self.folder, env=ours, check=True, capture_output=True, text=True
        )


def test_ci_runs_the_fast_tests_on_the_newest_python_beside_the_first_one(tmp_path):
    newest = ".pyenv/versions/3.13.0/bin/python"
    machine = Machine(tmp_path, "3.11", newest, ".pyenv/versions/3.12.1/bin/python")
    said = machine.ci().stdout.splitlines()
    assert said == ["make test docs", f"make test-fast PYTHON={tmp_path}/{newest}"]


def test_ci_leaves_out_the_second_python_where_that_would_take_it_beyond_thirty_minutes(tmp_path):
    machine = Machine(tmp_path, "3.11", ".pyenv/versions/3.13.0/bin/python")
    done = machine.ci(SECONDS="1400")  # as if the shell had run so long
    assert done.stdout == "make test docs\n"
    (line,) = done.stderr.splitlines()
    assert line.endswith(
        f"make test-fast was not run on {tmp_path}/.pyenv/versions/3.13.0/bin/python"
    )


def test_ci_says_in_a_line_that_there_is_no_newer_python(tmp_path):
    done = Machine(tmp_path, "3.13", "bin/python3.13").ci()
    assert done.stdout == "make test docs\n"
    (line,) = done.stderr.splitlines()
    assert line.startswith("no Python newer than 3.13 on this machine")


def test_the_newest_python_that_ci_looks_for_is_the_newest_that_the_project_declares():
    declared = re.findall(r"Python :: 3\.(\d+)", (ROOT / "pyproject.toml").read_text())
    script = (ROOT / ".ci" / "find_python.sh").read_text()
    looked_for = re.search(r"for version in ([\d. ]+); do", script)
    assert looked_for
    assert looked_for[1].split()[0] == f"3.{max(map(int, declared))}"
