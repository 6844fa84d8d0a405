"""A web service that streams the rows of a graph as they come.

Each request is a run: the client's reading is the demand, and a client that goes away cancels it.

    pip install 'actors-rs[web]'
    uvicorn examples.web_streaming:app
    curl -N http://127.0.0.1:8000/squares?count=1000000
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from actors_rs import Source


def squares(count: int) -> Source[dict[str, int]]:
    """The rows of a request."""
    return Source.range(0, count).map(lambda n: {"n": n, "square": n * n})


async def as_json_lines(rows: Source[dict[str, int]]) -> AsyncIterator[str]:
    """A line for each row; the end of the request ends the run and waits for that."""
    async with rows.open(window=16) as opened:
        async for row in opened:
            yield json.dumps(row) + "\n"


async def stream_squares(request: Request) -> StreamingResponse:
    """``GET /squares?count=10``."""
    count = int(request.query_params.get("count", "10"))
    rows = request.app.state.rows_of(count)
    return StreamingResponse(as_json_lines(rows), media_type="application/x-ndjson")


app = Starlette(routes=[Route("/squares", stream_squares)])
app.state.rows_of = squares
