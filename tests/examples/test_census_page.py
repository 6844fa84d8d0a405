"""``code_census.py --web``, which ``make demo-web`` runs: a page that stays until Ctrl-C."""

import signal
import subprocess
import sys
import urllib.request

import pytest

from tests.examples.test_code_census import ENVIRONMENT, SCRIPT

pytestmark = pytest.mark.timeout(300)


@pytest.mark.spark
def test_the_page_is_announced_shows_the_census_and_ends_by_ctrl_c_with_code_0(tmp_path):
    for number in range(3):
        (tmp_path / f"module_{number}.py").write_text("def f(x):\n    return x\n")
    command = [sys.executable, SCRIPT, tmp_path, "--out", tmp_path / "out", "--web"]
    with subprocess.Popen(
        command,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "starting Spark; the page comes when it is up\n"
            lines = iter(process.stdout.readline, "")
            page = next(line for line in lines if line.startswith("the page: "))
            assert next(line for line in lines if line.startswith("the run has ended, "))
            url = page.removeprefix("the page: ").strip()
            with urllib.request.urlopen(url + "events", timeout=60) as events:
                assert any(b'"state":"completed"' in line for line in events), "the page shows it"
            process.send_signal(signal.SIGINT)
            assert "one row per function" in process.stdout.read()
            assert process.wait(60) == 0
        finally:
            process.kill()
