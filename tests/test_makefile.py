"""What make would run, without running it."""

import os
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
