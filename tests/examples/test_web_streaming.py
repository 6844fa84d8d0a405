"""The web service streams rows as they come, and a client that goes away cancels its run."""

import asyncio

import web_streaming
from actors_rs.testing.leaks import no_leaks
from tests.graph.helpers import SECONDS
from tests.graph.test_iteration import Endless


def asked_for(count: int) -> dict[str, object]:
    """The scope of ``GET /squares?count=...``, as a server gives it to the app."""
    return {
        "type": "http",
        "method": "GET",
        "path": "/squares",
        "headers": [],
        "query_string": b"count=%d" % count,
        "asgi": {"spec_version": "2.3"},
    }


def test_rows_come_as_json_lines():
    got = []

    async def request():
        async def receive():
            await asyncio.Event().wait()

        async def send(message):
            got.append(message)

        await web_streaming.app(asked_for(3), receive, send)

    asyncio.run(asyncio.wait_for(request(), SECONDS))
    start, *rest = got
    assert dict(start["headers"])[b"content-type"].startswith(b"application/x-ndjson")
    lines = b"".join(message["body"] for message in rest).decode().splitlines()
    assert lines == [f'{{"n": {n}, "square": {n * n}}}' for n in range(3)]


def test_a_client_that_goes_away_after_some_rows_cancels_the_run(monkeypatch):
    endless, got = Endless(), []
    monkeypatch.setattr(web_streaming.app.state, "rows_of", lambda _: endless.source())

    async def request():
        gone = asyncio.Event()

        async def receive():
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            got.append(message)
            if len(got) == 50:
                gone.set()
            await asyncio.sleep(0)

        await web_streaming.app(asked_for(1), receive, send)

    with no_leaks():
        asyncio.run(asyncio.wait_for(request(), SECONDS))
        assert endless.released.wait(SECONDS)
    assert len(got) >= 50
    assert got[1]["body"] == b"1\n"
    assert endless.given < len(got) + 32, "the client's reading is the demand"
