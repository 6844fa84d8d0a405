"""What the sinks that write files share: a file is complete or it is not there.

It is written under a temporary name in its own directory, which readers of data sets ignore
(leading dot), synced, and renamed into place. What fails names the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from actors_rs.errors import ActorsRsError, WriteError

__all__ = ["PendingFile", "WriteReport", "naming"]


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What a sink has written: complete files, in order, and the rows that are in them."""

    files: tuple[str, ...]
    rows: int


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn whatever goes wrong inside into a ``WriteError`` that names ``path``."""
    try:
        yield
    except ActorsRsError:
        raise
    except Exception as error:
        raise WriteError(os.fspath(path), error) from error


class PendingFile:
    """A file on its way: ``temporary`` is written to, then ``publish`` or ``discard``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")

    def publish(self) -> None:
        """Sync and rename into place; from then on the file is complete."""
        _sync(self.temporary)
        os.replace(self.temporary, self.path)
        with suppress(OSError):  # a file system may not let one sync a directory
            _sync(self.path.parent)

    def discard(self) -> None:
        """Remove what was written so far."""
        with suppress(OSError):
            self.temporary.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
