"""What the sinks that write files share: a file is complete or it is not there.

It is written under a temporary name in its own directory, which readers of data sets ignore
(leading dot), synced, and renamed into place. What fails names the file. An element that cannot be
written may be passed over; a restart would not help it, and keeps the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from weakref import WeakValueDictionary

from actors_rs.errors import ActorsRsError, WriteError
from actors_rs.stages.failure import STOP
from actors_rs.stages.linear import SinkLogic

__all__ = ["PendingFile", "WriteReport", "WritingSink", "naming"]

_numbers = count()  # two sinks on one path must not write into one file
_claimed: WeakValueDictionary[str, PendingFile] = WeakValueDictionary()
"""Who is under way to which path; one that was forgotten claims nothing."""


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What a sink has written: complete files, in order, and the rows that are in them."""

    files: tuple[str, ...]
    rows: int


class WritingSink(SinkLogic):
    """A sink that holds an open file, which nothing but the end of the stage may close."""

    def renew(self, error: BaseException, position: int | None) -> None:
        """Go on as ``resume`` does: fresh state would throw away what has been written."""

    @property
    def may_pass_over(self) -> bool:
        """Whether one element that cannot be written need not be the end."""
        return self.on_failure != STOP


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
    """A file on its way: ``temporary`` is written to, then ``publish`` or ``discard``.

    Where ``path`` is a symbolic link, it stays one, and the file is what it leads to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._target = target = Path(os.path.realpath(path))
        self.temporary = target.with_name(f".{target.name}.{os.getpid()}-{next(_numbers)}.tmp")

    @classmethod
    def part(cls, directory: Path, number: int, suffix: str) -> PendingFile:
        """Part ``number`` of a data set, or the next one that nobody has or is writing.

        The temporary file holds the number against other sinks on the same directory.
        """
        while True:
            pending = cls(directory / f"part-{number:05d}{suffix}")
            pending.temporary = directory / f".part-{number:05d}{suffix}.tmp"
            number += 1
            try:
                pending.temporary.open("xb").close()
            except FileExistsError:
                continue
            if not pending.path.exists():
                return pending
            pending.discard()

    def claim(self) -> None:
        """Raise ``FileExistsError`` if another one of this process is under way to the same path.

        The last to be renamed would replace what the others have written.
        """
        if _claimed.setdefault(str(self._target), self) is not self:
            raise FileExistsError("another sink of this process is writing it")

    def _release(self) -> None:
        if _claimed.get(str(self._target)) is self:
            del _claimed[str(self._target)]

    def publish(self) -> None:
        """Sync and rename into place; from then on the file is complete."""
        _sync(self.temporary)
        os.replace(self.temporary, self._target)
        self._release()
        with suppress(OSError):  # a file system may not let one sync a directory
            _sync(self._target.parent)

    def discard(self) -> None:
        """Remove what was written so far."""
        with suppress(OSError):
            self.temporary.unlink(missing_ok=True)
        self._release()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
