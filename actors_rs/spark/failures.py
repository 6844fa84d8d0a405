"""Failures of Spark, as this package's own exceptions.

    ActorsRsError
    ├── SparkUnavailable       also a UserError: pyspark, pyarrow or Java is missing
    ├── SparkSessionLost       the JVM is gone or the context was stopped: start anew
    └── SparkPartitionError    one partition (or the plan) failed; the session still works

`describe_failure` judges an exception that came out of pyspark or py4j. It looks first whether the
session still lives: a dead JVM fails any call that is under way.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from actors_rs.errors import ActorsRsError, UserError
from actors_rs.runtime._primitives import monotonic
from actors_rs.spark.failure_kinds import CANCELLED, FailureKind, JavaError, kind_of
from actors_rs.spark.large_results import LESS_MEMORY, advice_on_size
from actors_rs.spark.liveness import why_frozen
from actors_rs.spark.mapping.missing_modules import advice_on_modules
from actors_rs.texts import few, repr_of

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

__all__ = [
    "SparkPartitionError",
    "SparkSessionLost",
    "SparkUnavailable",
    "describe_failure",
    "ensure_session_alive",
    "not_installed",
    "one_line",
    "python_class",
    "session_frozen",
    "split_condition",
]

_REAP_SECONDS = 2.0
_OUT_OF_MEMORY = 52
"""The exit code of a JVM of Spark's that had no memory left."""
_DEEPEST_CHAIN = 10

_CONDITION = re.compile(r"^\[([A-Z][A-Z0-9_.]*)\]\s*")
_SQLSTATE = re.compile(r"\s*SQLSTATE: \w+\s*$")
_LOST_TASK = re.compile(r"most recent failure: .*?\): ([\w.$]+)(?::? ?(.*))?$", re.MULTILINE)
_JAVA_ERROR = re.compile(r"^: ([\w.$]+)(?:: (.*))?$", re.MULTILINE)
_FAULTHANDLER = re.compile(r"\s*Consider setting '[^']*faulthandler.*$")
"""Advice of 200 letters that Spark adds to each crash of a Python worker."""
_TRACEBACK = "Traceback (most recent call last):"


NEW_SESSION = "; start a new session"
"""What helps, at the end of the message."""


class SparkUnavailable(UserError):  # noqa: N818 - a state of the machine
    """Spark cannot start here; the message says what to install."""


def not_installed(what: str, error: ImportError, otherwise: str, extra: str) -> SparkUnavailable:
    """The exception for a package that ``what`` needs; ``otherwise`` if ``error`` names none."""
    package = (error.name or otherwise).partition(".")[0]
    return SparkUnavailable(
        f"{what} needs the Python package {repr_of(package)}, which is not installed: run "
        f'pip install "actors-rs[{extra}]"'
    )


class SparkSessionLost(ActorsRsError):  # noqa: N818 - what happened, not who erred
    """The JVM ended or the Spark context was stopped; only a new session helps.

    ``message`` says what happened. ``kind`` says which: ``JVM_GONE`` (default), ``JVM_FROZEN`` or
    ``CONTEXT_STOPPED``.
    """

    _around: tuple[str, str] | None = None
    """The message before and after the words for what was going on, if it has such words."""

    def __init__(self, message: str, kind: FailureKind = FailureKind.JVM_GONE) -> None:
        super().__init__(message, kind)
        self.kind = kind

    def while_running(self, partitions: Sequence[int]) -> None:
        """Name all ``partitions`` that were running: the one that noticed first is not at fault."""
        if self._around is not None and len(partitions) > 1:
            before, after = self._around
            text = f"{before} while partitions {few(partitions)} were running{after}"
            self.args = (text, *self.args[1:])

    def __str__(self) -> str:
        return f"{self.args[0]}{self._where()}"


class SparkPartitionError(ActorsRsError):
    """One partition's job failed; the exception from Spark is ``__cause__``.

    ``partition`` is its number, ``None`` when the plan failed before there were partitions, or
    when something else did: ``what``.
    ``error_class`` is Spark's own class with its condition where it has one, for instance
    ``org.apache.spark.SparkArithmeticException [DIVIDE_BY_ZERO]``; ``message`` is the first line
    of Spark's own message; ``kind`` what all that comes down to.
    """

    def __init__(
        self,
        partition: int | None,
        error_class: str,
        message: str,
        kind: FailureKind = FailureKind.OTHER,
        what: str | None = None,
    ) -> None:
        super().__init__(partition, error_class, message, kind, what)
        self.partition = partition
        self.error_class = error_class
        self.message = message
        self.kind = kind
        self.what = what

    def __str__(self) -> str:
        planned = "planning" if self.partition is None else f"partition {self.partition}"
        advice = advice_on_modules(self.message) or advice_on_size(
            self.kind, of_partition=self.partition is not None
        )
        said = self.message if advice is None else f"{self.message}; {advice}"
        return f"{self.what or planned} failed: {self.error_class}: {said}{self._where()}"

    @property
    def cancelled(self) -> bool:
        """Whether the job ended because it was cancelled."""
        return f"[{CANCELLED}]" in self.error_class


def describe_failure(
    error: Exception,
    partition: int | None,
    session: SparkSession | SparkContext,
    tag: str | None = None,
    what: str | None = None,
) -> ActorsRsError:
    """The exception of ours that says what ``error`` means, with ``error`` as its cause.

    ``tag``: the tag of the job, which tells our own cancellation from another one. ``what`` failed,
    if it was neither a partition nor the plan. An exception that is ours already comes back
    unchanged. Blocks for some seconds at most, and that only when the JVM seems to be gone. Safe to
    call from any thread.
    """
    if isinstance(error, ActorsRsError):
        return error
    during = what or ("planning" if partition is None else f"partition {partition}")
    lost = _lost(session, during, suspicious=_is_network_failure(error))
    described = lost or _failed_partition(error, partition, tag, what)
    described.__cause__ = error
    return described


def ensure_session_alive(session: SparkSession | SparkContext, during: str) -> None:
    """Raise `SparkSessionLost` if the JVM is gone or the context was stopped.

    One round trip to the JVM. ``during`` names what was going on, for the message.
    """
    lost = _lost(session, during, suspicious=False)
    if lost is not None:
        raise lost


def session_frozen(gateway: Any, during: str = "") -> SparkSessionLost:
    """The exception for a JVM that was found frozen."""
    return _lost_during(during, why_frozen(gateway) or "", NEW_SESSION, FailureKind.JVM_FROZEN)


def _lost_during(
    during: str, before: str, after: str, kind: FailureKind = FailureKind.JVM_GONE
) -> SparkSessionLost:
    """The exception whose message has ``during`` between ``before`` and ``after``."""
    if not during:
        return SparkSessionLost(f"{before}{after}", kind)
    lost = SparkSessionLost(f"{before} during {during}{after}", kind)
    lost._around = before, after
    return lost


def _context_of(session: SparkSession | SparkContext) -> Any:
    return getattr(session, "sparkContext", session)


def _is_network_failure(error: BaseException) -> bool:
    from py4j.protocol import Py4JNetworkError

    return isinstance(error, Py4JNetworkError | ConnectionError | EOFError)


def _lost(session: Any, during: str, *, suspicious: bool) -> SparkSessionLost | None:
    context = _context_of(session)
    gateway = getattr(context, "_gateway", None)
    if why_frozen(gateway) is not None:
        return session_frozen(gateway, during)
    process = getattr(gateway, "proc", None)
    code = _exit_code(process, _REAP_SECONDS if suspicious else 0.0)
    if code is not None:
        return _jvm_gone(process, code, during)
    try:
        spark = context._jsc  # read once: a thread that stops the context sets it to None
        stopped = spark is None or spark.sc().isStopped()
    except Exception as error:
        # The JVM did not even answer; it may have died between the two questions.
        code = _exit_code(process, _REAP_SECONDS)
        return _jvm_gone(process, code, during, error)
    return _stopped(context, process, during) if stopped else None


def _stopped(context: Any, process: Any, during: str) -> SparkSessionLost:
    """By whom: a JVM that is out of memory stops its context too, on its way out."""
    until = monotonic() + _REAP_SECONDS
    while not (here := _is_stopped_here(context)) and process is not None and monotonic() < until:
        code = _exit_code(process, 0.05)
        if code is not None:
            return _jvm_gone(process, code, during)
    before, after = "the Spark session was stopped by other code", ""
    if not here:
        before = "the Spark session was stopped"
        after = ", by other code or by Spark itself, which does so when it runs out of memory"
    return _lost_during(during, before, after, FailureKind.CONTEXT_STOPPED)


def _is_stopped_here(context: Any) -> bool:
    """Whether code of this process has stopped the context, or is just stopping it.

    pyspark forgets ``_jsc`` only at the end of ``stop``, which takes seconds on a loaded machine.
    """
    if context._jsc is None:
        return True
    stop = getattr(getattr(type(context), "stop", None), "__code__", None)
    return stop is not None and any(
        frame.f_code is stop
        for running in sys._current_frames().values()
        for frame, _ in traceback.walk_stack(running)
    )


def _exit_code(process: subprocess.Popen[bytes] | None, patience: float) -> int | None:
    """The exit code of the JVM, ``None`` while it runs or when another process started it.

    A killed JVM closes its sockets a moment before its process can be reaped, so this waits up to
    ``patience`` seconds.
    """
    if process is None:
        return None
    with suppress(subprocess.TimeoutExpired):
        return process.wait(patience) if patience else process.poll()
    return None


def _jvm_gone(
    process: Any, code: int | None, during: str, error: Exception | None = None
) -> SparkSessionLost:
    then = NEW_SESSION
    if code is None:
        how = f"does not answer ({type(error).__name__})"
    elif code < 0:
        how = f"was killed by {_signal_name(-code)}"
    else:
        how = f"ended with exit code {code}"
        if code == _OUT_OF_MEMORY:
            how += " (out of memory)"
            then = f"{then}, and {LESS_MEMORY}"
    which = f" (process {process.pid})" if process is not None else ""
    return _lost_during(during, f"Spark's JVM{which} {how}", then)


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


def _failed_partition(
    error: Exception, partition: int | None, tag: str | None, what: str | None
) -> SparkPartitionError:
    java_class, message = _class_and_message(error)
    chain = list(_chain(error)) or [JavaError(java_class, None, message)]
    lost = _LOST_TASK.search(_text(error))  # some losses have no exception of their own
    if lost is not None:
        chain.append(JavaError(lost.group(1), None, lost.group(2) or ""))
    return SparkPartitionError(partition, java_class, message, kind_of(chain, tag), what)


def _chain(error: Any) -> Iterator[JavaError]:
    """The exceptions of Java in ``error``, outermost first; stops where the JVM does."""
    java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    with suppress(Exception):
        for _ in range(_DEEPEST_CHAIN):
            if java is None:
                return
            condition = None
            with suppress(Exception):  # only Spark's own have one
                condition = java.getCondition()
            yield JavaError(java.getClass().getName(), condition, java.getMessage() or "")
            java = java.getCause()


def _class_and_message(error: Exception) -> tuple[str, str]:
    java_class, condition = _names_from_jvm(error)
    text = _text(error)
    if java_class is None:
        java_class, text = _from_java_text(text) or (python_class(error), text)
    stated, text = split_condition(text)
    condition = stated or condition
    error_class = f"{java_class} [{condition}]" if condition else java_class
    return error_class, one_line(text)


def split_condition(text: str) -> tuple[str | None, str]:
    """Spark's condition that a message begins with, if it does, and the rest of the message."""
    found = _CONDITION.match(text)
    return (None, text) if found is None else (found.group(1), text[found.end() :])


def _names_from_jvm(error: Any) -> tuple[str | None, str | None]:
    """Java class and condition of an exception that pyspark converted; it does not print them."""
    if getattr(error, "_origin", None) is None:
        return None, None
    try:
        return str(error._origin.getClass().getName()), error.getCondition()
    except Exception:  # the JVM went away meanwhile: the text alone has to do
        return None, None


def _text(error: Exception) -> str:
    try:
        return str(error)
    except Exception:  # py4j asks the JVM for the text of its exceptions
        return "no message, because the JVM no longer answers"


def _from_java_text(text: str) -> tuple[str, str] | None:
    """Class and message of the failed task, or of the outermost Java exception."""
    found = _LOST_TASK.search(text) or _JAVA_ERROR.search(text)
    return None if found is None else (found.group(1), found.group(2) or "no message")


def python_class(error: Exception) -> str:
    """The name of its class, with the module unless that is Python's own."""
    kind = type(error)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def one_line(text: str) -> str:
    """The line that says what happened: Spark's first, or the raised one below a traceback."""
    if _TRACEBACK in text:
        lines = text.rsplit(_TRACEBACK, 1)[1].splitlines()
        lines = [line for line in lines if line and not line[0].isspace()]
    else:
        lines = [line for line in text.splitlines() if line.strip()]
    return _FAULTHANDLER.sub("", _SQLSTATE.sub("", lines[0])).strip() if lines else "no message"
