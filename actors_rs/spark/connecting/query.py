"""One query over Spark Connect, whose Arrow batches are read as they are wanted.

The server ends each stream of responses after two minutes, and keeps the results for five: a client
must come back for them. So a reader that pauses calls `hold` now and then, which comes back before
it is too late; a connection that broke is mended the same way. Nothing is asked for before the
first batch is, and no response is read before the last one was used up.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from actors_rs.errors import StreamError
from actors_rs.runtime._primitives import Event, Lock, monotonic
from actors_rs.spark.connecting.server import ConnectServer, connect_parts

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["BatchReader", "ConnectQuery"]

MEND_SECONDS = 8.0
"""How long a server that cannot be reached is tried again."""
HOLD_SECONDS = 45.0
"""How old a stream gets before a reader that pauses comes back for the rest of it."""
_WAIT_SECONDS = 0.25
_MOST_STARTS = 3
_DISCONNECTED = "INVALID_CURSOR.DISCONNECTED"
_NOT_FOUND = ("INVALID_HANDLE.OPERATION_NOT_FOUND", "INVALID_HANDLE.SESSION_NOT_FOUND")


class ConnectQuery:
    """See above. ``responses`` and ``hold`` are for one thread at a time, ``cancel`` for any."""

    def __init__(self, server: ConnectServer, plan: Any, tag: str) -> None:
        self.operation = str(uuid.uuid4())
        self.cancelled = False
        self._server = server
        self._tag = tag
        self._grpc, _ = connect_parts()
        self._request = server.execution(plan, self.operation, tag)
        self._lock = Lock()
        self._stop = Event()
        self._stream: Any = None
        self._opened = 0.0
        self._starts = 0
        self._last: str | None = None  # the response that was read last
        self._complete = False
        self._failing_since: float | None = None

    def is_under(self, tag: str) -> bool:
        """Whether a cancellation of ``tag`` means this query."""
        return self._tag == tag or self._tag.startswith(f"{tag}-")

    def responses(self) -> Generator[Any, None, None]:
        """The server's responses, in order. Blocks; raises ``grpc.RpcError``."""
        self._start()
        try:
            while (response := self._next()) is not None:
                yield response
        finally:
            self._close()

    def hold(self) -> None:
        """For a reader that pauses: come back for the rest before the server gives it up."""
        if self._stream is not None and monotonic() - self._opened > HOLD_SECONDS:
            self._stream.cancel()
            self._come_back()

    def cancel(self) -> None:
        """Stop it, here and on the server. Never raises; blocks for some seconds at most."""
        with self._lock:
            self.cancelled, stream = True, self._stream
        self._stop.set()
        if stream is not None:
            stream.cancel()
        self._server.interrupt(self.operation)

    def _next(self) -> Any:
        """The next response; ``None`` after the last one."""
        while True:
            try:
                response = next(self._stream, None)
            except self._grpc.RpcError as error:
                self._mend(error)
                continue
            self._failing_since = None
            if response is None:  # the server ends every stream after a while
                self._come_back()
            elif response.HasField("result_complete"):
                self._complete = True
                return None
            else:
                self._last = response.response_id
                return response

    def _mend(self, error: Any) -> None:
        """Open another stream after ``error``, or raise it."""
        said = f"{error.code()} {error.details()}"
        if self.cancelled:
            raise error
        if self._last is None and any(name in said for name in _NOT_FOUND):
            self._start(error)  # the first request has never arrived
        elif error.code() is self._grpc.StatusCode.UNAVAILABLE or _DISCONNECTED in said:
            now = monotonic()
            self._failing_since = self._failing_since or now
            if now - self._failing_since > MEND_SECONDS:
                raise error
            self._stop.wait(_WAIT_SECONDS)
            self._come_back()
        else:
            raise error

    def _start(self, error: Any = None) -> None:
        if self.cancelled:
            before = StreamError("the query was cancelled before it began")
            raise before if error is None else error
        self._starts += 1
        if self._starts > _MOST_STARTS:
            raise error
        self._open("ExecutePlan", self._request)

    def _come_back(self) -> None:
        last = {"last_response_id": self._last} if self._last is not None else {}
        message = self._server.message(
            "ReattachExecuteRequest", operation_id=self.operation, **last
        )
        self._open("ReattachExecute", message)

    def _open(self, method: str, message: Any) -> None:
        stream = self._server.stream(method, message)
        with self._lock:
            self._stream, cancelled = stream, self.cancelled
        self._opened = monotonic()
        if cancelled:
            stream.cancel()

    def _close(self) -> None:
        if not self._complete:
            self._stream.cancel()
        self._server.release(self.operation)


class BatchReader:
    """Puts the batches together from the responses that carry them, and counts their rows."""

    def __init__(self, on_schema: Callable[[Any], None]) -> None:
        self._on_schema = on_schema
        self._rows = 0
        self._parts: list[bytes] = []

    def batches(self, response: Any) -> Generator[pa.RecordBatch, None, None]:
        """The batches that are whole with ``response``; empty ones are left out."""
        import pyarrow as pa

        if response.HasField("schema"):
            self._on_schema(response.schema)
        if not response.HasField("arrow_batch"):
            return
        part = response.arrow_batch
        if not self._parts and part.HasField("start_offset") and part.start_offset != self._rows:
            raise StreamError(
                f"the Spark Connect server continued with row {part.start_offset} after row "
                f"{self._rows}"
            )
        self._parts.append(part.data)
        if len(self._parts) >= getattr(part, "num_chunks_in_batch", 0):
            data = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
            self._parts = []
            for batch in pa.ipc.open_stream(data):
                self._rows += batch.num_rows
                if batch.num_rows:
                    yield batch
