"""Programs that the tests of files run beside themselves."""

import subprocess
import sys
import textwrap


def started(program: str, *arguments: str, says: str) -> "subprocess.Popen[str]":
    """A process of the Python text ``program``, which has said ``says`` by now."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), *arguments],
        stdin=pipe,
        stdout=pipe,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == f"{says}\n"
    return process
