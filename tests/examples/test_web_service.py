"""The web service streams rows as they are read, and a client that goes away ends its run."""

import asyncio
import gc
import json

import pytest

import web_service
from actors_rs.testing.leaks import no_leaks
from tests.graph.helpers import SECONDS
from tests.graph.test_iteration import Endless


def asked_for(path: str) -> dict[str, object]:
    """The scope of ``GET path``, as a server gives it to the app."""
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "headers": [],
        "query_string": b"",
        "asgi": {"spec_version": "2.3"},
    }


def test_the_orders_of_a_shop_come_as_json_lines(tmp_path, monkeypatch):
    web_service.write_database(tmp_path / "orders.db")
    monkeypatch.setattr(web_service.app.state, "database", tmp_path / "orders.db")
    got = []

    async def request():
        async def receive():
            await asyncio.Event().wait()

        async def send(message):
            got.append(message)

        await web_service.app(asked_for("/orders/graz"), receive, send)

    asyncio.run(asyncio.wait_for(request(), SECONDS))
    start, *rest = got
    assert dict(start["headers"])[b"content-type"].startswith(b"application/x-ndjson")
    lines = b"".join(message["body"] for message in rest).decode().splitlines()
    expected = [{"id": n, "cents": 100 + n % 900} for n in range(1, 4_000, 2)]
    assert [json.loads(line) for line in lines] == expected
    assert web_service.ended.get(timeout=SECONDS) == "/orders/graz"


@pytest.fixture
def endless(monkeypatch):
    """The source of ``/live``, which knows when it is released."""
    source = Endless()
    monkeypatch.setattr(web_service, "events", lambda: source.source().map(lambda n: f"{n}\n"))
    return source


@pytest.fixture
def no_collector():
    """What only the garbage collector would end goes on."""
    gc.disable()
    yield
    gc.enable()


async def watch_live(read):
    """``GET /live`` by a client whose ``read(message, gone)`` sets ``gone`` to leave."""
    gone = asyncio.Event()

    async def receive():
        await gone.wait()
        return {"type": "http.disconnect"}

    await web_service.app(asked_for("/live"), receive, lambda message: read(message, gone))


@pytest.mark.usefixtures("no_collector")
def test_a_client_that_goes_away_while_the_server_waits_for_it_has_ended_the_run(endless):
    async def read(message, gone):
        if message.get("body"):
            gone.set()
            await asyncio.Event().wait()  # the client reads no more

    async def request():
        await watch_live(read)
        assert endless.released.is_set()
        assert web_service.ended.get_nowait() == "/live"

    with no_leaks():
        asyncio.run(asyncio.wait_for(request(), SECONDS))


def test_a_client_that_goes_away_ends_the_run(endless):
    got = []

    async def read(message, gone):
        got.append(message)
        if len(got) == 50:
            gone.set()
        await asyncio.sleep(0)

    with no_leaks():
        asyncio.run(asyncio.wait_for(watch_live(read), SECONDS))
        assert endless.released.wait(SECONDS)
        assert web_service.ended.get(timeout=SECONDS) == "/live"
    assert len(got) >= 50
    assert got[1]["body"] == b"1\n"
    assert endless.given < len(got) + 64, "the client's reading is the demand"
