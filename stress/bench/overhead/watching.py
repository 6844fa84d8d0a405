"""The cost of watching a run: a page with one viewer, and a scrape of its metrics each second.

Four stages run for some seconds, in turn with nobody looking, with a viewer, and with a viewer and
a scraper. These are processes of their own, as in life. The rate is that by the clock, so others on
the machine must leave a core to the viewer: run it on a quiet machine, or by ``nice -n -15``. The
page works on one thread of the watched process; its share of the processor time is a figure too.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from statistics import median
from time import clock_gettime, perf_counter, process_time, pthread_getcpuclockid
from typing import NamedTuple

from actors_rs import ActorSystem
from actors_rs.observability.web import serve
from stress.bench.measuring.harness import Figure, at_most, count, rate
from stress.bench.pipeline import graph

__all__ = ["measure"]

ROUNDS = 9
VIEWER = """
import sys, urllib.request
with urllib.request.urlopen(sys.argv[1] + "events") as events:
    print("ready", flush=True)
    while events.readline():
        pass
"""
SCRAPER = """
import sys, time, urllib.request
while True:
    with urllib.request.urlopen(sys.argv[1] + "metrics") as answer:
        answer.read()
    print("ready", flush=True)
    time.sleep(1)
"""
WATCHED = (
    ("a page with one viewer", (VIEWER,)),
    ("a page with one viewer, metrics scraped each second", (VIEWER, SCRAPER)),
)


class Spent(NamedTuple):
    """Seconds for an element, by the clock and of the processor; the page's share of the latter."""

    clock: float
    processor: float
    share: float


def measure(scale: float) -> list[Figure]:
    """The pipeline of the first benchmark, whose functions are as short as functions get."""
    n = count(scale, 20_000_000, 100_000)
    plain: list[Spent] = []
    watched: list[list[Spent]] = [[] for _ in WATCHED]
    for number in range(ROUNDS + 1):
        taken = [_unwatched(n), *(_viewed(n, by) for _, by in WATCHED)]
        if number:  # the first round warms up
            plain.append(taken[0])
            for spent, one in zip(taken[1:], watched, strict=True):
                one.append(spent)
    named = zip(WATCHED, watched, strict=True)
    return [figure for (what, _), ours in named for figure in _figures(what, ours, plain)]


def _figures(what: str, ours: list[Spent], plain: list[Spent]) -> Iterator[Figure]:
    percent = 100 * median(one.share for one in ours)
    yield Figure(what, "all that the process takes", "", "", percent, "%", goal=at_most(5))
    for number, by in enumerate(("nobody looks", "nobody looks, processor time")):
        mine, theirs = [one[number] for one in ours], [one[number] for one in plain]
        pairs = median(one / other for one, other in zip(mine, theirs, strict=True))
        yield Figure(what, by, rate(mine), rate(theirs), pairs, goal=at_most(1.05))


def _unwatched(n: int) -> Spent:
    with ActorSystem() as system:
        return _spent(system, n, lambda: 0.0)


def _viewed(n: int, by: tuple[str, ...]) -> Spent:
    with ActorSystem() as system, serve(system) as page, ExitStack() as viewers:
        for code in by:
            viewers.enter_context(_process(code, page.url))
        [thread] = [one for one in threading.enumerate() if one.name == "actors-web"]
        assert thread.ident is not None
        clock = pthread_getcpuclockid(thread.ident)
        return _spent(system, n, lambda: clock_gettime(clock))


def _spent(system: ActorSystem, n: int, of_page: Callable[[], float]) -> Spent:
    blueprint = graph(n)
    clock_began, began, page_began = perf_counter(), process_time(), of_page()
    system.start(blueprint).result()
    page, whole, clock = (
        of_page() - page_began,
        process_time() - began,
        perf_counter() - clock_began,
    )
    return Spent(clock / n, whole / n, page / whole)


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
