"""How far the files of a source are read, in bytes as they are on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from os import PathLike
from stat import S_ISREG
from typing import Any

__all__ = ["BytesRead", "size_of"]


class BytesRead:
    """Counts the bytes of one run: compressed ones, if the file is. Any thread may read it."""

    def __init__(self) -> None:
        self.done = 0
        self.total: int | None = None
        """The size of all files; ``None`` if it is not known."""

    def counting(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """``chunks``, each counted when it has been read."""
        for chunk in chunks:
            self.done += len(chunk)
            yield chunk

    def details(self) -> dict[str, Any]:
        """Figures for the snapshot: ``bytes_read``, and ``bytes_total`` if it is known."""
        done, total = self.done, self.total
        if total is None:
            return {"bytes_read": done} if done else {}
        return {"bytes_read": done, "bytes_total": max(done, total)}  # a file may grow


def size_of(paths: Iterable[str | PathLike[str]]) -> int | None:
    """The bytes of all files at ``paths``; ``None`` if one is missing, or no regular file."""
    total = 0
    for path in paths:
        try:
            found = os.stat(path)
        except (OSError, ValueError):  # reading it says so
            return None
        if not S_ISREG(found.st_mode):
            return None
        total += found.st_size
    return total
