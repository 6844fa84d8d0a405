"""``asgi_app``: the page of a system as a part of a web server of the user's."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from actors_rs.observability.web.guard import App, Guard
from actors_rs.observability.web.options import check_token, import_starlette
from actors_rs.runtime.settings import check_flag, check_kind

if TYPE_CHECKING:
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["asgi_app"]


def asgi_app(
    system: ActorSystem,
    *,
    token: str | None,
    read_only: bool = False,
    show_elements: bool = False,
    allowed_hosts: Collection[str] = (),
) -> App:
    """The page of ``system`` as an ASGI application, to mount in a server that you have.

    Starlette and FastAPI: ``app.mount("/actors", asgi_app(system, token=SECRET))``. The page is at
    ``/actors/?token=SECRET`` then. It looks at the runs on the loop of that server, from the first
    request on.

    - ``token``: a secret that reading needs too. ``None`` lets everybody in that your server lets
      in: then your server checks who it is.
    - ``allowed_hosts``: the names by which browsers reach your server, without the port. A request
      by another name than these and ``localhost`` is refused with status 421.
    - ``read_only`` and ``show_elements`` are as for ``serve``.

    An open page ends when ``system`` drains or has shut down. uvicorn waits for open pages when it
    stops: call ``system.drain()`` at that moment, or start it with ``timeout_graceful_shutdown=5``.

    Raises ``InvalidArgumentError`` for a ``token`` that no cookie can hold, and
    ``MissingExtraError`` without starlette.

    >>> from actors_rs.observability.web import asgi_app
    >>> from starlette.applications import Starlette
    >>> with ActorSystem() as system:
    ...     server = Starlette()
    ...     server.mount("/actors", asgi_app(system, token=None, read_only=True))
    """
    check_kind(system, "statistics", "asgi_app needs an ActorSystem")
    check_flag("asgi_app: read_only", read_only)
    check_flag("asgi_app: show_elements", show_elements)
    if token is not None:
        check_token("asgi_app", token)
    import_starlette()
    from actors_rs.observability.web.app import looking, make_app
    from actors_rs.observability.web.watching import Watch

    watch = Watch(system, show_elements)
    watch.begin()
    guard = Guard("localhost", token, read_only, allowed_hosts)
    app, pages = make_app(watch, guard, read_only)
    return looking(app, pages)
