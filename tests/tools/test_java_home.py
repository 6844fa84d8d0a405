"""tools/java_home.py against small programs that behave like a `java`: no Java is needed here."""

import subprocess
from pathlib import Path

import pytest

from tools.java_home import machine_java_home, main, major_version, write_wrapper


def make_program(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def make_java(home: Path, version: str) -> Path:
    say = f'echo "    java.home = {home}" >&2; echo \'openjdk version "{version}"\' >&2'
    make_program(home / "bin" / "java", say)
    return home


@pytest.mark.parametrize(
    ("banner", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "25" 2025-09-16', 25),
        ('java version "1.8.0_402"', 8),
        ('openjdk version "21-ea" 2023-09-19', 21),
        ("command not found", None),
    ],
)
def test_the_major_version_is_read_from_every_form_of_the_banner(banner, major):
    assert major_version(banner) == major


def test_a_good_java_home_is_kept(tmp_path):
    home = make_java(tmp_path / "jdk", "17.0.1")
    assert machine_java_home({"JAVA_HOME": str(home), "PATH": ""}) == home


def test_a_java_on_the_path_is_asked_for_its_own_home(tmp_path):
    home = make_java(tmp_path / "jdk", "21.0.2")
    links = tmp_path / "links"
    links.mkdir()
    (links / "java").symlink_to(home / "bin" / "java")
    assert machine_java_home({"PATH": str(links)}) == home


def test_an_old_java_home_gives_way_to_a_new_java_on_the_path(tmp_path):
    old, new = make_java(tmp_path / "old", "11.0.2"), make_java(tmp_path / "new", "17.0.2")
    assert machine_java_home({"JAVA_HOME": str(old), "PATH": str(new / "bin")}) == new


@pytest.mark.parametrize("version", ["1.8.0_402", "11.0.2", "16.0.1"])
def test_a_java_older_than_17_is_no_java(tmp_path, version):
    home = make_java(tmp_path / "jdk", version)
    assert machine_java_home({"JAVA_HOME": str(home), "PATH": str(home / "bin")}) is None


def test_a_java_home_without_java_and_an_empty_path_are_no_java(tmp_path):
    assert machine_java_home({"JAVA_HOME": str(tmp_path), "PATH": str(tmp_path)}) is None


def test_a_java_that_fails_is_no_java(tmp_path):
    make_program(tmp_path / "bin" / "java", "echo 'openjdk version \"17.0.1\"' >&2; exit 1")
    assert machine_java_home({"JAVA_HOME": str(tmp_path), "PATH": ""}) is None


def test_the_wrapper_drops_the_missing_module_and_passes_every_other_argument_as_it_came(tmp_path):
    show = make_program(tmp_path / "the real" / "java", "printf '%s\\n' \"$@\"")
    launcher = write_wrapper(show, tmp_path / "home") / "bin" / "java"
    given = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "a b", "", "--add-modules", "java.sql"]
    given += ["--add-modules", "jdk.incubator.vector", "$HOME", "last", "--add-modules"]
    shown = subprocess.run([launcher, *given], capture_output=True, text=True, check=True).stdout
    expected = ["-Xmx1g", "a b", "", "--add-modules", "java.sql", "$HOME", "last", "--add-modules"]
    assert shown.splitlines() == expected


def test_the_wrapper_gives_back_the_exit_code_of_java(tmp_path):
    failing = make_program(tmp_path / "java", "exit 7")
    launcher = write_wrapper(failing, tmp_path / "home") / "bin" / "java"
    assert subprocess.run([launcher], check=False).returncode == 7


def test_standard_output_holds_the_home_and_nothing_else(tmp_path, monkeypatch, capsys):
    home = make_java(tmp_path / "jdk", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert main() == 0
    assert capsys.readouterr().out == f"{home}\n"
