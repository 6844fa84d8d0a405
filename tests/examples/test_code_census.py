"""The census as its users run it: a process of its own, real Spark, real files.

Most of them follow each other in one process, since the start of a JVM takes longest.
"""

import ast
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import sysconfig
import time
import urllib.request
import warnings
from collections import Counter
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pyarrow.dataset as ds
import pytest

from actors_rs.spark.failures import SparkUnavailable
from code_census import main

from .censuses import ENVIRONMENT, SCRIPT, Censuses

pytestmark = pytest.mark.timeout(300)

STANDARD_LIBRARY = sysconfig.get_path("stdlib")


def recount(root):
    """The census of a directory in one thread, written without looking at the example's own."""
    seen = SimpleNamespace(packages={}, failed=set(), names=Counter())
    for path in sorted(root.rglob("*.py")):
        if "site-packages" in path.parts:
            continue
        top = path.relative_to(root).parts[0]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, OSError, MemoryError, RecursionError):
            seen.failed.add(str(path))
            continue
        sums = seen.packages.setdefault(top.removesuffix(".py"), Counter())
        sums["files"] += 1
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                seen.names[str(path), node.name, node.lineno] += 1
                sums["functions"] += 1
                sums["async_functions"] += isinstance(node, ast.AsyncFunctionDef)
                sums["with_docstring"] += ast.get_docstring(node) is not None
    return seen


def outputs_in(directory):
    with closing(sqlite3.connect(directory / "packages.sqlite")) as database:
        database.row_factory = sqlite3.Row
        packages = [dict(row) for row in database.execute("SELECT * FROM packages")]
    return SimpleNamespace(
        functions=ds.dataset(directory / "functions", format="parquet").to_table().to_pylist(),
        packages={row.pop("package"): row for row in packages},
        failures=[json.loads(line) for line in (directory / "failures.jsonl").open()],
    )


def totals(printed):
    found = re.findall(r"^(files|functions|failures) +([\d,]+)$", printed, re.MULTILINE)
    return {name: int(number.replace(",", "")) for name, number in found}


@pytest.fixture(scope="module")
def censuses(tmp_path_factory):
    censuses = Censuses(tmp_path_factory.mktemp("censuses"))
    yield censuses
    censuses.kill()


@pytest.fixture(scope="module")
def census(censuses, source_tree, tmp_path_factory):
    out = tmp_path_factory.mktemp("census")
    lay_out_earlier_census(out)
    censuses.begin(source_tree, "--out", out, "--overwrite")
    assert censuses.code(180) == 0, censuses.complaints
    return SimpleNamespace(
        printed=censuses.printed,
        complaints=complaints_in(censuses.complaints),
        **vars(outputs_in(out)),
    )


def lay_out_earlier_census(out):
    (out / "functions").mkdir(parents=True)
    (out / "functions" / "part-00000.parquet").write_text("from an earlier census")
    (out / "packages.sqlite").write_text("from an earlier census")
    (out / "failures.jsonl").write_text("from an earlier census\n")


@pytest.mark.spark
def test_the_outputs_hold_every_function_that_a_plain_recount_finds(census, source_tree):
    expected = recount(source_tree)
    names = Counter(
        (row["file"], row["qualified_name"].rsplit(".", 1)[-1], row["line"])
        for row in census.functions
    )
    assert names == expected.names
    assert all(len(row["sha256"]) == 64 for row in census.functions)


@pytest.mark.spark
def test_the_packages_table_agrees_with_a_plain_recount(census, source_tree):
    expected = recount(source_tree).packages
    assert census.packages.keys() == expected.keys()
    for package, row in census.packages.items():
        assert {name: row[name] for name in expected[package]} == dict(expected[package])
        complexity = [r["branches"] for r in census.functions if r["package"] == package]
        assert (row["branches"], row["max_branches"]) == (
            sum(complexity),
            max(complexity, default=0),
        )


@pytest.mark.spark
def test_each_file_that_fails_is_one_line_with_a_reason(census, source_tree):
    assert Counter(row["file"] for row in census.failures) == Counter(recount(source_tree).failed)
    assert all(row["reason"] for row in census.failures)


@pytest.mark.spark
def test_the_summary_says_what_the_outputs_hold(census):
    assert totals(census.printed) == {
        "files": sum(row["files"] for row in census.packages.values()),
        "functions": len(census.functions),
        "failures": len(census.failures),
    }
    listed = re.findall(r"^ +(\d+)  \S+  \S+:\d+$", census.printed, re.MULTILINE)
    highest = sorted((row["branches"] for row in census.functions), reverse=True)
    assert [int(branches) for branches in listed] == highest[:10]


@pytest.mark.spark
def test_a_census_without_trouble_complains_about_nothing(census):
    assert census.complaints == []


@pytest.fixture
def begun(censuses, tmp_path):
    """A census of the standard library that has begun to write."""
    censuses.begin(STANDARD_LIBRARY, "--out", tmp_path)
    until(lambda: rows_committed(tmp_path) or censuses.ended, "the first rows")
    assert not censuses.ended, censuses.complaints
    return censuses


@contextmanager
def running(out, *arguments):
    """The same as a program of its own."""
    process = subprocess.Popen(
        [sys.executable, SCRIPT, "--out", out, *arguments],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        until(lambda: rows_committed(out) or process.poll() is not None, "the first rows")
        assert process.poll() is None, process.communicate()
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def rows_committed(out):
    with suppress(sqlite3.OperationalError):
        path = f"file:{out}/packages.sqlite?mode=ro"
        with closing(sqlite3.connect(path, uri=True)) as database:
            return database.execute("SELECT COUNT(*) FROM packages").fetchone()[0]
    return 0


def until(condition, what, seconds=90):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        Event().wait(0.02)


def java_of(pid):
    """The number of the JVM that the process started; its launcher is replaced by it."""
    family, java = [pid], []
    while family:
        number = family.pop()
        with suppress(OSError):
            if b"java" in Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")[0]:
                java.append(number)
            for children in Path(f"/proc/{number}/task").glob("*/children"):
                family += map(int, children.read_text().split())
    return java[0]


def incomplete_files(out):
    complete = re.compile(r"functions|part-\d+\.parquet|[a-z]+\.(sqlite|jsonl)")
    return [str(path) for path in out.rglob("*") if not complete.fullmatch(path.name)]


def complaints_in(text):
    """All but what Java says when Spark starts it, and what a machine under load makes us say."""
    expected = re.compile(r"WARNING: Using incubator modules|stage .*blocked a pool thread for")
    return [line for line in text.splitlines() if not expected.match(line)]


@pytest.mark.spark
def test_ctrl_c_leaves_complete_outputs_of_a_part_and_exits_with_130(tmp_path):
    with running(tmp_path, STANDARD_LIBRARY) as process:
        os.killpg(process.pid, signal.SIGINT)
        printed, complaints = process.communicate(timeout=30)
    assert process.returncode == 130, complaints
    assert [line.split(":")[0] for line in complaints_in(complaints)] == ["stopping"]
    outputs = outputs_in(tmp_path)
    assert totals(printed) == {
        "files": sum(row["files"] for row in outputs.packages.values()),
        "functions": sum(row["functions"] for row in outputs.packages.values()),
        "failures": len(outputs.failures),
    }
    assert totals(printed)["functions"] == len(outputs.functions) > 0
    assert "stopped early" in printed
    assert incomplete_files(tmp_path) == []


@pytest.mark.spark
def test_a_second_ctrl_c_gives_up_what_is_in_hand_and_leaves_complete_files_only(begun, tmp_path):
    begun.interrupt()
    until(lambda: re.search("^stopping.*\n", begun.complaints, re.MULTILINE), "the first one")
    begun.interrupt()
    assert begun.code(30) == 130, begun.complaints
    heard = next(line for line in begun.complaints.splitlines() if line.startswith("stopping"))
    assert "press Ctrl-C again to cancel it" in heard
    if "stopped early" not in begun.printed:  # else it had ended before the second Ctrl-C
        *_, last = begun.complaints.splitlines()
        assert last == "code_census.py: cancelled; only complete files stay"
    assert incomplete_files(tmp_path) == []


@pytest.mark.spark
def test_the_page_is_announced_shows_the_census_and_ends_by_ctrl_c_with_code_0(censuses, tmp_path):
    for number in range(3):
        (tmp_path / f"module_{number}.py").write_text("def f(x):\n    return x\n")
    censuses.begin(tmp_path, "--out", tmp_path / "out", "--web")
    until(lambda: "the run has ended, " in censuses.printed or censuses.ended, "the end")
    assert not censuses.ended, censuses.complaints
    first, *lines = censuses.printed.splitlines()
    assert first == "starting Spark; the page comes when it is up"
    page = next(line for line in lines if line.startswith("the page: "))
    url = page.removeprefix("the page: ").strip()
    with urllib.request.urlopen(url + "events", timeout=60) as events:
        assert any(b'"state":"completed"' in line for line in events), "the page shows it"
    os.kill(censuses.pid, signal.SIGINT)
    assert censuses.code(60) == 0, censuses.complaints
    assert "one row per function" in censuses.printed


@pytest.mark.spark
def test_a_spark_master_that_is_none_is_named_and_nothing_is_written(
    censuses, source_tree, tmp_path
):
    censuses.begin(source_tree, "--out", tmp_path / "out", "--master", "nonsense")
    assert censuses.code(180) == 2
    *_, last = censuses.complaints.splitlines()
    assert last.startswith("code_census.py: expected a Spark master that answers, nonsense gave")
    assert "Traceback" not in censuses.complaints
    assert not (tmp_path / "out").exists()


@pytest.mark.spark
def test_a_killed_jvm_fails_the_census_in_one_sentence(begun, tmp_path):
    os.kill(java_of(begun.pid), signal.SIGKILL)
    assert begun.code(60) == 1, begun.complaints
    said = "\n".join(complaints_in(begun.complaints))
    assert re.fullmatch(r"code_census\.py: .*JVM.*", said)
    assert incomplete_files(tmp_path) == []


@pytest.fixture
def refused(monkeypatch, capsys):
    """Runs a census that must not get as far as Spark; gives its one complaint."""

    def run(*arguments):
        monkeypatch.setattr(
            "code_census.local_session", lambda *_, **__: pytest.fail("Spark was started")
        )
        assert main([str(argument) for argument in arguments]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.count("\n") == 1
        return printed.err

    return run


def test_a_path_that_does_not_exist_is_named_and_nothing_is_written(refused, tmp_path):
    complaint = refused(tmp_path / "nowhere", "--out", tmp_path / "out")
    assert f"{tmp_path / 'nowhere'} does not exist" in complaint
    assert not (tmp_path / "out").exists()


def test_a_directory_without_python_is_named_and_nothing_is_written(refused, tmp_path):
    assert f"{tmp_path} holds no .py file" in refused(tmp_path, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_output_directory_that_cannot_be_written_is_named(refused, source_tree):
    for out in (source_tree / "notes.txt" / "out", Path("/proc/census")):
        complaint = refused(source_tree, "--out", out)
        assert f"{out} cannot" in complaint


def test_an_earlier_census_is_left_alone_unless_told_to_overwrite(refused, source_tree, tmp_path):
    lay_out_earlier_census(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    complaint = refused(source_tree, "--out", tmp_path)
    assert str(tmp_path) in complaint
    assert "--overwrite" in complaint
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_overwriting_never_removes_a_directory_that_is_no_census(refused, source_tree, tmp_path):
    precious = tmp_path / "functions" / "precious.txt"
    precious.parent.mkdir()
    precious.write_text("mine")
    complaint = refused(source_tree, "--out", tmp_path, "--overwrite")
    assert f"{precious.parent} is something else" in complaint
    assert precious.read_text() == "mine"


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_in_flight_below_one_is_refused(number, capsys, source_tree, tmp_path):
    with pytest.raises(SystemExit) as caught:
        main([str(source_tree), "--out", str(tmp_path), f"--in-flight={number}"])
    assert caught.value.code == 2
    assert f"--in-flight: expected a number of partitions from 1 up, got '{number}'" in (
        capsys.readouterr().err
    )


def test_a_machine_without_java_is_told_what_to_install(monkeypatch, capsys, source_tree, tmp_path):
    def no_java(*_, **__):
        raise SparkUnavailable("Spark needs Java 17 or newer: install it")

    monkeypatch.setattr("code_census.local_session", no_java)
    assert main([str(source_tree), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == "code_census.py: Spark needs Java 17 or newer: install it\n"
    assert not (tmp_path / "out").exists()


def test_help_shows_examples(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    assert "examples:" in capsys.readouterr().out
