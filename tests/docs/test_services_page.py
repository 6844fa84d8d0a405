"""The how-to page for services: its programs stop servers in order and cut off responses."""

import asyncio
import re
from contextlib import nullcontext
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from starlette.applications import Starlette
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import ClientDisconnect
from starlette.routing import Mount, Route

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import RunCancelled
from actors_rs.observability.web import asgi_app
from tests.graph.helpers import SECONDS

PAGE = Path(__file__).parents[2] / "docs/how-to/services.md"


def names_of(heading):
    """The names that the program of a task defines."""
    section = (
        PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    )
    names = {"__name__": "the_page"}
    for block in re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL):
        exec(block, names)
    return names


def asked_for(path):
    """The scope of ``GET path``."""
    headers = [(b"host", b"localhost")]
    return {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}


async def never():
    await asyncio.Event().wait()


async def endless(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await never()


async def is_raised_when_cancelled(app, path, before):
    """Whether a request that the server cancels, after a call of ``before``, raises."""
    begun = asyncio.Event()

    async def send(message):
        begun.set()

    request = asyncio.ensure_future(app(asked_for(path), never, send))
    await asyncio.wait_for(begun.wait(), SECONDS)
    before()
    assert request.cancel(), "the response had ended by itself"
    await asyncio.wait([request], timeout=SECONDS)
    return request.cancelled() or request.result()  # an error of its own is raised


@pytest.fixture
def client():
    app = names_of("Stop uvicorn gracefully")["make_app"]()
    app.mount("/endless", endless)
    app.mount("/mounted", Starlette(routes=[Mount("/endless", endless)]))
    with TestClient(app) as client:
        app.mount("/actors", asgi_app(app.state.system, token=None))
        yield client


@pytest.mark.parametrize("path", ["/endless/", "/mounted/endless/"])
def test_a_response_that_a_stop_cancels_ends_quietly_also_of_a_mounted_application(client, path):
    drain = client.app.state.system.drain
    assert not client.portal.call(is_raised_when_cancelled, client.app, path, drain)


@pytest.mark.parametrize("path", ["/endless/", "/mounted/endless/", "/actors/events"])
def test_a_response_that_is_cancelled_without_a_stop_raises_also_of_the_page(client, path):
    assert client.portal.call(is_raised_when_cancelled, client.app, path, lambda: None)


def test_a_lifespan_that_is_cancelled_before_it_has_a_system_raises():
    app = names_of("Stop uvicorn gracefully")["make_app"]()

    async def start_and_cancel():
        begun = asyncio.Event()

        async def receive():
            begun.set()
            await never()

        lifespan = asyncio.ensure_future(app({"type": "lifespan"}, receive, None))
        await asyncio.wait_for(begun.wait(), SECONDS)
        lifespan.cancel()
        await lifespan

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(start_and_cancel())


@pytest.mark.parametrize("error", [None, OSError("disk")])
def test_a_cut_off_export_ends_quietly_and_is_not_ended_normally_and_other_errors_are_raised(error):
    page = names_of("Stop uvicorn gracefully")
    response = names_of("Stream into a web response")["ClosingResponse"]
    app, messages = page["make_app"](), []
    app.mount("/rows", Starlette(routes=[Route("/", lambda _: response(cut()))]))

    async def cut():
        yield "row 0\n"
        raise error or page["NotWhole"]

    async def send(message):
        messages.append(message)

    with nullcontext() if error is None else pytest.raises(OSError, match="disk"):
        asyncio.run(asyncio.wait_for(app(asked_for("/rows/"), never, send), SECONDS))
    assert [message["more_body"] for message in messages[1:]] == [True]


def test_an_upload_that_reads_ahead_cancels_its_run_while_lines_of_a_client_that_left_wait():
    ahead = names_of("Notice at once that an uploading client has left")["ahead"]
    got = []

    async def chunks():
        yield b"1"
        yield b"2"
        raise ClientDisconnect

    async def upload():
        async with ActorSystem() as system:
            run = system.start(Source.queue(1).to(Sink.ignore()))
            async for chunk in ahead(chunks(), run):
                got.append(chunk)
                if chunk == b"2":
                    with pytest.raises(RunCancelled):
                        await run  # it never ends by itself

    with pytest.raises(ClientDisconnect):
        asyncio.run(asyncio.wait_for(upload(), SECONDS))
    assert b"".join(got) == b"12"


async def broken():
    yield "row 0\n"
    raise RuntimeError("the response is not whole")


async def passed_on(request, call_next):
    return await call_next(request)


@pytest.mark.parametrize("base", [False, True])
def test_a_body_that_raises_breaks_its_response_off_but_for_a_base_http_middleware(base):
    response = names_of("Stream into a web response")["ClosingResponse"]
    messages = []

    async def send(message):
        messages.append(message)

    app = Starlette(routes=[Route("/", lambda _: response(broken()))])
    if base:
        app.add_middleware(BaseHTTPMiddleware, dispatch=passed_on)
    with pytest.raises(RuntimeError, match="not whole"):
        asyncio.run(asyncio.wait_for(app(asked_for("/"), never, send), SECONDS))
    assert all(message["more_body"] for message in messages[1:]) is not base
