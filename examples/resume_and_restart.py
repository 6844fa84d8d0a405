"""What becomes of failures: bad elements are left out, a lost connection is made again.

A service sends readings as text. Some are broken, and its connection breaks now and then. The
readings that make sense are added up; each other one is a dead letter that says why.
"""

import json
from collections.abc import Iterator
from typing import Any, Literal

from actors_rs import ActorSystem, Backoff, Flow, Sink, Source


class Service:
    """Sends 1,000 readings, and cuts the connection every 400. It remembers what it has sent."""

    def __init__(self) -> None:
        self.sent = 0
        self.connections = 0

    def connect(self) -> Iterator[str]:
        self.connections += 1
        for number in range(400):
            if self.sent == 1000:
                return
            self.sent += 1
            broken = self.sent % 100 == 7
            yield "{" if broken else json.dumps({"sensor": number % 3, "value": self.sent})
        raise ConnectionError("the service hung up")


def policy(error: Exception, element: Any) -> Literal["resume", "stop"]:
    """Readings that are no JSON are left out. Whatever else goes wrong stops the run."""
    return "resume" if isinstance(error, json.JSONDecodeError) else "stop"


def add_up(service: Service) -> tuple[int, list[str]]:
    """The sum of all readings, and what became of those that are not in it."""
    readings = (
        Source.from_iterable(service.connect)
        .named("service")
        .restart(Backoff(initial=0.1, maximum=5), max_restarts=10, within=60)
    )
    parsed: Flow[Any, Any] = Flow().map(json.loads).named("parse").on_failure(decider=policy)
    values = parsed.map(lambda reading: reading["value"])
    with ActorSystem() as system:
        total = system.start(readings.via(values).to(Sink.sum())).result()
        letters = [f"{one.where}: {one.why}: {one.error}" for one in system.dead_letters.recent()]
    return total, letters


if __name__ == "__main__":
    total, letters = add_up(Service())
    print(f"sum {total}, and {len(letters)} dead letters:", *letters, sep="\n  ")
