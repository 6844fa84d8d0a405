"""The files that match a pattern: ``*``, ``?``, ``[...]``, and ``**`` for any directories."""

from __future__ import annotations

import os
from collections.abc import Iterator
from errno import ELOOP, ENOENT, ENOTDIR
from fnmatch import fnmatch
from glob import escape
from itertools import takewhile
from os.path import join
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from actors_rs.stages.files.reading import reading
from actors_rs.texts import repr_of

__all__ = ["files_matching"]

_NOTHING_THERE = (ENOENT, ENOTDIR, ELOOP)


def files_matching(pattern: str) -> Iterator[Path]:
    """The files, not directories, that match ``pattern``, sorted; each once.

    Raises ``ReadError`` if the pattern is the name of no file, or if its directory is not there or
    cannot be read.
    """
    path = Path(pattern)
    parts = path.parts[1:] if path.anchor else path.parts
    if _is_name(pattern):
        _expect_file(path)
    else:
        _expect_directory(join(path.anchor, *takewhile(_is_name, parts)), pattern)
    found = sorted(set(_matching(path.anchor, parts)))
    return (Path(one) for one in found if S_ISREG(_mode_of(one)))


def _expect_file(path: Path) -> None:
    """Raise unless something is at ``path`` that is no directory."""
    mode = _mode_of(str(path))
    with reading(path):
        if S_ISDIR(mode):
            raise IsADirectoryError(f"it is a directory: did you mean {repr_of(str(path / '*'))}?")
        if not mode:
            raise FileNotFoundError("expected a file, found none of this name")


def _expect_directory(path: str, pattern: str) -> None:
    """Raise unless a directory is at ``path``, where all files are that match ``pattern``."""
    if path and not S_ISDIR(_mode_of(path)):
        with reading(path):
            raise NotADirectoryError(
                f"expected a directory with files that match {repr_of(pattern)}, found none"
            )


def _is_name(pattern: str) -> bool:
    """Whether it matches nothing but itself."""
    return escape(pattern) == pattern


def _matching(directory: str, parts: tuple[str, ...]) -> Iterator[str]:
    """The paths in ``directory`` that match ``parts``; some come twice, or are not there.

    As ``glob`` finds them, which takes a directory that cannot be read for an empty one.
    """
    part, rest = parts[0], parts[1:]
    if part == "**":
        for found in _directories(directory, frozenset()):
            yield from _matching(found, rest or ("*",))
    elif _is_name(part):
        yield from _within(join(directory, part), rest)
    else:
        for entry in _entries(directory, hidden=part.startswith(".")):
            if fnmatch(entry.name, part):
                yield from _within(join(directory, entry.name), rest)


def _within(path: str, parts: tuple[str, ...]) -> Iterator[str]:
    if not parts:
        yield path
    elif S_ISDIR(_mode_of(path)):
        yield from _matching(path, parts)


def _directories(top: str, above: frozenset[tuple[int, int]]) -> Iterator[str]:
    """``top`` and those in it, but for hidden ones and links to what they are in themselves."""
    status = _stat(top or os.curdir)
    if status is None or (status.st_dev, status.st_ino) in above:
        return
    yield top
    for entry in _entries(top, hidden=False):
        path = join(top, entry.name)
        if _is_directory(entry, path):
            yield from _directories(path, above | {(status.st_dev, status.st_ino)})


def _is_directory(entry: os.DirEntry[str], path: str) -> bool:
    with reading(path):
        if entry.is_dir(follow_symlinks=False):
            return True
        return entry.is_symlink() and S_ISDIR(_mode_of(path))


def _entries(directory: str, *, hidden: bool) -> list[os.DirEntry[str]]:
    with reading(directory or os.curdir):
        try:
            with os.scandir(directory or os.curdir) as entries:
                return [entry for entry in entries if hidden or not entry.name.startswith(".")]
        except OSError as error:
            if error.errno in _NOTHING_THERE:
                return []
            raise


def _mode_of(path: str) -> int:
    """The mode of the file at ``path``, 0 without one."""
    status = _stat(path)
    return 0 if status is None else status.st_mode


def _stat(path: str) -> os.stat_result | None:
    """``None`` if nothing is at ``path``, or not any more."""
    with reading(path):
        try:
            return os.stat(path)
        except OSError as error:
            if error.errno in _NOTHING_THERE:
                return None
            raise
