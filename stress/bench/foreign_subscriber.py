"""A Subscriber that is none of ours and asks for one element at a time, from inside on_next."""

from __future__ import annotations

from threading import Event

from actors_rs import ActorSystem, Source
from actors_rs.protocol.interfaces import Subscription
from stress.bench.measuring.harness import Figure, at_least, count, in_turn, rate

__all__ = ["OneByOne", "measure"]


class OneByOne:
    """A plain class with the four methods of the standard."""

    def __init__(self) -> None:
        self.count = 0
        self.error: BaseException | None = None
        self.ended = Event()

    def on_subscribe(self, subscription: Subscription, /) -> None:
        self.subscription = subscription
        subscription.request(1)

    def on_next(self, element: object, /) -> None:
        self.count += 1
        self.subscription.request(1)

    def on_error(self, error: BaseException, /) -> None:
        self.error = error
        self.ended.set()

    def on_complete(self) -> None:
        self.ended.set()


def consume(system: ActorSystem, n: int) -> None:
    subscriber = OneByOne()
    system.publisher(Source.range(0, n)).subscribe(subscriber)
    if not subscriber.ended.wait(60) or subscriber.error or subscriber.count != n:
        raise RuntimeError(f"{n} elements expected, {subscriber.count} came: {subscriber.error!r}")


def measure(scale: float) -> list[Figure]:
    n = count(scale, 100_000)
    with ActorSystem() as system:
        (times,) = in_turn(7, [(lambda: consume(system, n), n)])
    what = "a foreign Subscriber asking one by one"
    value = 1 / sorted(times)[len(times) // 2]
    return [Figure(what, "", rate(times), "", value, "elements/s", at_least(50_000))]
