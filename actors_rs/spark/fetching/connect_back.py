"""Partitions too large for the driver: the executor connects back and sends batch by batch.

The driver's side; ``sender`` is the other. For each partition the driver listens on a port of its
own, on the address at which executors reach the driver. Only the job can connect: it has a token
that is used once. The job runs on a thread beside, for its end may come before any connection: then
the partition was small, and is the job's result.

A reader that stops early cancels the job first and closes the connection then, since a worker that
finds the connection closed would take much longer to give its place back.
"""

from __future__ import annotations

import hmac
import secrets
import selectors
import socket
import struct
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, NoReturn

from actors_rs.spark.failure_kinds import FailureKind
from actors_rs.spark.failures import SparkPartitionError
from actors_rs.spark.fetching import sender
from actors_rs.spark.fetching.arrow_route import (
    ArrowRoute,
    numbered,
    open_arrow_route,
    open_through,
    schema_of_to_arrow,
)
from actors_rs.spark.fetching.first_failure import first_failure
from actors_rs.spark.fetching.shipping import travels
from actors_rs.spark.liveness import watch
from actors_rs.texts import named

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["open_streamed"]

_GREETING_SECONDS = 10.0
_BODY_SECONDS = 120.0
"""How long a batch may be under way once its length has come."""
_LAST_WORDS_SECONDS = 60.0
"""How long a job whose connection broke may take to say why; a cancelled one does so at once."""
_BATCH_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"
"""Rows of the batches that the worker gets; a job that is no query's needs an argument for it."""
_BATCH_BYTES = "spark.sql.execution.arrow.maxBytesPerBatch"
"""The most bytes of a worker's batch; unless it is set, Spark has no limit."""
_MOST_BYTES = 2**31 - 2
_LEAST_ROWS = 256
"""Smaller batches than these are cut by the worker rather than made one by one by the JVM."""


def open_streamed(df: DataFrame, limit: int) -> ArrowRoute:
    """The route for partitions of which more than ``limit`` bytes are never held as a whole."""
    if not df.columns:
        return open_arrow_route(df)  # rows without columns are never large, nor known to workers
    travels(sender)
    schema = schema_of_to_arrow(df)
    context: Any = df.sparkSession.sparkContext
    conf = context.getConf()
    host = conf.get("spark.driver.host")
    bind = conf.get("spark.driver.bindAddress", host)
    rows = df.sparkSession.conf.get(_BATCH_ROWS)
    route = _route_by_workers(df, schema, limit, int(rows or 0))
    properties = {_BATCH_ROWS: rows, _BATCH_BYTES: _bytes_a_batch(df, limit)}

    def run(indices: Sequence[int]) -> Generator[pa.RecordBatch, None, None]:
        (index,) = indices
        transfer = _Transfer(context, schema, index, _listener(bind), host)
        # A job that is no query's does not know what the session is set to.
        transfer.begin(lambda: route.run(indices), properties)
        return transfer.batches()

    return ArrowRoute("streamed", schema, route.partitions, run)


def _route_by_workers(df: DataFrame, schema: pa.Schema, limit: int, rows: int) -> ArrowRoute:
    """The route on which a worker has each partition: encoded, or as batches.

    Encoded is several times as fast, but the JVM then counts rows, not bytes: so for columns whose
    width is known. ``rows``: how many the session wants in a batch; not above 0: as many as come.
    """
    from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError

    width = _bytes_a_row(schema)
    if width is not None:
        fitting = max(_LEAST_ROWS, limit // width)
        function = sender.frame_sender(limit, schema.serialize().to_pybytes())
        try:
            return open_through(df, schema, min(rows, fitting) if rows > 0 else fitting, function)
        except (Py4JJavaError, Py4JNetworkError):
            raise  # the plan itself failed
        except (ImportError, AttributeError, Py4JError):
            pass  # a private name moved
    named = numbered(df)
    sent = named.mapInArrow(sender.sender(limit), named.schema)
    return open_arrow_route(sent.toDF(*df.columns))


def _bytes_a_batch(df: DataFrame, limit: int) -> str:
    """The most bytes of a JVM's batch: ``limit``, unless the session has a limit of its own."""
    return df.sparkSession.conf.get(_BATCH_BYTES, None) or str(min(limit, _MOST_BYTES))


def _bytes_a_row(schema: pa.Schema) -> int | None:
    """The most bytes that a row takes in Arrow; ``None`` if that depends on the row."""
    bits = 0
    for field in schema:
        try:
            bits += field.type.bit_width + field.nullable
        except ValueError:
            return None
    return max(1, -(-bits // 8))


class _Transfer:
    """One partition on its way, by whichever of the two."""

    def __init__(
        self, context: Any, schema: pa.Schema, index: int, listener: socket.socket, host: str
    ) -> None:
        self._context = context
        self._schema = schema
        self._index = index
        self._token = secrets.token_hex(16)
        self._resources = ExitStack()
        self._listener = self._resources.enter_context(listener)
        self._host = host
        ended, at_end = socket.socketpair()  # waited for together with connections
        self._ended = self._resources.enter_context(ended)
        self._at_end = self._resources.enter_context(at_end)
        self._job_over = False
        self._result: Generator[pa.RecordBatch, None, None] | None = None
        self._error: Exception | None = None

    @property
    def address(self) -> str:
        """The address and token that the sender needs."""
        return f"{self._host} {self._listener.getsockname()[1]} {self._token}"

    # The job, on a thread that has the tags of the one that begins it

    def begin(
        self,
        job: Callable[[], Generator[pa.RecordBatch, None, None]],
        properties: Mapping[str, Any],
    ) -> None:
        """Start the job, with its local properties. To be called where its tags are set."""
        from pyspark import InheritableThread

        thread = InheritableThread(target=self._run, args=(job, properties), daemon=True)
        thread.name = "spark-job"
        thread.start()

    def _run(
        self,
        job: Callable[[], Generator[pa.RecordBatch, None, None]],
        properties: Mapping[str, Any],
    ) -> None:
        try:
            self._context.addJobTag(self._token)
            for name, value in {**properties, sender.ADDRESS: self.address}.items():
                self._context.setLocalProperty(name, value)
            self._result = job()
        except Exception as error:
            self._error = error
        with suppress(OSError):  # nobody waits for it any more
            self._ended.send(b"!")

    # The reader

    def batches(self) -> Generator[pa.RecordBatch, None, None]:
        """The partition's batches; closing the generator cancels the job."""
        with self._resources:
            try:
                connection = self._first_to_come()
                if connection is not None:
                    with connection:
                        yield from self._received(connection)
                    self._wait_for_end()
                    self._raise_first_failure()
                if self._error is not None:
                    raise self._error
                if self._result is not None:
                    yield from self._result
            finally:
                self._cancel()

    def _cancel(self) -> None:
        if not self._job_over:
            with watch(self._context._gateway), suppress(Exception):
                self._context.cancelJobsWithTag(self._token)
        if self._result is not None:
            self._result.close()

    def _first_to_come(self) -> socket.socket | None:
        """A connection of the job's, or ``None`` when the job is over."""
        while self._ready(self._listener):
            connection = self._listener.accept()[0]
            connection.settimeout(_GREETING_SECONDS)
            with suppress(OSError):
                said = _exactly(connection, len(self._token))
                if hmac.compare_digest(said, self._token.encode()):
                    self._listener.close()  # a second attempt of the task has to fail
                    connection.settimeout(_BODY_SECONDS)
                    return connection
            connection.close()
        return None

    def _ready(self, readable: socket.socket) -> bool:
        """Wait for ``readable``; False if the job is over and nothing is there."""
        found = self._wait((readable,), _LAST_WORDS_SECONDS if self._job_over else None)
        return readable in found

    def _wait_for_end(self, seconds: float | None = None) -> None:
        """Until the job is over, or the time."""
        if not self._job_over:
            self._wait((), seconds)

    def _wait(self, sockets: Sequence[socket.socket], seconds: float | None) -> list[Any]:
        with selectors.DefaultSelector() as selector:
            for one in (*sockets, *(() if self._job_over else (self._at_end,))):
                selector.register(one, selectors.EVENT_READ)
            found = [key.fileobj for key, _ in selector.select(seconds)]
        self._job_over = self._job_over or self._at_end in found
        return found

    def _received(self, connection: socket.socket) -> Generator[pa.RecordBatch, None, None]:
        import pyarrow as pa

        while (size := self._length(connection)) != sender.END:
            buffer = pa.allocate_buffer(size)
            self._read_into(connection, memoryview(buffer))
            yield pa.ipc.read_record_batch(buffer, self._schema)
            with suppress(OSError):  # it has sent all, and ended
                connection.sendall(sender.TAKEN)

    def _length(self, connection: socket.socket) -> int:
        header = bytearray(struct.calcsize(sender.LENGTH))
        if not self._ready(connection):
            self._broken("the job ended before all was sent")
        self._read_into(connection, memoryview(header))
        (size,) = struct.unpack(sender.LENGTH, header)
        return int(size)

    def _read_into(self, connection: socket.socket, view: memoryview) -> None:
        while view:
            try:
                count = connection.recv_into(view)
            except OSError as error:
                self._broken(named(error))
            if not count:
                self._broken("its end of the connection was closed")
            view = view[count:]

    def _broken(self, how: str) -> NoReturn:
        """Raise why the sender broke off: what its attempt, or the job, failed with if it did."""
        self._wait_for_end(_LAST_WORDS_SECONDS)
        self._raise_first_failure()
        raise SparkPartitionError(
            self._index, "ConnectionError", f"the sender broke off: {how}", FailureKind.WORKER_LOST
        )

    def _raise_first_failure(self) -> None:
        """If the job failed: Spark's retries cannot connect, so the last failure is that."""
        if self._error is None:
            return
        first = first_failure(self._context, self._token, self._index)
        if first is None:
            raise self._error
        raise first from self._error


def _listener(bind: str) -> socket.socket:
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    return socket.create_server((bind, 0), family=family)


def _exactly(connection: socket.socket, size: int) -> bytes:
    """``size`` bytes, or fewer when the other end is closed before."""
    said = b""
    while len(said) < size and (more := connection.recv(size - len(said))):
        said += more
    return said
