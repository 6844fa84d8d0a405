"""The web service streams rows as they come, and a client that goes away cancels its run."""

import asyncio

from starlette.testclient import TestClient

import web_streaming
from actors_rs.testing.leaks import no_leaks
from tests.graph.helpers import SECONDS
from tests.graph.test_iteration import Endless


def test_rows_come_as_json_lines():
    client = TestClient(web_streaming.app)
    answer = client.get("/squares?count=3")
    assert answer.text.splitlines() == [f'{{"n": {n}, "square": {n * n}}}' for n in range(3)]
    assert answer.headers["content-type"].startswith("application/x-ndjson")


def test_a_client_that_goes_away_after_some_rows_cancels_the_run(monkeypatch):
    endless, got = Endless(), []
    monkeypatch.setattr(web_streaming.app.state, "rows_of", lambda _: endless.source())
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/squares",
        "headers": [],
        "query_string": b"count=1",
        "asgi": {"spec_version": "2.3"},
    }

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

        await web_streaming.app(scope, receive, send)

    with no_leaks():
        asyncio.run(asyncio.wait_for(request(), SECONDS))
        assert endless.released.wait(SECONDS)
    assert len(got) >= 50
    assert got[1]["body"] == b"1\n"
    assert endless.given < len(got) + 32, "the client's reading is the demand"
