"""``InterpreterWorker``: a worker that is an interpreter of this process, with a lock of its own.

It has a thread of its own, and is served as a worker process is: through a socket, with chunks
pickled. It cannot be killed, so a call ends by itself. Python has such interpreters from 3.14 on.
"""

from __future__ import annotations

import importlib
import os
import subprocess
from typing import Any

from actors_rs.runtime._primitives import AnyThread
from actors_rs.runtime.processes.process import Launched, WorkerProcess, worker_code

__all__ = ["InterpreterWorker"]


class _InterpreterThread:
    """Looks like a process to its ``WorkerProcess``. Any thread."""

    def __init__(self, served: int, block: int) -> None:
        self._interpreter: Any = importlib.import_module("concurrent.interpreters").create()
        self.pid = int(self._interpreter.id)
        self.returncode: int | Any = None
        self._code = worker_code("serve", served, block)
        self._thread = AnyThread(target=self._run, name=f"interpreter {self.pid}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        code = 1
        try:
            self._interpreter.exec(self._code)
            code = 0
        finally:
            self._interpreter.close()
            self.returncode = code

    def poll(self) -> int | None:
        return None if self._thread.is_alive() else self.returncode

    def wait(self, timeout: float | None = None) -> int:
        self._thread.join(timeout)
        if self._thread.is_alive():
            raise subprocess.TimeoutExpired(f"interpreter {self.pid}", timeout or 0.0)
        return int(self.returncode)

    def kill(self) -> None:
        """It cannot be: the call that is under way ends by itself."""


class InterpreterWorker(WorkerProcess):
    """See above."""

    kind = "interpreter"

    def _launched(self, served: int, block: int) -> Launched:
        return _InterpreterThread(os.dup(served), os.dup(block))

    def _exit_descriptor(self) -> None:
        """The process goes on when an interpreter ends."""

    def kill(self, why: str = "killed") -> None:
        """Ask it to end after the call that is under way. Any thread."""
        self.ask_to_stop()
        super().kill(why)

    @property
    def memory(self) -> int:
        """None of its own."""
        return 0
