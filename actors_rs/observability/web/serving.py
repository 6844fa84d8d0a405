"""``serve``: the page of a system, as long as a ``with`` block lasts."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from actors_rs.errors import InvalidArgumentError, MissingExtraError
from actors_rs.observability.web.guard import Guard, is_loopback
from actors_rs.runtime._primitives import Event, Thread
from actors_rs.runtime.settings import check_flag, check_kind, check_text
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["Page", "check_options", "serve"]

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


@contextmanager
def serve(
    system: ActorSystem,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    *,
    read_only: bool = False,
    show_elements: bool = False,
    allowed_hosts: Collection[str] = (),
) -> Iterator[Page]:
    """Serve a page for all runs of ``system`` while the ``with`` block lasts.

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
    if there is no ``token``. Raises ``MissingExtraError`` without starlette and uvicorn, and
    ``OSError`` if the port is taken.

    The server has one thread. When the block is left, the thread has ended and the port is free.
    The page still shows runs that have ended. ``serve`` may be called on any thread that may block.

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
    uvicorn = _uvicorn()
    guard = Guard(host, token, read_only, allowed_hosts)
    with _bound(host, port) as bound:
        guard.port = bound.getsockname()[1]
        server = _Server(uvicorn, system, guard, read_only, show_elements)
        with server.running(bound):
            name = f"[{host}]" if ":" in host else host
            query = "" if token is None else f"?token={quote(token, safe='')}"
            yield Page(f"http://{name}:{guard.port}/{query}", guard.port)


def check_options(host: str, port: int, token: str | None) -> None:
    """Raise ``InvalidArgumentError`` or ``ArgumentTypeError`` for what cannot be served."""
    check_text("serve: host", host)
    if type(port) is not int or not 0 <= port <= 65535:
        raise InvalidArgumentError(f"serve: port must be from 0 to 65535, got {repr_of(port)}")
    if token is not None:
        check_text("serve: token", token)
        if (
            not token
            or not token.isascii()
            or not token.isprintable()
            or set(token) & set(' ";,\\')
        ):
            raise InvalidArgumentError(
                "serve: token must be printable ASCII without spaces, quotes, backslashes, commas "
                "and semicolons, for instance secrets.token_urlsafe()"
            )
    elif not is_loopback(host):
        raise InvalidArgumentError(
            f"serve: host {repr_of(host)} can be reached from other machines, which needs a token, "
            "got none: pass token=secrets.token_urlsafe(), or leave host at 127.0.0.1"
        )


def _uvicorn() -> Any:
    try:
        import starlette
        import uvicorn

        del starlette
    except ImportError:
        raise MissingExtraError(
            "the page needs the libraries starlette and uvicorn, which are not installed: "
            "pip install 'actors-rs[web]'"
        ) from None
    return uvicorn


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
            if self._loop is not None and self._stop is not None:
                with suppress(RuntimeError):  # the loop is closed, for the server has failed
                    self._loop.call_soon_threadsafe(self._stop)
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
            await server.serve(sockets=[bound])
        finally:
            started.cancel()

    async def _tell_start(self, server: Any) -> None:
        while not server.started:
            await asyncio.sleep(0.01)
        self._started.set()
