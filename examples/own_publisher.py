"""Stress-test a Publisher of your own: its rules, its orders, and its threads.

    python examples/own_publisher.py

``Rows`` is a Publisher written by hand, as an adapter for a database is. The conformance kit checks
its rules, worlds play it in 300 orders, and threads call it at once. ``Careless`` has a bug.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import Any

from actors_rs import Sink, Source, Subscriber, merge
from actors_rs.testing.explore import Plan, check_scenario
from actors_rs.testing.probes import SinkProbe
from actors_rs.testing.tck import PublisherVerification, run_verification
from actors_rs.testing.world import World


class RowsSubscription:
    """What one subscriber has requested, and where it is in the rows."""

    def __init__(self, rows: Sequence[Any], subscriber: Subscriber[Any]) -> None:
        self.rows, self.at, self.demand = rows, 0, 0
        self.subscriber: Subscriber[Any] | None = subscriber
        self.last: Callable[[Any], None] = lambda to: to.on_complete()
        self.lock, self.busy = Lock(), True  # until on_subscribe has returned

    def request(self, n: int, /) -> None:
        """Ask for ``n`` more rows. Any thread may call this, and ``on_next`` may."""
        with self.lock:
            self.demand += n
            if n < 1:
                error = ValueError(f"rule 3.9: request needs at least 1, got {n}")
                self.rows, self.last = (), lambda to: to.on_error(error)
        self.give()

    def cancel(self) -> None:
        self.subscriber = None

    def give(self) -> None:
        """Give all that is requested. One caller at a time does so, and the others leave."""
        with self.lock:
            if self.busy:
                return
            self.busy = True
        while signal := self.next_signal():
            signal()

    def next_signal(self) -> Callable[[], None] | None:
        """The next call of the subscriber, or None if there is nothing to do."""
        with self.lock:
            subscriber, over = self.subscriber, self.at >= len(self.rows)
            if subscriber is None or not (over or self.demand):
                self.busy = False
                return None
            if over:
                self.subscriber = None
                return partial(self.last, subscriber)
            self.demand, self.at = self.demand - 1, self.at + 1
            return partial(subscriber.on_next, self.rows[self.at - 1])


class Careless(RowsSubscription):
    """Forgets that ``on_next``, or another thread, may be in the middle of giving."""

    def give(self) -> None:
        while signal := self.next_signal():
            signal()


class Rows:
    """A Publisher of rows. Each subscriber gets all of them."""

    def __init__(self, rows: Sequence[Any], kind: Any = RowsSubscription) -> None:
        self.rows, self.kind = rows, kind

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        if subscriber is None:
            raise TypeError("rule 1.9: a subscriber is needed, got None")
        subscription = self.kind(self.rows, subscriber)
        subscriber.on_subscribe(subscription)
        subscription.busy = False
        subscription.give()


def failed_rules(kind: type[RowsSubscription]) -> list[str]:
    """The rules that the conformance kit finds broken."""

    class Verification(PublisherVerification):
        def create_publisher(self, elements: int) -> Rows:
            return Rows(range(elements), kind)

    return sorted({o.entry.rule for o in run_verification(Verification) if o.verdict == "failed"})


def two_publishers(world: World) -> None:
    """Two streams that are merged lose no row, whichever order their signals have."""
    both = merge(*(Source.from_publisher(Rows(range(n, n + 3))) for n in (0, 10)))
    assert sorted(world.start(both.to(Sink.list())).result()) == [0, 1, 2, 10, 11, 12]


def main() -> None:
    """All three tests of ``Rows``, and the first one of ``Careless``."""
    print("rules that Rows breaks:", failed_rules(RowsSubscription) or "none")
    print("rules that Careless breaks:", *failed_rules(Careless))
    print(f"{check_scenario(two_publishers, Plan(runs=300)).runs} orders played, all rows came")
    sink = SinkProbe[int]()
    Rows(range(2_000)).subscribe(sink)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(sink.request, [1] * 2_000))
    sink.expect_next(*range(2_000))
    sink.expect_complete()
    print("2000 rows requested by 4 threads at once, all came in order")


if __name__ == "__main__":
    main()
