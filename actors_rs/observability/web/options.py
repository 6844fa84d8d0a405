"""The options of the page, checked where the user wrote them, and the libraries that it needs."""

from __future__ import annotations

from typing import Any

from actors_rs.errors import InvalidArgumentError, MissingExtraError
from actors_rs.observability.web.guard import is_loopback
from actors_rs.runtime.settings import check_text
from actors_rs.texts import repr_of

__all__ = ["check_options", "check_token", "import_starlette", "import_uvicorn"]


def check_options(host: str, port: int, token: str | None) -> None:
    """Raise ``InvalidArgumentError`` or ``ArgumentTypeError`` for what cannot be served."""
    check_text("serve: host", host)
    if type(port) is not int or not 0 <= port <= 65535:
        raise InvalidArgumentError(f"serve: port must be from 0 to 65535, got {repr_of(port)}")
    if token is not None:
        check_token("serve", token)
    elif not is_loopback(host):
        raise InvalidArgumentError(
            f"serve: host {repr_of(host)} can be reached from other machines, which needs a token, "
            "got none: pass token=secrets.token_urlsafe(), or leave host at 127.0.0.1"
        )


def check_token(call: str, token: str) -> None:
    """Raise ``InvalidArgumentError`` or ``ArgumentTypeError`` for what no cookie can hold."""
    check_text(f"{call}: token", token)
    if not token or not token.isascii() or not token.isprintable() or set(token) & set(' ";,\\'):
        raise InvalidArgumentError(
            f"{call}: token must be printable ASCII without spaces, quotes, backslashes, commas "
            "and semicolons, for instance secrets.token_urlsafe()"
        )


def import_starlette() -> None:
    """Raise ``MissingExtraError`` without it."""
    try:
        import starlette

        del starlette
    except ImportError:
        raise _missing() from None


def import_uvicorn() -> Any:
    """The module; ``MissingExtraError`` without it or starlette."""
    import_starlette()
    try:
        import uvicorn
    except ImportError:
        raise _missing() from None
    return uvicorn


def _missing() -> MissingExtraError:
    return MissingExtraError(
        "the page needs the libraries starlette and uvicorn, which are not installed: "
        "pip install 'actors-rs[web]'"
    )
