"""What runs in a Python worker to get a partition to the driver, in one piece or streamed.

This module travels to the executors as it is, so that they need not have this package: it imports
nothing of ours.

A partition that is small enough is the result of its job, like any other. A larger one is not: the
worker connects to the driver and sends batch by batch. It sends at most ``WINDOW`` batches ahead;
the driver confirms each batch it has taken with one byte.

Two kinds: ``sender`` gets batches, ``frame_sender`` gets them encoded and sends them as they are.
"""

from __future__ import annotations

import socket
import struct
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ADDRESS", "END", "LENGTH", "TAKEN", "WINDOW", "frame_sender", "sender"]

ADDRESS = "actors_rs.connect_back"
"""The local property of a job that says where its driver listens: host, port and token."""
LENGTH = "!q"
END = -1
"""In place of a length: that was the last batch."""
TAKEN = b"+"
WINDOW = 4
_CONNECT_SECONDS = 20.0


def sender(limit: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """For ``mapInArrow``: gives the partition's batches if they are ``limit`` bytes or fewer."""

    def send(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        def chunks(batch: pa.RecordBatch) -> Iterator[Any]:
            return (part.serialize() for part in _cut(batch, limit))

        return _small_or_streamed(batches, limit, lambda batch: int(batch.nbytes), chunks)

    return send


def frame_sender(limit: int, schema: bytes) -> Callable[[Iterator[bytes]], Iterator[bytes]]:
    """The same for frames, encoded batches of ``schema``, which is encoded too."""

    def send(frames: Iterator[bytes]) -> Iterator[bytes]:
        return _small_or_streamed(
            frames, limit, len, lambda frame: _cut_frame(frame, limit, schema)
        )

    return send


def _small_or_streamed(
    batches: Iterator[Any],
    limit: int,
    size_of: Callable[[Any], int],
    chunks_of: Callable[[Any], Iterator[Any]],
) -> Iterator[Any]:
    """``batches`` if they are small together; else nothing, for they were sent as ``chunks_of``."""
    held: deque[Any] = deque()
    size = 0
    for batch in batches:
        held.append(batch)
        size += size_of(batch)
        if size > limit:
            _stream(chunk for batch in _releasing(held, batches) for chunk in chunks_of(batch))
            return
    yield from held


def _releasing(held: deque[Any], rest: Iterator[Any]) -> Iterator[Any]:
    """All of them; references to given batches are dropped."""
    while held:
        yield held.popleft()
    yield from rest


def _stream(chunks: Iterator[Any]) -> None:
    """Send encoded batches, each of any type that has a buffer."""
    with _connected() as connection:
        demand = WINDOW
        for chunk in chunks:
            while not demand:
                demand += _taken(connection)
            demand -= 1
            encoded = memoryview(chunk)
            connection.sendall(struct.pack(LENGTH, encoded.nbytes))
            connection.sendall(encoded)
        connection.sendall(struct.pack(LENGTH, END))
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(WINDOW):  # closed with bytes unread, it would lose what was sent
            pass


def _cut_frame(frame: bytes, limit: int, schema: bytes) -> Iterator[Any]:
    """The frame as it is, unless its batch is larger than ``limit``."""
    if len(frame) > limit:
        import pyarrow as pa

        batch = pa.ipc.read_record_batch(frame, pa.ipc.read_schema(pa.py_buffer(schema)))
        if batch.nbytes > limit:
            return (part.serialize() for part in _cut(batch, limit))
    return iter((frame,))


def _cut(batch: pa.RecordBatch, limit: int) -> Iterator[pa.RecordBatch]:
    """The batch in parts of no more than ``limit`` bytes, unless a single row is larger."""
    parts = max(1, min(batch.num_rows, -(-batch.nbytes // limit)))
    rows = max(1, -(-batch.num_rows // parts))
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def _taken(connection: socket.socket) -> int:
    """How many batches the driver says it has taken, one at least."""
    said = len(connection.recv(WINDOW))
    if not said:
        raise ConnectionError("the driver takes no more of this partition")
    return said


def _connected() -> socket.socket:
    from pyspark import TaskContext

    task: Any = TaskContext.get()
    host, port, token = task.getLocalProperty(ADDRESS).split()
    try:
        connection = socket.create_connection((host, int(port)), _CONNECT_SECONDS)
    except OSError as error:
        raise ConnectionError(
            f"partition {task.partitionId()} is larger than max_partition_bytes, so it is sent to "
            f"the driver, but the driver does not answer at {host}:{port} ({error}): executors "
            "must be able to reach spark.driver.host"
        ) from error
    connection.settimeout(None)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.sendall(token.encode())
    return connection
