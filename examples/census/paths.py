"""Which files a census reads: owns listing them and refusing paths that hold none.

The listing is complete by promise: every name ending in `.py` is in it, readable or not, and so is
a directory that cannot be looked into. Extracting turns those into failure rows, so nothing drops
out unseen.
"""

import os
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from census import BadInputError

# A plain tuple, because Spark broadcasts the listing with the ordinary pickle, and executors
# could not import a class of this package.
SourceFile = tuple[str, str]

INSTALLED = frozenset({"site-packages", "dist-packages"})


def standard_library() -> str:
    """The directory of the running interpreter's standard library."""
    return sysconfig.get_path("stdlib")


def list_files(paths: Sequence[str]) -> list[SourceFile]:
    """Every Python file below `paths` as (path, package), sorted, each file once.

    Raises BadInputError when a path does not exist or holds no `.py` file.
    """
    found: dict[str, SourceFile] = {}
    for path in paths:
        for file in _below(path):
            found.setdefault(os.path.realpath(file[0]), file)
    return sorted(found.values())


def _below(path: str) -> list[SourceFile]:
    if not os.path.exists(path):
        raise BadInputError(f"expected a file or directory of Python source, {path} does not exist")
    if os.path.isdir(path):
        files = [(name, package_of(name, path)) for name in _walk(path)]
    else:
        files = [(path, Path(path).stem)] if path.endswith(".py") else []
    if not files:
        raise BadInputError(f"expected Python source, {path} holds no .py file")
    return files


def _walk(root: str) -> Iterator[str]:
    """Names ending in .py below root, and directories that cannot be listed."""
    locked: list[str] = []
    for directory, subdirectories, files in os.walk(
        root, onerror=lambda error: locked.append(os.fspath(error.filename))
    ):
        subdirectories[:] = [name for name in subdirectories if name not in INSTALLED]
        for name in (*files, *subdirectories):
            if name.endswith(".py"):
                yield os.path.join(directory, name)
    yield from locked


def package_of(file: str, root: str) -> str:
    """The first component of `file` below `root`; for a file directly in it, the module's name."""
    first, *rest = Path(file).relative_to(root).parts or (Path(root).name,)
    return first if rest else first.removesuffix(".py")
