"""Windowed alerts: a feed of requests is watched minute by minute for services that fail too often.

    python examples/windowed_alerts.py

The program starts the feed, an HTTP server that sends a line for each request. Lines come out of
order, some are broken, and the connection breaks. An alert opens when more than a tenth of a
service's requests in a minute have failed, and closes after a better minute.
"""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Thread
from typing import Literal, NamedTuple

import httpx

from actors_rs import ActorSystem, Backoff, Sink, Source, WindowResult, operator

TROUBLE = {("pay", 1), ("pay", 2), ("search", 4)}  # a service, and a minute in which it fails
NOTHING: tuple[int, int] = (0, 0)  # requests, and how many of them failed


class Event(NamedTuple):
    """A service has answered a request."""

    second: float
    service: str
    failed: bool


def sent_lines() -> Iterator[str]:
    """Six minutes of events, up to 10 s out of order. One line in 250 is broken."""
    dice, events = Random(7), []
    for second in range(360):
        for service in ("cart", "pay", "search"):
            failed = dice.random() < (0.3 if (service, second // 60) in TROUBLE else 0.02)
            events.append((second + dice.uniform(0, 10), (second, service, failed)))
    for number, (_, event) in enumerate(sorted(events)):
        yield json.dumps(event)[: 8 if number % 250 == 99 else None]


class Feed(BaseHTTPRequestHandler):
    """``GET /120`` is answered with the lines from line 120 on, until the connection breaks."""

    def do_GET(self) -> None:
        rest = [line.encode() + b"\n" for line in sent_lines()][int(self.path[1:]) :]
        self.send_response(200)
        self.send_header("Content-Length", str(sum(map(len, rest))))
        self.end_headers()
        self.wfile.writelines(rest[:400])  # fewer than the header promises

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing for each call."""


class Reader:
    """Reads the feed from a position on. Raises an error when the connection breaks."""

    def __init__(self, address: str) -> None:
        self.address, self.position, self.connections = address, 0, 0

    def lines(self) -> Iterator[str]:
        self.connections += 1
        with httpx.stream("GET", f"{self.address}/{self.position}") as answer:
            for line in answer.iter_lines():
                self.position += 1
                yield line


def policy(error: Exception, line: str) -> Literal["resume", "stop"]:
    """Leave a broken line out. Anything else is a mistake of this program, and stops it."""
    return "resume" if isinstance(error, json.JSONDecodeError) else "stop"


@operator
def alerts(minutes: Iterator[WindowResult[str, float, tuple[int, int]]]) -> Iterator[str]:
    """A sentence when an alert opens or closes."""
    alarming: set[str] = set()
    for service, start, _, (requests, failed) in minutes:
        if (failed > 0.1 * requests) != (service in alarming):
            alarming ^= {service}
            opens = "opens" if service in alarming else "closes"
            yield f"minute {start // 60:.0f}: alert {opens} for {service}, {failed} of {requests}"


def watch(reader: Reader) -> Source[str]:
    """From lines to alerts. Each minute is complete when an event 10 s after its end has come."""
    return (
        Source.from_iterable(reader.lines)
        .restart(Backoff(0.1, maximum=5.0), max_restarts=10, within=60)
        .map(lambda line: Event(*json.loads(line)))
        .named("parse")
        .on_failure(decider=policy)
        .aggregate_by(
            lambda event: event.service,
            NOTHING,
            lambda counts, event: (counts[0] + 1, counts[1] + event.failed),
            every=60,
            event_time=lambda event: event.second,
            lateness=10,
        )
        .via(alerts())
    )


def main() -> None:
    """Watch the feed to its end."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Feed) as server, ActorSystem() as system:
        Thread(target=server.serve_forever, daemon=True).start()
        reader = Reader(f"http://127.0.0.1:{server.server_port}")
        system.start(watch(reader).to(Sink.for_each(print))).result()
        broken = sum("parse" in letter.where for letter in system.dead_letters.recent())
        server.shutdown()
    print(f"{reader.position} lines in {reader.connections} connections, {broken} lines broken")


if __name__ == "__main__":
    main()
