# mypy: disable-error-code="no-untyped-call, misc"
"""The scene of the races: two foreign publishers, stages of ours, foreign subscribers, a watcher.

Each of its methods is one call that some peer may make at any moment. Whatever two of them do to
each other, the scene must come to its end, with the books in order.
"""

from __future__ import annotations

import itertools
import threading
from contextlib import suppress
from typing import Any

from pykka import ActorDeadError

from actors_rs import ActorSystem, PooledActor, Source, Terminated, merge
from actors_rs.engine.island import Island
from actors_rs.protocol.demand import UNBOUNDED
from stress.elements import element, is_intact
from stress.settings import Settings
from tests.graph.helpers import Book, wait_until

__all__ = ["CALLS", "Scene"]

CALLS = ("request", "cancel", "next", "complete", "error", "stop", "restart", "watch", "subscribe")
HELD = 8
"""Elements that the hub holds for those who come late."""


class PlannedError(Exception):
    """What a publisher fails with, or an element makes a stage fail with."""


class Handed:
    """A foreign publisher, driven by hand, which keeps the rules. One thread at a time."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.sent = itertools.count()
        self.poison: set[int] = set()
        self._lock = threading.Lock()
        self._demand = 0
        self._over = False
        self.subscriber: Any = None

    def subscribe(self, subscriber: Any, /) -> None:
        self.subscriber = subscriber
        subscriber.on_subscribe(self)

    def request(self, n: int, /) -> None:
        with self._lock:
            self._demand += n

    def cancel(self) -> None:
        self._over = True

    def send(self, poison: bool = False) -> None:
        """One element, if there is demand."""
        with self._lock:
            if self._over or not self._demand:
                return
            self._demand -= 1
        number = next(self.sent)
        if poison:
            self.poison.add(number)
        self.subscriber.on_next(element(self.number, number))

    def end(self, error: Exception | None = None) -> None:
        """The terminal signal, unless there was one."""
        if self._over:
            return
        self._over = True
        if error is None:
            self.subscriber.on_complete()
        else:
            self.subscriber.on_error(error)


class Asker(Book):
    """A foreign subscriber that is asked to call from two threads at a time, against rule 2.7."""

    subscription: Any

    def __init__(self, first: int) -> None:
        super().__init__(first)
        self._counting = threading.Lock()

    def request(self, n: int) -> None:
        with self._counting:
            self.requested += n
        self.subscription.request(n)


class Watcher(PooledActor):
    """Watches what it is told to watch and counts what it hears of that."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = 0

    def on_receive(self, message: Any) -> Any:
        if isinstance(message, Terminated):
            self.heard += 1
        elif message == "heard?":
            return self.heard
        else:
            self.watch(message)
        return None


class Scene:
    """One race. ``side`` is 0 for the first call and 1 for the second: each has its publisher."""

    def __init__(self, system: ActorSystem, settings: Settings) -> None:
        self._seconds = settings.stretched(20.0)
        self._system = system
        self._hands = (Handed(0), Handed(1))
        merged: Any = merge(*(Source.from_publisher(hand) for hand in self._hands))
        self._hub = merged.map(self._keep).on_failure("restart").hub(system, replay=HELD)
        self._books = [Asker(2)]
        self._late: list[Asker] = []
        before = set(system.children())
        self._watchers = [system.spawn(Watcher) for _ in range(2)]
        self._watched = [0, 0]
        self._hub.subscribe(self._books[0])
        wait_until(lambda: self._books[0].subscription and self._all_subscribed(), self._seconds)
        islands = [one for one in system.children() if one not in before and type(one) is Island]
        self._map = next(one for one in islands if one.name == "map").actor_ref
        self._cut_short = self._failed = False
        for hand in self._hands:
            hand.send()

    def call(self, name: str, side: int) -> None:
        """Make the call ``name``."""
        getattr(self, f"_{name}")(side)

    def _all_subscribed(self) -> bool:
        return all(hand.subscriber is not None for hand in self._hands)

    def _keep(self, one: Any) -> Any:
        assert is_intact(one)
        if one[1] in self._hands[one[0]].poison:
            raise PlannedError(one)
        return one

    def _request(self, side: int) -> None:
        self._books[0].request(3)

    def _cancel(self, side: int) -> None:
        self._cut_short = True
        self._books[0].subscription.cancel()

    def _next(self, side: int) -> None:
        self._hands[side].send()

    def _complete(self, side: int) -> None:
        self._hands[side].end()

    def _error(self, side: int) -> None:
        self._failed = True
        self._hands[side].end(PlannedError("as planned"))

    def _stop(self, side: int) -> None:
        self._cut_short = True
        with suppress(ActorDeadError):
            self._map.stop(block=False)

    def _restart(self, side: int) -> None:
        self._hands[side].send(poison=True)

    def _watch(self, side: int) -> None:
        self._watched[side] = 1
        self._watchers[side].tell(self._map)

    def _subscribe(self, side: int) -> None:
        book = Asker(UNBOUNDED)
        self._late.append(book)
        self._hub.subscribe(book)

    def finish(self) -> None:
        """Bring it to its end, whatever has happened, and judge."""
        run = self._hub.run
        self._books[0].request(UNBOUNDED)
        for hand in self._hands:
            hand.end()
        assert run is not None
        assert run.wait(self._seconds), f"{run!r} stands still"
        for book in (*self._books, *self._late):
            self._judge(book)
        for watcher, expected in zip(self._watchers, self._watched, strict=True):
            wait_until(
                lambda w=watcher, n=expected: w.ask("heard?", timeout=20) == n, self._seconds
            )
            watcher.stop(timeout=self._seconds)
        wait_until(lambda: not self._system.children(), self._seconds)

    def _judge(self, book: Asker) -> None:
        if not self._cut_short:
            wait_until(lambda: bool(book.ends), self._seconds)
        assert book.faults == []
        assert len(book.ends) <= 1, book.ends
        for hand in self._hands:
            came = [one[1] for one in book.elements if one[0] == hand.number]
            assert came == sorted(set(came)), came
            sent = set(range(next(hand.sent))) - hand.poison
            assert set(came) <= sent
            if book in self._books and not self._cut_short and not self._failed:
                assert set(came) == sent
