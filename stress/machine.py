"""How late the machine itself is: what a process of its own sees that wants to wake on time.

A figure taken under load is that of the runtime and of whatever else the machine does. So the
other half is measured beside it, at the same time, by a process that shares nothing with ours but
the processors: it sleeps for a millisecond again and again and notes by how much it overslept.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import quantiles

__all__ = ["Lateness", "lateness_of_the_machine"]

SLEEPER = """\
import sys, threading, time
over = []
ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
print("ready", flush=True)
while not ended.is_set():
    began = time.monotonic()
    time.sleep(0.001)
    over.append(time.monotonic() - began - 0.001)
print(*(f"{one:.6f}" for one in over))
"""


class Lateness:
    """By how many seconds the sleeper overslept; known behind the end of the block."""

    def __init__(self) -> None:
        self.overslept: list[float] = []

    @property
    def p99(self) -> float:
        """In 99 of 100 cases it was no more than this."""
        return quantiles(self.overslept, n=100)[98] if len(self.overslept) > 1 else 0.0


@contextmanager
def lateness_of_the_machine() -> Iterator[Lateness]:
    """Measured from the beginning of the block to its end."""
    seen = Lateness()
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", SLEEPER], stdin=pipe, stdout=pipe) as sleeper:
        assert sleeper.stdin is not None
        assert sleeper.stdout is not None
        sleeper.stdout.readline()  # it has come to its loop
        try:
            yield seen
        finally:
            sleeper.stdin.close()
            seen.overslept += map(float, sleeper.stdout.read().split())
