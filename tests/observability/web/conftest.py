"""A system with a page, and requests to it as a browser or a program would make them."""

import itertools
import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from actors_rs import ActorSystem, Sink, Source
from tests.browser import browser

__all__ = ["browser"]

pytest.importorskip("starlette", reason="the page needs the extra web")
pytest.importorskip("uvicorn", reason="the page needs the extra web")


@dataclass
class Answer:
    status: int
    headers: dict
    text: str

    def json(self):
        return json.loads(self.text)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None


OPENER = urllib.request.build_opener(_NoRedirect)


def ask(page, path, method="GET", body=None, **headers):
    """An answer of the page's server; ``headers`` replace those that a browser would send."""
    url = f"http://127.0.0.1:{page.port}{path}"
    sent = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, sent, method=method)
    try:
        with OPENER.open(request, timeout=20) as answer:
            return Answer(answer.status, dict(answer.headers), answer.read().decode())
    except urllib.error.HTTPError as error:
        with error:
            try:
                text = error.read().decode()
            except ConnectionResetError:  # refused before the body was read
                text = ""
            return Answer(error.code, dict(error.headers), text)


def press(page, action, body=None, run=1, **headers):
    """A button of the page, with the headers that its script sends."""
    own = {"content_type": "application/json", "x_actors_page": "1", **headers}
    return ask(page, f"/api/runs/{run}/{action}", "POST", body or {}, **own)


def states(page, query="", **headers):
    """The states that the page streams, until they are closed."""
    request = urllib.request.Request(f"http://127.0.0.1:{page.port}/events{query}", headers=headers)
    with urllib.request.urlopen(request, timeout=20) as stream:
        known: dict[str, Any] = {}
        for line in stream:
            if line.startswith(b"data: "):
                known |= json.loads(line[6:])
                yield known


def state_when(page, condition, query=""):
    """The first state that fits."""
    for known in states(page, query):
        if condition(known):
            return known
    raise AssertionError("the stream has ended")


def endless(name="numbers"):
    return Source.from_iterable(itertools.count()).named(name).to(Sink.ignore())


@pytest.fixture
def system():
    """Shut down on another thread: playwright runs an event loop on that of the test."""
    system = ActorSystem(workers=2, name="tested", cancel_grace=0.5)
    yield system
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(partial(system.shutdown, drain=False)).result(60)


@pytest.fixture
def tab(browser):
    """A tab of 1,280 by 900 pixels, whose scripts must raise nothing."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 900},
        bypass_csp=True,  # the test evaluates code in the page
    )
    tab = context.new_page()
    tab.set_default_timeout(60_000)
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    yield tab
    context.close()
    assert errors == []
