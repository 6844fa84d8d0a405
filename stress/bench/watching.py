"""What it costs to watch a run: its accounts of time, a scrape each second, a page with a viewer.

Each contestant has a system of its own, on which the same four stages run for some seconds. A
scraper and a viewer are processes of their own, as they are in life. What is not on is compared
with itself, which shows the scatter of the machine.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from statistics import median
from time import perf_counter, process_time

from actors_rs import ActorSystem
from actors_rs.observability.prometheus import Collector
from actors_rs.observability.web import serve
from stress.bench.harness import Figure, at_most, count, rate
from stress.bench.pipeline import graph

__all__ = ["measure"]

ROUNDS = 9
Watched = Callable[[], AbstractContextManager[ActorSystem]]

_VIEWER = """
import sys, urllib.request
with urllib.request.urlopen(sys.argv[1] + "events") as events:
    print("ready", flush=True)
    while events.readline():
        pass
"""
_SCRAPER = """
import sys, time, urllib.request
while True:
    with urllib.request.urlopen(sys.argv[1] + "metrics") as answer:
        answer.read()
    print("ready", flush=True)
    time.sleep(1)
"""


@contextmanager
def off() -> Iterator[ActorSystem]:
    with ActorSystem(metrics=False) as system:
        yield system


@contextmanager
def accounts() -> Iterator[ActorSystem]:
    with ActorSystem() as system:
        yield system


@contextmanager
def scraped() -> Iterator[ActorSystem]:
    from prometheus_client import CollectorRegistry, start_http_server

    with ActorSystem() as system:
        registry = CollectorRegistry()
        registry.register(Collector(system))  # type: ignore[arg-type]
        server, thread = start_http_server(0, "127.0.0.1", registry)
        try:
            with _process(_SCRAPER, f"http://127.0.0.1:{server.server_port}/"):
                yield system
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


@contextmanager
def viewed() -> Iterator[ActorSystem]:
    with ActorSystem() as system, serve(system) as page, _process(_VIEWER, page.url):
        yield system


@contextmanager
def _process(code: str, url: str) -> Iterator[None]:
    """A process that runs ``code``, and has had its first answer from ``url``."""
    with subprocess.Popen([sys.executable, "-c", code, url], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            if not process.stdout.readline():
                raise RuntimeError(f"nobody could read {url}")
            yield
        finally:
            process.kill()


WATCHED: tuple[tuple[str, Watched, bool], ...] = (
    ("nobody looks, metrics off, once more", off, False),
    ("nobody looks, metrics on", accounts, True),
    ("Prometheus, a scrape each second", scraped, True),
    ("the page with one viewer", viewed, True),
)


def measure(scale: float) -> list[Figure]:
    """The pipeline of the first benchmark, whose functions are as short as functions get."""
    n = count(scale, 20_000_000, 100_000)
    contestants: Sequence[Watched] = (off, *(watched for _, watched, _ in WATCHED))
    seconds: list[list[tuple[float, float]]] = [[] for _ in contestants]
    for number in range(ROUNDS + 1):
        for watched, taken in zip(contestants, seconds, strict=True):
            spent = _timed(watched, n)
            if number:  # the first round warms up
                taken.append(spent)
    plain = seconds[0]
    return [
        figure
        for (what, _, has_goal), taken in zip(WATCHED, seconds[1:], strict=True)
        for figure in _figures(what, has_goal, taken, plain)
    ]


def _timed(watched: Watched, n: int) -> tuple[float, float]:
    """Seconds, and seconds of the processor, for an element."""
    blueprint = graph(n)
    with watched() as system:
        began, spent = perf_counter(), process_time()
        system.start(blueprint).result()
        return (perf_counter() - began) / n, (process_time() - spent) / n


def _figures(
    what: str, has_goal: bool, taken: list[tuple[float, float]], plain: list[tuple[float, float]]
) -> Iterator[Figure]:
    for place, clock in enumerate(("by the clock", "processor time")):
        ours, theirs = [one[place] for one in taken], [one[place] for one in plain]
        value = median(ours) / median(theirs)
        goal = at_most(1.05) if has_goal else None
        against = f"metrics off, {clock}"
        yield Figure(what, against, rate(ours), rate(theirs), value, goal=goal)
