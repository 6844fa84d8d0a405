# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Random graphs with functions that turn slow, each with a list that says what comes of it.

A ``Plan`` is a source, some operators, and what a plain list comprehension would make of the same.
Whether the order of the elements is known is part of it: behind a merge only their number is.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import Any, Literal

from actors_rs import ActorSystem, Backoff, Flow, Sink, Source, merge
from actors_rs import zip as zip_
from tests.graph.helpers import Book

__all__ = ["Asker", "Plan"]

SIZES = (0, 1, 2, 5, 20, 100, 400, 1500)
MOST = 30
"""Calls of one run that sleep, at most."""
LONGEST = 0.03
WINDOWS = (1, 2, 5, 64, 1000)
FOR_LISTS: dict[str, Callable[[list[int]], list[int]]] = {
    "filter": lambda known: [n for n in known if n % 3 != 1],
    "take": lambda known: known[:30],
    "skip": lambda known: known[3:],
    "take_while": lambda known: list(takewhile(lambda n: n % 97 != 41, known)),
    "several": lambda known: [n for n in known for _ in range(n % 3)],
    "several, side by side": lambda known: [n for n in known for _ in range(n % 3)],
    "fused": lambda known: [n for n in known if n % 5 != 2],
    "resume": lambda known: [n for n in known if n % 7 != 1],
    "pairwise": lambda known: known[:-1],
    "twice": lambda known: known * 2,
}
"""What operators make of a list that give something else than they get."""
NEEDS_ORDER = ("take", "skip", "take_while", "pairwise", "zip")
LOSES_ORDER = (
    *("several, side by side", "chunks, side by side", "balance", "partition", "twice", "groups"),
    *("unordered", "partition_hub"),
)


class PlannedError(Exception):
    """What a function raises for an element that is to be passed over."""


class Plan:
    """One graph. ``known`` is what it gives, ``in_order`` whether in that order.

    Functions are called by any thread; what they share is a counter that may be a little off.
    """

    def __init__(self, seed: str, system: ActorSystem) -> None:
        self.dice = random.Random(seed)
        self.system = system
        self.in_order = True
        self.threads: list[threading.Thread] = []
        self._chance = self.dice.choice((0.0, 0.01, 0.1, 0.5))
        self._sleeps = MOST
        self.known = list(range(self.dice.choice(SIZES)))
        self.said = ["", str(len(self.known))]
        self.flow: Any = self._source()
        for _ in range(self.dice.randint(1, 6)):
            self._grow()

    def __str__(self) -> str:
        return " > ".join(self.said)

    def slow(self, one: Any) -> Any:
        """``one``, now and then late."""
        if self._sleeps and random.random() < self._chance:
            self._sleeps -= 1
            time.sleep(LONGEST * random.random())
        return one

    def picky(self, one: int) -> int:
        if one % 7 == 1:
            raise PlannedError(one)
        self.slow(one)
        return one

    def judge(self, got: list[int], wanted: Literal["all", "first", "some"]) -> None:
        """Compare with the list: ``"first"`` when it was cut off, ``"some"`` if drained."""
        if self.in_order and wanted != "some":
            assert got == (self.known if wanted == "all" else self.known[: len(got)]), self
            return
        much, many = Counter(got), Counter(self.known)
        assert much == many if wanted == "all" else not much - many, self

    # Sources, and streams within streams

    def _source(self) -> Any:
        known, feed = self.known, Feeder(self)  # an operator makes a new list
        sources: dict[str, Callable[[], Any]] = {
            "iterator": lambda: Source.from_iterable(lambda: map(self.slow, known)),
            "inner": lambda: self.stream_of(known),
            "publisher": lambda: Source.from_publisher(
                self.system.publisher(self.stream_of(known))
            ),
            "foreign": lambda: Source.from_publisher(feed),
            "hub": lambda: Source.from_publisher(
                self.stream_of(known).hub(self.system, replay=len(known) + 1)
            ),
        }
        self.said[0] = self.dice.choice(list(sources))
        return sources[self.said[0]]()

    def stream_of(self, elements: Iterable[Any]) -> Any:
        """One of many ways to say the same, which run in different ways."""
        part = list(elements)
        kind = random.randrange(7)
        if kind == 0:
            return Source.from_iterable(lambda: map(self.slow, part))
        of = Source.of(*part)
        if kind == 1:
            return of
        if kind == 2:
            return of.map(self.slow)
        if kind == 3:
            return of.map(self.slow).filter(lambda _: True).fuse()
        if kind == 4:
            return of.map_async(self.slow, parallelism=3)
        if kind == 5:
            return of.batch(3).flat_map(lambda some: Source.of(*some).map(self.slow))
        return of.map(self.slow).restart(Backoff(0.001, 0.01))

    # Operators

    def _grow(self) -> None:
        table = self._operators()
        names = [name for name in table if self.in_order or name not in NEEDS_ORDER]
        name = self.dice.choice(names)
        self.said.append(name)
        self.flow = table[name](self.flow)
        self.known = FOR_LISTS.get(name, list)(self.known)
        self.in_order = self.in_order and name not in LOSES_ORDER
        if name not in ("hub", "partition_hub", "processor") and self.dice.random() < 0.3:
            self.flow = self.flow.with_attributes(
                window=self.dice.choice(WINDOWS),
                dispatcher="pinned" if self.dice.random() < 0.1 else None,
                throughput=self.dice.choice((None, 1, 2)),
            )

    def _operators(self) -> dict[str, Callable[[Any], Any]]:
        slow, stream = self.slow, self.stream_of
        few = self.dice.choice((2, 7, 64))
        return {
            "map": lambda flow: flow.map(slow),
            "filter": lambda flow: flow.filter(lambda n: slow(n) % 3 != 1),
            "take": lambda flow: flow.take(30),
            "skip": lambda flow: flow.skip(3),
            "take_while": lambda flow: flow.take_while(lambda n: slow(n) % 97 != 41),
            "pairwise": lambda flow: flow.pairwise().map(lambda pair: pair[0]),
            "batch": lambda flow: flow.batch(few, within=0.01).flat_map(slow),
            "scan": lambda flow: flow.scan(0, lambda _, n: slow(n)),
            "several": lambda flow: flow.flat_map(lambda n: stream([n] * (n % 3))),
            "several, side by side": lambda flow: flow.flat_map(
                lambda n: stream([n] * (n % 3)), breadth=few
            ),
            "chunks": lambda flow: flow.batch(few).flat_map(stream),
            "chunks, side by side": lambda flow: flow.batch(few).flat_map(stream, breadth=3),
            "drawn": lambda flow: flow.flat_map(lambda n: map(slow, (n,))),
            "fused": lambda flow: (
                flow.async_boundary().map(slow).filter(lambda n: slow(n) % 5 != 2).fuse()
            ),
            "resume": lambda flow: flow.map(self.picky).on_failure("resume"),
            "section": lambda flow: flow.via(Flow().map(slow).restart(Backoff(0.001, 0.01))),
            "calls": lambda flow: flow.map_async(slow, parallelism=4),
            "unordered": lambda flow: flow.map_async(slow, parallelism=4, ordered=False),
            "balance": lambda flow: merge(*(part.map(slow) for part in flow.balance(3))),
            "partition": lambda flow: merge(*flow.partition(3, lambda n: slow(n) % 3)),
            "twice": self._twice,
            "zip": self._zipped,
            "groups": lambda flow: flow.group_by(lambda n: n % 5, 5, stall_after=None).flat_map(
                lambda group: group.map(slow), breadth=5
            ),
            "hub": lambda flow: Source.from_publisher(flow.hub(self.system, replay=3)),
            "processor": self._through_a_processor,
            "partition_hub": lambda flow: Source.from_publisher(
                flow.partition_hub(self.system, lambda n, count: n % count)
            ),
        }

    def _twice(self, flow: Any) -> Any:
        one, other = flow.broadcast(2)
        return merge(one.map(self.slow), other)

    def _zipped(self, flow: Any) -> Any:
        one, other = flow.broadcast(2)
        return zip_(one.map(self.slow), other).map(lambda pair: pair[1])

    def _through_a_processor(self, flow: Any) -> Any:
        processor: Any = self.system.processor(Flow[Any, Any]().map(self.slow))
        self.system.publisher(flow).subscribe(processor)
        return Source.from_publisher(processor)

    def sink(self, got: list[int]) -> Sink[int, Any]:
        return Sink.for_each(lambda n: got.append(self.slow(n)))


class Feeder:
    """A foreign publisher that gives from a thread of its own, as far as it was asked."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._elements = plan, plan.known
        self._asked, self._over = threading.Semaphore(0), False
        self._subscriber: Any = None

    def subscribe(self, subscriber: Any, /) -> None:
        self._subscriber = subscriber
        subscriber.on_subscribe(self)
        giver = threading.Thread(target=self._give, daemon=True)
        self._plan.threads.append(giver)
        giver.start()

    def request(self, n: int, /) -> None:
        self._asked.release(n)

    def cancel(self) -> None:
        self._over = True
        self._asked.release()

    def _give(self) -> None:
        for one in self._elements:
            self._asked.acquire()
            if self._over:
                return
            self._subscriber.on_next(self._plan.slow(one))
        self._subscriber.on_complete()


class Asker(Book):
    """A foreign subscriber that asks for a few at a time, is slow now and then, and may leave."""

    subscription: Any

    def __init__(self, plan: Plan) -> None:
        self._plan, self._few = plan, plan.dice.choice((1, 2, 7, 50, 10_000))
        self._most = plan.dice.choice((None, None, 1, 20))
        self.has_enough = False
        super().__init__(self._few, self._took)

    def _took(self, book: Book, one: Any) -> None:
        self._plan.slow(one)
        if len(self.elements) == self._most:
            self.has_enough = True
            self.subscription.cancel()
            self.over.set()
        elif len(self.elements) == self.requested:
            self.request(self._few)
