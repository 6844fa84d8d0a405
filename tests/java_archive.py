"""Print options of the JVM with which Spark starts in half the time; one line, or nothing.

A JVM can write the classes that it has loaded and checked into an archive, which later ones map
into their memory. `build/` holds one for each Java and each installed Spark. Where no archive can
be made, nothing is printed, and Spark starts as ever.
"""

import hashlib
import os
import shlex
import sys
import tempfile
from pathlib import Path

import pyspark

from actors_rs.spark import local_session
from tests.java_home import java_home

BUILD = Path(__file__).resolve().parent.parent / "build"
SECONDS = 60
"""How long a JVM may take to write the archive as it ends."""


def archive() -> Path:
    """Where the archive of this Java and this Spark is."""
    java = java_home()
    release = java / "release"
    said = release.read_text() if release.exists() else ""
    named = f"{java} {said} {pyspark.__file__} {pyspark.__version__}"
    return BUILD / f"spark-{hashlib.sha256(named.encode()).hexdigest()[:12]}.jsa"


def write(target: Path) -> None:
    """Run what most tests need of Spark in a JVM that writes down its classes."""
    os.environ["SPARK_SUBMIT_OPTS"] = f"-Xlog:disable -XX:ArchiveClassesAtExit={quoted(target)}"
    session = local_session("archive", short_lived=True)
    gateway = session.sparkContext._gateway
    assert gateway is not None
    process = gateway.proc
    with tempfile.TemporaryDirectory() as folder:
        rows = session.range(100).selectExpr("id", "string(id % 7) as name")
        rows = rows.mapInArrow(lambda batches: batches, rows.schema)
        rows.write.parquet(f"{folder}/rows")
        session.read.parquet(f"{folder}/rows").groupBy("name").count().toArrow()
        session.createDataFrame([(1, "a")], "id int, name string").write.json(f"{folder}/json")
        session.sparkContext.parallelize(range(10), 2).map(str).collect()
    session.stop()
    process.stdin.close()
    process.wait(SECONDS)


def quoted(path: Path) -> str:
    """``path`` as a part of a line of options."""
    return shlex.quote(str(path))


def main() -> None:
    """Make the archive if there is none, and print the options that use it."""
    target = archive()
    if not target.exists():
        BUILD.mkdir(exist_ok=True)
        unfinished = target.with_suffix(f".{os.getpid()}")
        write(unfinished)
        if not unfinished.exists():
            return
        unfinished.replace(target)  # another process may have made the same at the same time
    print(f"-Xlog:disable -XX:SharedArchiveFile={quoted(target)}")


if __name__ == "__main__":
    main()
    sys.stdout.flush()
