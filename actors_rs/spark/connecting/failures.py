"""What went wrong over Spark Connect, as this package's own exceptions.

The server reports the classes and conditions of all exceptions of a failure. They are judged as the
exceptions of a local JVM are. A server that cannot be reached, and a session that the server has
closed or forgotten, are a `SparkSessionLost`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from actors_rs.errors import ActorsRsError
from actors_rs.spark.connecting import server as connect_server
from actors_rs.spark.connecting.server import ConnectServer, connect_parts
from actors_rs.spark.failure_kinds import FailureKind, JavaError, kind_of
from actors_rs.spark.failures import (
    SparkPartitionError,
    SparkSessionLost,
    one_line,
    python_class,
    split_condition,
)

__all__ = ["closed_here", "described", "unreachable"]

_CANCELLED = "OPERATION_CANCELED"
_SESSION_GONE = (
    "INVALID_HANDLE.SESSION_CHANGED",
    "INVALID_HANDLE.SESSION_CLOSED",
    "INVALID_HANDLE.SESSION_NOT_FOUND",
)
_USER_CODE = (
    "ArithmeticException",
    "ArrayIndexOutOfBoundsException",
    "DateTimeException",
    "NumberFormatException",
    "PythonException",
    "SparkNoSuchElementException",
    "SparkRuntimeException",
)
_DEEPEST_CHAIN = 10


def described(
    error: Exception, server: ConnectServer, what: str, *, ours: bool = False
) -> ActorsRsError:
    """The exception of ours that says what ``error`` means, with ``error`` as its cause.

    ``ours``: whether we have cancelled ``what``. An exception that is ours already comes back
    unchanged. Blocks for some seconds at most. Safe to call from any thread.
    """
    if isinstance(error, ActorsRsError):
        return error
    grpc, _ = connect_parts()
    if ours:
        found: ActorsRsError = SparkPartitionError(
            None, python_class(error), "it was cancelled", FailureKind.CANCELLED, what
        )
    elif server.is_closed or "hannel closed" in str(error) or "closed channel" in str(error):
        found = closed_here(what)
    elif isinstance(error, grpc.RpcError):
        found = _grpc_failure(error, server, what)
    else:
        found = _converted(error, server, what)
    found.__cause__ = error
    return found


def closed_here(what: str) -> SparkSessionLost:
    """The exception for a session that was stopped in this process."""
    text = f"the Spark session was stopped by other code during {what}"
    return SparkSessionLost(text, FailureKind.CONTEXT_STOPPED)


def unreachable(server: ConnectServer, code: Any) -> SparkSessionLost:
    """The exception for a server that did not answer, or was not reached: ``code``."""
    grpc, _ = connect_parts()
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        how, kind = (
            f"did not answer for {connect_server.ANSWER_SECONDS:.0f} s",
            FailureKind.JVM_FROZEN,
        )
    else:
        how, kind = "can no longer be reached", FailureKind.JVM_GONE
    return SparkSessionLost(f"{server} {how}; start a new session", kind)


def _converted(error: Any, server: ConnectServer, what: str) -> ActorsRsError:
    """What an exception means that pyspark has made of a failure, or that is not Spark's at all."""
    from pyspark import errors

    grpc, _ = connect_parts()
    code = getattr(error, "_grpc_status_code", None)
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
        return unreachable(server, code)
    condition, text = split_condition(str(error))
    if condition in _SESSION_GONE:
        return _session_gone(server, what)
    kind = FailureKind.OTHER
    if isinstance(error, errors.AnalysisException):
        kind = FailureKind.PLAN
    elif isinstance(error, errors.PySparkException) and type(error).__name__ in _USER_CODE:
        kind = FailureKind.USER_CODE
    name = f"{python_class(error)} [{condition}]" if condition else python_class(error)
    return SparkPartitionError(None, name, one_line(text), kind, what)


def _session_gone(server: ConnectServer, what: str) -> SparkSessionLost:
    text = f"{server} has closed or forgotten the session during {what}; start a new session"
    return SparkSessionLost(text, FailureKind.CONTEXT_STOPPED)


def _lost_session(server: ConnectServer, what: str) -> SparkSessionLost | None:
    """Why an operation that nobody here cancelled may have been: its session was stopped.

    The server ends a session before it cancels what runs in it, so one more request tells.
    """
    try:
        server.setting("spark.app.name", "", connect_server.ANSWER_SECONDS)
    except Exception as error:
        found = described(error, server, what)
        return found if isinstance(found, SparkSessionLost) else None
    return closed_here(what) if server.is_closed else None


def _grpc_failure(error: Any, server: ConnectServer, what: str) -> ActorsRsError:
    """The error that a failure of gRPC means."""
    grpc, _ = connect_parts()
    code = error.code()
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
        return unreachable(server, code)
    chain = _chain(error, server)
    first = chain[0]
    condition = next((one.condition for one in chain if one.condition), None)
    if any(name in f"{condition} {first.message}" for name in _SESSION_GONE):
        return _session_gone(server, what)
    kind = kind_of(chain)
    if kind is FailureKind.OTHER and condition == _CANCELLED:
        if (lost := _lost_session(server, what)) is not None:
            return lost
        kind = FailureKind.CANCELLED_BY_OTHERS
    error_class = f"{first.name} [{first.condition}]" if first.condition else first.name
    return SparkPartitionError(
        None, error_class, one_line(split_condition(first.message)[1]), kind, what
    )


def _chain(error: Any, server: ConnectServer) -> list[JavaError]:
    """The exceptions of Java in ``error``, outermost first; never empty."""
    info, message = _info_of(error)
    chain: list[JavaError] = []
    if info is not None and "errorId" in info:
        with suppress(Exception):  # it answered a moment ago; the short form will do
            request = server.message("FetchErrorDetailsRequest", error_id=info["errorId"])
            chain = list(
                _causes(server.ask("FetchErrorDetails", request, connect_server.ANSWER_SECONDS))
            )
    if chain:
        return chain
    if info is None:
        return [JavaError(f"gRPC {error.code().name}", None, message)]
    names = json.loads(info.get("classes", "[]")) or [f"gRPC {error.code().name}"]
    return [JavaError(names[0], info.get("errorClass"), message)]


def _causes(answer: Any) -> Iterator[JavaError]:
    at = answer.root_error_idx if answer.HasField("root_error_idx") else None
    for _ in range(_DEEPEST_CHAIN):
        if at is None:
            return
        error = answer.errors[at]
        condition = error.spark_throwable.error_class or None
        yield JavaError(error.error_type_hierarchy[0], condition, error.message)
        at = error.cause_idx if error.HasField("cause_idx") else None


def _info_of(error: Any) -> tuple[dict[str, str] | None, str]:
    """The server's details of the exception, and its message, which may be cut short."""
    from google.rpc import error_details_pb2
    from grpc_status import rpc_status

    status = rpc_status.from_call(error)
    if status is None:
        return None, str(error.details() or "no message")
    for detail in status.details:
        info = error_details_pb2.ErrorInfo()
        if detail.Is(info.DESCRIPTOR) and detail.Unpack(info):
            return dict(info.metadata), status.message
    return None, status.message
