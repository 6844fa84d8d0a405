"""Is a Spark Connect server still there? Asked beside the streams that wait for it.

A server that is frozen, or that sits on a network that drops every packet, ends no stream. So as
long as there is a watch, a thread of this module greets the server every few seconds. A server that
leaves a greeting unanswered for ten seconds, or cannot be reached for eight, is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.runtime._primitives import Event, Thread, monotonic
from actors_rs.spark import liveness
from actors_rs.spark.connecting import query as connect_query
from actors_rs.spark.connecting.failures import unreachable
from actors_rs.spark.connecting.server import ConnectServer, connect_parts
from actors_rs.spark.failures import SparkSessionLost
from actors_rs.spark.liveness import Watch

__all__ = ["reach", "watch_server"]

_PAUSE_SECONDS = 0.25


def watch_server(server: ConnectServer, on_lost: Callable[[SparkSessionLost], None]) -> Watch:
    """Have ``on_lost`` called, on a thread of this module, if the server is lost. Never blocks."""
    wanted = Watch(lambda: None)
    Thread(
        target=_greet_while, args=(server, wanted, on_lost), name="spark-liveness", daemon=True
    ).start()
    return wanted


def reach(server: ConnectServer) -> None:
    """Return when the server has answered; `SparkSessionLost` if it does not. Blocks."""
    began = monotonic()
    while (code := server.greet()) is not None:
        if code is _silent() or monotonic() - began > connect_query.MEND_SECONDS:
            raise unreachable(server, code)
        Event().wait(_PAUSE_SECONDS)


def _greet_while(
    server: ConnectServer, wanted: Watch, on_lost: Callable[[SparkSessionLost], None]
) -> None:
    since: float | None = None
    while not wanted.closed:
        code = _greeted(server)
        if code is None:
            since = None
        else:
            since = monotonic() if since is None else since
            if code is _silent() or monotonic() - since > connect_query.MEND_SECONDS:
                if not wanted.closed:
                    on_lost(unreachable(server, code))
                return
        Event().wait(liveness.GREET_EVERY)


def _silent() -> Any:
    return connect_parts()[0].StatusCode.DEADLINE_EXCEEDED


def _greeted(server: ConnectServer) -> Any:
    try:
        return server.greet()
    except Exception:  # the session was stopped here: its users get the error
        return None
