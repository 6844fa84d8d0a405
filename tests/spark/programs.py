"""Programs of their own, for tests whose session must not be the one that other tests share."""

import os
import subprocess
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


def output_of(
    program: str,
    *arguments: str,
    seconds: float = 500,
    environment: Mapping[str, str | None] = MappingProxyType({}),
) -> list[str]:
    """The lines that a program of its own prints. It leads a process group of its own.

    It has the ``environment`` of this process with these changes; ``None`` removes a variable.
    """
    changed = {**os.environ, "PYTHONPATH": os.getcwd()} | dict(environment)
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        env={name: value for name, value in changed.items() if value is not None},
        start_new_session=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def lines_of(
    program: str,
    *arguments: str,
    seconds: float = 500,
    environment: Mapping[str, str | None] = MappingProxyType({}),
) -> dict[str, Any]:
    """The same, by the word each line begins with."""
    lines = output_of(program, *arguments, seconds=seconds, environment=environment)
    return dict(line.split(" ", 1) for line in lines)
