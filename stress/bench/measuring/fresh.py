"""Measurements of memory: in a process of their own, which nothing else has touched."""

from __future__ import annotations

import importlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["in_fresh_process", "most_resident_bytes", "resident_bytes"]

_STATM = Path("/proc/self/statm")


def resident_bytes() -> int:
    """Bytes of this process in memory now; where that cannot be read, the most there ever were."""
    if _STATM.exists():
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return most_resident_bytes()


def most_resident_bytes() -> int:
    """The most bytes of this process that there ever were in memory."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def in_fresh_process(module: str, function: str, n: int) -> Any:
    """What ``function(n)`` of ``module`` returns in a new process; raises if that fails.

    A number, or numbers by name.
    """
    command = [sys.executable, "-m", "stress.bench.measuring.fresh", module, function, str(n)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    measured = getattr(importlib.import_module(sys.argv[1]), sys.argv[2])
    print(json.dumps(measured(int(sys.argv[3]))))
