# mypy: disable-error-code="union-attr"
"""Programs in processes of their own, for what only happens to a whole process."""

import subprocess
import sys
import textwrap

SECONDS = 30.0
"""After which a program is given up; far more than it ever takes."""
PROLOGUE = """
import os, signal, sys, threading, time
from actors_rs import ActorSystem, PooledActor, Sink, Source

def say(*words):  # in one piece, whatever thread says it
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

def in_child(work):
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # a child that hangs is ended by it
        try:
            work()
        except BaseException as error:
            say(type(error).__name__ + ":", error)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


class Program:
    """A running Python program whose lines can be waited for and which can be sent signals."""

    def __init__(self, text):
        self._errors = ""
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROLOGUE + textwrap.dedent(text)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def next_line(self):
        return self._process.stdout.readline().strip()

    def error_line(self):
        line = self._process.stderr.readline()
        self._errors += line
        return line

    def send(self, number):
        self._process.send_signal(number)

    def wait(self, seconds=SECONDS):
        """Its exit code, the lines not read yet, and what it wrote to stderr."""
        try:
            out, errors = self._process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            _, errors = self._process.communicate()
            raise AssertionError(f"the program did not end in {seconds} s: {errors}") from None
        return self._process.returncode, out.splitlines(), self._errors + errors


def run(text, code=0):
    """The lines of a program, and its stderr; fails if it hangs or ends with another code."""
    got, lines, errors = Program(text).wait()
    assert got == code, errors
    return lines, errors
