"""Memory of a process and all that it has started, pages that they share counted once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["peak_of", "tree_memory"]

LOOK_SECONDS = 0.05


class _Peak:
    bytes = 0


@contextmanager
def peak_of(pid: int) -> Iterator[_Peak]:
    """Looks at the tree of ``pid`` twenty times a second, until the block ends."""
    peak, over = _Peak(), threading.Event()

    def look() -> None:
        while not over.wait(LOOK_SECONDS):
            peak.bytes = max(peak.bytes, tree_memory(pid))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()


def tree_memory(pid: int) -> int:
    """Bytes now, by proportional set size; raises ``RuntimeError`` where Linux does not tell."""
    if not Path("/proc/self/smaps_rollup").exists():
        raise RuntimeError("memory of jobs is read from /proc/PID/smaps_rollup: run it on Linux")
    return sum(map(_proportional, _with_descendants(pid)))


def _with_descendants(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(stat.parent.name))
    found = [pid]
    for one in found:
        found += parents.get(one, ())
    return found


def _proportional(pid: int) -> int:
    with suppress(OSError):
        for entry in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if entry.startswith("Pss:"):
                return int(entry.split()[1]) * 1024
    return 0
