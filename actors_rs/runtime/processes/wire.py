"""How values travel between a process and its worker: pickled, large buffers beside the pipe.

A message is a header, the sizes of its segments, and the segments. The first one is its head: a
small value that says what the rest is for. Then comes the pickle stream of the rest. Then come the
buffers that protocol 5 keeps out of it, such as the buffers of NumPy and Arrow. Below ``SHARED``
bytes the segments come through the socket. Above, they are written once into a block of shared
memory without a name. Its descriptor is sent along, so a killed process leaves nothing.

This module runs in workers as it is: it imports no other module of the package.
"""

from __future__ import annotations

import io
import mmap
import os
import pickle
import socket
import struct
import tempfile
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

__all__ = ["NOTHING", "SHARED", "Packed", "Wait", "board", "pack", "receive", "send", "unpack"]

SHARED = 1 << 20
"""Bytes of a message from which on it travels in shared memory."""
OUT_OF_BAND = 1 << 16
"""Bytes of a buffer below which it stays in the pickle stream: a segment costs more."""
_ALIGNED = 64
"""Bytes: where a buffer in a block begins, as Arrow likes it."""
_HEADER = struct.Struct("<QIB")
"""Bytes of all segments, their number, whether they are in a block."""
_AT_ONCE = getattr(mmap, "MAP_POPULATE", 0)
"""All pages of a block are mapped at once: a fault for each costs more than to copy it."""
_CLOSED_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)

Wait = Callable[[bool], None]
"""Waits until the socket can be written to (True) or read from; raises if that will never be."""


class Packed(NamedTuple):
    """A value that was pickled: the parts of its stream, and its buffers."""

    stream: list[Any]
    buffers: list[memoryview]
    sizes: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Of all segments, with the gaps between them."""
        return _offsets(self.sizes)[-1]


NOTHING = Packed([], [], ())
"""The rest of a message that has a head alone."""


class _Parts(io.RawIOBase):
    """A file that keeps what is written as it is: pickle hands large bytes over uncopied."""

    def __init__(self) -> None:
        self.parts: list[Any] = []
        self.size = 0

    def write(self, part: Any, /) -> int:
        self.parts.append(part)
        self.size += len(part)
        return len(part)


def pack(value: object) -> Packed:
    """``value`` pickled, classes of ``__main__`` by value; raises what pickle does."""
    from cloudpickle import Pickler

    buffers: list[memoryview] = []

    def out_of_band(buffer: pickle.PickleBuffer) -> bool:
        try:
            raw = buffer.raw()
        except BufferError:  # it is not contiguous
            return True
        if raw.nbytes < OUT_OF_BAND:
            return True
        buffers.append(raw)
        return False

    file = _Parts()
    Pickler(file, protocol=5, buffer_callback=out_of_band).dump(value)
    return Packed(file.parts, buffers, (file.size, *(one.nbytes for one in buffers)))


def unpack(segments: Sequence[memoryview]) -> Any:
    """What ``pack`` was given."""
    return pickle.loads(segments[0], buffers=segments[1:])


def send(sock: socket.socket, head: object, packed: Packed, wait: Wait) -> None:
    """Send ``head`` and ``packed``; ``wait`` is called where the socket would block."""
    first = pickle.dumps(head, 5)
    sizes = (len(first), *packed.sizes)
    nbytes = _offsets(sizes)[-1]
    table = struct.pack(f"<{len(sizes)}Q", *sizes)
    if nbytes < SHARED:
        segments = [[first], *_segments(packed)]
        body = [_HEADER.pack(nbytes, len(sizes), 0), table]
        for gap, segment in zip((0, *_gaps(sizes)), segments, strict=True):
            body += [bytes(gap), *segment]
        _send_all(sock, b"".join(body), wait)
        return
    block = _block()
    try:
        _fill(block, [[first], *_segments(packed)], sizes)
        header = _HEADER.pack(nbytes, len(sizes), 1)
        sent = _again(lambda: socket.send_fds(sock, [header], [block]), wait, True)
    finally:
        os.close(block)
    _send_all(sock, header[sent:] + table, wait)


def receive(sock: socket.socket, wait: Wait) -> tuple[Any, list[memoryview]]:
    """The head of the next message, and its other segments; ``EOFError`` if the peer has gone."""
    size = _HEADER.size
    header, blocks = _again(lambda: _first(sock, size), wait, False)
    if not header:
        raise EOFError
    if len(header) < size:
        header += _receive_all(sock, size - len(header), wait)
    nbytes, count, shared = _HEADER.unpack(header)
    sizes = struct.unpack(f"<{count}Q", _receive_all(sock, 8 * count, wait))
    body = _mapped(blocks[0], nbytes) if shared else _receive_all(sock, nbytes, wait)
    view, offsets = memoryview(body), _offsets(sizes)
    head, *rest = [view[at : at + one] for at, one in zip(offsets, sizes, strict=False)]
    return pickle.loads(head), rest


def _segments(packed: Packed) -> list[list[Any]]:
    """The parts of each segment."""
    stream = [packed.stream] if packed.sizes else []
    return [*stream, *([buffer] for buffer in packed.buffers)]


def board(slots: int) -> tuple[int, memoryview]:
    """Shared memory with ``slots`` integers, and the descriptor to hand to a worker."""
    block = _block()
    os.truncate(block, mmap.PAGESIZE)
    return block, _mapped_numbers(block, slots)


def _mapped_numbers(block: int, slots: int) -> memoryview:
    return memoryview(mmap.mmap(block, mmap.PAGESIZE))[: 8 * slots].cast("q")


def _offsets(sizes: Sequence[int]) -> list[int]:
    """Where each segment begins; at last, where the message ends."""
    offsets, at = [], 0
    for size in sizes:
        at = -(-at // _ALIGNED) * _ALIGNED
        offsets.append(at)
        at += size
    return [*offsets, at]


def _gaps(sizes: Sequence[int]) -> list[int]:
    """Bytes between a segment and the one before it, for all but the first."""
    offsets = _offsets(sizes)
    return [offsets[i] - offsets[i - 1] - sizes[i - 1] for i in range(1, len(sizes))]


def _block() -> int:
    """A descriptor of memory without a name: it goes with the last process that has it."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("actors-rs")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _fill(block: int, segments: Sequence[Sequence[Any]], sizes: Sequence[int]) -> None:
    for offset, parts in zip(_offsets(sizes), segments, strict=False):
        at = offset
        for part in parts:
            at += _write(block, part, at)


def _write(block: int, part: Any, at: int) -> int:
    view, done = memoryview(part).cast("B"), 0
    while done < len(view):
        done += os.pwrite(block, view[done:], at + done)
    return done


def _mapped(block: int, nbytes: int) -> mmap.mmap:
    """The block as memory, which lives as long as a view of it."""
    try:
        return mmap.mmap(block, nbytes, flags=mmap.MAP_SHARED | _AT_ONCE)
    finally:
        os.close(block)


def _first(sock: socket.socket, size: int) -> tuple[bytes, list[int]]:
    data, blocks, _, _ = socket.recv_fds(sock, size, 1, _CLOSED_ON_EXEC)
    return data, blocks


def _again(step: Callable[[], Any], wait: Wait, writing: bool) -> Any:
    while True:
        try:
            return step()
        except BlockingIOError:
            wait(writing)


def _send_all(sock: socket.socket, data: bytes, wait: Wait) -> None:
    view = memoryview(data)
    while view:
        rest = view
        view = view[_again(lambda: sock.send(rest), wait, True) :]  # noqa: B023 - called at once


def _receive_all(sock: socket.socket, size: int, wait: Wait) -> bytearray:
    data = bytearray(size)
    left = memoryview(data)
    while left:
        into = left
        got = _again(lambda: sock.recv_into(into), wait, False)  # noqa: B023 - called at once
        if not got:
            raise EOFError
        left = left[got:]
    return data
