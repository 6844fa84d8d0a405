"""``actors-rs run --web`` and ``actors-rs report``."""

import json
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.cli import main

GRAPHS = "from actors_rs import Source, Sink\ntotal = Source.range(1, 100).to(Sink.sum())\n"


@pytest.fixture
def jobs(tmp_path):
    file = tmp_path / "jobs.py"
    file.write_text(GRAPHS)
    return f"{file}:total"


def test_the_page_of_a_run_is_kept_until_ctrl_c_and_the_exit_code_is_that_of_the_run(jobs):
    command = [sys.executable, "-m", "actors_rs", "run", jobs, "--web", "--web-keep"]
    with subprocess.Popen(
        [*command, "--web-token", "t0k"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            [url] = re.findall(r"http://127.0.0.1:\d+/\?token=t0k", process.stderr.readline())
            assert "stays until Ctrl-C" in process.stderr.readline()
            base = url.partition("?")[0]
            request = urllib.request.Request(base, headers={"Authorization": "Bearer t0k"})
            with urllib.request.urlopen(request, timeout=20) as answer:
                assert b"<title>actors_rs" in answer.read()
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=30)[0] == "5050\n"
            assert process.returncode == 0
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--web", "--web-host", "0.0.0.0"], "needs a token"),
        (["--web-keep"], "write --web as well"),
        (["--web-token", "x"], "write --web as well"),
    ],
)
def test_options_that_cannot_be_served_start_nothing(jobs, options, said, capsys):
    assert main(["run", jobs, *options]) == 2
    assert said in capsys.readouterr().err


def test_a_port_that_is_none_is_refused(jobs, capsys):
    with pytest.raises(SystemExit):
        main(["run", jobs, "--web", "70000"])
    assert "from 0 to 65535" in capsys.readouterr().err


def test_a_snapshot_becomes_a_report(tmp_path, capsys):
    with ActorSystem() as system:
        run = system.start(Source.of(1, 2).map(str).named("to text").to(Sink.list()))
        run.result(20)
    saved = tmp_path / "run.json"
    saved.write_text(json.dumps(run.snapshot().as_dict()))
    assert main(["report", str(saved)]) == 0
    assert "to text" in (tmp_path / "run.html").read_text()
    assert "run.html" in capsys.readouterr().out


def test_another_file_is_no_report(tmp_path, capsys):
    other = tmp_path / "other.json"
    for text in ("[]", "{}", "no json", '{"stages": [1]}'):
        other.write_text(text)
        assert main(["report", str(other)]) == 2
        assert "expected a run as JSON" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "missing.json")]) == 2
