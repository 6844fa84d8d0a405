"""A web service that streams: each request is a run, and the client's reading is the demand.

    python examples/web_service.py

``/orders/{shop}`` gives the orders of a shop as JSON lines, read from the database as the client
reads them. ``/live`` gives events for as long as the client stays. The program starts the service
on this machine and two clients: the first one reads all orders, the second one leaves early. To
start the service alone: ``uvicorn examples.web_service:app``.
"""

import json
import socket
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import aclosing, closing
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from actors_rs import Source

ORDERS = "SELECT id, cents FROM orders WHERE shop = ? ORDER BY id"

ended: Queue[str] = Queue()
"""Paths of requests whose runs have ended."""


def orders_of(database: Path, shop: str) -> Source[str]:
    """A line of JSON for each order of a shop."""
    rows: Source[dict[str, Any]] = Source.sqlite(database, ORDERS, [shop], dicts=True)
    return rows.map(lambda row: json.dumps(row) + "\n")


def events() -> Source[str]:
    """An event for the browser each hundredth of a second, for ever."""
    return Source.tick(0.01).map(lambda number: f"data: event {number}\n\n")


class ClosingResponse(StreamingResponse):
    """A streaming response that closes its body when the client has left."""

    body_iterator: Any  # has aclose()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with aclosing(self.body_iterator):
            await super().__call__(scope, receive, send)


async def body(path: str, lines: Source[str]) -> AsyncGenerator[str]:
    """The lines of one response. A client who leaves ends the block, and so the run."""
    try:
        async with lines.open(window=16) as opened:
            async for line in opened:
                yield line
    finally:
        ended.put(path)


async def orders(request: Request) -> ClosingResponse:
    """``GET /orders/basel``."""
    lines = orders_of(request.app.state.database, request.path_params["shop"])
    return ClosingResponse(body(request.url.path, lines), media_type="application/x-ndjson")


async def live(request: Request) -> ClosingResponse:
    """``GET /live``."""
    return ClosingResponse(body(request.url.path, events()), media_type="text/event-stream")


app = Starlette(routes=[Route("/orders/{shop}", orders), Route("/live", live)])
app.state.database = Path("orders.db")


def write_database(path: Path) -> None:
    """Two shops with 2,000 orders each."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, shop TEXT, cents INTEGER)")
        rows = [(n, ("basel", "graz")[n % 2], 100 + n % 900) for n in range(4_000)]
        database.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows)


def main(folder: Path) -> None:
    """Start the service, be both clients, stop the service."""
    app.state.database = folder / "orders.db"
    write_database(app.state.database)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    serving = Thread(target=server.run, kwargs={"sockets": [listening]})
    serving.start()
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{listening.getsockname()[1]}") as client:
            with client.stream("GET", "/orders/basel") as answer:
                cents = [json.loads(line)["cents"] for line in answer.iter_lines()]
            print(f"{len(cents)} orders of basel, {sum(cents) / 100:.2f}; ended: {ended.get()}")
            with client.stream("GET", "/live") as answer:
                first = next(answer.iter_lines())
            print(f"the client left after {first!r}; ended: {ended.get(timeout=30)}")
    finally:
        server.should_exit = True
        serving.join()


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(temporary))
