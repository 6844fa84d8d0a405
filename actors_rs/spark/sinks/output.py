"""Whose output a directory holds, on any file system that Spark can write to."""

from __future__ import annotations

from typing import Any

from actors_rs.errors import LedgerError

__all__ = ["NO_UNIT", "own_directory"]

OWNER = "_actors_rs_run"
"""The file in a directory of units that names the run and the sink they belong to."""


NO_UNIT = "__HIVE_DEFAULT_PARTITION__"
"""In place of a number, for the empty data set of a run without rows: readers find null there."""


def own_directory(context: Any, path: str, me: str) -> None:
    """Make the directory at ``path`` that of ``me``; ``LedgerError`` if it is another one's."""
    files = context._jvm.org.apache.hadoop.fs
    directory = files.Path(path)
    system = directory.getFileSystem(context._jsc.hadoopConfiguration())
    owner = files.Path(directory, OWNER)
    # Nothing in it: its writer was killed at the beginning, and has written nothing else.
    theirs = _read(context, system, owner) if system.exists(owner) else ""
    if not theirs and _holds_files(system, directory):
        theirs = "files of its own"
    if not theirs:
        stream = system.create(owner)
        stream.write(bytearray(me.encode()))
        stream.close()
        return
    if theirs != me:
        raise LedgerError(
            f"{path} already holds the output of another run or sink ({theirs}): give this one "
            f"({me}) an empty directory, or that which it had before"
        )


def _holds_files(system: Any, directory: Any) -> bool:
    """Whether there is anything but our own file, and an empty data set."""
    if not system.exists(directory):
        return False
    names = (one.getPath().getName() for one in system.listStatus(directory))
    return any(not (name == OWNER or name.endswith(f"={NO_UNIT}")) for name in names)


def _read(context: Any, system: Any, file: Any) -> str:
    stream = system.open(file)
    try:
        return bytes(stream.readAllBytes()).decode()
    finally:
        stream.close()
