"""``tell`` to one actor until all is handled, and ``ask`` round trips, against pykka's."""

from __future__ import annotations

from typing import Any

import pykka

from actors_rs import ActorSystem, PooledActor
from stress.bench.measuring.harness import Figure, at_least, count, in_turn, rate, ratio

__all__ = ["measure"]


class Pooled(PooledActor):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def on_receive(self, message: Any) -> int:
        self.count += 1
        return self.count


class Threading(pykka.ThreadingActor):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def on_receive(self, message: Any) -> int:
        self.count += 1
        return self.count


def tells(actor_class: Any, n: int) -> None:
    ref = actor_class.start()
    for number in range(n):
        ref.tell(number)
    handled = ref.ask(None) - 1  # answered behind all tells
    ref.stop()
    assert handled == n, f"{n} tells, {handled} handled"


def asks(actor_class: Any, n: int) -> None:
    ref = actor_class.start()
    for number in range(n):
        ref.ask(number)
    ref.stop()


def measure(scale: float) -> list[Figure]:
    n, m = count(scale, 50_000), count(scale, 5_000)
    with ActorSystem():
        tell, pykka_tell, ask, pykka_ask = in_turn(
            7,
            [
                (lambda: tells(Pooled, n), n),
                (lambda: tells(Threading, n), n),
                (lambda: asks(Pooled, m), m),
                (lambda: asks(Threading, m), m),
            ],
        )
    peer = "pykka ThreadingActor"
    at_two, at_one = at_least(2.0), at_least(1.0)
    return [
        Figure("tell", peer, rate(tell), rate(pykka_tell), ratio(tell, pykka_tell), goal=at_two),
        Figure(
            "ask round trip", peer, rate(ask), rate(pykka_ask), ratio(ask, pykka_ask), goal=at_one
        ),
    ]
