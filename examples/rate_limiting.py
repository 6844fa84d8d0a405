"""Rate limiting: two streams share what a service allows, and slow down when it says so.

    python examples/rate_limiting.py 60

Customers and suppliers are looked up at one service, which allows so many calls a second from all
of us. When it answers that it is busy, everybody halves the rate, at once and while running. Lists
are read in batches, and a call for a batch counts as many as there are names in it.
"""

import argparse
from threading import Lock

from actors_rs import Graph, RateLimit, Sink, Source

CALLS_PER_SECOND = 400
BATCH = 4


class Service:
    """Stands for a service elsewhere: it finds itself busy once, after a while."""

    def __init__(self, busy_after: int) -> None:
        self._lock = Lock()
        self._busy_after = busy_after
        self.names = 0

    def look_up(self, names: list[str]) -> tuple[list[int], bool]:
        """A number for each name, and whether the service would rather be asked less."""
        with self._lock:
            before, self.names = self.names, self.names + len(names)
            busy = before < self._busy_after <= self.names
        return [len(name) for name in names], busy


class Client:
    """Asks the service, and hands its complaints on to the limit."""

    def __init__(self, service: Service, limit: RateLimit) -> None:
        self._service = service
        self._limit = limit

    def ask(self, names: list[str]) -> list[int]:
        """The answers; runs on several threads at a time."""
        answers, busy = self._service.look_up(names)
        if busy:
            print("the service is busy: half the rate from now on")
            self._limit.change(CALLS_PER_SECOND / 2)
        return answers


def graph(service: Service, limit: RateLimit, count: int) -> Graph[tuple[int, int]]:
    """Both streams as one graph: two sums of answers are its result."""
    client = Client(service, limit)

    def answers(kind: str) -> Graph[int]:
        return (
            Source.range(1, count)
            .map(lambda n: f"{kind} {n}")
            .batch(BATCH)
            .throttle(limit, cost=len)  # shared: together they keep to it
            .map_async(client.ask, parallelism=8)
            .flat_map(list)
            .to(Sink.sum())
        )

    return Graph(answers("customer"), answers("supplier"))


def main(count: int) -> None:
    """Look up ``count`` names of each kind."""
    limit = RateLimit(CALLS_PER_SECOND, per=1.0, burst=2 * BATCH)
    service = Service(busy_after=count)
    customers, suppliers = graph(service, limit, count).run()
    print(f"{service.names} names looked up, answers {customers} and {suppliers}; {limit}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "count", type=int, nargs="?", default=200, help="how many names of each kind are looked up"
    )
    main(parser.parse_args().count)
