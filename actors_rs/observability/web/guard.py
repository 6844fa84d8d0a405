"""Who may read the page and press its buttons: checks that come before everything else.

- Host: a name that is not the server's own is refused, so a foreign site cannot rebind its name.
- Token: where there is one, reading needs it too, as a cookie or an ``Authorization`` header.
- Origin: a POST comes from the page itself, with a header that no foreign form can send.
"""

from __future__ import annotations

import hmac
import socket
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import Any, TypeAlias
from urllib.parse import parse_qs

from actors_rs.texts import repr_of

__all__ = [
    "LOOPBACK",
    "MARK",
    "SAFETY",
    "App",
    "Guard",
    "Receive",
    "Refusal",
    "Scope",
    "Send",
    "is_loopback",
]

Scope: TypeAlias = dict[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[dict[str, Any]]]
Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
MARK = "x-actors-page"
"""A header of each POST; a foreign page would have to ask before it sends one."""
SAFETY = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is refused, with the status of HTTP."""

    status: int
    why: str


def is_loopback(host: str) -> bool:
    """Whether nobody on another machine can reach ``host``."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """The checks for a server at ``host``; ``port`` is known once it is bound."""

    def __init__(
        self, host: str, token: str | None, read_only: bool, allowed_hosts: Collection[str] = ()
    ) -> None:
        self._host = host
        self._token = token
        self._read_only = read_only
        self._names = {name.lower() for name in (*allowed_hosts, host)}
        if is_loopback(host):
            self._names |= LOOPBACK
        else:
            self._names |= {"localhost", socket.gethostname().lower()}
        self.port = 0

    @property
    def cookie(self) -> str:
        """The name of the cookie with the token; cookies are shared by all ports of a host."""
        return f"actors-page-{self.port}"

    def refusal(self, method: str, headers: Mapping[str, str]) -> Refusal | None:
        """Why a request is refused, ``None`` if it is not. ``headers`` have lower-case names."""
        host = headers.get("host", "")
        if not self._knows(host):
            return Refusal(421, f"expected the name of this server as Host, got {repr_of(host)}")
        if self._token is not None and not self._has_token(headers):
            return Refusal(401, "expected the token: open the address that the program printed")
        if method in ("GET", "HEAD"):
            return None
        if self._read_only:
            return Refusal(403, "this page is read-only")
        origin = headers.get("origin")
        own = {f"http://{host.lower()}", f"https://{host.lower()}"}
        if origin is not None and origin.lower() not in own:
            return Refusal(403, f"expected a request of this page, got one of {repr_of(origin)}")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return Refusal(403, "expected a request of this page, got one of another site")
        if MARK not in headers or not headers.get("content-type", "").startswith(
            "application/json"
        ):
            return Refusal(403, f"expected the header {MARK} and JSON")
        return None

    def gives_token(self, query: str) -> str | None:
        """The token in the address, if it is the right one."""
        [given, *_] = parse_qs(query).get("token", [""])
        return given if self._token is not None and self._same(given) else None

    def _same(self, given: str) -> bool:
        assert self._token is not None
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _has_token(self, headers: Mapping[str, str]) -> bool:
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and self._same(bearer):
            return True
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return cookie is not None and self._same(cookie.value)

    def _knows(self, host: str) -> bool:
        name = _name_in(host)
        if name in self._names:
            return True
        if is_loopback(self._host):
            return False
        try:
            ip_address(name)  # no name, so nobody can rebind it
        except ValueError:
            return False
        return True


def _name_in(host: str) -> str:
    """A ``Host`` header without its port."""
    if host.startswith("["):
        return host[1:].lower().partition("]")[0]
    return host.lower().partition(":")[0]


def guarded(app: App, guard: Guard) -> App:
    """``app`` guarded by ``guard``: all its answers have the headers of ``SAFETY``."""

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): one.decode("latin-1") for name, one in scope["headers"]}
        refusal = guard.refusal(scope["method"], headers)
        query = scope.get("query_string", b"").decode("latin-1")
        if refusal is None:
            await app(scope, receive, _with_safety(send))
        elif refusal.status == 401 and (token := guard.gives_token(query)) is not None:
            cookie = f"{guard.cookie}={token}; HttpOnly; SameSite=Strict; Path=/"
            same = "./" + scope["path"].rpartition("/")[2]  # relative: it may be mounted anywhere
            more = {"set-cookie": cookie, "location": same}
            await _answer(send, 303, "", more)
        else:
            await _answer(send, refusal.status, refusal.why, {})

    return checked


def _with_safety(send: Send) -> Send:
    safe = [(name.encode(), value.encode()) for name, value in SAFETY.items()]

    async def send_safely(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *safe]}
        await send(message)

    return send_safely


async def _answer(send: Send, status: int, text: str, more: Mapping[str, str]) -> None:
    headers = {"content-type": "text/plain; charset=utf-8", **SAFETY, **more}
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": text.encode()})
