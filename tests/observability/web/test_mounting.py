"""The page as a part of a web server of the user's, and on an event loop."""

import asyncio
import logging
import threading
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import ArgumentTypeError, IllegalStateError, InvalidArgumentError
from actors_rs.observability.web import asgi_app, serve
from tests.observability.web.conftest import ask, endless

applications = pytest.importorskip("starlette.applications")
RETRY = 2_000
SECONDS = 20


def client(app, base="http://localhost"):
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=base)


def mounted(system, **options):
    app = applications.Starlette()
    app.mount("/actors", asgi_app(system, **{"token": None, **options}))
    return app


@asynccontextmanager
async def answer_of(app, path):
    """The queue of what ``app`` sends to a GET of ``path``, and the task that answers."""
    got: asyncio.Queue[Any] = asyncio.Queue()
    headers = [(b"host", b"localhost")]
    scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode()}
    scope |= {"query_string": b"", "headers": headers, "root_path": "", "http_version": "1.1"}

    async def receive():
        await asyncio.Event().wait()

    serving = asyncio.create_task(app(scope, receive, got.put))
    try:
        async with asyncio.timeout(SECONDS):
            yield got, serving
    finally:
        serving.cancel()


async def stream_of(app, path):
    """The first event of the stream at ``path``: the server goes away after that."""
    async with answer_of(app, path) as (got, _):
        start, body = await got.get(), await got.get()
    assert start["status"] == 200
    return body["body"].decode()


async def rest_of(got, serving):
    """All that is left of an answer that ends by itself."""
    await serving
    return "".join(got.get_nowait().get("body", b"").decode() for _ in range(got.qsize()))


def test_a_mounted_page_shows_the_runs_of_its_system_on_one_loop_after_the_other(system):
    app = mounted(system)
    assert system.start(Source.of(1, 2).to(Sink.sum()), name="orders").result(SECONDS) == 3
    for _ in range(2):
        assert "orders" in asyncio.run(stream_of(app, "/actors/events"))


def test_all_addresses_of_a_mounted_page_are_below_its_own(system):
    async def visit():
        async with client(mounted(system)) as browser:
            page = await browser.get("/actors", follow_redirects=True)
            assert str(page.url) == "http://localhost/actors/"
            for name in ("page.js", "page.css", "icon.svg"):
                assert f'"static/{name}"' in page.text
                assert (await browser.get(page.url.join(f"static/{name}"))).status_code == 200
            assert '"/' not in page.text
            return (await browser.get("/")).status_code

    assert asyncio.run(visit()) == 404


def test_the_token_of_a_mounted_page_leads_back_to_it_with_a_cookie(system):
    async def visit():
        async with client(mounted(system, token="s3cret")) as browser:
            assert (await browser.get("/actors/")).status_code == 401
            page = await browser.get("/actors/?token=s3cret", follow_redirects=True)
            assert str(page.url) == "http://localhost/actors/"
            return page.status_code, (await browser.get("/actors/static/page.js")).status_code

    assert asyncio.run(visit()) == (200, 200)


def test_a_mounted_page_is_refused_by_a_name_that_was_not_given(system):
    async def visit(name):
        app = mounted(system, allowed_hosts=["shop.example"])
        async with client(app, f"https://{name}") as browser:
            return (await browser.get("/actors/")).status_code

    names = ("shop.example", "shop.example:8443", "evil.example", "192.0.2.1")
    assert [asyncio.run(visit(name)) for name in names] == [200, 200, 421, 421]


def test_wrong_arguments_of_a_mounted_page_are_refused(system):
    wrong: Any = "system"
    with pytest.raises(ArgumentTypeError, match="asgi_app needs an ActorSystem"):
        asgi_app(wrong, token=None)
    with pytest.raises(InvalidArgumentError, match="asgi_app: token must be"):
        asgi_app(system, token="a b")


def test_async_with_serves_the_page_while_the_loop_goes_on(system):
    async def main():
        loop, entered = threading.get_ident(), []
        serving = serve(system)
        make = serving._make

        def made():
            entered.append(threading.get_ident())
            return make()

        serving._make = made
        async with serving as page:
            assert entered != [loop], "it is started on the thread of the loop"
            assert (await asyncio.to_thread(ask, page, "/")).status == 200
            with pytest.raises(IllegalStateError, match="is being served"):
                serving.__enter__()
        return page

    page = asyncio.run(main())
    with serve(system, port=page.port):
        pass  # the port is free again


def test_a_task_that_is_cancelled_at_the_start_leaves_no_server_behind(system):
    async def main():
        serving, entered, go_on = serve(system), threading.Event(), threading.Event()
        make = serving._make

        def made():
            entered.set()
            go_on.wait(SECONDS)
            return make()

        serving._make = made
        task = asyncio.create_task(serving.__aenter__())
        await asyncio.to_thread(entered.wait, SECONDS)
        task.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert serving._block is None

    asyncio.run(main())
    assert "actors-web" not in [thread.name for thread in threading.enumerate()]


def test_a_page_that_is_served_logs_no_requests(system, caplog):
    caplog.set_level(logging.DEBUG)
    with serve(system) as page:
        assert ask(page, "/").status == 200
    assert [record for record in caplog.records if record.name.startswith("uvicorn.access")] == []


def test_the_system_of_a_mounted_page_may_end_first():
    with ActorSystem() as system:
        app = mounted(system)
        system.start(Source.of(1).to(Sink.sum()), name="orders").result(SECONDS)
    assert "orders" in asyncio.run(stream_of(app, "/actors/events"))


def test_an_open_stream_of_a_mounted_page_ends_when_its_system_drains(system):
    async def main():
        app = mounted(system)
        system.start(endless("orders"))
        async with answer_of(app, "/actors/events") as (got, serving):
            start, first = await got.get(), await got.get()
            assert start["status"] == 200
            assert '"state":"running"' in first["body"].decode()
            system.drain()
            return await rest_of(got, serving)

    rest = asyncio.run(main())
    assert '"state":"draining"' in rest
    assert rest.endswith(f"retry: {RETRY}\n\n"), "the browser asks again, but not in a tight loop"


def test_a_stream_that_begins_after_the_end_of_its_system_ends_after_the_next_look():
    async def main(app):
        async with answer_of(app, "/actors/events") as answer:
            return await rest_of(*answer)

    with ActorSystem() as system:
        app = mounted(system)
    whole = asyncio.run(main(app))
    assert whole.count("data: ") == 2
    assert '"state":"shut down"' in whole
