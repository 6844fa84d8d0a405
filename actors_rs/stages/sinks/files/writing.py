"""Base of the sinks that write files: a file is complete or it is not there.

It is written under a temporary name in its own directory, which readers of data sets ignore
(leading dot), synced, and renamed into place. Each error names the file. An element that cannot be
written may be passed over; a restart would not help it, and keeps the file. If the file itself
cannot be written, on a full disk for instance, no element is at fault: the stage stops under any
policy, and the incomplete file is deleted.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from platform import node
from typing import IO, Any
from weakref import ref
from zlib import crc32

from actors_rs.errors import WriteError
from actors_rs.stages.failure import STOP
from actors_rs.stages.files.naming import naming
from actors_rs.stages.linear import SinkLogic

try:
    import fcntl
except ImportError:  # a system without it: files of a killed process stay
    fcntl = None  # type: ignore[assignment]

__all__ = [
    "PendingFile",
    "WriteReport",
    "WritingSink",
    "expect_file",
    "make_directory",
    "remove_abandoned_parts",
]

_KINDS = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_HOST = f"{crc32(node().encode()):08x}"
"""This machine, briefly: a file name may be no longer than 255 bytes."""

_claimed: dict[str, ref[PendingFile]] = {}
"""Who is under way to which path; one that was forgotten claims nothing."""


def _unclaim(path: str, claim: ref[PendingFile]) -> None:
    if _claimed.get(path) is claim:
        del _claimed[path]


@dataclass(frozen=True, slots=True)
class WriteReport:
    """The result of a sink of files: complete ``files``, in order, and the number of ``rows``.

    >>> Source.of("a", "b").run(Sink.lines("out.txt"))
    WriteReport(files=('out.txt',), rows=2)
    """

    files: tuple[str, ...]
    rows: int


class WritingSink(SinkLogic):
    """A sink that holds an open file, which nothing but the end of the stage may close."""

    def renew(self, error: BaseException, position: int | None) -> None:
        """Go on as ``resume`` does: fresh state would throw away what has been written."""

    def is_of_the_file(self, error: BaseException) -> bool:
        """Whether no element is at fault for ``error``: the next one would fare no better."""
        return issubclass(type(error), WriteError)

    def survives(
        self,
        error: BaseException,
        element: Any,
        position: int | None,
        *,
        first: Callable[[], None] | None = None,
    ) -> bool:
        """A file that has failed is not written any further, under any policy."""
        if not self.is_of_the_file(error):
            return super().survives(error, element, position, first=first)
        if first is not None:
            first()
        self.fail(error)
        return False

    def expect_new(self, pending: PendingFile) -> None:
        """Raise ``FileExistsError`` if this very run has made the file, which would be replaced."""
        if pending.target in self.context.written:
            raise FileExistsError(
                "this run has written it already, and a second sink would replace it: give each "
                "sink of the run a path of its own; where a key of group_by(idle_timeout=) comes "
                "back, put a number or the time into its path"
            )

    def lose(self, rows: int, path: str | os.PathLike[str]) -> None:
        """An unfinished file is thrown away, with ``rows`` that nobody holds any more.

        Where the run fails that is no news. A section that is made anew goes on without them.
        """
        if rows and self.on_lost is not None:
            self.on_lost((f"{rows} rows in {os.fspath(path)}, which was not finished",))

    @property
    def may_pass_over(self) -> bool:
        """Whether one element that cannot be written need not be the end."""
        return self.on_failure != STOP


class PendingFile:
    """A file on its way: ``temporary`` is written to, then ``publish`` or ``discard``.

    Where ``path`` is a symbolic link, the link stays, and its target is written. A file that exists
    already keeps its permissions when it is replaced.

    The name of ``temporary`` contains the machine and the process, which holds a lock on it as long
    as it lives. So a file of this machine without a lock was left by a killed process. The number
    of a process alone is not enough: another process could have it by now. On a file system that
    several machines share, each may see its own locks only.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._target = target = Path(os.path.realpath(path))
        name = f".{target.name}.{_HOST}-{os.getpid()}-{os.urandom(4).hex()}.tmp"
        self.temporary = target.with_name(name)
        self._claim = ref(self, partial(_unclaim, str(target)))
        self._lock: IO[bytes] | None = None
        self._number: Path | None = None  # the file that holds the number of a part
        self._spoilt = False

    @property
    def target(self) -> str:
        """The real path of the file, with symbolic links resolved."""
        return str(self._target)

    @classmethod
    def part(cls, directory: Path, number: int, suffix: str) -> PendingFile:
        """Part ``number`` of a data set, or the next one that nobody has or is writing.

        An empty hidden file holds the number against other sinks on the same directory.
        """
        while True:
            pending = cls(directory / f"part-{number:05d}{suffix}")
            taken = directory / f".part-{number:05d}{suffix}.tmp"
            number += 1
            try:
                taken.open("xb").close()
            except FileExistsError:
                continue
            pending._number = taken
            if not pending.path.exists():
                return pending._begun()
            pending.discard()

    def claim(self) -> None:
        """Make ``temporary``, and remove what killed processes left of the same file.

        Raises ``FileExistsError`` if another one of this process is under way to the same path:
        the last to be renamed would replace what the others have written. ``OSError`` if there is
        something at the path that is no file.
        """
        expect_file(self._target)
        # One step for all threads; a WeakValueDictionary takes several.
        while (other := _claimed.setdefault(str(self._target), self._claim)()) is None:
            pass  # that one is being forgotten, and its claim with it
        if other is not self:
            raise FileExistsError("another sink of this process is writing it")
        _remove_abandoned(self._target.parent, re.escape(self._target.name))
        self._begin()

    def _begun(self) -> PendingFile:
        try:
            self._begin()
        except Exception:
            self.discard()
            raise
        return self

    def _begin(self) -> None:
        """Make ``temporary``; it has its name when it is held, so nobody takes it for abandoned."""
        self._lock = self._unheld.open("xb")
        if fcntl is not None:
            with suppress(OSError):  # no locks here: then nobody removes it either
                fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._unheld.rename(self.temporary)
        self._take_permissions(stat.S_IRUSR | stat.S_IWUSR)  # no other user can read it yet

    @property
    def _unheld(self) -> Path:
        return self.temporary.with_suffix(".new")

    def _take_permissions(self, more: int) -> None:
        with suppress(FileNotFoundError):
            mode = stat.S_IMODE(self._target.stat().st_mode) | more
            if mode != stat.S_IMODE(self.temporary.stat().st_mode):
                self.temporary.chmod(mode)

    def _release(self) -> None:
        _unclaim(str(self._target), self._claim)
        if self._lock is not None:
            self._lock.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Errors of the block name the file, which can no longer be published after one."""
        try:
            with naming(self.path):
                yield
        except BaseException:
            self.spoil()
            raise

    def spoil(self) -> None:
        """A write has failed: nobody knows what is in the file."""
        self._spoilt = True

    def publish(self, committing: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        """Sync and rename into place, the latter in a block of ``committing``.

        From then on the file is complete.
        """
        if self._spoilt:
            raise OSError("a write to it has failed before")
        _sync(self.temporary)
        self._take_permissions(0)
        with committing():
            os.replace(self.temporary, self._target)
        with suppress(OSError):
            self._free_number()
        self._release()
        with suppress(OSError):  # a file system may not let one sync a directory
            _sync(self._target.parent)

    def discard(self) -> None:
        """Remove what was written so far."""
        with suppress(OSError):
            self._unheld.unlink(missing_ok=True)
            self.temporary.unlink(missing_ok=True)
            self._free_number()
        self._release()

    def _free_number(self) -> None:
        """Called after the temporary file is gone: a sink that finds one abandoned frees both."""
        if self._number is not None:
            self._number.unlink(missing_ok=True)


def make_directory(path: Path) -> None:
    """Make the directory ``path`` unless it is there; ``OSError`` if something else is."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        text = f"expected a directory or nothing there, found {_kind_of(path)}"
        raise NotADirectoryError(text) from None


def remove_abandoned_parts(directory: Path) -> None:
    """Remove the parts that killed processes were writing."""
    for name in _remove_abandoned(directory, r"part-\d+\.\w+"):
        (directory / f"{name}.tmp").unlink(missing_ok=True)  # what held its number


def expect_file(path: Path) -> None:
    """Raise ``OSError`` if there is something at ``path`` that is no file: it would be replaced."""
    try:
        kind = _kind_of(path)
    except FileNotFoundError:
        return
    if kind != "a file":
        raise FileExistsError(f"expected a file or nothing there, found {kind}")


def _kind_of(path: Path) -> str:
    return _KINDS.get(stat.S_IFMT(path.stat().st_mode), "no file")


def _remove_abandoned(directory: Path, name: str) -> list[str]:
    """Remove temporary files of this machine that no process holds; ``name`` is a pattern.

    Returns the hidden names of what they were to be.
    """
    pattern = re.compile(rf"(\.{name})\.{_HOST}-\d+-[0-9a-f]{{8}}\.tmp")
    removed = []
    for found in filter(None, map(pattern.fullmatch, os.listdir(directory))):
        with suppress(OSError):  # it is another one's, is held, or has gone
            _remove_unless_held(directory / found[0])
            removed.append(found[1])
    return removed


def _remove_unless_held(path: Path) -> None:
    """Raise ``OSError`` if a process holds ``path``, or nobody can tell."""
    if fcntl is None:
        raise OSError("this operating system has no file locks")
    with path.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(file.fileno()), path.lstat()):
            raise FileNotFoundError("another process has just made it anew")
        path.unlink()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
