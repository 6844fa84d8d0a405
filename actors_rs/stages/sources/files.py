"""files("logs/**/*.csv")

logs/1.csv logs/2.csv |

Gives the paths of the files that match a pattern, sorted, as found on first demand.

Back-pressure: looks at each path when it is asked for, on a thread of its own.
Completes: behind the last path.
Fails: when a directory cannot be read.
Cancels: nothing is held.
"""

from __future__ import annotations

from collections.abc import Iterator
from glob import iglob
from os import PathLike, fspath
from pathlib import Path

from actors_rs.stages.source import IteratorSource


class Files(IteratorSource):
    """Paths of files, not of directories; ``**`` in the pattern stands for any directories."""

    def __init__(self, pattern: str | PathLike[str]) -> None:
        super().__init__()
        self._pattern = fspath(pattern)

    def elements(self) -> Iterator[Path]:
        found = map(Path, sorted(iglob(self._pattern, recursive=True)))
        return (path for path in found if path.is_file())
