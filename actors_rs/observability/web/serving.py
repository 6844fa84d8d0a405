"""``serve``: the page of a system, as long as a ``with`` or ``async with`` block lasts."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager as ContextManager
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from actors_rs.errors import IllegalStateError
from actors_rs.observability.web.guard import Guard
from actors_rs.observability.web.options import check_options, import_uvicorn
from actors_rs.runtime._primitives import Event, Thread
from actors_rs.runtime.settings import check_flag, check_kind

if TYPE_CHECKING:
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["Page", "Serving", "serve"]

START_SECONDS = 30.0


class Page:
    """A page that is being served.

    ``url`` is its address, with the token if there is one; ``port`` is the port it listens on.
    ``serve`` makes it.

    >>> from actors_rs.observability.web import serve
    >>> with ActorSystem() as system, serve(system) as page:
    ...     page.url == f"http://127.0.0.1:{page.port}/"
    True
    """

    def __init__(self, url: str, port: int) -> None:
        self.url = url
        self.port = port

    def __repr__(self) -> str:
        return f"<Page {self.url.partition('?')[0]}>"


class Serving:
    """A page that can be served, for ``with`` or ``async with``.

    ``serve`` makes it; ``make`` gives the block of the server. The block gets a ``Page``. ``async
    with`` starts and stops the server on another thread, so that the event loop goes on. ``with``
    blocks its thread at the start, for some 0.2 seconds.

    >>> import asyncio
    >>> from actors_rs.observability.web import serve
    >>> async def main():
    ...     async with serve(system) as page:
    ...         return page.url.startswith("http://127.0.0.1:")
    >>> with ActorSystem() as system:
    ...     asyncio.run(main())
    True
    """

    def __init__(self, make: Callable[[], ContextManager[Page]]) -> None:
        self._make = make
        self._block: ContextManager[Page] | None = None

    def __enter__(self) -> Page:
        if self._block is not None:
            raise IllegalStateError("the page is being served: call serve() for another one")
        block = self._make()
        page = block.__enter__()
        self._block = block
        return page

    def __exit__(self, *error: Any) -> None:
        block, self._block = self._block, None
        if block is not None:
            block.__exit__(*error)

    async def __aenter__(self) -> Page:
        starting = asyncio.ensure_future(asyncio.to_thread(self.__enter__))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            await asyncio.wait([starting])
            await asyncio.to_thread(self.__exit__, None, None, None)
            raise

    async def __aexit__(self, *error: Any) -> None:
        await asyncio.to_thread(self.__exit__, *error)


def serve(
    system: ActorSystem,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    *,
    read_only: bool = False,
    show_elements: bool = False,
    allowed_hosts: Collection[str] = (),
) -> Serving:
    """Serve a page for all runs of ``system`` while a ``with`` or ``async with`` block lasts.

    - ``host``: the address to listen on, ``"127.0.0.1"`` by default, which other machines cannot
      reach.
    - ``port``: 0 (default) takes a free one.
    - ``token``: a secret that reading needs too; ``page.url`` contains it. ``None`` by default.
    - ``read_only``: show no buttons. Off by default.
    - ``show_elements``: show the contents of elements in dead letters and time-outs. Off by
      default; messages of exceptions are always shown.
    - ``allowed_hosts``: further names by which browsers reach the server, for instance through a
      proxy.

    Raises ``InvalidArgumentError``, a ``ValueError``, for a ``host`` that other machines can reach
    if there is no ``token``. Raises ``MissingExtraError`` without starlette and uvicorn. Entering
    the block raises ``OSError`` if the port is taken.

    The server has one thread and logs no requests. When the block is left, the thread has ended and
    the port is free. The page still shows runs that have ended. ``async with``
    does not block the event loop of a coroutine. ``asgi_app`` is the page for a server that you
    have.

    >>> from urllib.request import urlopen
    >>> from actors_rs.observability.web import serve
    >>> with ActorSystem() as system, serve(system) as page:
    ...     urlopen(page.url).status
    200
    """
    check_kind(system, "statistics", "serve needs an ActorSystem")
    check_flag("serve: read_only", read_only)
    check_flag("serve: show_elements", show_elements)
    check_options(host, port, token)
    uvicorn = import_uvicorn()

    @contextmanager
    def serving() -> Iterator[Page]:
        guard = Guard(host, token, read_only, allowed_hosts)
        with _bound(host, port) as bound:
            guard.port = bound.getsockname()[1]
            server = _Server(uvicorn, system, guard, read_only, show_elements)
            with server.running(bound):
                name = f"[{host}]" if ":" in host else host
                query = "" if token is None else f"?token={quote(token, safe='')}"
                yield Page(f"http://{name}:{guard.port}/{query}", guard.port)

    return Serving(serving)


@contextmanager
def _bound(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family)
    except OSError as error:
        raise OSError(
            error.errno, f"serve: expected {host}:{port} to be free, got: {error.strerror}"
        ) from None
    with bound:
        yield bound


class _Server:
    """uvicorn on a thread of its own, whose loop also looks at the runs."""

    def __init__(
        self, uvicorn: Any, system: ActorSystem, guard: Guard, read_only: bool, show: bool
    ) -> None:
        from actors_rs.observability.web.watching import Watch

        self._uvicorn = uvicorn
        self._watch = Watch(system, show)
        self._guard = guard
        self._read_only = read_only
        self._started = Event()
        self._error: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: Any = None
        self._over = False

    @contextmanager
    def running(self, bound: socket.socket) -> Iterator[None]:
        thread = Thread(target=lambda: self._run(bound), name="actors-web", daemon=True)
        self._watch.begin()
        try:
            thread.start()
            self._started.wait(START_SECONDS)
            if self._error is not None:
                raise self._error
            yield
        finally:
            self._watch.end()
            self._over = True  # before the look: a server that begins looks the other way round
            if self._loop is not None and self._stop is not None:
                with suppress(RuntimeError):  # the loop is closed, for the server has failed
                    self._loop.call_soon_threadsafe(self._stop)
            if thread.begun:  # else Ctrl-C came before it
                thread.join()

    def _run(self, bound: socket.socket) -> None:
        try:
            asyncio.run(self._serve(bound))
        except BaseException as error:
            self._error = error
        finally:
            self._started.set()

    async def _serve(self, bound: socket.socket) -> None:
        from actors_rs.observability.web.app import make_app

        app, pages = make_app(self._watch, self._guard, self._read_only)
        config = self._uvicorn.Config(
            app, log_config=None, access_log=False, ws="none", server_header=False,
            timeout_graceful_shutdown=2, lifespan="on", loop="asyncio", http="h11",
        )  # fmt: skip
        server = self._uvicorn.Server(config)
        started = asyncio.create_task(self._tell_start(server))

        def stop() -> None:
            pages.close()
            server.should_exit = True

        self._loop, self._stop = asyncio.get_running_loop(), stop
        try:
            if self._over:
                return
            await server.serve(sockets=[bound])
        finally:
            started.cancel()

    async def _tell_start(self, server: Any) -> None:
        while not server.started:
            await asyncio.sleep(0.01)
        self._started.set()
