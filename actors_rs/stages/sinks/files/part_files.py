"""The part files of one directory: which there are, and what is written beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from actors_rs.stages.arrow.match import mismatch
from actors_rs.stages.files.reading import reading
from actors_rs.stages.sinks.files.directory_hold import DirectoryHold
from actors_rs.stages.sinks.files.writing import make_directory, remove_abandoned_parts

__all__ = ["PartFiles", "number_of"]


class PartFiles:
    """Those named ``part-*.parquet`` in ``directory``."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._hold = DirectoryHold(directory)

    def take(self, who: str) -> None:
        """Make the directory unless it is there, hold it, and remove what killed processes left.

        Other sinks' errors give ``who``. Raises ``OSError`` if something else is there, or
        another sink has it.
        """
        make_directory(self._directory)
        self._hold.take(who)
        remove_abandoned_parts(self._directory)

    def release(self) -> None:
        """Let another sink have the directory."""
        self._hold.release()

    def paths(self) -> list[Path]:
        """All that are there now, by name."""
        return sorted(self._directory.glob("part-*.parquet"))

    def next_number(self) -> int:
        """The first number after all existing files."""
        return max(map(number_of, self.paths()), default=-1) + 1

    def expect_none(self) -> None:
        """Raise ``FileExistsError`` if one is there."""
        if parts := self.paths():
            raise FileExistsError(
                f"expected no part files there (existing='refuse'), found {parts[0].name}"
            )

    def schema_beside(self, own: Any, *, inferred: bool = False) -> Any:
        """The schema for writing data of the schema ``own``: the schema of the first file.

        Raises ``ValueError`` if ``own`` does not fit one of the files: they could not be read
        together with the next ones. ``inferred`` as for ``mismatch``.
        """
        from pyarrow import parquet

        schemas = []
        for path in self.paths():
            with reading(path):
                there = parquet.read_schema(path)
            if difference := mismatch(own, there, inferred=inferred):
                without_type = any(str(kind) == "null" for kind in there.types)
                either = "" if without_type else "that schema, or "
                raise ValueError(
                    f"expected data that fits the files that are there, {path.name} for one, got "
                    f"{difference}: give Sink.parquet {either}another directory"
                )
            schemas.append(there)
        return schemas[0].with_metadata(own.metadata) if schemas else own


def number_of(part: Path) -> int:
    """-1 if it has none."""
    number = part.stem.removeprefix("part-")
    return int(number) if number.isdecimal() else -1
