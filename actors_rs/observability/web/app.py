"""The addresses of the page: its files, the stream of states, stages, reports and buttons."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from actors_rs.errors import InvalidArgumentError, MissingExtraError
from actors_rs.observability.web.controls import act
from actors_rs.observability.web.details import dead_letters_of, tree_of
from actors_rs.observability.web.guard import App, Guard, Receive, Scope, Send, guarded
from actors_rs.observability.web.report import report_of_run
from actors_rs.observability.web.static import FILES, static_text
from actors_rs.observability.web.watching import Watch, WatchedRun, system_state
from actors_rs.texts import text_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["Pages", "looking", "make_app"]

logger = logging.getLogger("actors_rs.web")
REFRESH = 0.5
"""Seconds between two looks at the runs, and between two states sent to a viewer."""
LARGE, REFRESH_LARGE = 200, 1.0
"""A run of more stages is looked at less often."""
RETRY = 2_000
"""Milliseconds until a viewer asks again, once the system starts no more runs."""
MOST_BODY = 10_000
_KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


class Pages:
    """The answers. All methods run on the server's loop, the only thread that uses ``watch``."""

    def __init__(self, watch: Watch, read_only: bool) -> None:
        self._watch = watch
        self._read_only = read_only
        self._over = self._has_failed = False
        self._collector: Any = None  # made when it is asked for: it needs an extra
        self._sampled = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None

    def close(self) -> None:
        """End all streams; on the loop."""
        self._over = True
        self._sampled.set()

    @asynccontextmanager
    async def lifespan(self, _app: object) -> AsyncIterator[None]:
        """Look at the runs while the server lives."""
        looking = self.look()
        try:
            yield
        finally:
            looking.cancel()

    def look(self) -> asyncio.Task[None]:
        """Look at the runs as long as the running loop lives; a server may have another one."""
        if self._looking is None or self._looking.done():
            self._sampled = asyncio.Event()
            self._watch.sample()
            self._looking = asyncio.create_task(self._look())
        return self._looking

    async def _look(self) -> None:
        while True:
            stages = [len(run.state.get("stages", ())) for run in self._watch.living()]
            await asyncio.sleep(REFRESH if sum(stages) < LARGE else REFRESH_LARGE)
            try:
                self._watch.sample()
            except Exception:  # of a __str__ of the user's, say: the page shows what it has
                if not self._has_failed:
                    logger.exception("the page could not read the runs; it tries again")
                self._has_failed = True
            self._sampled.set()  # who waits is woken, who comes later waits for the next look
            if not self._over:
                self._sampled = asyncio.Event()

    async def file(self, request: Request) -> Response:
        """One of the files of the page."""
        from starlette.responses import Response

        name = request.path_params.get("name", "index.html")
        if name not in FILES:
            return _text("no such file", 404)
        kind = _KINDS[name.rpartition(".")[2]]
        return Response(static_text(name), media_type=kind)

    async def events(self, request: Request) -> Response:
        """The state of a run, again and again: each part of it when it has changed.

        Once the system drains or has shut down, an answer ends with the next look at the runs: a
        server that stops waits for its answers.
        """
        from starlette.responses import StreamingResponse

        wanted = request.query_params.get("run", "")
        return StreamingResponse(self._stream(wanted), media_type="text/event-stream")

    async def _stream(self, wanted: str) -> AsyncIterator[str]:
        sent: dict[str, Any] = {}
        ends = False
        while not self._over:
            news = {k: v for k, v in self._parts(wanted, sent).items() if sent.get(k, sent) != v}
            sent |= news
            yield f"data: {json.dumps(news, separators=(',', ':'))}\n\n"
            if ends:
                yield f"retry: {RETRY}\n\n"
                return
            ends = sent["system"]["state"] != "running"
            await self._sampled.wait()

    def _parts(self, wanted: str, sent: dict[str, Any]) -> dict[str, Any]:
        watch = self._watch
        run = watch.runs.get(int(wanted)) if _is_number(wanted) else None
        run = run or watch.newest()
        letters = sent.get("letters")
        if letters is None or letters["total"] != watch.system.dead_letters.total:
            letters = dead_letters_of(watch.system, watch.show_elements)
        parts: dict[str, Any] = {
            "system": system_state(watch),
            "runs": [one.summary() for one in reversed(watch.runs.values())],
            "letters": letters,
            "tree": tree_of(watch.system),
            "read_only": self._read_only,
            "shown": None if run is None else run.number,
        }
        if run is not None:
            parts["layout"] = run.state["layout"]
            parts["run"] = {k: v for k, v in run.state.items() if k != "layout"}
            parts["log"] = list(run.log)
            if sent.get("shown") != run.number:
                parts["points"] = list(run.points)
            parts["point"] = run.points[-1] if run.points else None
        return parts

    async def stage(self, request: Request) -> Response:
        """The panel of a stage."""
        run = self._run_of(request)
        return _json(run.details(request.query_params.get("name", "")))

    async def report(self, request: Request) -> Response:
        """A run as one file: HTML to look at, or JSON."""
        from starlette.responses import Response

        run = self._run_of(request)
        made = report_of_run(run, self._watch)
        if request.path_params["format"] == "json":
            return _json(made)
        from actors_rs.observability.web.report import report_html

        attached = {"content-disposition": f'attachment; filename="run-{run.number}.html"'}
        return Response(report_html(made), media_type="text/html", headers=attached)

    async def metrics(self, request: Request) -> Response:
        """The figures of the system, for Prometheus."""
        from starlette.responses import Response

        from actors_rs.observability.prometheus import Collector, exposition

        try:
            if self._collector is None:
                self._collector = Collector(self._watch.system)
            body, kind = exposition(self._collector, request.headers.get("accept", ""))
        except MissingExtraError as error:
            return _text(text_of(error), 501)
        return Response(body, headers={"content-type": kind})

    async def control(self, request: Request) -> Response:
        """A button was pressed."""
        run = self._run_of(request)
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > MOST_BODY:
                return _text(f"expected at most {MOST_BODY} bytes", 413)
        try:
            order = json.loads(body)
        except ValueError:
            order = None
        if not isinstance(order, dict):
            raise InvalidArgumentError("expected a JSON object")
        act(run, request.path_params["action"], order)
        return _json({"done": True})

    def _run_of(self, request: Request) -> WatchedRun:
        return self._watch.run(request.path_params["number"])


def make_app(watch: Watch, guard: Guard, read_only: bool) -> tuple[App, Pages]:
    """The application, and what ends its streams."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    pages = Pages(watch, read_only)
    one_run = "/api/runs/{number:int}"
    routes = [
        Route("/", pages.file),
        Route("/static/{name}", pages.file),
        Route("/events", pages.events),
        Route("/metrics", pages.metrics),
        Route(one_run + "/stage", pages.stage),
        Route(one_run + "/report.{format}", pages.report),
        Route(one_run + "/{action}", pages.control, methods=["POST"]),
    ]
    refusals: dict[Any, Callable[..., Any]] = {InvalidArgumentError: _refused}
    app: Any = Starlette(routes=routes, lifespan=pages.lifespan, exception_handlers=refusals)
    return guarded(app, guard), pages


def looking(app: App, pages: Pages) -> App:
    """``app``, which begins to look at the runs with its first request.

    A server does not tell an application that is mounted when it starts.
    """

    async def looks(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            pages.look()
        await app(scope, receive, send)

    return looks


async def _refused(_request: Request, error: Exception) -> Response:
    return _text(text_of(error), 400)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _text(text: str, status: int) -> Response:
    from starlette.responses import PlainTextResponse

    return PlainTextResponse(text, status)


def _json(data: object) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse(data)
