"""The how-to page on a job that was killed: its loop and its unit restart after the right codes."""

import os
import re
import shutil
import subprocess
from configparser import RawConfigParser
from pathlib import Path

import pytest

from actors_rs.exit_codes import BAD_TARGET, FAILED, GAVE_UP, INTERRUPTED, START_AGAIN, TABLE

PAGE = Path(__file__).parents[2] / "docs/how-to/services.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("## Restart a job that was killed\n")[2]
SIGTERM = 143


def block(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)[0]


@pytest.fixture
def loop(tmp_path):
    """Run the loop with a command that ends with these codes, the last one again and again."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    starts = tmp_path / "starts"
    (tmp_path / "sleep").write_text("#!/bin/sh\n")
    command = '#!/bin/sh\necho "$@" >> starts\nexit $(sed -n "$(wc -l < starts)p" codes)\n'
    (tmp_path / "actors-rs").write_text(command)
    for name in ("sleep", "actors-rs"):
        (tmp_path / name).chmod(0o755)

    def run(*codes):
        (tmp_path / "codes").write_text("".join(f"{code}\n" for code in codes))
        path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
        ended = subprocess.run(
            [bash, "-c", block("bash")],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            timeout=60,
            check=False,
        )
        return ended.returncode, starts.read_text().splitlines()

    return run


def test_the_loop_starts_again_after_a_lost_session_and_after_a_kill(loop):
    code, starts = loop(START_AGAIN, 137, 139, 0)
    assert code == 0
    assert starts == ["run job.py:graph"] * 4


@pytest.mark.parametrize("code", [0, FAILED, BAD_TARGET, GAVE_UP, INTERRUPTED, SIGTERM])
def test_the_loop_ends_with_every_code_that_a_restart_does_not_help(loop, code):
    ended, starts = loop(code, 0)
    assert (ended, len(starts)) == (code, 1)


def test_the_loop_gives_up_at_last(loop):
    code, starts = loop(*[START_AGAIN] * 30)
    assert (code, len(starts)) == (START_AGAIN, 20)


def test_the_unit_restarts_after_a_lost_session_and_after_a_kill_alone():
    unit = RawConfigParser()
    unit.read_string(block("ini"))
    service = unit["Service"]
    assert service["Restart"] == "on-abnormal", "on-failure would repeat a refused ledger"
    assert service["RestartForceExitStatus"] == str(START_AGAIN)
    assert service["SuccessExitStatus"].split() == [str(INTERRUPTED), str(SIGTERM)]
    assert service["KillMode"] == "mixed", "Spark's JVM outlives the drain"


def test_the_guide_has_each_exit_code_of_the_command():
    guide = (PAGE.parents[1] / "guide.md").read_text(encoding="utf-8")
    row = next(line for line in guide.splitlines() if line.startswith("| `run` |"))
    codes = set(re.findall(r"\b\d+\b", TABLE)) - {"0", "1", "2"}  # these are columns
    assert codes == {"3", "75", "130", "143"}
    assert codes <= set(re.findall(r"\b\d+\b", row))
