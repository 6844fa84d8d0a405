"""The output directory: owns its three names, and never destroys what a census did not write.

`Outputs.check` only looks, so it can run before anything is started. `Outputs.open` is
the one step that changes the directory; it comes when the first rows are about to be written.
"""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from census import BadInputError


@dataclass(frozen=True)
class Outputs:
    """Where a census is written."""

    directory: Path

    @property
    def functions(self) -> Path:
        """A Parquet data set, one row per function."""
        return self.directory / "functions"

    @property
    def packages(self) -> Path:
        """A SQLite database with the table `packages`."""
        return self.directory / "packages.sqlite"

    @property
    def failures(self) -> Path:
        """One JSON object per line and failed file."""
        return self.directory / "failures.jsonl"

    def check(self, overwrite: bool) -> None:
        """Raise BadInputError when the directory cannot be written or holds what must stay."""
        self._check_writable()
        present = [path for path in self._all() if os.path.lexists(path)]
        if present and not overwrite:
            raise BadInputError(
                f"expected an output directory without an earlier census, {present[0]} is "
                "there; --overwrite replaces it"
            )
        if foreign := next((path for path in present if not self._replaceable(path)), None):
            raise BadInputError(
                f"expected an earlier census to overwrite, {foreign} is something else"
            )

    def open(self) -> None:
        """Make the directory, without an earlier census in it. Raises OSError."""
        self.directory.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.functions, ignore_errors=True)
        for path in (self.packages, *self._journals(), self.failures):
            path.unlink(missing_ok=True)

    def _check_writable(self) -> None:
        nearest = self.directory
        while not os.path.lexists(nearest) and nearest != nearest.parent:
            nearest = nearest.parent
        try:
            # Trying it is the only sure test: modes say nothing to root or on a read-only disk.
            with tempfile.TemporaryFile(dir=nearest):
                pass
        except OSError as error:
            raise BadInputError(
                f"expected an output directory that can be written, {self.directory} cannot: "
                f"{error.strerror} ({nearest})"
            ) from error

    def _all(self) -> tuple[Path, ...]:
        return self.functions, self.packages, *self._journals(), self.failures

    def _journals(self) -> tuple[Path, Path]:
        return (
            self.packages.with_name(self.packages.name + "-wal"),
            self.packages.with_name(self.packages.name + "-shm"),
        )

    def _replaceable(self, path: Path) -> bool:
        if path != self.functions:
            return path.is_file()
        return path.is_dir() and all(".parquet" in file.name for file in path.iterdir())
