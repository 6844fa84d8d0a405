"""Programs of their own, for tests whose session must not be the one that other tests share."""

import os
import subprocess
import sys
from typing import Any


def output_of(program: str, *arguments: str, seconds: float = 500, **environment: str) -> list[str]:
    """The lines that a program of its own prints. It leads a process group of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        env={**os.environ, "PYTHONPATH": os.getcwd(), **environment},
        start_new_session=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def lines_of(program: str, *arguments: str, seconds: float = 500) -> dict[str, Any]:
    """The same, by the word each line begins with."""
    lines = output_of(program, *arguments, seconds=seconds)
    return dict(line.split(" ", 1) for line in lines)
