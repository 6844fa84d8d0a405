"""What runs in a Python worker to get a partition to the driver, in one piece or streamed.

This module travels to the executors as it is, so that they need not have this package: it imports
nothing of ours.

A partition that is small enough is the result of its job, like any other. Of a larger one nothing
is: the worker connects to the driver and sends batch by batch, at most ``WINDOW`` of them ahead of
what the driver has taken; that says so with one byte for each.
"""

from __future__ import annotations

import socket
import struct
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ADDRESS", "END", "LENGTH", "TAKEN", "WINDOW", "sender"]

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
        held: deque[pa.RecordBatch] = deque()
        size = 0
        for batch in batches:
            held.append(batch)
            size += batch.nbytes
            if size > limit:
                _stream(held, batches, limit)
                return
        yield from held

    return send


def _stream(held: deque[pa.RecordBatch], rest: Iterator[pa.RecordBatch], limit: int) -> None:
    with _connected() as connection:
        credit = WINDOW
        for piece in _pieces(held, rest, limit):
            while not credit:
                credit += _taken(connection)
            credit -= 1
            encoded = piece.serialize()
            connection.sendall(struct.pack(LENGTH, encoded.size))
            connection.sendall(memoryview(encoded))
        connection.sendall(struct.pack(LENGTH, END))
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(WINDOW):  # closed with bytes unread, it would lose what was sent
            pass


def _pieces(
    held: deque[pa.RecordBatch], rest: Iterator[pa.RecordBatch], limit: int
) -> Iterator[pa.RecordBatch]:
    """All batches, none larger than ``limit`` unless a single row is; those given are let go."""
    while held:
        yield from _cut(held.popleft(), limit)
    for batch in rest:
        yield from _cut(batch, limit)


def _cut(batch: pa.RecordBatch, limit: int) -> Iterator[pa.RecordBatch]:
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
