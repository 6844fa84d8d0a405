"""A small HTTP service, in a process of its own: ``python -m stress.bench.workloads.service``."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["running"]

DELAY = 0.02
"""Seconds before it answers."""


@contextmanager
def running() -> Iterator[str]:
    """The address of the service, which ends with the block."""
    command = [sys.executable, "-m", "stress.bench.workloads.service"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    request = await reader.readuntil(b"\r\n\r\n")
    await asyncio.sleep(DELAY)
    number = request.split(b" ", 2)[1].rpartition(b"/")[2].decode()
    body = json.dumps({"id": number, "name": f"Customer {number}"}).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
    writer.close()


async def _serve() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0, backlog=512)
    host, port = server.sockets[0].getsockname()
    print(f"http://{host}:{port}", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
