"""Requests to a Spark Connect server that end when they should.

pyspark's own client repeats a request for ten minutes and more when the server is gone, and waits
for one that is frozen for as long. Here each request is made once, can be cut off from any thread,
and its failure is what gRPC says. The messages are the public protocol of Spark Connect; a test
of the contract notices when one of the client's private names used here moves.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from actors_rs.runtime._primitives import Lock
from actors_rs.spark.failures import not_installed

__all__ = ["ANSWER_SECONDS", "ConnectServer", "connect_parts"]

ANSWER_SECONDS = 10.0
"""Seconds within which a server that lives answers a greeting."""
_LATER_SECONDS = 120.0
"""Seconds within which a server that has too much to do may still begin a request."""
_ANALYZED, _BEHIND_ANALYZED = "== Analyzed Logical Plan ==", "== Optimized Logical Plan =="
_GREETING = "/spark.connect.SparkConnectService/Greet"
_SERVER_SESSION = "client_observed_server_side_session_id"


def connect_parts() -> tuple[Any, Any]:
    """The modules ``grpc`` and ``spark_connect``, with the messages of the protocol."""
    try:
        import grpc
        from pyspark.sql.connect.proto import base_pb2
    except ImportError as error:
        raise not_installed("Spark Connect", error, "grpc", "connect") from error
    return grpc, base_pb2


class ConnectServer:
    """The server of one session. Safe to call from any thread; ``ask`` and ``greet`` block."""

    def __init__(self, session: Any) -> None:
        self.client: Any = session.client
        self._grpc, self._messages = connect_parts()
        self._lock = Lock()
        self._calls: set[Any] = set()
        self._is_cut = False

    def __str__(self) -> str:
        builder = self.client._builder
        return f"the Spark Connect server at {getattr(builder, 'endpoint', builder.host)}"

    @property
    def is_closed(self) -> bool:
        """Whether the session was stopped here."""
        return bool(self.client.is_closed)

    def message(self, kind: str, **fields: Any) -> Any:
        """A message of the protocol, as this session's."""
        like = self.client._execute_plan_request_with_metadata()
        made = getattr(self._messages, kind)(
            session_id=like.session_id,
            user_context=like.user_context,
            client_type=like.client_type,
            **fields,
        )
        seen = like.client_observed_server_side_session_id
        if seen and _SERVER_SESSION in made.DESCRIPTOR.fields_by_name:
            setattr(made, _SERVER_SESSION, seen)
        return made

    def execution(self, plan: Any, operation: str, tag: str) -> Any:
        """The message that has ``plan`` executed, so that one can come back for its results."""
        made = self.client._execute_plan_request_with_metadata()
        made.operation_id = operation
        made.tags.append(tag)
        made.plan.CopyFrom(plan)
        option = made.request_options.add()
        option.reattach_options.reattachable = True
        for hook in getattr(self.client, "_session_hooks", ()):
            made = hook.on_execute_plan(made)
            made.operation_id = operation
        return made

    def stream(self, method: str, message: Any) -> Any:
        """The responses to ``message``, which are read as they are iterated over."""
        return getattr(self.client._stub, method)(message, metadata=self._metadata())

    def ask(self, method: str, message: Any, timeout: float | None = None) -> Any:
        """The one response to ``message``, or ``grpc.RpcError``. ``timeout``: in seconds."""
        asking = getattr(self.client._stub, method)
        return self._result(asking.future(message, metadata=self._metadata(), timeout=timeout))

    def analyze(self, **what: Any) -> Any:
        """An answer about a plan, or about the server."""
        return self.ask("AnalyzePlan", self.message("AnalyzePlanRequest", **what))

    def greet(self) -> Any:
        """``None`` if there was an answer; the status of gRPC if there was none in time.

        The request names an unknown call: the refusal costs a server little, also one that is
        starting, or is busy with everything else.
        """
        code = self._grpc.StatusCode
        greeting = self.client._channel.unary_unary(_GREETING)
        try:
            self._result(greeting.future(b"", metadata=self._metadata(), timeout=ANSWER_SECONDS))
        except self._grpc.RpcError as error:
            if error.code() in (code.UNAVAILABLE, code.DEADLINE_EXCEEDED):
                return error.code()
        return None

    def describe(self, plan: Any) -> tuple[str, str]:
        """Schema and plan of ``plan``, with the files it reads, as texts."""
        asked, analyze = self._messages.AnalyzePlanRequest, self.analyze
        extended = asked.Explain.EXPLAIN_MODE_EXTENDED
        tree = analyze(tree_string=asked.TreeString(plan=plan)).tree_string.tree_string
        explained = analyze(explain=asked.Explain(plan=plan, explain_mode=extended))
        text = explained.explain.explain_string
        analyzed = text.partition(_ANALYZED)[2].partition(_BEHIND_ANALYZED)[0] or text
        files = analyze(input_files=asked.InputFiles(plan=plan)).input_files.files
        return tree, "\n".join([analyzed.strip(), *sorted(files)])

    def setting(self, key: str, otherwise: str, timeout: float | None = None) -> str:
        """The session's setting ``key``. ``timeout``: in seconds."""
        pairs = [self._messages.KeyValue(key=key, value=otherwise)]
        wanted = self._messages.ConfigRequest.GetWithDefault(pairs=pairs)
        operation = self._messages.ConfigRequest.Operation(get_with_default=wanted)
        answer = self.ask("Config", self.message("ConfigRequest", operation=operation), timeout)
        return str(answer.pairs[0].value)

    def interrupt(self, operation: str) -> None:
        """Have the server stop what it does for ``operation``; never raises."""
        kind = self._messages.InterruptRequest.INTERRUPT_TYPE_OPERATION_ID
        with suppress(Exception):
            message = self.message("InterruptRequest", interrupt_type=kind, operation_id=operation)
            self._tell("Interrupt", message)

    def release(self, operation: str) -> None:
        """Have the server forget ``operation``, and stop it if it still runs; never raises."""
        everything = self._messages.ReleaseExecuteRequest.ReleaseAll()
        with suppress(Exception):
            message = self.message(
                "ReleaseExecuteRequest", operation_id=operation, release_all=everything
            )
            self._tell("ReleaseExecute", message)

    def _tell(self, method: str, message: Any) -> None:
        """Wait ``ANSWER_SECONDS`` for the answer, but let a slower server hear of it all the same.

        A call whose deadline is over, or that nobody holds any more, is taken back.
        """
        asking = getattr(self.client._stub, method)
        call = asking.future(message, metadata=self._metadata(), timeout=_LATER_SECONDS)
        with self._lock:
            self._calls.add(call)
        call.add_done_callback(self._forget)
        if self._is_cut:
            call.cancel()
        call.result(timeout=ANSWER_SECONDS)

    def cut(self) -> None:
        """End all that is asked, now and later: nobody answers any more."""
        with self._lock:
            self._is_cut = True
            calls = list(self._calls)
        for call in calls:
            call.cancel()

    def _result(self, call: Any) -> Any:
        with self._lock:
            self._calls.add(call)
        try:
            if self._is_cut:
                call.cancel()
            return call.result()
        finally:
            self._forget(call)

    def _forget(self, call: Any) -> None:
        with self._lock:
            self._calls.discard(call)

    def _metadata(self) -> Any:
        return self.client._builder.metadata()
