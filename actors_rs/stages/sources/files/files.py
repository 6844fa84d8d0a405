"""files("logs/**/*.csv")

logs/1.csv logs/2.csv |

Gives the paths of the files that match a pattern, sorted, as found on first demand. Where nothing
matches in a directory that is there, there are none, and a warning in the log says so.

Back-pressure: looks at each path when it is asked for, on a thread of its own.
Completes: after the last path.
Fails: when the pattern is a name of no file, or its directory is not there or cannot be read
(ReadError).
Cancels: nothing is held.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path

from actors_rs.stages.files.matching import files_matching
from actors_rs.stages.source import IteratorSource
from actors_rs.texts import repr_of


class Files(IteratorSource):
    """Paths of files, not of directories; ``**`` in the pattern stands for any directories."""

    def __init__(self, pattern: str | PathLike[str]) -> None:
        super().__init__()
        self._pattern = fspath(pattern)

    def elements(self) -> Iterator[Path]:
        files = files_matching(self._pattern)
        if (first := next(files, None)) is None:
            self.context.warn(f"no file matches {repr_of(self._pattern)}: it gives no elements")
            return
        yield first
        yield from files
