"""Censuses that follow each other in one process, whose JVM the first of them starts."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.spark.jobs import until

from .conftest import EXAMPLES

SCRIPT = EXAMPLES / "code_census.py"
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
PROGRAM = """
import json, signal, sys
from code_census import main
for line in sys.stdin:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = main(json.loads(line))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a late one is not meant for the next census
    with open(sys.argv[1], "a") as codes:
        print(code, file=codes)
"""


class Censuses:
    """`main` of the example, as often as a test begins it; all else is as if it were the program.

    Its output and its complaints go to files, as if a user had redirected both.
    """

    def __init__(self, folder: Path) -> None:
        self._codes, self._printed, self._complaints = (
            folder / name for name in ("codes", "printed", "complaints")
        )
        self._codes.touch()
        self._before = (0, 0, 0)
        self._process: subprocess.Popen[str] | None = None

    def begin(self, *arguments: object) -> None:
        """Begin a census with these arguments of the command line; one that still runs is killed.

        It has a new process where the last one is gone.
        """
        if self.exited or not self.ended:
            self.kill()
            with self._printed.open("a") as out, self._complaints.open("a") as err:
                self._process = subprocess.Popen(
                    [sys.executable, "-u", "-c", PROGRAM, self._codes],
                    env=ENVIRONMENT,
                    stdin=subprocess.PIPE,
                    stdout=out,
                    stderr=err,
                    text=True,
                    start_new_session=True,
                )
        self._before = tuple(map(len, self._texts()))  # type: ignore[assignment]
        assert self._process is not None
        assert self._process.stdin is not None
        print(json.dumps([*map(str, arguments)]), file=self._process.stdin, flush=True)

    def _texts(self) -> tuple[str, str, str]:
        codes, printed, complaints = (
            path.read_text() if path.exists() else ""
            for path in (self._codes, self._printed, self._complaints)
        )
        return codes, printed, complaints

    @property
    def exited(self) -> bool:
        return self._process is None or self._process.poll() is not None

    @property
    def ended(self) -> bool:
        return self.exited or "\n" in self._since(0)

    @property
    def printed(self) -> str:
        return self._since(1)

    @property
    def complaints(self) -> str:
        return self._since(2)

    def _since(self, which: int) -> str:
        return self._texts()[which][self._before[which] :]

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def interrupt(self) -> None:
        """Ctrl-C in the terminal, which the whole group of processes gets."""
        os.killpg(self.pid, signal.SIGINT)

    def code(self, seconds: float) -> int:
        """Wait for the end; the exit code."""
        until(lambda: self.ended, seconds)
        assert not self.exited, self.complaints
        return int(self._since(0))

    def kill(self) -> None:
        """End the process with all that it has started."""
        if self._process is not None:
            if not self.exited:
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
            assert self._process.stdin is not None
            self._process.stdin.close()
